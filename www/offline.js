// Keeps the page for when there is no network: what can be had is fetched anew each time, what cannot comes from the copy.
const COPY = "warpscope";
const FILES = [
  "./",
  "tokens.css",
  "base.css",
  "bar.css",
  "stage.css",
  "editor.css",
  "source.css",
  "details.css",
  "transport.css",
  "sheets.css",
  "lessons.css",
  "class.css",
  "screens.css",
  "plots.css",
  "paper.css",
  "comparing.css",
  "theme.js",
  "boot.mjs",
  "worker.mjs",
  "warpscope.js",
  "warpscope_bg.wasm",
  "icon.svg",
  "manifest.webmanifest",
  "simulation.mjs",
  "example.html",
  "example.mjs",
];

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(COPY)
      .then((copy) => copy.addAll(FILES))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

// One copy of each file, by whatever address it is asked for: two of different versions would not go together.
function nameOf(request) {
  const name = new URL(request.url);
  name.search = "";
  name.pathname = name.pathname.replace(/\/index\.html$/, "/");
  return name.href;
}

async function fresh(request) {
  const copy = await caches.open(COPY);
  const name = nameOf(request);
  try {
    const response = await fetch(request);
    if (response.ok) await copy.put(name, response.clone());
    return response;
  } catch (reason) {
    const kept = await copy.match(name);
    if (kept) return kept;
    throw reason;
  }
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && new URL(request.url).origin === self.location.origin) event.respondWith(fresh(request));
});
