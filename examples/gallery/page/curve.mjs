import { P, add, affine, toMontgomery } from "./bigint.mjs";
import { gallery, ramp } from "./harness.mjs";

const G = [1n, 2n];

gallery({
  programs: ["add", "affine", "plot"],
  controls: { count: { label: "Points a frame", min: 64, max: 2048, step: 64, value: 256, restarts: true } },
  setup({ run, buffer, values, say, complain }) {
    const { count } = values;
    const wide = (content) => buffer("u256", content, [content.length ?? content]);
    // 1 to `count` times the generator, by BigInt; each frame adds `count` times the generator to all of them.
    const points = [G];
    while (points.length < count) points.push(affine(...add(...points.at(-1), 1n, ...G)));
    const column = (k) => wide(points.map((point) => toMontgomery(point[k])));
    const filled = (value) => wide(Array(count).fill(value));
    const [far_x, far_y] = points.at(-1).map(toMontgomery);
    const step = { x2: filled(far_x), y2: filled(far_y) };
    let now = { x: column(0), y: column(1), z: filled(toMontgomery(1n)) };
    let next = { x: wide(count), y: wide(count), z: wide(count) };
    const plain = { one: filled(1n), xs: wide(count), ys: wide(count), picture: buffer("u8", [512, 512]) };
    const [ax, ay] = [wide(count), wide(count)];
    let [checked, frames] = [0, 0];
    return {
      colours: ramp(["#05060d", "#16224f", "#3a55b0", "#86b6ff", "#fff7d6"]),
      async frame() {
        if (frames++) {
          run("add", { x1: now.x, y1: now.y, z1: now.z, ...step, x3: next.x, y3: next.y, z3: next.z });
          [now, next] = [next, now];
        }
        run("affine", { ...now, ax, ay });
        run("plot", { ax, ay, ...plain });
        const [xs, ys] = await Promise.all([plain.xs.read(), plain.ys.read()]);
        const wrong = xs.findIndex((x, k) => (ys[k] * ys[k] - x ** 3n - 3n) % P);
        if (wrong >= 0) complain(`${count * (frames - 1) + wrong + 1} times the generator is no point of the curve`);
        checked += count;
        say(`${checked.toLocaleString("en")} points, all on the curve: the last is ${xs.at(-1).toString(16).slice(0, 12)}…`);
        return plain.picture;
      },
    };
  },
});
