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
fn fence(x: f32, zero: u32) -> f32 {
  return bitcast<f32>(bitcast<u32>(x) ^ zero);
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
  let zero0 = arguments.misc.z;
  if (!((128u <= lane_id.x))) {
    let v1 = shared_memory[((lane_id.x + 128u))];
    let v2 = shared_memory[(lane_id.x)];
    {
      let index = lane_id.x;
      shared_memory[index] = fence(v2 + v1, zero0);
    }
  }
  return;
}

fn run2() {
  let zero0 = arguments.misc.z;
  if (!((64u <= lane_id.x))) {
    let v3 = shared_memory[((lane_id.x + 64u))];
    let v4 = shared_memory[(lane_id.x)];
    {
      let index = lane_id.x;
      shared_memory[index] = fence(v4 + v3, zero0);
    }
  }
  return;
}

fn run3() {
  let zero0 = arguments.misc.z;
  if (!((32u <= lane_id.x))) {
    let v5 = shared_memory[((lane_id.x + 32u))];
    let v6 = shared_memory[(lane_id.x)];
    {
      let index = lane_id.x;
      shared_memory[index] = fence(v6 + v5, zero0);
    }
  }
  return;
}

fn run4() {
  let zero0 = arguments.misc.z;
  if (!((16u <= lane_id.x))) {
    let v7 = shared_memory[((lane_id.x + 16u))];
    let v8 = shared_memory[(lane_id.x)];
    {
      let index = lane_id.x;
      shared_memory[index] = fence(v8 + v7, zero0);
    }
  }
  return;
}

fn run5() {
  let zero0 = arguments.misc.z;
  if (!((8u <= lane_id.x))) {
    let v9 = shared_memory[((lane_id.x + 8u))];
    let v10 = shared_memory[(lane_id.x)];
    {
      let index = lane_id.x;
      shared_memory[index] = fence(v10 + v9, zero0);
    }
  }
  return;
}

fn run6() {
  let zero0 = arguments.misc.z;
  if (!((4u <= lane_id.x))) {
    let v11 = shared_memory[((lane_id.x + 4u))];
    let v12 = shared_memory[(lane_id.x)];
    {
      let index = lane_id.x;
      shared_memory[index] = fence(v12 + v11, zero0);
    }
  }
  return;
}

fn run7() {
  let zero0 = arguments.misc.z;
  if (!((2u <= lane_id.x))) {
    let v13 = shared_memory[((lane_id.x + 2u))];
    let v14 = shared_memory[(lane_id.x)];
    {
      let index = lane_id.x;
      shared_memory[index] = fence(v14 + v13, zero0);
    }
  }
  return;
}

fn run8() {
  let zero0 = arguments.misc.z;
  if (!((1u <= lane_id.x))) {
    let v15 = shared_memory[((lane_id.x + 1u))];
    let v16 = shared_memory[(lane_id.x)];
    {
      let index = lane_id.x;
      shared_memory[index] = fence(v16 + v15, zero0);
    }
  }
  return;
}

fn run9() {
  if ((lane_id.x == 0u)) {
    let v17 = shared_memory[(0u)];
    {
      let index = block_id.x;
      b1[index] = v17;
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
  var alive = global_id < arguments.lanes.x;
  for (var i = index; i < 256u; i += 256u) {
    shared_memory[i] = f32();
  }
  workgroupBarrier();
  if (alive) {
    run0();
  }
  workgroupBarrier();
  if (alive) {
    run1();
  }
  workgroupBarrier();
  if (alive) {
    run2();
  }
  workgroupBarrier();
  if (alive) {
    run3();
  }
  workgroupBarrier();
  if (alive) {
    run4();
  }
  workgroupBarrier();
  if (alive) {
    run5();
  }
  workgroupBarrier();
  if (alive) {
    run6();
  }
  workgroupBarrier();
  if (alive) {
    run7();
  }
  workgroupBarrier();
  if (alive) {
    run8();
  }
  workgroupBarrier();
  if (alive) {
    run9();
  }
  return;
}
