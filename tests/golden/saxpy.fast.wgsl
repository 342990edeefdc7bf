struct Arguments { grid: vec4u, lanes: vec4u, misc: vec4u, spare: vec4u,
  words: array<vec4u, 2> }
struct Status { kind: atomic<u32>, at: u32, base: u32, lane: u32, offset: vec2u, need: u32, other: u32 }
@group(0) @binding(0) var<storage, read_write> status: Status;
@group(0) @binding(1) var<uniform> arguments: Arguments;
@group(0) @binding(2) var<storage, read> b0: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> b1: array<vec4<f32>>;
var<private> lane: u32;
var<private> lane_id: vec3u;
var<private> block_id: vec3u;
var<private> global_id: u32;
var<private> budget: u32;
fn fence(x: f32, zero: u32) -> f32 {
  return bitcast<f32>(bitcast<u32>(x) ^ zero);
}

fn work(block: u32, block_id: vec3u, lane: u32, load0: f32, load1: f32, p0: f32, zero1: u32, end2: u32) -> f32 {
  let v0 = load0;
  let v1 = load1;
  let store0 = fence(fence(p0 * v0, zero1) + v1, zero1);
  return store0;
}
fn quad(block: u32, block_id: vec3u, quad: u32, p0: f32, zero1: u32, end2: u32) {
  let place = block * 64u + quad;
  let load0 = b0[place];
  let load1 = b1[place];
  let x = work(block, block_id, quad * 4u + 0u, load0.x, load1.x, p0, zero1, end2);
  let y = work(block, block_id, quad * 4u + 1u, load0.y, load1.y, p0, zero1, end2);
  let z = work(block, block_id, quad * 4u + 2u, load0.z, load1.z, p0, zero1, end2);
  let w = work(block, block_id, quad * 4u + 3u, load0.w, load1.w, p0, zero1, end2);
  b1[place] = vec4<f32>(x, y, z, w);
}
@compute @workgroup_size(32, 1, 1)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let block = arguments.spare.y + group.x + group.y * 65535u;
  if (block >= arguments.misc.x) {
    return;
  }
  let block_of = vec3u(block, 0u, 0u);
  let p0 = bitcast<f32>(arguments.words[0][0]);
  let zero1 = arguments.misc.z;
  let end2 = arguments.lanes.x / 4u;
  if (block * 64u + index + 0u >= end2) { return; }
  quad(block, block_of, index + 0u, p0, zero1, end2);
  if (block * 64u + index + 32u >= end2) { return; }
  quad(block, block_of, index + 32u, p0, zero1, end2);
}
