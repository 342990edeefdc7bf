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
var<private> patience: u32;
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
  var v0: u32;
  var v1: u32;
  var v2: i32;
  var v3: i32;
  var br = 0u;
  var expired = 0u;
  let p0 = arguments.words[0][0];
  let p1 = arguments.words[0][2];
  let limit0 = select(0u, (arguments.words[1][0] - 4u) / 4u + 1u, arguments.words[1][0] >= 4u);
  let limit1 = select(0u, (arguments.words[1][1] - 4u) / 4u + 1u, arguments.words[1][1] >= 4u);
  if ((global_id < p0)) {
    v0 = (global_id * p1);
    v1 = 0u;
    v2 = (0);
    loop {
      if (patience < 2u && arguments.spare.z != 0u) {
        expired = 13u;
        br = 1u;
        break;
      }
      patience -= 2u;
      if ((p1 <= v1)) {
        break;
      }
      {
        let index = (v0 + v1);
        if ((index >= limit0)) {
          fault(1u, 10u, 0u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
          v3 = 0;
        } else {
          v3 = b0[index];
        }
      }
      v1 = (v1 + 1u);
      v2 = ((v3 * v3) + v2);
      budget -= 1u;
      if (budget == 0u) {
        expired = 13u;
        br = 1u;
        break;
      }
    }
    if (br == 1u) {
      fault(6u, expired, 0xffffffffu, vec2u(0u), 0u, select(0u, 1u, budget != 0u));
      return;
    }
    {
      let index = global_id;
      if ((index >= limit1)) {
        fault(1u, 14u, 1u, u64_shl(vec2u(index, 0u), 2u), 4u, 0u);
      } else {
        b1[index] = v2;
      }
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
  let block_of = vec3u(block % arguments.grid.x, block / arguments.grid.x % arguments.grid.y,
                       block / (arguments.grid.x * arguments.grid.y));
  lane = index;
  lane_id = local;
  block_id = block_of;
  global_id = block * 256u + index;
  budget = arguments.misc.y;
  patience = arguments.spare.z;
  var alive = all(block_id * vec3u(256u, 1u, 1u) + local < arguments.lanes.xyz);
  alive = alive && atomicLoad(&status.kind) == 0u;
  if (alive) {
    run();
  }
}
