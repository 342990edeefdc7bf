struct Arguments { grid: vec4u, lanes: vec4u, misc: vec4u, spare: vec4u,
  words: array<vec4u, 2> }
struct Status { kind: atomic<u32>, at: u32, base: u32, lane: u32, offset: vec2u, need: u32, other: u32 }
@group(0) @binding(0) var<storage, read_write> status: Status;
@group(0) @binding(1) var<uniform> arguments: Arguments;
@group(0) @binding(2) var<storage, read> b0: array<i32>;
@group(0) @binding(3) var<storage, read_write> b1: array<i32>;
var<private> lane: u32;
var<private> lane_id: vec3u;
var<private> block_id: vec3u;
var<private> global_id: u32;
var<private> budget: u32;

fn run() {
  var v0: u32;
  var v1: u32;
  var v2: i32;
  let p0 = arguments.words[0][0];
  let p1 = arguments.words[0][2];
  if ((global_id < p0)) {
    v0 = (global_id * p1);
    v1 = 0u;
    v2 = (0);
    loop {
      if ((p1 <= v1)) {
        break;
      }
      let v3 = b0[((v0 + v1))];
      v1 = (v1 + 1u);
      v2 = ((v3 * v3) + v2);
    }
    {
      let index = global_id;
      b1[index] = v2;
    }
    return;
  }
  return;
}

@compute @workgroup_size(256, 1, 1)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u,
        @builtin(local_invocation_index) index: u32) {
  let block = arguments.spare.y + group.x + group.y * 65535u;
  if (block >= arguments.misc.x) {
    return;
  }
  let block_of = vec3u(block, 0u, 0u);
  lane = index;
  lane_id = local;
  block_id = block_of;
  global_id = block * 256u + index;
  budget = arguments.misc.y;
  var alive = global_id < arguments.lanes.x;
  if (alive) {
    run();
  }
}
