/** The service worker: keeps all files of the playground, so that it works offline. build.mjs says which, and their hash. */
declare const FILES: readonly string[];
declare const VERSION: string;

const NAME = `playground-${VERSION}`;
const scope = globalThis as unknown as {
  addEventListener(kind: string, listener: (event: any) => void): void;
  clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
};

scope.addEventListener("install", (event) => {
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: "no-cache" })))));
});

scope.addEventListener("activate", (event) => {
  const old = caches.keys().then((names) => Promise.all(names.filter((name) => name.startsWith("playground-") && name !== NAME).map((name) => caches.delete(name))));
  event.waitUntil(old.then(() => scope.clients.claim()));
});

scope.addEventListener("message", (event) => {
  if (event.data === "now") void scope.skipWaiting();
});

scope.addEventListener("fetch", (event) => {
  const { request } = event as { request: Request };
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  const kept = caches.open(NAME).then((cache) => cache.match(request, { ignoreSearch: true }));
  event.respondWith(kept.then((found) => found ?? fetch(request)));
});
