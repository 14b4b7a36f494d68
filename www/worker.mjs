// The same module as the page's, beside it: each message is a task as text, each answer what the task came to
// (src/web/pool.rs).
import init, { perform } from "./warpscope.js";

const ready = init();

self.onmessage = async ({ data }) => {
  await ready;
  self.postMessage(perform(data));
};
