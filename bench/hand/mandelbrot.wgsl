// How many rounds z = z * z + c stays within the circle of radius 2, at most `most`, for each pixel.
struct Scalars { width: u32, step: f32, most: u32, lanes: u32 }
@group(0) @binding(0) var<uniform> scalars: Scalars;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;

@compute @workgroup_size(256)
fn run(@builtin(global_invocation_id) id: vec3u) {
  let cx = -2.0 + f32(id.x % scalars.width) * scalars.step;
  let cy = -1.5 + f32(id.x / scalars.width) * scalars.step;
  var x = 0.0;
  var y = 0.0;
  var rounds = 0u;
  while (rounds < scalars.most) {
    let xx = x * x;
    let yy = y * y;
    if (xx + yy > 4.0) {
      break;
    }
    let xy = x * y;
    y = (xy + xy) + cy;
    x = (xx - yy) + cx;
    rounds += 1u;
  }
  counts[id.x] = rounds;
}
