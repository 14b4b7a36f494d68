// Starts the page: loads the wasm module with a progress bar, says what to do when that fails, and keeps the page for
// when there is no network.
import init from "./warpscope.js";

const byId = (id) => document.getElementById(id);

// The message that a panic shows (src/web/fault.rs fills it in) must work when the wasm module no longer does.
// The link in the address bar may be older than what was typed last, so it goes.
const again = () => {
  history.replaceState(null, "", location.pathname);
  location.reload();
};
byId("fault-reload").onclick = again;
byId("fault-reset").onclick = () => {
  try {
    localStorage.removeItem("warpscope.visit");
  } catch {
    // Nothing was stored, then.
  }
  again();
};

// A module that falls (no memory or no stack is left, say) cannot say so itself.
const fell = (reason) => {
  const fault = byId("fault");
  if (!fault.hidden || !(reason instanceof WebAssembly.RuntimeError || reason instanceof RangeError)) return;
  byId("fault-text").textContent = `${reason}`;
  fault.hidden = false;
};
addEventListener("error", (event) => fell(event.error));
addEventListener("unhandledrejection", (event) => fell(event.reason));

// The module as a stream that counts what has come in.
async function withProgress(response) {
  const total = Number(response.headers.get("Content-Length"));
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  if (!response.body || !total) return response;
  let loaded = 0;
  const counted = response.body.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        loaded += chunk.byteLength;
        const progress = byId("boot-progress");
        // Compressed files are longer than they say.
        if (progress) progress.value = Math.min(1, loaded / total);
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(counted, { headers: { "Content-Type": "application/wasm" } });
}

try {
  await init({ module_or_path: fetch(new URL("warpscope_bg.wasm", import.meta.url)).then(withProgress) });
} catch (reason) {
  const text = byId("boot-text");
  if (text) {
    byId("boot-progress").hidden = true;
    text.textContent = `The simulator could not be loaded (${reason}). Check the connection, or try a current browser, and load the page again.`;
  }
  throw reason;
}

if ("serviceWorker" in navigator) {
  // Without it the page works all the same, only not offline.
  navigator.serviceWorker.register("offline.js").catch(() => {});
}
