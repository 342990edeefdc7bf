/** The worker that runs programs on the devices of the browser; the page ends it to stop a run. */
import { measure } from "./measure.js";
import type { News, Order } from "./protocol.js";

globalThis.onmessage = async ({ data }: MessageEvent<Order>) => {
  const post = (news: News) => globalThis.postMessage(news);
  post({ reports: await measure(data, (doing) => post({ doing })) });
};
