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

var<private> fault_site: u32;
var<private> fault_place: u32;
fn work(block: u32, block_id: vec3u, lane: u32, limit0: u32, limit1: u32, row0: u32, p0: f32, zero0: u32) {
  let global_id = block * 256u + lane;
  var on = block_id.x * 256u + lane < row0;
  var v0: f32;
  var bad1 = on;
  {
    let index = global_id;
    bad1 = bad1 & ((index >= limit0));
    let first1 = bad1 & (fault_site == 0u);
    fault_site = select(fault_site, lane * 3u + 1u, first1);
    fault_place = select(fault_place, global_id, first1);
    v0 = b0[index];
  }
  var v1: f32;
  var bad2 = on;
  {
    let index = global_id;
    bad2 = bad2 & ((index >= limit1));
    let first2 = bad2 & (fault_site == 0u);
    fault_site = select(fault_site, lane * 3u + 2u, first2);
    fault_place = select(fault_place, global_id, first2);
    v1 = b1[index];
  }
  {
    let index = global_id;
    if (on & !bad2) {
      b1[index] = fence(fence(p0 * v0, zero0) + v1, zero0);
    }
  }
}
fn report(block: u32, limit0: u32, limit1: u32, row0: u32, p0: f32, zero0: u32) {
  let site = (fault_site - 1u) % 3u;
  global_id = block * 256u + (fault_site - 1u) / 3u;
  let what = select(vec3u(1u, 0u, 0u), vec3u(1u, 1u, 1u), site == 1u);
  fault(what.x, what.y, what.z, u64_shl(vec2u(fault_place, 0u), 2u), 4u, 0u);
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
  let row0 = select(0u, arguments.lanes.x, all(block_of.yz < arguments.lanes.yz));
  let p0 = bitcast<f32>(arguments.words[0][0]);
  let zero0 = arguments.misc.z;
  work(block, block_of, index + 0u, limit0, limit1, row0, p0, zero0);
  work(block, block_of, index + 32u, limit0, limit1, row0, p0, zero0);
  work(block, block_of, index + 64u, limit0, limit1, row0, p0, zero0);
  work(block, block_of, index + 96u, limit0, limit1, row0, p0, zero0);
  work(block, block_of, index + 128u, limit0, limit1, row0, p0, zero0);
  work(block, block_of, index + 160u, limit0, limit1, row0, p0, zero0);
  work(block, block_of, index + 192u, limit0, limit1, row0, p0, zero0);
  work(block, block_of, index + 224u, limit0, limit1, row0, p0, zero0);
  if (fault_site != 0u) {
    report(block, limit0, limit1, row0, p0, zero0);
  }
}
