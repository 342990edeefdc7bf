import { gallery } from "./harness.mjs";

const SIDE = 256;

gallery({
  programs: ["frame"],
  controls: {
    force: { label: "Force", min: 1, max: 40, step: 1, value: 15 },
    rounds: { label: "Rounds of pressure", min: 2, max: 60, step: 2, value: 20 },
  },
  setup({ run, buffer, values }) {
    const fields = { flow: buffer("f32", [SIDE, SIDE, 2]), dye: buffer("f32", [SIDE, SIDE, 3]), picture: buffer("u8", [SIDE, SIDE, 4]) };
    let [turn, alone] = [0, true];
    return {
      frame({ pointer }) {
        turn += 1;
        alone &&= !pointer.down;
        const hue = (shift) => 0.2 * (1 + Math.cos(turn / 40 + shift));
        const ink = pointer.down || alone;
        const [red, green, blue] = [0, 2, 4].map((shift) => (ink ? hue(shift) : 0));
        // Until someone stirs, two strokes that go around do.
        const way = turn / 23;
        const by = alone
          ? { x: SIDE * (0.5 + 0.28 * Math.cos(way)), y: SIDE * (0.5 + 0.28 * Math.sin(1.5 * way)), dx: -0.9 * Math.sin(way), dy: 0.9 * Math.cos(1.5 * way) }
          : { x: pointer.x * SIDE, y: pointer.y * SIDE, dx: ink ? pointer.dx * 4 * values.force : 0, dy: ink ? pointer.dy * 4 * values.force : 0 };
        run("frame", { ...fields, ...by, red, green, blue, pairs: values.rounds / 2 });
        return fields.picture;
      },
    };
  },
});
