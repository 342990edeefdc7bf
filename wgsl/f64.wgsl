// F64 in integers: the bits as vec2u, x the low word, y the high one. Every operation rounds once, to nearest even, and
// keeps subnormals. Straight code with selects: where a processor plays the GPU, both ways of a branch run anyway.

fn f64_abs(a: vec2u) -> vec2u {
  return vec2u(a.x, a.y & 0x7fffffffu);
}

fn f64_neg(a: vec2u) -> vec2u {
  return vec2u(a.x, a.y ^ 0x80000000u);
}

fn f64_is_nan(a: vec2u) -> bool {
  return ((a.y & 0x7fffffffu) | select(0u, 1u, a.x != 0u)) > 0x7ff00000u;
}

fn f64_is_zero(a: vec2u) -> bool {
  return (a.x | (a.y << 1u)) == 0u;
}

// Infinite or NaN.
fn f64_is_special(a: vec2u) -> bool {
  return (a.y & 0x7ff00000u) == 0x7ff00000u;
}

// Orders the bits of floats like the numbers, -0 before +0.
fn f64_key(a: vec2u) -> vec2u {
  let sign = bitcast<u32>(bitcast<i32>(a.y) >> 31u);
  return vec2u(a.x ^ sign, a.y ^ (sign | 0x80000000u));
}

fn f64_eq(a: vec2u, b: vec2u) -> bool {
  return (u64_eq(a, b) | f64_is_zero(a | b)) & !f64_is_nan(a) & !f64_is_nan(b);
}

fn f64_lt(a: vec2u, b: vec2u) -> bool {
  return u64_lt(f64_key(a), f64_key(b)) & !f64_is_zero(a | b) & !f64_is_nan(a) & !f64_is_nan(b);
}

fn f64_le(a: vec2u, b: vec2u) -> bool {
  return f64_lt(a, b) | f64_eq(a, b);
}

fn f64_min(a: vec2u, b: vec2u) -> vec2u {
  let lesser = select(b, a, u64_lt(f64_key(a), f64_key(b)));
  return select(select(lesser, b, f64_is_nan(b)), a, f64_is_nan(a));
}

fn f64_max(a: vec2u, b: vec2u) -> vec2u {
  let greater = select(a, b, u64_lt(f64_key(a), f64_key(b)));
  return select(select(greater, b, f64_is_nan(b)), a, f64_is_nan(a));
}

// The parts of a finite number: significand * 2**(exponent - 1075). Subnormal significands are below 2**52.
fn f64_exponent(a: vec2u) -> u32 {
  return max((a.y >> 20u) & 0x7ffu, 1u);
}

fn f64_significand(a: vec2u) -> vec2u {
  return vec2u(a.x, (a.y & 0xfffffu) | select(0u, 0x100000u, (a.y & 0x7ff00000u) != 0u));
}

// The number significand * 2**(exponent - 1086), rounded: `exponent` is the biased one of bit 63. The last bit of a
// significand may be a sticky one if there are more than 54 bits.
fn f64_pack(sign: u32, exponent: i32, significand: vec2u) -> vec2u {
  let zeros = u64_clz(significand);
  let top = exponent - i32(zeros);
  let whole = u64_jam(u64_shl(significand, zeros), u32(max(1 - top, 0)));
  let kept = u64_shr(whole, 11u);
  // The leading bit of a normal number counts in the exponent field.
  let field = select(u32(max(top, 1)) - 1u, 0u, zeros == 64u);
  let up = select(0u, 1u, ((whole.x & 0x7ffu) + (kept.x & 1u)) > 0x400u);
  let rounded = u64_add(kept, vec2u(up, field << 20u));
  let found = select(rounded, vec2u(0u, 0x7ff00000u), top >= 0x7ff);
  return vec2u(found.x, found.y | (sign & 0x80000000u));
}

fn f64_add(a: vec2u, b: vec2u) -> vec2u {
  let swap = u64_lt(f64_abs(a), f64_abs(b));
  let big = select(a, b, swap);
  let small = select(b, a, swap);
  let differ = ((a.y ^ b.y) >> 31u) != 0u;
  let exponent = f64_exponent(big);
  // Leading bits at 62: there is room for the carry, and for ten bits that are rounded off.
  let x = u64_shl(f64_significand(big), 10u);
  let y = u64_jam(u64_shl(f64_significand(small), 10u), exponent - f64_exponent(small));
  let total = select(u64_add(x, y), u64_sub(x, y), differ);
  let sign = select(big.y, a.y & b.y, (total.x | total.y) == 0u);
  let sum = f64_pack(sign, i32(exponent) + 1, total);
  let found = select(sum, big, f64_is_special(big));
  return select(found, vec2u(0u, 0x7ff80000u), differ & f64_is_special(small));
}

