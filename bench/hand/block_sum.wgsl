// Sums of blocks of 256 elements, as a tree in shared memory.
struct Scalars { lanes: u32 }
@group(0) @binding(0) var<uniform> scalars: Scalars;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> z: array<f32>;
var<workgroup> tile: array<f32, 256>;

@compute @workgroup_size(256)
fn run(
  @builtin(workgroup_id) block: vec3u, @builtin(local_invocation_index) lane: u32,
) {
  tile[lane] = x[block.x * 256u + lane];
  workgroupBarrier();
  for (var half = 128u; half > 0u; half >>= 1u) {
    if (lane < half) {
      tile[lane] += tile[lane + half];
    }
    workgroupBarrier();
  }
  if (lane == 0u) {
    z[block.x] = tile[0];
  }
}
