// Conversions of F16 in hardware, for adapters with `shader-f16` that were found to do them rightly. They stand in for the
// functions of the same names in f32.wgsl. NaNs are made of bits, so that their payload is what it is everywhere.
fn f16_to_f32(a: u32) -> f32 {
  let rest = a & 0x7fffu;
  if (rest > 0x7c00u) {
    return bitcast<f32>(((a & 0x8000u) << 16u) | 0x7f800000u | (rest << 13u));
  }
  return unpack2x16float(a).x;
}

// naga 27 takes a bitcast to vec2<f16> for one to f32, so the bits are packed from the rounded number.
fn f32_to_f16(x: f32) -> u32 {
  let a = bitcast<u32>(x);
  if ((a & 0x7fffffffu) > 0x7f800000u) {
    return ((a >> 16u) & 0x8000u) | 0x7e00u;
  }
  return pack2x16float(vec2f(f32(f16(x)), 0.0));
}