fn f64_sub(a: vec2u, b: vec2u) -> vec2u {
  return f64_add(a, f64_neg(b));
}

fn f64_mul(a: vec2u, b: vec2u) -> vec2u {
  let x = f64_significand(a);
  let y = f64_significand(b);
  let zx = u64_clz(x);
  let zy = u64_clz(y);
  let product = u64_product(u64_shl(x, zx), u64_shl(y, zy));
  let sticky = select(0u, 1u, (product.x | product.y) != 0u);
  let exponent = i32(f64_exponent(a) + f64_exponent(b)) - i32(zx + zy) - 1000;
  let sign = (a.y ^ b.y) & 0x80000000u;
  let special = f64_is_special(a) | f64_is_special(b);
  let found = select(f64_pack(sign, exponent, product.zw | vec2u(sticky, 0u)), vec2u(0u, sign | 0x7ff00000u), special);
  let invalid = f64_is_nan(a) | f64_is_nan(b) | (special & (f64_is_zero(a) | f64_is_zero(b)));
  return select(found, vec2u(0u, 0x7ff80000u), invalid);
}

// One digit of a long division. The divisor has its leading bit at 52, and rest / divisor is below 2**11: the rest that
// is left, and the quotient in z.
fn f64_digit(rest: vec2u, divisor: vec2u) -> vec3u {
  let guess = rest.y / (divisor.y + 1u);  // right, or one too small
  let left = u64_sub(rest, u64_mul(vec2u(guess, 0u), divisor));
  let more = !u64_lt(left, divisor);
  return vec3u(select(left, u64_sub(left, divisor), more), guess + select(0u, 1u, more));
}

fn f64_div(a: vec2u, b: vec2u) -> vec2u {
  let x = f64_significand(a);
  let y = f64_significand(b);
  let zx = u64_clz(x);
  let zy = u64_clz(y);
  let dividend = u64_shl(x, zx - 11u);
  let divisor = u64_shl(y, zy - 11u);
  let whole = !u64_lt(dividend, divisor);
  var rest = select(dividend, u64_sub(dividend, divisor), whole);
  var quotient = vec2u(select(0u, 1u, whole), 0u);
  for (var k = 0u; k < 5u; k++) {
    let digit = f64_digit(u64_shl(rest, 11u), divisor);
    rest = digit.xy;
    quotient = u64_shl(quotient, 11u) | vec2u(digit.z, 0u);
  }
  quotient.x |= select(0u, 1u, (rest.x | rest.y) != 0u);
  let exponent = i32(f64_exponent(a) + zy) - i32(f64_exponent(b) + zx) + 1031;
  let sign = (a.y ^ b.y) & 0x80000000u;
  let infinite = f64_is_special(a);
  let none = f64_is_special(b);
  var found = select(f64_pack(sign, exponent, quotient), vec2u(0u, sign), none);
  found = select(found, vec2u(0u, sign | 0x7ff00000u), infinite | f64_is_zero(b));
  let invalid = f64_is_nan(a) | f64_is_nan(b) | (infinite & none) | (f64_is_zero(a) & f64_is_zero(b));
  return select(found, vec2u(0u, 0x7ff80000u), invalid);
}

// fmod, exact: long division, eleven bits of the quotient a round.
fn f64_rem(a: vec2u, b: vec2u) -> vec2u {
  if (f64_is_special(a) | f64_is_nan(b) | f64_is_zero(b)) {
    return vec2u(0u, 0x7ff80000u);
  }
  if (u64_lt(f64_abs(a), f64_abs(b))) {
    return a;
  }
  let x = f64_significand(a);
  let y = f64_significand(b);
  let zx = u64_clz(x);
  let zy = u64_clz(y);
  let divisor = u64_shl(y, zy - 11u);
  var rest = u64_shl(x, zx - 11u);
  rest = select(u64_sub(rest, divisor), rest, u64_lt(rest, divisor));
  let exponent = i32(f64_exponent(b)) - i32(zy);
  var bits = i32(f64_exponent(a)) - i32(zx) - exponent;
  loop {
    if (bits <= 0) {
      break;
    }
    rest = f64_digit(u64_shl(rest, u32(min(bits, 11))), divisor).xy;
    bits -= 11;
  }
  return f64_pack(a.y, exponent + 22, rest);
}

