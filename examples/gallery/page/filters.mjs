import { gallery } from "./harness.mjs";
import { pictures } from "./media.mjs";

const [WIDTH, HEIGHT] = [480, 360];
const media = pictures();

/** 25 weights: a middle of 3 x 3, in a frame of zeros. */
const inner = (nine, scale = 1) => Float32Array.from({ length: 25 }, (_, k) => {
  const [i, j] = [Math.floor(k / 5) - 1, (k % 5) - 1];
  return i >= 0 && i < 3 && j >= 0 && j < 3 ? nine[3 * i + j] * scale : 0;
});
const outer = (ones) => Float32Array.from({ length: 25 }, (_, k) => (ones[Math.floor(k / 5)] * ones[k % 5]) / 256);
const WEIGHTS = {
  none: inner([0, 0, 0, 0, 1, 0, 0, 0, 0]),
  sharpen: inner([0, -1, 0, -1, 5, -1, 0, -1, 0]),
  blur: outer([1, 4, 6, 4, 1]),
  emboss: inner([-2, -1, 0, -1, 1, 1, 0, 1, 2]),
  outline: inner([1, 1, 1, 1, -8, 1, 1, 1, 1], 2),
  motion: Float32Array.from({ length: 25 }, (_, k) => (k % 6 ? 0 : 0.2)),
};
const LOOKS = {
  own: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0],
  grey: [0.3, 0.59, 0.11, 0, 0.3, 0.59, 0.11, 0, 0.3, 0.59, 0.11, 0],
  sepia: [0.393, 0.769, 0.189, 0, 0.349, 0.686, 0.168, 0, 0.272, 0.534, 0.131, 0],
  negative: [-1, 0, 0, 255, 0, -1, 0, 255, 0, 0, -1, 255],
  night: [0.15, 0.2, 0.05, 0, 0.2, 0.35, 0.1, 4, 0.35, 0.6, 0.45, 22],
  vivid: [1.6, -0.4, -0.2, 0, -0.25, 1.55, -0.3, 0, -0.2, -0.4, 1.6, 0],
};

gallery({
  programs: ["convolve"],
  media,
  controls: {
    shape: { label: "Neighbours", options: { emboss: "Emboss", sharpen: "Sharpen", blur: "Blur", outline: "Outline", motion: "Motion", none: "As they are" } },
    look: { label: "Colours", options: { vivid: "Vivid", own: "As they are", grey: "Grey", sepia: "Sepia", negative: "Negative", night: "Night" } },
    split: { label: "Left as it was, %", min: 0, max: 100, step: 1, value: 35 },
  },
  setup({ run, buffer, values, picture }) {
    const [photo, shown] = [buffer("u8", [HEIGHT, WIDTH, 4]), buffer("u8", [HEIGHT, WIDTH, 4])];
    const [weights, matrix] = [buffer("f32", [5, 5]), buffer("f32", [3, 4])];
    return {
      moving: () => media.live,
      frame({ pointer }) {
        const split = pointer.down ? pointer.x : values.split / 100;
        photo.write(picture(WIDTH, HEIGHT));
        weights.write(WEIGHTS[values.shape]);
        matrix.write(Float32Array.from(LOOKS[values.look]));
        run("convolve", { photo, weights, matrix, picture: shown, split: Math.round(split * WIDTH) });
        return shown;
      },
    };
  },
});
