import { gallery } from "./harness.mjs";

const [WIDTH, HEIGHT] = [560, 420];
const PLACES = {
  valley: [-0.743643887037151, 0.13182590420533],
  spiral: [-0.761574, -0.0847596],
  needle: [-1.7687788, 0.001738],
  all: [-0.6, 0],
};
const [START, DEEP, FLOOR] = [3.2, 4e-4, { f32: 4e-4, f64: 3e-12 }]; // widths of the picture; below DEEP F32 has too few digits

gallery({
  programs: ["f32", "f64"],
  controls: {
    place: { label: "Towards", options: { valley: "Seahorse valley", spiral: "A double spiral", needle: "A small copy", all: "Nowhere: stay" }, restarts: true },
    speed: { label: "Zoom", min: 0, max: 3, step: 0.1, value: 1 },
    detail: { label: "Rounds for a doubling", min: 10, max: 200, step: 10, value: 40 },
  },
  setup({ run, buffer, values, say, runtime }) {
    const picture = buffer("u8", [HEIGHT, WIDTH, 4]);
    let [x, y] = PLACES[values.place];
    let [width, last, still] = [START, 0, false];
    // A shader has no F64: it is done with integers there, too slowly to zoom by.
    const deepest = FLOOR[runtime.info.selected === "wasm" ? "f64" : "f32"];
    const zoom = (factor, at = { x: 0.5, y: 0.5 }) => {
      const next = Math.min(Math.max(width * factor, deepest), 4);
      x += (at.x - 0.5) * (width - next);
      y += (at.y - 0.5) * (width - next) * (HEIGHT / WIDTH);
      width = next;
    };
    const move = (dx, dy) => {
      [x, y, still] = [x + dx * width, y + dy * width, true];
    };
    const keys = { ArrowLeft: [-0.05, 0], ArrowRight: [0.05, 0], ArrowUp: [0, -0.05], ArrowDown: [0, 0.05] };
    return {
      frame({ time, pointer }) {
        if (pointer.down) move(-pointer.dx, (-pointer.dy * HEIGHT) / WIDTH);
        else if (!still && values.place !== "all" && last) {
          zoom(Math.exp((-values.speed * Math.min(time - last, 50)) / 2500));
          if (width === deepest) width = START;
        }
        last = time;
        const kind = width < DEEP ? "f64" : "f32";
        const pixel = width / WIDTH;
        const most = 60 + Math.round(values.detail * Math.log2(4 / width + 1));
        run(kind, { picture, left: x - width / 2, top: y - (pixel * HEIGHT) / 2, pixel, most });
        say(`${(START / width).toLocaleString("en", { maximumSignificantDigits: 3 })} times, in ${kind.toUpperCase()}, ${most} rounds at most`);
        return picture;
      },
      wheel(by, at) {
        still = true;
        zoom(Math.exp(by / 600), at);
      },
      key(key) {
        if (key === "+" || key === "-") zoom(key === "+" ? 0.8 : 1.25);
        else if (keys[key]) move(...keys[key]);
        else return false;
        still = true;
      },
    };
  },
});
