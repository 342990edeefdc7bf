/**
 * Makes pages of a static host cross-origin isolated, so that threads share memory: a service worker adds the headers that
 * the host cannot send. Copy `isolate.js` beside the pages, and load it first: `<script src="isolate.js"></script>`. The page
 * loads once more at the first visit. Where it still is not isolated then, as in a frame of another page, it goes on without:
 * it is not loaded a third time.
 *
 * `isolate.js?offline` keeps what pages have loaded of their own host, too, themselves and the runtime's files among it, and
 * answers with it where there is no network. A host that answers is always asked first.
 */
export {}; // it is bundled as a script without exports

const TRIED = "hologram-web: isolation was tried";
const KEPT = "hologram-web";

const keeps = (address: string): boolean => new URL(address).searchParams.has("offline");

function serve(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener("install", () => void worker.skipWaiting());
  worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));
  worker.addEventListener("fetch", (event) => {
    const { request } = event;
    if (request.cache === "only-if-cached" && request.mode !== "same-origin") return; // a bug of Chromium's tools
    const own = request.method === "GET" && new URL(request.url).origin === worker.location.origin;
    event.respondWith(own && keeps(worker.location.href) ? kept(event) : isolated(request));
  });
}

/** The answer to a request, which is kept; where nobody answers, the one that was. */
async function kept(event: FetchEvent): Promise<Response> {
  const { request } = event;
  const cache = await caches.open(KEPT);
  let response;
  try {
    response = await isolated(request);
  } catch (error) {
    const found = await cache.match(request, { ignoreVary: true });
    if (found) return found;
    throw error;
  }
  if (response.status === 200) event.waitUntil(cache.put(request, response.clone()));
  return response;
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
    const under = !keeps(address) || navigator.serviceWorker?.controller; // what loads before the worker is there is not kept
    if (crossOriginIsolated && under) return sessionStorage.removeItem(TRIED);
    if (!navigator.serviceWorker) return console.warn("isolate.js: no service workers here: pages need https or localhost");
    await navigator.serviceWorker.register(address);
    await navigator.serviceWorker.ready;
    if (sessionStorage.getItem(TRIED)) {
      return console.warn(`isolate.js: the page is not ${under ? "isolated" : "under its worker"}, though it was loaded again`);
    }
    sessionStorage.setItem(TRIED, "1"); // before it is loaded again; where nothing can be kept this throws
    location.reload();
  } catch (error) {
    console.warn(`isolate.js: ${error}`);
  }
}

interface FetchEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
  waitUntil(work: Promise<unknown>): void;
}

/** What of a service worker's globals is used; TypeScript has them in a library of their own. */
interface ServiceWorkerGlobalScope {
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
  addEventListener(type: "install", listen: () => void): void;
  addEventListener(type: "activate", listen: (event: { waitUntil(work: Promise<unknown>): void }) => void): void;
  readonly location: Location;
  addEventListener(type: "fetch", listen: (event: FetchEvent) => void): void;
}

if (typeof document !== "undefined") void register((document.currentScript as HTMLScriptElement).src);
else if ("skipWaiting" in globalThis) serve(globalThis as unknown as ServiceWorkerGlobalScope);
