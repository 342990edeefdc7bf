struct Arguments { grid: vec4u, lanes: vec4u, misc: vec4u, spare: vec4u,
  words: array<vec4u, 2> }
@group(0) @binding(0) var<storage, read_write> status: array<atomic<u32>, 8>;
@group(0) @binding(1) var<uniform> arguments: Arguments;
@group(0) @binding(2) var<storage, read> b0: array<u32>;
@group(0) @binding(3) var<storage, read_write> b1: array<u32>;
var<private> lane: u32;
var<private> lane_id: vec3u;
var<private> block_id: vec3u;
var<private> global_id: u32;
var<private> budget: u32;
var<private> v0: f32;
var<private> v1: f32;
fn fence(x: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(x) ^ arguments.misc.z);
}

fn run() {
  {
    let index = global_id;
    v0 = bitcast<f32>(b0[((index * 4u)) >> 2u]);
  }
  {
    let index = global_id;
    v1 = bitcast<f32>(b1[((index * 4u)) >> 2u]);
  }
  {
    let index = global_id;
    b1[(index * 4u) >> 2u] = bitcast<u32>(fence(fence(bitcast<f32>(arguments.words[0][0]) * v0) + v1));
  }
  return;
}

@compute @workgroup_size(256, 1, 1)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u,
        @builtin(local_invocation_index) index: u32) {
  let block = arguments.spare.y + group.x + group.y * 65535u;
  lane = index;
  lane_id = local;
  if (block >= arguments.misc.x) {
    return;
  }
  global_id = block * 256u + index;
  budget = arguments.misc.y;
  let block_of = vec3u(block, 0u, 0u);
  block_id = block_of;
  var alive = global_id < arguments.lanes.x;
  if (alive) {
    run();
  }
}
