// 64-bit integers as vec2u: x the low word, y the high one. WGSL has none; integer operations are exact everywhere.

fn u64_add(a: vec2u, b: vec2u) -> vec2u {
  let low = a.x + b.x;
  return vec2u(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn u64_sub(a: vec2u, b: vec2u) -> vec2u {
  return vec2u(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

// The 64-bit product of two words, by 16-bit halves.
fn u64_widemul(a: u32, b: u32) -> vec2u {
  let a0 = a & 0xffffu;
  let a1 = a >> 16u;
  let b0 = b & 0xffffu;
  let b1 = b >> 16u;
  let low = a0 * b0;
  let mid = a1 * b0 + (low >> 16u);
  let mid2 = a0 * b1 + (mid & 0xffffu);
  return vec2u((mid2 << 16u) | (low & 0xffffu), a1 * b1 + (mid >> 16u) + (mid2 >> 16u));
}

fn u64_mul(a: vec2u, b: vec2u) -> vec2u {
  let product = u64_widemul(a.x, b.x);
  return vec2u(product.x, product.y + a.x * b.y + a.y * b.x);
}

fn u64_neg(a: vec2u) -> vec2u {
  return u64_sub(vec2u(0u), a);
}

fn u64_lt(a: vec2u, b: vec2u) -> bool {
  return (a.y < b.y) | ((a.y == b.y) & (a.x < b.x));
}

fn i64_lt(a: vec2u, b: vec2u) -> bool {
  return u64_lt(vec2u(a.x, a.y ^ 0x80000000u), vec2u(b.x, b.y ^ 0x80000000u));
}

fn u64_eq(a: vec2u, b: vec2u) -> bool {
  return (a.x == b.x) & (a.y == b.y);
}

fn u64_shl(a: vec2u, amount: u32) -> vec2u {
  let s = amount & 31u;
  let high = (a.y << s) | ((a.x >> 1u) >> (31u - s));
  return select(vec2u(a.x << s, high), vec2u(0u, a.x << s), (amount & 32u) != 0u);
}

fn u64_shr(a: vec2u, amount: u32) -> vec2u {
  let s = amount & 31u;
  let low = (a.x >> s) | ((a.y << 1u) << (31u - s));
  return select(vec2u(low, a.y >> s), vec2u(a.y >> s, 0u), (amount & 32u) != 0u);
}

fn i64_shr(a: vec2u, amount: u32) -> vec2u {
  let s = amount & 31u;
  let sign = bitcast<u32>(bitcast<i32>(a.y) >> 31u);
  let high = bitcast<u32>(bitcast<i32>(a.y) >> s);
  let low = (a.x >> s) | ((a.y << 1u) << (31u - s));
  return select(vec2u(low, high), vec2u(high, sign), (amount & 32u) != 0u);
}

fn u64_clz(a: vec2u) -> u32 {
  return select(countLeadingZeros(a.y), 32u + countLeadingZeros(a.x), a.y == 0u);
}

fn u64_ctz(a: vec2u) -> u32 {
  return select(countTrailingZeros(a.x), 32u + countTrailingZeros(a.y), a.x == 0u);
}

fn u64_popcount(a: vec2u) -> u32 {
  return countOneBits(a.x) + countOneBits(a.y);
}

fn u32_rotl(a: u32, amount: u32) -> u32 {
  return (a << (amount & 31u)) | (a >> ((32u - amount) & 31u));
}

fn u64_rotl(a: vec2u, amount: u32) -> vec2u {
  return u64_shl(a, amount) | u64_shr(u64_shr(a, 1u), 63u - (amount & 63u));
}

// Quotient (xy) and remainder (zw) by shift and subtract; a divisor of zero gives zeros.
fn u64_divrem(a: vec2u, b: vec2u) -> vec4u {
  if (u64_eq(b, vec2u(0u))) {
    return vec4u(0u);
  }
  if ((a.y | b.y) == 0u) {
    return vec4u(a.x / b.x, 0u, a.x % b.x, 0u);
  }
  if (u64_lt(a, b)) {
    return vec4u(0u, 0u, a);
  }
  var shift = u64_clz(b) - u64_clz(a);
  var divisor = u64_shl(b, shift);
  var rest = a;
  var quotient = vec2u(0u);
  loop {
    quotient = u64_shl(quotient, 1u);
    if (!u64_lt(rest, divisor)) {
      rest = u64_sub(rest, divisor);
      quotient.x |= 1u;
    }
    if (shift == 0u) {
      break;
    }
    divisor = u64_shr(divisor, 1u);
    shift -= 1u;
  }
  return vec4u(quotient, rest);
}

fn u64_div(a: vec2u, b: vec2u) -> vec2u {
  return u64_divrem(a, b).xy;
}

fn u64_rem(a: vec2u, b: vec2u) -> vec2u {
  return u64_divrem(a, b).zw;
}

fn i64_abs(a: vec2u) -> vec2u {
  return select(a, u64_neg(a), (a.y >> 31u) != 0u);
}

fn i64_div(a: vec2u, b: vec2u) -> vec2u {
  let quotient = u64_div(i64_abs(a), i64_abs(b));
  return select(quotient, u64_neg(quotient), ((a.y ^ b.y) >> 31u) != 0u);
}

fn i64_rem(a: vec2u, b: vec2u) -> vec2u {
  let rest = u64_rem(i64_abs(a), i64_abs(b));
  return select(rest, u64_neg(rest), (a.y >> 31u) != 0u);
}

fn u64_from_i32(a: i32) -> vec2u {
  return vec2u(bitcast<u32>(a), bitcast<u32>(a >> 31u));
}

// The whole product, the low word first.
fn u64_product(a: vec2u, b: vec2u) -> vec4u {
  let low = u64_widemul(a.x, b.x);
  let left = u64_add(u64_widemul(a.x, b.y), vec2u(low.y, 0u));
  let right = u64_add(u64_widemul(a.y, b.x), vec2u(left.x, 0u));
  let high = u64_add(u64_widemul(a.y, b.y), u64_add(vec2u(left.y, 0u), vec2u(right.y, 0u)));
  return vec4u(low.x, right.x, high);
}

// a >> amount, with what is lost kept as a sticky last bit.
fn u64_jam(a: vec2u, amount: u32) -> vec2u {
  let count = min(amount, 63u);
  let cut = u64_shr(a, count);
  return vec2u(cut.x | select(0u, 1u, !u64_eq(a, u64_shl(cut, count))), cut.y);
}

// 128 bits, the low word first; amounts are below 128.
fn u128_add(a: vec4u, b: vec4u, carry: u32) -> vec4u {
  let sum = u64_add(a.xy, b.xy);
  let low = u64_add(sum, vec2u(carry, 0u));
  let over = select(0u, 1u, u64_lt(sum, a.xy) | u64_lt(low, sum));
  return vec4u(low, u64_add(u64_add(a.zw, b.zw), vec2u(over, 0u)));
}

fn u128_shl(a: vec4u, amount: u32) -> vec4u {
  let far = (amount & 64u) != 0u;
  let s = amount & 63u;
  let low = select(a.xy, vec2u(0u), far);
  return vec4u(u64_shl(low, s), u64_shl(select(a.zw, a.xy, far), s) | u64_shr(u64_shr(low, 1u), 63u - s));
}

fn u128_jam(a: vec4u, amount: u32) -> vec4u {
  let far = (amount & 64u) != 0u;
  let s = amount & 63u;
  let low = select(a.xy, a.zw, far);
  let high = select(a.zw, vec2u(0u), far);
  let lost = u64_shl(u64_shl(low, 1u), 63u - s) | select(vec2u(0u), a.xy, far);
  let sticky = select(0u, 1u, (lost.x | lost.y) != 0u);
  return vec4u(u64_shr(low, s) | u64_shl(u64_shl(high, 1u), 63u - s) | vec2u(sticky, 0u), u64_shr(high, s));
}
