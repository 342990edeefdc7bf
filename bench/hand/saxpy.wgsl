// z = a x + y. `guarded` looks at the sizes itself; WebGPU keeps accesses in bounds either way.
struct Scalars { a: f32, lanes: u32 }
@group(0) @binding(0) var<uniform> scalars: Scalars;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> y: array<f32>;
@group(0) @binding(3) var<storage, read_write> z: array<f32>;

@compute @workgroup_size(256)
fn run(@builtin(global_invocation_id) id: vec3u) {
  z[id.x] = scalars.a * x[id.x] + y[id.x];
}

@compute @workgroup_size(256)
fn guarded(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < scalars.lanes && id.x < arrayLength(&x) && id.x < arrayLength(&y) && id.x < arrayLength(&z)) {
    z[id.x] = scalars.a * x[id.x] + y[id.x];
  }
}
