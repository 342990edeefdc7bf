import { gallery, ramp, random } from "./harness.mjs";

const [WIDTH, HEIGHT, COUNT] = [560, 420, 1536];

/** Two discs that turn and meet. */
function galaxies() {
  const [place, speed, next] = [new Float32Array(4 * COUNT), new Float32Array(3 * COUNT), random(5)];
  for (let k = 0; k < COUNT; k++) {
    const side = k % 2 ? 1 : -1;
    const heart = k < 2;
    const [radius, angle] = [heart ? 0 : 0.12 + 0.75 * Math.sqrt(next()), 2 * Math.PI * next()];
    const [x, z] = [radius * Math.cos(angle), radius * Math.sin(angle)];
    const around = heart ? 0 : Math.sqrt(0.75 * radius * radius / (radius * radius + 0.02) ** 1.5);
    const lean = side > 0 ? 0.5 : -0.25;
    place.set([side * 0.95 + x, side * 0.25 + z * lean + 0.03 * (next() - 0.5), z, heart ? 0.6 : 0.35 / COUNT], 4 * k);
    speed.set([-side * 0.22 - around * Math.sin(angle), around * Math.cos(angle) * lean, around * Math.cos(angle) - side * 0.2], 3 * k);
  }
  return [place, speed];
}

gallery({
  programs: ["frame"],
  controls: {
    dt: { label: "Speed", min: 0, max: 0.03, step: 0.001, value: 0.012 },
    turning: { label: "Turning", min: 0, max: 1, step: 0.05, value: 0.2 },
  },
  setup({ run, buffer, values }) {
    const [place, speed] = galaxies();
    const bodies = { place: buffer("f32", place, [COUNT, 4]), speed: buffer("f32", speed, [COUNT, 3]) };
    const [light, picture] = [buffer("u32", [HEIGHT, WIDTH]), buffer("u8", [HEIGHT, WIDTH])];
    let [turn, tilt] = [0.3, 0.5];
    return {
      colours: ramp(["#04040c", "#1b2358", "#4a5fc4", "#9cc3ff", "#fff6dc", "#ffffff"]),
      frame({ pointer }) {
        if (pointer.down) [turn, tilt] = [turn + 4 * pointer.dx, tilt + 3 * pointer.dy];
        else turn += values.turning / 60;
        run("frame", { ...bodies, light, picture, dt: values.dt, turn, tilt });
        return picture;
      },
    };
  },
});
