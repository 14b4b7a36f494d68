// Shows how far loading has come, and what to do when it fails. Trunk calls these while it starts the wasm module.
const byId = (id) => document.getElementById(id);

// The message that a panic shows (src/web/fault.rs fills it in) must work when the wasm module no longer does.
byId("fault-reload").onclick = () => location.reload();
byId("fault-reset").onclick = () => {
  try {
    localStorage.removeItem("warpscope.draft");
  } catch {
    // Nothing was stored, then.
  }
  location.reload();
};

export default function boot() {
  return {
    onProgress: ({ current, total }) => {
      const progress = byId("boot-progress");
      if (progress && total) progress.value = current / total;
    },
    onFailure: (reason) => {
      const text = byId("boot-text");
      if (!text) return;
      byId("boot-progress").hidden = true;
      text.textContent = `The simulator could not be loaded (${reason}). Check the connection, or try a current browser, and load the page again.`;
    },
  };
}
