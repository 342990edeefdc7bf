import { gallery, ramp, random } from "./harness.mjs";

const SIDE = 512;

gallery({
  programs: ["steps", "sow"],
  controls: {
    generations: { label: "Generations a frame", min: 2, max: 20, step: 2, value: 2 },
    density: { label: "Sown at the start", min: 0, max: 0.6, step: 0.02, value: 0.2, restarts: true },
    radius: { label: "Brush", min: 2, max: 60, step: 1, value: 20 },
  },
  setup({ run, buffer, values, say }) {
    const next = random(3);
    const cells = buffer("u8", Uint8Array.from({ length: SIDE * SIDE }, () => (next() < values.density ? 255 : 0)), [SIDE, SIDE]);
    let [generation, seed] = [0, 0];
    const colours = ramp(["#070a14", "#1b1f57", "#6d2a8c", "#d0417e"], 256);
    colours.set([255, 240, 205, 255], 4 * 255);
    return {
      colours,
      frame({ pointer }) {
        if (pointer.down) run("sow", { cells, x: pointer.x * SIDE, y: pointer.y * SIDE, radius: values.radius, seed: ++seed });
        run("steps", { cells, pairs: values.generations / 2 - 1 });
        say(`Generation ${(generation += values.generations).toLocaleString("en")}`);
        return cells;
      },
    };
  },
});