// Bit by bit: the root in xy, and the rest in zw.
fn f64_sqrt(a: vec2u) -> vec2u {
  let x = f64_significand(a);
  let zeros = u64_clz(x);
  let exponent = i32(f64_exponent(a)) - i32(zeros) + 11 - 1023;
  // Of a number in [1, 4), in units of 2**-54.
  var rest = u64_shl(x, zeros - 9u + u32(exponent & 1));
  var root = vec2u(0u);
  var bit = vec2u(0u, 0x400000u);
  loop {
    let test = u64_add(u64_shl(root, 1u), bit);
    let fits = !u64_lt(rest, test);
    root = select(root, root | bit, fits);
    rest = u64_shl(select(rest, u64_sub(rest, test), fits), 1u);
    bit = u64_shr(bit, 1u);
    if ((bit.x | bit.y) == 0u) {
      break;
    }
  }
  root.x |= select(0u, 1u, (rest.x | rest.y) != 0u);
  let found = select(f64_pack(0u, (exponent >> 1u) + 1032, root), a, f64_is_special(a) | f64_is_zero(a));
  let invalid = f64_is_nan(a) | (((a.y >> 31u) != 0u) & !f64_is_zero(a));
  return select(found, vec2u(0u, 0x7ff80000u), invalid);
}

// a * b + c, rounded once: the product and the addend in 128 bits.
fn f64_fma(a: vec2u, b: vec2u, c: vec2u) -> vec2u {
  let x = f64_significand(a);
  let y = f64_significand(b);
  let z = f64_significand(c);
  let zx = u64_clz(x);
  let zy = u64_clz(y);
  let zz = u64_clz(z);
  // Leading bits at 126 or 125; exponents are those of bit 126. A zero is shifted, not the other.
  let product = u128_jam(u64_product(u64_shl(x, zx), u64_shl(y, zy)), 1u);
  let addend = vec4u(0u, 0u, u64_shr(u64_shl(z, zz), 1u));
  let no_product = (zx | zy) > 63u;
  let ep = select(i32(f64_exponent(a) + f64_exponent(b)) - i32(zx + zy) - 1000, -9999, no_product);
  let ec = select(i32(f64_exponent(c)) - i32(zz) + 11, -9999, zz > 63u);
  let swap = ep < ec;
  let sign = (a.y ^ b.y) & 0x80000000u;
  let differ = ((sign ^ c.y) >> 31u) != 0u;
  let other = u128_jam(select(addend, product, swap), u32(min(abs(ep - ec), 127)));
  // Two's complement: the sum, or the difference, or less than nothing.
  var total = u128_add(select(product, addend, swap), select(other, ~other, differ), select(0u, 1u, differ));
  let less = differ & ((total.w >> 31u) != 0u);
  total = select(total, u128_add(~total, vec4u(0u), 1u), less);
  let zero = all(total == vec4u(0u));
  let signs = select(select(sign, c.y, swap != less), sign & c.y, zero);
  let high = (total.z | total.w) != 0u;
  let zeros = select(64u, u64_clz(total.zw), high);
  total = u128_shl(total, zeros);
  let sticky = select(0u, 1u, (total.x | total.y) != 0u);
  let sum = f64_pack(signs, max(ep, ec) + 1 - i32(zeros), total.zw | vec2u(sticky, 0u));
  // Infinities and NaNs.
  let infinite = f64_is_special(a) | f64_is_special(b);
  var found = select(sum, c, f64_is_special(c));
  found = select(found, vec2u(0u, sign | 0x7ff00000u), infinite);
  let invalid = infinite & (f64_is_zero(a) | f64_is_zero(b) | (f64_is_special(c) & differ));
  let nan = invalid | f64_is_nan(a) | f64_is_nan(b) | f64_is_nan(c);
  return select(found, vec2u(0u, 0x7ff80000u), nan);
}

// Bits of the fraction of a number, as a mask; all bits but the sign below 1.
fn f64_fraction_mask(a: vec2u) -> vec2u {
  let exponent = f64_exponent(a);
  let mask = u64_shr(vec2u(0xffffffffu, 0xfffffu), clamp(exponent, 1023u, 1075u) - 1023u);
  return select(mask, vec2u(0xffffffffu, 0x7fffffffu), exponent < 1023u);
}

fn f64_trunc(a: vec2u) -> vec2u {
  return a & ~f64_fraction_mask(a);
}

// Away from zero to the next integer, if there is a fraction: the bits of magnitudes count up like numbers.
fn f64_away(a: vec2u) -> vec2u {
  let mask = f64_fraction_mask(a);
  let next = u64_add(a | mask, vec2u(1u, 0u));
  let found = select(next, vec2u(0u, (a.y & 0x80000000u) | 0x3ff00000u), mask.y == 0x7fffffffu);
  return select(found, a, u64_eq(a & mask, vec2u(0u)));
}

