import { gallery } from "./harness.mjs";
import { pictures } from "./media.mjs";

const [WIDTH, HEIGHT] = [480, 360];
const SHOWN = { edges: 0, overlay: 1, slope: 2 };
const media = pictures();

gallery({
  programs: ["edges"],
  media,
  controls: {
    show: { label: "Show", options: { overlay: "Edges on the picture", edges: "Edges", slope: "Slope" } },
    high: { label: "Edges begin above", min: 2, max: 60, step: 1, value: 22 },
    low: { label: "and go on above", min: 1, max: 40, step: 1, value: 8 },
    rounds: { label: "Rounds of growing", min: 0, max: 40, step: 2, value: 16 },
  },
  setup({ run, buffer, values, picture }) {
    const [photo, shown] = [buffer("u8", [HEIGHT, WIDTH, 4]), buffer("u8", [HEIGHT, WIDTH, 4])];
    return {
      moving: () => media.live,
      frame() {
        photo.write(picture(WIDTH, HEIGHT));
        run("edges", { photo, picture: shown, pairs: values.rounds / 2, low: values.low, high: values.high, show: SHOWN[values.show] });
        return shown;
      },
    };
  },
});
