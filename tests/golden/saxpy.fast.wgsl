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

fn work(global_id: u32, load0: f32, load1: f32, p0: f32, zero0: u32) -> f32 {
  let v0 = load0;
  let v1 = load1;
  let store0 = fence(fence(p0 * v0, zero0) + v1, zero0);
  return store0;
}
fn quad(quad: u32, p0: f32, zero0: u32) {
  let load0 = b0[quad];
  let load1 = b1[quad];
  let x = work(quad * 4u + 0u, load0.x, load1.x, p0, zero0);
  let y = work(quad * 4u + 1u, load0.y, load1.y, p0, zero0);
  let z = work(quad * 4u + 2u, load0.z, load1.z, p0, zero0);
  let w = work(quad * 4u + 3u, load0.w, load1.w, p0, zero0);
  b1[quad] = vec4<f32>(x, y, z, w);
}
@compute @workgroup_size(256, 1, 1)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let group_of = (group.x + group.y * 65535u) * 8u;
  let first = (arguments.spare.y + group_of) * 64u + index;
  let end = min(arguments.misc.x * 256u, arguments.lanes.x) / 4u;
  let p0 = bitcast<f32>(arguments.words[0][0]);
  let zero0 = arguments.misc.z;
  if (first + 0u >= end) { return; }
  quad(first + 0u, p0, zero0);
  if (first + 256u >= end) { return; }
  quad(first + 256u, p0, zero0);
}

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

fn work(global_id: u32, p0: f32, zero0: u32) {
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
    {
      b1[index] = fence(fence(p0 * v0, zero0) + v1, zero0);
    }
  }
}
@compute @workgroup_size(256, 1, 1)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let group_of = (group.x + group.y * 65535u) * 8u;
  let first = (arguments.spare.y + group_of) * 256u + index;
  let end = min(arguments.misc.x * 256u, arguments.lanes.x);
  let p0 = bitcast<f32>(arguments.words[0][0]);
  let zero0 = arguments.misc.z;
  if (first + 0u >= end) { return; }
  work(first + 0u, p0, zero0);
  if (first + 256u >= end) { return; }
  work(first + 256u, p0, zero0);
  if (first + 512u >= end) { return; }
  work(first + 512u, p0, zero0);
  if (first + 768u >= end) { return; }
  work(first + 768u, p0, zero0);
  if (first + 1024u >= end) { return; }
  work(first + 1024u, p0, zero0);
  if (first + 1280u >= end) { return; }
  work(first + 1280u, p0, zero0);
  if (first + 1536u >= end) { return; }
  work(first + 1536u, p0, zero0);
  if (first + 1792u >= end) { return; }
  work(first + 1792u, p0, zero0);
}
