import { gallery, ramp, random } from "./harness.mjs";

const [WIDTH, HEIGHT, COUNT] = [560, 420, 65536];

gallery({
  programs: ["frame"],
  controls: {
    wind: { label: "Wind", min: 0, max: 5, step: 0.1, value: 1.5 },
    pull: { label: "Pull of the pointer", min: -2, max: 2, step: 0.1, value: 1 },
    colours: { label: "Colours", options: { ember: "Ember", sea: "Sea", violet: "Violet" }, restarts: true },
  },
  setup({ run, buffer, values }) {
    const next = random(11);
    const place = buffer("f32", Float32Array.from({ length: 2 * COUNT }, next), [COUNT, 2]);
    const speed = buffer("f32", [COUNT, 2]);
    const [light, picture] = [buffer("u32", [HEIGHT, WIDTH]), buffer("u8", [HEIGHT, WIDTH])];
    const stops = {
      ember: ["#07040a", "#3b0f2b", "#a3243b", "#f2703f", "#ffd27d", "#fffbe8"],
      sea: ["#02060f", "#06304f", "#0b7a8f", "#3fd0b6", "#d6fbd2", "#ffffff"],
      violet: ["#06030f", "#26145c", "#6a2fb5", "#c65bd6", "#ffb3d9", "#fff4fb"],
    };
    return {
      colours: ramp(stops[values.colours]),
      frame({ time, pointer }) {
        const { x, y } = pointer;
        run("frame", { place, speed, light, picture, time: time / 3000, x, y, pull: pointer.down ? values.pull : 0, wind: values.wind });
        return picture;
      },
    };
  },
});
