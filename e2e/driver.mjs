// In a page: start(order) runs a job here or in a worker of its own, and posts what it gives.
// In a worker: runs the job it is sent.
import { pack } from "./pack.mjs";

async function get(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: status ${response.status}`);
  return response.arrayBuffer();
}

async function run({ job, args: { runtime = "web/dist/index.js", ...args } }) {
  const hologram = await import(`/${runtime}`);
  const { default: work } = await import(new URL(job, new URL("/e2e/jobs/", location)));
  return pack(await work({ get, hologram }, args));
}

function inWorker(order) {
  const worker = new Worker("/e2e/driver.mjs", { type: "module" });
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => (data.bytes ? resolve(data.bytes) : reject(new Error(data.error)));
    worker.onerror = (event) => reject(new Error(`the worker failed: ${event.message}`));
    worker.postMessage(order);
  }).finally(() => worker.terminate());
}

const told = (error) => `${error?.stack ?? error}`;

if (typeof document === "undefined") {
  globalThis.onmessage = async ({ data }) => {
    try {
      postMessage({ bytes: await run(data) });
    } catch (error) {
      postMessage({ error: told(error) });
    }
  };
} else {
  const work = async (order) => {
    const post = (path, body) => fetch(`/${path}/${order.id}`, { method: "POST", body });
    try {
      await post("result", await (order.where === "worker" ? inWorker(order) : run(order)));
    } catch (error) {
      await post("failure", told(error));
    }
  };
  globalThis.start = (order) => void work(order);
}
