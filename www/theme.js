// Runs before anything is drawn: light or dark as last chosen, else as the system says.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("warpscope.theme");
  } catch {
    // Storage may be forbidden; the system's choice will do.
  }
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = chosen === "light" || chosen === "dark" ? chosen : dark ? "dark" : "light";
})();
