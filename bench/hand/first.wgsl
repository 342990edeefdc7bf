// How often each brightness occurs in a picture of red, green and blue bytes: first.mjs.
@group(0) @binding(0) var<storage, read> picture: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>, 256>;
var<workgroup> own: array<atomic<u32>, 256>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) lane: vec3u, @builtin(local_invocation_index) k: u32) {
  for (var i = lane.x; i < arrayLength(&picture) * 4 / 3; i += 64 * 256) {
    let at = 3 * i;
    let first = picture[at / 4] >> (8 * (at % 4));
    let pixel = select(first, first | (picture[at / 4 + 1] << (32 - 8 * (at % 4))), at % 4 > 1);
    let luma = 19595 * (pixel & 255) + 38470 * ((pixel >> 8) & 255) + 7471 * ((pixel >> 16) & 255) + 128;
    atomicAdd(&own[luma >> 16], 1);
  }
  workgroupBarrier();
  atomicAdd(&counts[k], atomicLoad(&own[k]));
}
