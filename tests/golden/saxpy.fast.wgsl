struct Arguments { grid: vec4u, lanes: vec4u, misc: vec4u, spare: vec4u,
  words: array<vec4u, 2> }
struct Status { kind: atomic<u32>, at: u32, base: u32, lane: u32, offset: vec2u, need: u32, other: u32 }
@group(0) @binding(0) var<storage, read_write> status: Status;
@group(0) @binding(1) var<uniform> arguments: Arguments;
@group(0) @binding(2) var<storage, read> b0: array<f32>;
@group(0) @binding(3) var<storage, read_write> b1: array<f32>;
var<private> lane: u32;
var<private> lane_id: vec3u;
var<private> block_id: vec3u;
var<private> global_id: u32;
var<private> budget: u32;
fn fence(x: f32, zero: u32) -> f32 {
  return bitcast<f32>(bitcast<u32>(x) ^ zero);
}

fn work(block: u32, block_id: vec3u, lane: u32, p0: f32, zero1: u32) {
  let lane_id = vec3u(lane, 0u, 0u);
  let global_id = block * 256u + lane;
  var v0: f32;
  {
    let index = global_id;
    v0 = b0[index];
  }
  var v1: f32;
  {
    let index = global_id;
    v1 = b1[index];
  }
  {
    let index = global_id;
    b1[index] = fence(fence(p0 * v0, zero1) + v1, zero1);
  }
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
  work(block, block_of, index + 0u, p0, zero1);
  work(block, block_of, index + 32u, p0, zero1);
  work(block, block_of, index + 64u, p0, zero1);
  work(block, block_of, index + 96u, p0, zero1);
  work(block, block_of, index + 128u, p0, zero1);
  work(block, block_of, index + 160u, p0, zero1);
  work(block, block_of, index + 192u, p0, zero1);
  work(block, block_of, index + 224u, p0, zero1);
}
