// The other thread: loads the page's own wasm module and runs one kernel (src/web/worker.rs).
onmessage = async ({ data: { script, module, order } }) => {
  const { default: init, runKernel } = await import(script);
  await init({ module_or_path: module });
  postMessage(runKernel(order));
};
