import { gallery, random } from "./harness.mjs";
import { pictures } from "./media.mjs";

const [WIDTH, HEIGHT] = [480, 360];
const media = pictures();

gallery({
  programs: ["round"],
  media,
  controls: { count: { label: "Colours", min: 2, max: 32, step: 1, value: 8, restarts: true } },
  setup({ run, buffer, values, picture, say }) {
    const next = random(9);
    const [photo, shown] = [buffer("u8", [HEIGHT, WIDTH, 4]), buffer("u8", [HEIGHT, WIDTH, 4])];
    // Colours begin as those of pixels anywhere.
    const first = picture(WIDTH, HEIGHT);
    const chosen = Array.from({ length: values.count }, () => 4 * Math.floor(next() * WIDTH * HEIGHT));
    const colours = buffer("f32", Float32Array.from(chosen.flatMap((at) => [...first.subarray(at, at + 3)])), [values.count, 3]);
    const counts = buffer("u32", values.count);
    let [rounds, given] = [0, null];
    return {
      moving: () => media.live || rounds < 60,
      frame() {
        const now = picture(WIDTH, HEIGHT);
        if (now !== given) rounds = 0;
        given = now;
        photo.write(now);
        run("round", { photo, colours, counts, picture: shown, bar: 24 });
        say(`${++rounds} ${rounds === 1 ? "round" : "rounds"}`);
        return shown;
      },
    };
  },
});
