// What is shown of the worker's runs.
const $ = (id) => document.getElementById(id);
const WAYS = { bigint: "BigInt", wasm: "WebAssembly", webgpu: "WebGPU" };
const TASKS = {
  multiply: ["Products", "c = a b 2⁻²⁵⁶ mod p", "Montgomery’s product of numbers in Montgomery form; BigInt’s is a * b % p."],
  power: ["Powers", "bᵉ mod p", "An exponent of 256 bits and a base for each lane: 256 squarings, and a product for each bit that is 1."],
  add: ["Sums of points", "(x₁, y₁, z₁) + (x₂, y₂)", "Points of y² = x³ + 3, one in Jacobian coordinates; equal, inverse and infinite points among them."],
  affine: ["Affine coordinates", "(x / z², y / z³)", "The inverse is a power on the devices; BigInt’s is Euclid’s algorithm."],
};

const element = (tag, className, text = "") => Object.assign(document.createElement(tag), { className, textContent: text });

function rate(perSecond) {
  const [scale, unit] = perSecond >= 1e6 ? [1e6, " M/s"] : perSecond >= 1e3 ? [1e3, " k/s"] : [1, " /s"];
  const value = perSecond / scale;
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0) + unit;
}

const rows = new Map();
let found = [];

function draw() {
  rows.clear();
  $("tasks").replaceChildren(
    ...Object.entries(TASKS).map(([name, [title, formula, about]]) => {
      const card = element("article", "task");
      const head = element("h2", "", title);
      const count = element("span", "");
      head.append(count);
      const text = element("p", "");
      text.append(element("code", "", formula), `. ${about}`);
      const ways = Object.entries(WAYS).map(([way, label]) => {
        const row = element("div", `way ${way}`);
        const track = element("div", "track");
        const bar = element("i", "");
        track.append(bar);
        const parts = { bar, rate: element("span", "rate", "…"), ratio: element("span", "ratio"), badge: element("span", "badge none") };
        row.append(element("b", "", label), track, parts.rate, parts.ratio, parts.badge);
        rows.set(`${name} ${way}`, parts);
        return row;
      });
      rows.set(name, count);
      card.append(head, text, ...ways);
      return card;
    }),
  );
}

/** A way to compute a task was timed: bars are parts of the fastest. */
function show(row) {
  found.push(row);
  const mine = found.filter(({ task }) => task === row.task);
  const speed = ({ count, milliseconds }) => (1000 * count) / milliseconds;
  const most = Math.max(...mine.map(speed));
  const bigint = mine.find(({ way }) => way === "bigint");
  for (const one of mine) {
    const parts = rows.get(`${one.task} ${one.way}`);
    parts.bar.style.width = `${Math.max((100 * speed(one)) / most, 0.5)}%`;
    parts.rate.textContent = rate(speed(one));
    if (one === bigint) continue;
    parts.ratio.textContent = bigint ? `× ${Number((speed(one) / speed(bigint)).toPrecision(2))}` : "";
    parts.badge.className = one.differing ? "badge bad" : "badge";
    parts.badge.textContent = one.differing ? `${one.differing.toLocaleString("en")} differ` : `${one.checked.toLocaleString("en")} agree`;
  }
}

function judge(failures) {
  const checked = found.reduce((sum, row) => sum + row.checked, 0);
  const differing = found.reduce((sum, row) => sum + row.differing, 0);
  $("verdict").className = differing || failures ? "bad" : "good";
  $("verdict").textContent = differing
    ? `${differing.toLocaleString("en")} results differ from BigInt’s`
    : `${checked.toLocaleString("en")} results, all equal to BigInt’s${failures ? `; ${failures} did not run` : ""}`;
}

let failures = 0;

function tell(text) {
  $("message").textContent = text;
  $("message").hidden = !text;
}

function done() {
  $("run").disabled = false;
  $("state").textContent = "";
  judge(failures);
  document.body.dataset.runs = String(Number(document.body.dataset.runs ?? 0) + 1);
}

const worker = new Worker("worker.mjs", { type: "module" });
worker.onerror = ({ message }) => {
  tell(`The worker failed: ${message}`);
  failures += 1;
  done();
};
worker.onmessage = ({ data }) => {
  if (data.kind === "task") {
    rows.get(data.task).textContent = `${data.count.toLocaleString("en")} at once`;
    $("state").textContent = TASKS[data.task][0];
  } else if (data.kind === "device") {
    const { backend, adapter, real, milliseconds } = data;
    $("devices").append(element("dt", "", WAYS[backend]), element("dd", "", adapter + (real ? "" : ", which is no GPU but a program")));
    $("devices").append(element("dt", "", "opened, compiled"), element("dd", "", `${milliseconds.toFixed(0)} ms`));
  } else if (data.kind === "way") {
    show(data);
  } else if (data.kind === "failed") {
    failures += 1;
    const { rate, badge } = rows.get(`${data.task} ${data.way}`);
    [rate.textContent, badge.textContent, badge.className] = ["–", "did not run", "badge bad"];
    tell(data.text);
  } else {
    if (data.kind === "broken") {
      failures += 1;
      tell(data.text);
    }
    done();
  }
};

function run() {
  const backends = [...document.querySelectorAll("[name=backend]:checked")].map(({ value }) => value);
  found = [];
  failures = 0;
  tell("");
  draw();
  for (const key of rows.keys()) {
    const way = key.split(" ")[1];
    if (way && way !== "bigint" && !backends.includes(way)) rows.get(key).rate.textContent = "–";
  }
  $("run").disabled = true;
  $("verdict").className = "";
  $("verdict").textContent = "…";
  worker.postMessage({ count: Number($("count").value), backends });
}

$("controls").addEventListener("submit", (event) => {
  event.preventDefault();
  run();
});
if (location.hash) for (const box of document.getElementsByName("backend")) box.checked = `#${box.value}` === location.hash;
run();
