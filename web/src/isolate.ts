/**
 * Makes pages of a static host cross-origin isolated, so that threads share memory: a service worker adds the headers that
 * the host cannot send. Copy `isolate.js` beside the pages, and load it first: `<script src="isolate.js"></script>`. The page
 * loads once more at the first visit. Where it still is not isolated then, as in a frame of another page, it goes on without:
 * it is not loaded a third time.
 */
export {}; // it is bundled as a script without exports

const TRIED = "hologram-web: isolation was tried";

function serve(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener("install", () => void worker.skipWaiting());
  worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));
  worker.addEventListener("fetch", (event) => {
    const { request } = event;
    if (request.cache === "only-if-cached" && request.mode !== "same-origin") return; // a bug of Chromium's tools
    event.respondWith(isolated(request));
  });
}

/** The answer to a request, with the headers. What others serve has to allow it itself: opaque answers are as they were. */
async function isolated(request: Request): Promise<Response> {
  const response = await fetch(request);
  if (response.status === 0) return response;
  const headers = new Headers(response.headers);
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
  headers.set("Cross-Origin-Embedder-Policy", "require-corp");
  const body = [101, 204, 205, 304].includes(response.status) ? null : response.body;
  return new Response(body, { status: response.status, statusText: response.statusText, headers });
}

/** Registers the worker, and loads the page again under it, once. */
async function register(address: string): Promise<void> {
  try {
    if (crossOriginIsolated) return sessionStorage.removeItem(TRIED);
    if (!navigator.serviceWorker) return console.warn("isolate.js: no service workers here: pages need https or localhost");
    await navigator.serviceWorker.register(address);
    await navigator.serviceWorker.ready;
    if (sessionStorage.getItem(TRIED)) return console.warn("isolate.js: the page is not isolated, though it was loaded again");
    sessionStorage.setItem(TRIED, "1"); // before it is loaded again; where nothing can be kept this throws
    location.reload();
  } catch (error) {
    console.warn(`isolate.js: ${error}`);
  }
}

/** What of a service worker's globals is used; TypeScript has them in a library of their own. */
interface ServiceWorkerGlobalScope {
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
  addEventListener(type: "install", listen: () => void): void;
  addEventListener(type: "activate", listen: (event: { waitUntil(work: Promise<unknown>): void }) => void): void;
  addEventListener(type: "fetch", listen: (event: { request: Request; respondWith(answer: Promise<Response>): void }) => void): void;
}

if (typeof document !== "undefined") void register((document.currentScript as HTMLScriptElement).src);
else if ("skipWaiting" in globalThis) serve(globalThis as unknown as ServiceWorkerGlobalScope);
