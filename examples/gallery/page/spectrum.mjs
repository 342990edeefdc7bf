import { gallery, ramp } from "./harness.mjs";
import { sound as source } from "./media.mjs";

const [WIDTH, HEIGHT, SAMPLES] = [512, 384, 1024];
const media = source();

gallery({
  programs: ["frame"],
  media,
  setup({ run, buffer, sound, say }) {
    const [heard, level] = [buffer("f32", SAMPLES), buffer("f32", SAMPLES / 2)];
    const [history, picture] = [buffer("u8", [SAMPLES / 2, WIDTH]), buffer("u8", [HEIGHT, WIDTH])];
    let at = 0;
    return {
      colours: ramp(["#05050d", "#1d1147", "#5a1e84", "#b03a7b", "#f0605d", "#fca95c", "#fdf2b4"]),
      frame() {
        at = (at + 1) % WIDTH;
        heard.write(sound(SAMPLES));
        run("frame", { sound: heard, level, history, picture, at });
        say(`${media.name}, ${(media.rate / 1000).toFixed(1)} kHz`);
        return picture;
      },
    };
  },
});
