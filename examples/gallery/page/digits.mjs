import { gallery, ramp } from "./harness.mjs";

const SIDE = 64;
const INK = 320 / 480; // the part of the picture that is drawn on
const FIRST = [[16, 18], [22, 10], [34, 8], [44, 13], [45, 23], [36, 30], [28, 31], [37, 32], [46, 39], [46, 49], [37, 56], [24, 56], [16, 49]]; // a 3

gallery({
  programs: ["draw", "fit", "network", "paint"],
  controls: { clear: { label: "Clear", press: () => (cleared = true) } },
  setup({ run, buffer, say }) {
    const [ink, images, scores] = [buffer("f32", [SIDE, SIDE]), buffer("f32", [1, SIDE]), buffer("f32", [1, 10])];
    const [digits, picture] = [buffer("i32", 1), buffer("u8", [360, 480])];
    let last = null;
    let strokes = FIRST.slice(1).map((to, k) => [FIRST[k], to]);
    return {
      colours: ramp(["#0c0f1c", "#1f2747", "#3a4a9a", "#8ea0ff", "#ffffff"]),
      moving: () => strokes.length > 0,
      pointer(pointer, kind) {
        const here = [(pointer.x / INK) * SIDE, ((pointer.y * 360 - 20) / 320) * SIDE];
        if (kind === "pointerdown") last = here;
        if (!pointer.down && kind !== "pointerdown") return (last = null);
        if (pointer.x <= INK) strokes.push([last ?? here, here]);
        last = here;
      },
      async frame() {
        if (cleared) {
          ink.write(new Float32Array(SIDE * SIDE));
          [cleared, strokes] = [false, []];
        }
        for (const [[x, y], [to_x, to_y]] of strokes.splice(0, 8)) run("draw", { ink, x, y, to_x, to_y });
        run("fit", { ink, images });
        run("network", { images, scores, digits });
        run("paint", { ink, images, scores, picture });
        const [found, sure] = await Promise.all([digits.read(), scores.read()]);
        say(`It is a ${found[0]}, for ${(100 * sure[found[0]]).toFixed(1)} %`);
        return picture;
      },
    };
  },
});

let cleared = false;
