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

fn run() {
  var v0: f32;
  var v1: f32;
  let limit0 = select(0u, (arguments.words[0][2] - 4u) / 4u + 1u, arguments.words[0][2] >= 4u);
  let limit1 = select(0u, (arguments.words[0][3] - 4u) / 4u + 1u, arguments.words[0][3] >= 4u);
  let zero2 = arguments.misc.z;
  {
    let index = global_id;
    let place = index;
    if ((index >= limit0)) {
      fault(1u, 0u, 0u, u64_shl(vec2u(global_id, 0u), 2u), 4u, 0u);
      v0 = 0.0;
    } else {
      v0 = b0[place];
    }
  }
  {
    let index = global_id;
    let place = index;
    if ((index >= limit1)) {
      fault(1u, 1u, 1u, u64_shl(vec2u(global_id, 0u), 2u), 4u, 0u);
      v1 = 0.0;
    } else {
      v1 = b1[place];
    }
  }
  {
    let index = global_id;
    let place = index;
    if ((index >= limit1)) {
      fault(1u, 3u, 1u, u64_shl(vec2u(global_id, 0u), 2u), 4u, 0u);
    } else {
      b1[place] = fence(fence(bitcast<f32>(arguments.words[0][0]) * v0, zero2) + v1, zero2);
    }
  }
  return;
}
fn inside(block: u32, block_id: vec3u, lane: u32, limit0: u32, limit1: u32, p2: f32, zero3: u32) -> bool {
  let lane_id = vec3u(lane, 0u, 0u);
  let global_id = block * 256u + lane;
  return all(block_id * vec3u(256u, 1u, 1u) + lane_id < arguments.lanes.xyz) & !(global_id >= limit0) & !(global_id >= limit1);
}
fn work(block: u32, block_id: vec3u, lane: u32, limit0: u32, limit1: u32, p2: f32, zero3: u32) {
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
    b1[index] = fence(fence(p2 * v0, zero3) + v1, zero3);
  }
}

@compute @workgroup_size(32, 1, 1)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let block = arguments.spare.y + group.x + group.y * 65535u;
  if (block >= arguments.misc.x) {
    return;
  }
  let block_of = vec3u(block % arguments.grid.x, block / arguments.grid.x % arguments.grid.y,
                       block / (arguments.grid.x * arguments.grid.y));
  let limit0 = select(0u, (arguments.words[0][2] - 4u) / 4u + 1u, arguments.words[0][2] >= 4u);
  let limit1 = select(0u, (arguments.words[0][3] - 4u) / 4u + 1u, arguments.words[0][3] >= 4u);
  let p2 = bitcast<f32>(arguments.words[0][0]);
  let zero3 = arguments.misc.z;
  let together = inside(block, block_of, index + 0u, limit0, limit1, p2, zero3) & inside(block, block_of, index + 224u, limit0, limit1, p2, zero3);
  if (together) {
    work(block, block_of, index + 0u, limit0, limit1, p2, zero3);
    work(block, block_of, index + 32u, limit0, limit1, p2, zero3);
    work(block, block_of, index + 64u, limit0, limit1, p2, zero3);
    work(block, block_of, index + 96u, limit0, limit1, p2, zero3);
    work(block, block_of, index + 128u, limit0, limit1, p2, zero3);
    work(block, block_of, index + 160u, limit0, limit1, p2, zero3);
    work(block, block_of, index + 192u, limit0, limit1, p2, zero3);
    work(block, block_of, index + 224u, limit0, limit1, p2, zero3);
  }
  for (var first = select(0u, 256u, together); first < 256u; first += 32u) {
    lane = first + index;
    lane_id = vec3u(lane, 0u, 0u);
    block_id = block_of;
    global_id = block * 256u + lane;
    if (all(block_of * vec3u(256u, 1u, 1u) + lane_id < arguments.lanes.xyz)) {
      run();
    }
  }
}
