import { gallery, ramp } from "./harness.mjs";

const SIDE = 384;

/** A spiral that stays hot, in a frame that stays cold. */
function plate() {
  const [heat, held] = [new Float32Array(SIDE * SIDE).fill(0.12), new Uint8Array(SIDE * SIDE)];
  const set = (row, column, value) => {
    heat[row * SIDE + column] = value;
    held[row * SIDE + column] = 1;
  };
  for (let k = 0; k < SIDE; k++) for (let w = 0; w < 3; w++) for (const [r, c] of [[w, k], [SIDE - 1 - w, k], [k, w], [k, SIDE - 1 - w]]) set(r, c, 0);
  for (let turn = 0; turn < 17; turn += 0.004) {
    const [y, x] = [SIDE / 2 + (14 + 8 * turn) * Math.sin(turn), SIDE / 2 + (14 + 8 * turn) * Math.cos(turn)].map(Math.round);
    for (let dy = -1; dy <= 1; dy++) for (let dx = -1; dx <= 1; dx++) set(y + dy, x + dx, turn % 4 < 2.6 ? 1 : 0.35);
  }
  return [heat, held];
}

gallery({
  programs: ["steps", "brush"],
  controls: {
    steps: { label: "Steps a frame", min: 2, max: 40, step: 2, value: 16 },
    speed: { label: "Conductance", min: 0.02, max: 0.25, step: 0.01, value: 0.24 },
    to: { label: "The brush is", options: { 1: "hot", 0.5: "warm", 0: "cold" } , value: "1" },
    radius: { label: "Brush", min: 2, max: 30, step: 1, value: 8 },
  },
  setup({ run, buffer, values }) {
    const [heat, held] = plate();
    const fields = { heat: buffer("f32", heat, [SIDE, SIDE]), held: buffer("u8", held, [SIDE, SIDE]) };
    const picture = buffer("u8", [SIDE, SIDE]);
    return {
      colours: ramp(["#05030f", "#2a0d54", "#7b1d6d", "#c73e4c", "#f3771a", "#fbc12d", "#fcffc4"]),
      frame({ pointer }) {
        const to = pointer.shift ? 0 : Number(values.to);
        if (pointer.down) run("brush", { ...fields, x: pointer.x * SIDE, y: pointer.y * SIDE, radius: values.radius, to });
        run("steps", { ...fields, picture, pairs: values.steps / 2, speed: values.speed });
        return picture;
      },
    };
  },
});
