struct Arguments { grid: vec4u, lanes: vec4u, misc: vec4u, spare: vec4u,
  words: array<vec4u, 1> }
struct Status { kind: atomic<u32>, at: u32, base: u32, lane: u32, offset: vec2u, need: u32, other: u32 }
@group(0) @binding(0) var<storage, read_write> status: Status;
@group(0) @binding(1) var<uniform> arguments: Arguments;
@group(0) @binding(2) var<storage, read> b0: array<f32>;
@group(0) @binding(3) var<storage, read_write> b1: array<f32>;
var<workgroup> shared_memory: array<f32, 256>;
var<private> lane: u32;
var<private> lane_id: vec3u;
var<private> block_id: vec3u;
var<private> global_id: u32;
var<private> budget: u32;
var<private> patience: u32;
fn fence(x: f32, zero: u32) -> f32 {
  return bitcast<f32>(bitcast<u32>(x) ^ zero);
}
fn fault(kind: u32, at: u32, base: u32, offset: vec2u, need: u32, other: u32) {
  if (atomicCompareExchangeWeak(&status.kind, 0u, kind).exchanged) {
    status.at = at;
    status.base = base;
    status.lane = global_id;
    status.offset = offset;
    status.need = need;
    status.other = other;
  }
}

fn run0() {
  let v0 = b0[(global_id)];
  {
    let index = lane_id.x;
    shared_memory[index] = v0;
  }
  return;
}

fn run1() {
  if ((lane_id.x == 0u)) {
    let v4 = shared_memory[(0u)];
    {
      let index = block_id.x;
      b1[index] = v4;
    }
  }
  return;
}

fn run2(v1: u32) {
  let zero0 = arguments.misc.z;
  if (!((v1 <= lane_id.x))) {
    let v2 = shared_memory[((lane_id.x + v1))];
    let v3 = shared_memory[(lane_id.x)];
    {
      let index = lane_id.x;
      shared_memory[index] = fence(v3 + v2, zero0);
    }
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
  patience = arguments.spare.z;
  var alive = global_id < arguments.lanes.x;
  alive = alive && atomicLoad(&status.kind) == 0u;
  for (var i = index; i < 256u; i += 256u) {
    shared_memory[i] = f32();
  }
  workgroupBarrier();
  var v1: u32;
  var steps = arguments.misc.y;
  var rounds_left = arguments.spare.z;
  var br = 0u;
  var expired = 0u;
  if (alive) {
    run0();
  }
  v1 = 128u;
  loop {
    if (rounds_left < 16u && arguments.spare.z != 0u) {
      if (alive) { fault(6u, 4294967295u, 0xffffffffu, vec2u(0u), 0u, 1u); }
      return;
    }
    rounds_left -= 16u;
    workgroupBarrier();
    if ((v1 == 0u)) {
      break;
    }
    if (alive) {
      run2(v1);
    }
    v1 = (v1 >> 1u);
    steps -= 1u;
    if (steps == 0u) {
      expired = 16u;
      br = 1u;
      break;
    }
  }
  if (br == 1u) {
    if (alive) { fault(6u, expired, 0xffffffffu, vec2u(0u), 0u, 0u); }
    return;
  }
  if (alive) {
    run1();
  }
  return;
}
