// What is on the page: what the worker prints.
const place = (id) => document.getElementById(id);
const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
worker.onmessage = ({ data }) => {
  if (data.line !== undefined) place("output").textContent += `${data.line}\n`;
  if (data.source !== undefined) place("source").textContent = data.source;
  if (data.state !== undefined) {
    place("state").textContent = data.state;
    document.documentElement.dataset.state = data.ended ?? "";
  }
};
worker.onerror = (event) => (place("state").textContent = `The worker failed: ${event.message}`);
