import { gallery, orbit } from "./harness.mjs";

const [WIDTH, HEIGHT] = [400, 300];

gallery({
  programs: ["view"],
  controls: {
    speed: { label: "Speed", min: 0, max: 3, step: 0.1, value: 1 },
    turning: { label: "Turning", min: 0, max: 1, step: 0.05, value: 0.2 },
  },
  setup({ run, buffer, values }) {
    const picture = buffer("u8", [HEIGHT, WIDTH, 4]);
    const eye = orbit(0.4, 0.3);
    let [now, last] = [0.5, null];
    return {
      frame({ time, pointer }) {
        const passed = last === null ? 0 : Math.min(time - last, 100) / 1000;
        last = time;
        now += passed * values.speed;
        if (!eye.drag(pointer)) eye.turn += passed * values.turning;
        run("view", { picture, time: now, turn: eye.turn, tilt: eye.tilt });
        return picture;
      },
      key: eye.key,
    };
  },
});
