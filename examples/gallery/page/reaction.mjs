import { gallery, ramp, random } from "./harness.mjs";

const KINDS = { coral: [0.0545, 0.062], spots: [0.035, 0.065], labyrinth: [0.029, 0.057], mitosis: [0.0367, 0.0649], waves: [0.014, 0.045], holes: [0.039, 0.058] };
const SIDE = 512;

gallery({
  programs: ["steps", "drop"],
  controls: {
    kind: { label: "Pattern", options: { coral: "Coral", spots: "Spots", labyrinth: "Labyrinth", mitosis: "Dividing cells", waves: "Waves", holes: "Holes" } },
    steps: { label: "Steps a frame", min: 2, max: 32, step: 2, value: 8 },
    radius: { label: "Brush", min: 2, max: 40, step: 1, value: 12 },
  },
  setup({ run, buffer, values }) {
    const [u, v] = [new Float32Array(SIDE * SIDE).fill(1), new Float32Array(SIDE * SIDE)];
    const next = random(7);
    for (let spot = 0; spot < 70; spot++) {
      const [row, column] = [40 + Math.floor(next() * (SIDE - 80)), 40 + Math.floor(next() * (SIDE - 80))];
      for (let k = 0; k < 64; k++) v[(row + Math.floor(k / 8)) * SIDE + column + (k % 8)] = 0.5;
    }
    const plates = { u: buffer("f32", u, [SIDE, SIDE]), v: buffer("f32", v, [SIDE, SIDE]) };
    const picture = buffer("u8", [SIDE, SIDE]);
    return {
      colours: ramp(["#0b1026", "#123a6d", "#12849a", "#5ed3a5", "#f6f3c8", "#ffb25b", "#e4572e"]),
      frame({ pointer }) {
        const [feed, kill] = KINDS[values.kind];
        if (pointer.down) run("drop", { v: plates.v, x: pointer.x * SIDE, y: pointer.y * SIDE, radius: values.radius });
        run("steps", { ...plates, picture, pairs: values.steps / 2, feed, kill });
        return picture;
      },
    };
  },
});
