import { gallery, ramp, random } from "./harness.mjs";

const SIDE = 256;
const COUNT = SIDE * SIDE;

gallery({
  programs: ["compare", "paint"],
  controls: { passes: { label: "Passes a frame", min: 1, max: 20, step: 1, value: 1 } },
  setup({ run, buffer, values, say, complain }) {
    const next = random(13);
    const numbers = Uint32Array.from({ length: COUNT }, () => next() * 2 ** 32);
    const [x, picture] = [buffer("u32", numbers), buffer("u8", [SIDE, SIDE])];
    let [size, half, passes, done] = [2, 1, 0, false];
    async function check() {
      const found = await x.read();
      const wanted = numbers.slice().sort();
      if (!found.every((value, k) => value === wanted[k])) complain("the order is wrong");
      else say(`${COUNT.toLocaleString("en")} numbers in order after ${passes} passes: checked`);
    }
    return {
      colours: ramp(["#30123b", "#4662d7", "#36aaf9", "#1ae4b6", "#72fe5e", "#c8ef34", "#faba39", "#f66b19", "#ca2a04", "#7a0403"]),
      moving: () => !done,
      async frame() {
        for (let k = 0; k < values.passes && size <= COUNT; k++, passes++) {
          run("compare", { x, size, half });
          half /= 2;
          if (half < 1) [size, half] = [2 * size, size];
        }
        run("paint", { x, picture });
        if (size <= COUNT) say(`Pass ${passes} of 136`);
        else if (!done) await check();
        done = size > COUNT;
        return picture;
      },
    };
  },
});
