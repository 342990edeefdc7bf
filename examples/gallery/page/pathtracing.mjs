import { gallery, orbit } from "./harness.mjs";

const [WIDTH, HEIGHT] = [480, 360];

gallery({
  programs: ["frame", "clear"],
  controls: { most: { label: "Paths at most", min: 50, max: 5000, step: 50, value: 2000 } },
  setup({ run, buffer, values, say }) {
    const [sum, picture] = [buffer("f32", [HEIGHT, WIDTH, 3]), buffer("u8", [HEIGHT, WIDTH, 4])];
    const eye = orbit(0.25, 0.12);
    let [paths, seed] = [0, 0];
    return {
      moving: () => paths < values.most,
      frame({ pointer }) {
        if (eye.drag(pointer) || eye.moved) {
          run("clear", { sum });
          [paths, eye.moved] = [0, false];
        }
        run("frame", { sum, picture, seed: ++seed, turn: eye.turn, tilt: eye.tilt, paths: ++paths });
        say(`${paths.toLocaleString("en")} paths a pixel`);
        return picture;
      },
      key: eye.key,
    };
  },
});