fn f64_floor(a: vec2u) -> vec2u {
  return select(f64_trunc(a), f64_away(a), (a.y >> 31u) != 0u);
}

fn f64_ceil(a: vec2u) -> vec2u {
  return select(f64_away(a), f64_trunc(a), (a.y >> 31u) != 0u);
}

// Halves to even.
fn f64_round(a: vec2u) -> vec2u {
  let mask = f64_fraction_mask(a);
  let unit = u64_add(mask, vec2u(1u, 0u));
  // Half a unit, less the least bit for an even number. The unit's bit in [1, 2) is the last of the exponent: 1 is odd.
  let even = u64_eq(a & unit, vec2u(0u));
  let half = u64_sub(u64_shr(unit, 1u), vec2u(select(0u, 1u, even), 0u));
  let found = u64_add(a, half) & ~mask;
  let sign = a.y & 0x80000000u;
  let one = u64_lt(vec2u(0u, 0x3fe00000u), f64_abs(a));
  let small = vec2u(0u, sign | select(0u, 0x3ff00000u, one));
  let exponent = f64_exponent(a);
  return select(select(found, small, exponent < 1023u), a, exponent > 1074u);
}

fn f64_from_u64(a: vec2u) -> vec2u {
  return f64_pack(0u, 1086, a);
}

fn f64_from_i64(a: vec2u) -> vec2u {
  return f64_pack(a.y, 1086, i64_abs(a));
}

// The magnitude of a number below 2**64, truncated.
fn f64_magnitude(a: vec2u) -> vec2u {
  let exponent = f64_exponent(a);
  return select(u64_shr(u64_shl(f64_significand(a), 11u), 1086u - exponent), vec2u(0u), exponent < 1023u);
}

fn f64_to_u64(a: vec2u) -> vec2u {
  let found = select(f64_magnitude(a), vec2u(0xffffffffu), f64_exponent(a) > 1086u);
  return select(found, vec2u(0u), ((a.y >> 31u) != 0u) | f64_is_nan(a));
}

fn f64_to_i64(a: vec2u) -> vec2u {
  let negative = (a.y >> 31u) != 0u;
  let magnitude = select(f64_magnitude(a), vec2u(0xffffffffu, 0x7fffffffu), f64_exponent(a) > 1085u);
  let least = select(u64_neg(magnitude), vec2u(0u, 0x80000000u), f64_exponent(a) > 1085u);
  return select(select(magnitude, least, negative), vec2u(0u), f64_is_nan(a));
}

fn f64_to_u32(a: vec2u) -> u32 {
  let found = f64_to_u64(a);
  return select(found.x, 0xffffffffu, found.y != 0u);
}

fn f64_to_i32(a: vec2u) -> i32 {
  let found = f64_to_i64(a);
  let sign = bitcast<i32>(found.y) >> 31u;
  let fits = bitcast<i32>(found.y) == (bitcast<i32>(found.x) >> 31u);
  return select(0x7fffffff ^ sign, bitcast<i32>(found.x), fits);
}

fn f64_from_f32(x: f32) -> vec2u {
  let a = bitcast<u32>(x);
  let exponent = (a >> 23u) & 255u;
  let significand = (a & 0x7fffffu) | select(0u, 0x800000u, exponent != 0u);
  let found = f64_pack(a, i32(max(exponent, 1u)) + 896, vec2u(0u, significand << 8u));
  return select(found, vec2u(a << 29u, (a & 0x80000000u) | 0x7ff00000u | ((a & 0x7fffffu) >> 3u)), exponent == 255u);
}

// The leading 32 bits of a number, the last one sticky, and in y their biased exponent as one of F32.
fn f64_head(a: vec2u) -> vec2u {
  let zeros = u64_clz(f64_significand(a));
  let whole = u64_shl(f64_significand(a), zeros);
  let exponent = i32(f64_exponent(a)) - i32(zeros) + 11 - 896;
  return vec2u(whole.y | select(0u, 1u, whole.x != 0u), bitcast<u32>(exponent));
}

fn f64_to_f32(a: vec2u) -> f32 {
  let head = f64_head(a);
  let nan = select(0u, 0x400000u, f64_is_nan(a));
  return f32_bits(bitcast<u32>(f32_pack(a.y, bitcast<i32>(head.y), head.x)) | nan);
}

// Rounded to odd, so that it can be rounded once more.
fn f64_to_f32_odd(a: vec2u) -> f32 {
  let head = f64_head(a);
  let nan = select(0u, 0x400000u, f64_is_nan(a));
  return f32_bits(bitcast<u32>(f32_pack_odd(a.y, bitcast<i32>(head.y), head.x)) | nan);
}
