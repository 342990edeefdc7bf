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
fn u64_shl(a: vec2u, amount: u32) -> vec2u {
  let s = amount & 31u;
  let high = (a.y << s) | ((a.x >> 1u) >> (31u - s));
  return select(vec2u(a.x << s, high), vec2u(0u, a.x << s), (amount & 32u) != 0u);
}

fn run0() {
  var v0: f32;
  let limit0 = select(0u, (arguments.words[0][0] - 4u) / 4u + 1u, arguments.words[0][0] >= 4u);
  let limit1 = select(0u, (arguments.misc.w - 4u) / 4u + 1u, arguments.misc.w >= 4u);
  {
    let index = global_id;
    if ((index >= limit0)) {
      fault(1u, 0u, 0u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
      v0 = 0.0;
    } else {
      v0 = b0[index];
    }
  }
  {
    let index = lane_id.x;
    if ((index >= limit1)) {
      fault(1u, 1u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
    } else {
      shared_memory[index] = v0;
    }
  }
  return;
}

fn run1() {
  var v1: f32;
  var v2: f32;
  let limit0 = select(0u, (arguments.misc.w - 4u) / 4u + 1u, arguments.misc.w >= 4u);
  let zero0 = arguments.misc.z;
  if (!((128u <= lane_id.x))) {
    {
      let index = (lane_id.x + 128u);
      if ((index >= limit0)) {
        fault(1u, 11u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
        v1 = 0.0;
      } else {
        v1 = shared_memory[index];
      }
    }
    {
      let index = lane_id.x;
      if ((index >= limit0)) {
        fault(1u, 12u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
        v2 = 0.0;
      } else {
        v2 = shared_memory[index];
      }
    }
    {
      let index = lane_id.x;
      if ((index >= limit0)) {
        fault(1u, 14u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
      } else {
        shared_memory[index] = fence(v2 + v1, zero0);
      }
    }
  }
  return;
}

fn run2() {
  var v3: f32;
  var v4: f32;
  let limit0 = select(0u, (arguments.misc.w - 4u) / 4u + 1u, arguments.misc.w >= 4u);
  let zero0 = arguments.misc.z;
  if (!((64u <= lane_id.x))) {
    {
      let index = (lane_id.x + 64u);
      if ((index >= limit0)) {
        fault(1u, 11u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
        v3 = 0.0;
      } else {
        v3 = shared_memory[index];
      }
    }
    {
      let index = lane_id.x;
      if ((index >= limit0)) {
        fault(1u, 12u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
        v4 = 0.0;
      } else {
        v4 = shared_memory[index];
      }
    }
    {
      let index = lane_id.x;
      if ((index >= limit0)) {
        fault(1u, 14u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
      } else {
        shared_memory[index] = fence(v4 + v3, zero0);
      }
    }
  }
  return;
}

fn run3() {
  var v5: f32;
  var v6: f32;
  let limit0 = select(0u, (arguments.misc.w - 4u) / 4u + 1u, arguments.misc.w >= 4u);
  let zero0 = arguments.misc.z;
  if (!((32u <= lane_id.x))) {
    {
      let index = (lane_id.x + 32u);
      if ((index >= limit0)) {
        fault(1u, 11u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
        v5 = 0.0;
      } else {
        v5 = shared_memory[index];
      }
    }
    {
      let index = lane_id.x;
      if ((index >= limit0)) {
        fault(1u, 12u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
        v6 = 0.0;
      } else {
        v6 = shared_memory[index];
      }
    }
    {
      let index = lane_id.x;
      if ((index >= limit0)) {
        fault(1u, 14u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
      } else {
        shared_memory[index] = fence(v6 + v5, zero0);
      }
    }
  }
  return;
}

fn run4() {
  var v7: f32;
  var v8: f32;
  let limit0 = select(0u, (arguments.misc.w - 4u) / 4u + 1u, arguments.misc.w >= 4u);
  let zero0 = arguments.misc.z;
  if (!((16u <= lane_id.x))) {
    {
      let index = (lane_id.x + 16u);
      if ((index >= limit0)) {
        fault(1u, 11u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
        v7 = 0.0;
      } else {
        v7 = shared_memory[index];
      }
    }
    {
      let index = lane_id.x;
      if ((index >= limit0)) {
        fault(1u, 12u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
        v8 = 0.0;
      } else {
        v8 = shared_memory[index];
      }
    }
    {
      let index = lane_id.x;
      if ((index >= limit0)) {
        fault(1u, 14u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
      } else {
        shared_memory[index] = fence(v8 + v7, zero0);
      }
    }
  }
  return;
}

fn run5() {
  var v9: f32;
  var v10: f32;
  let limit0 = select(0u, (arguments.misc.w - 4u) / 4u + 1u, arguments.misc.w >= 4u);
  let zero0 = arguments.misc.z;
  if (!((8u <= lane_id.x))) {
    {
      let index = (lane_id.x + 8u);
      if ((index >= limit0)) {
        fault(1u, 11u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
        v9 = 0.0;
      } else {
        v9 = shared_memory[index];
      }
    }
    {
      let index = lane_id.x;
      if ((index >= limit0)) {
        fault(1u, 12u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
        v10 = 0.0;
      } else {
        v10 = shared_memory[index];
      }
    }
    {
      let index = lane_id.x;
      if ((index >= limit0)) {
        fault(1u, 14u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
      } else {
        shared_memory[index] = fence(v10 + v9, zero0);
      }
    }
  }
  return;
}

fn run6() {
  var v11: f32;
  var v12: f32;
  let limit0 = select(0u, (arguments.misc.w - 4u) / 4u + 1u, arguments.misc.w >= 4u);
  let zero0 = arguments.misc.z;
  if (!((4u <= lane_id.x))) {
    {
      let index = (lane_id.x + 4u);
      if ((index >= limit0)) {
        fault(1u, 11u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
        v11 = 0.0;
      } else {
        v11 = shared_memory[index];
      }
    }
    {
      let index = lane_id.x;
      if ((index >= limit0)) {
        fault(1u, 12u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
        v12 = 0.0;
      } else {
        v12 = shared_memory[index];
      }
    }
    {
      let index = lane_id.x;
      if ((index >= limit0)) {
        fault(1u, 14u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
      } else {
        shared_memory[index] = fence(v12 + v11, zero0);
      }
    }
  }
  return;
}

fn run7() {
  var v13: f32;
  var v14: f32;
  let limit0 = select(0u, (arguments.misc.w - 4u) / 4u + 1u, arguments.misc.w >= 4u);
  let zero0 = arguments.misc.z;
  if (!((2u <= lane_id.x))) {
    {
      let index = (lane_id.x + 2u);
      if ((index >= limit0)) {
        fault(1u, 11u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
        v13 = 0.0;
      } else {
        v13 = shared_memory[index];
      }
    }
    {
      let index = lane_id.x;
      if ((index >= limit0)) {
        fault(1u, 12u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
        v14 = 0.0;
      } else {
        v14 = shared_memory[index];
      }
    }
    {
      let index = lane_id.x;
      if ((index >= limit0)) {
        fault(1u, 14u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
      } else {
        shared_memory[index] = fence(v14 + v13, zero0);
      }
    }
  }
  return;
}

fn run8() {
  var v15: f32;
  var v16: f32;
  let limit0 = select(0u, (arguments.misc.w - 4u) / 4u + 1u, arguments.misc.w >= 4u);
  let zero0 = arguments.misc.z;
  if (!((1u <= lane_id.x))) {
    {
      let index = (lane_id.x + 1u);
      if ((index >= limit0)) {
        fault(1u, 11u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
        v15 = 0.0;
      } else {
        v15 = shared_memory[index];
      }
    }
    {
      let index = lane_id.x;
      if ((index >= limit0)) {
        fault(1u, 12u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
        v16 = 0.0;
      } else {
        v16 = shared_memory[index];
      }
    }
    {
      let index = lane_id.x;
      if ((index >= limit0)) {
        fault(1u, 14u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
      } else {
        shared_memory[index] = fence(v16 + v15, zero0);
      }
    }
  }
  return;
}

fn run9() {
  var v17: f32;
  let limit0 = select(0u, (arguments.misc.w - 4u) / 4u + 1u, arguments.misc.w >= 4u);
  let limit1 = select(0u, (arguments.words[0][1] - 4u) / 4u + 1u, arguments.words[0][1] >= 4u);
  if ((lane_id.x == 0u)) {
    {
      let index = 0u;
      if ((index >= limit0)) {
        fault(1u, 19u, 2u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
        v17 = 0.0;
      } else {
        v17 = shared_memory[index];
      }
    }
    {
      let index = block_id.x;
      if ((index >= limit1)) {
        fault(1u, 20u, 1u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
      } else {
        b1[index] = v17;
      }
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
  let block_of = vec3u(block % arguments.grid.x, block / arguments.grid.x % arguments.grid.y,
                       block / (arguments.grid.x * arguments.grid.y));
  lane = index;
  lane_id = local;
  block_id = block_of;
  global_id = block * 256u + index;
  budget = arguments.misc.y;
  var alive = all(block_id * vec3u(256u, 1u, 1u) + local < arguments.lanes.xyz);
  for (var i = index; i < 256u; i += 256u) {
    shared_memory[i] = f32();
  }
  workgroupBarrier();
  var steps = arguments.misc.y;
  if (alive) {
    run0();
  }
  workgroupBarrier();
  if (alive) {
    run1();
  }
  steps -= 1u;
  if (steps == 0u) {
    if (alive) { fault(6u, 16u, 0xffffffffu, vec2u(0u), 0u, 0u); }
    return;
  }
  workgroupBarrier();
  if (alive) {
    run2();
  }
  steps -= 1u;
  if (steps == 0u) {
    if (alive) { fault(6u, 16u, 0xffffffffu, vec2u(0u), 0u, 0u); }
    return;
  }
  workgroupBarrier();
  if (alive) {
    run3();
  }
  steps -= 1u;
  if (steps == 0u) {
    if (alive) { fault(6u, 16u, 0xffffffffu, vec2u(0u), 0u, 0u); }
    return;
  }
  workgroupBarrier();
  if (alive) {
    run4();
  }
  steps -= 1u;
  if (steps == 0u) {
    if (alive) { fault(6u, 16u, 0xffffffffu, vec2u(0u), 0u, 0u); }
    return;
  }
  workgroupBarrier();
  if (alive) {
    run5();
  }
  steps -= 1u;
  if (steps == 0u) {
    if (alive) { fault(6u, 16u, 0xffffffffu, vec2u(0u), 0u, 0u); }
    return;
  }
  workgroupBarrier();
  if (alive) {
    run6();
  }
  steps -= 1u;
  if (steps == 0u) {
    if (alive) { fault(6u, 16u, 0xffffffffu, vec2u(0u), 0u, 0u); }
    return;
  }
  workgroupBarrier();
  if (alive) {
    run7();
  }
  steps -= 1u;
  if (steps == 0u) {
    if (alive) { fault(6u, 16u, 0xffffffffu, vec2u(0u), 0u, 0u); }
    return;
  }
  workgroupBarrier();
  if (alive) {
    run8();
  }
  steps -= 1u;
  if (steps == 0u) {
    if (alive) { fault(6u, 16u, 0xffffffffu, vec2u(0u), 0u, 0u); }
    return;
  }
  workgroupBarrier();
  if (alive) {
    run9();
  }
  return;
}
