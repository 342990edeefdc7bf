// F32 where WGSL promises too little: comparisons, rounding to integers and conversions, in integers on the bits.
// Shader compilers assume that there are no NaNs and flush subnormal numbers (measured on llvmpipe and SwiftShader).

// The float of some bits. Tint computes bitcasts of constants itself, and refuses those that give no finite number.
fn f32_bits(a: u32) -> f32 {
  return bitcast<f32>(a);
}

fn f32_is_nan(a: u32) -> bool {
  return (a & 0x7fffffffu) > 0x7f800000u;
}

// Orders the bits of floats like the numbers, -0 before +0.
fn f32_key(a: u32) -> i32 {
  return bitcast<i32>(a ^ (bitcast<u32>(bitcast<i32>(a) >> 31u) >> 1u));
}

fn f32_eq(x: f32, y: f32) -> bool {
  let a = bitcast<u32>(x);
  let b = bitcast<u32>(y);
  let equal = (a == b) | (((a | b) & 0x7fffffffu) == 0u);
  return equal & !f32_is_nan(a) & !f32_is_nan(b);
}

fn f32_lt(x: f32, y: f32) -> bool {
  let a = bitcast<u32>(x);
  let b = bitcast<u32>(y);
  let zeros = ((a | b) & 0x7fffffffu) == 0u;
  return (f32_key(a) < f32_key(b)) & !zeros & !f32_is_nan(a) & !f32_is_nan(b);
}

fn f32_le(x: f32, y: f32) -> bool {
  return f32_lt(x, y) | f32_eq(x, y);
}

// Whether the bits are among so many in a row, NaN apart: comparisons with a constant. `start` moves the first of them to
// the least integer, and those that count stay below `end`. (Two comparisons made Mandelbrot a sixth slower.)
fn f32_among(x: f32, start: u32, end: i32) -> bool {
  return bitcast<i32>(bitcast<u32>(x) + start) < end;
}

// Comparisons with a positive number given by its bits, below infinity.
fn f32_below(x: f32, c: u32) -> bool {
  let a = bitcast<u32>(x);
  return (a < c) | ((a >= 0x80000000u) & (a <= 0xff800000u));
}

fn f32_up_to(x: f32, c: u32) -> bool {
  let a = bitcast<u32>(x);
  return (a <= c) | ((a >= 0x80000000u) & (a <= 0xff800000u));
}

fn f32_min(x: f32, y: f32) -> f32 {
  let a = bitcast<u32>(x);
  let b = bitcast<u32>(y);
  let lesser = select(b, a, f32_key(a) < f32_key(b));
  return bitcast<f32>(select(select(lesser, b, f32_is_nan(b)), a, f32_is_nan(a)));
}

fn f32_max(x: f32, y: f32) -> f32 {
  let a = bitcast<u32>(x);
  let b = bitcast<u32>(y);
  let greater = select(a, b, f32_key(a) < f32_key(b));
  return bitcast<f32>(select(select(greater, b, f32_is_nan(b)), a, f32_is_nan(a)));
}

fn f32_neg(x: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(x) ^ 0x80000000u);
}

fn f32_abs(x: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(x) & 0x7fffffffu);
}

// Bits of the fraction of a number, as a mask; all bits but the sign below 1.
fn f32_fraction_mask(a: u32) -> u32 {
  let exponent = (a >> 23u) & 255u;
  if (exponent < 127u) {
    return 0x7fffffffu;
  }
  return 0x7fffffu >> min(exponent - 127u, 31u);
}

fn f32_trunc(x: f32) -> f32 {
  let a = bitcast<u32>(x);
  return bitcast<f32>(a & ~f32_fraction_mask(a));
}

// Away from zero to the next integer, if there is a fraction: the bits of magnitudes count up like numbers.
fn f32_away(a: u32) -> u32 {
  let mask = f32_fraction_mask(a);
  if ((a & mask) == 0u) {
    return a;
  }
  if (mask == 0x7fffffffu) {
    return (a & 0x80000000u) | 0x3f800000u;
  }
  return (a & ~mask) + mask + 1u;
}

fn f32_floor(x: f32) -> f32 {
  let a = bitcast<u32>(x);
  if (f32_is_nan(a)) {
    return x;
  }
  return bitcast<f32>(select(a & ~f32_fraction_mask(a), f32_away(a), (a >> 31u) != 0u));
}

fn f32_ceil(x: f32) -> f32 {
  let a = bitcast<u32>(x);
  if (f32_is_nan(a)) {
    return x;
  }
  return bitcast<f32>(select(f32_away(a), a & ~f32_fraction_mask(a), (a >> 31u) != 0u));
}

// Halves to even.
fn f32_round(x: f32) -> f32 {
  let a = bitcast<u32>(x);
  let magnitude = a & 0x7fffffffu;
  let sign = a & 0x80000000u;
  if (magnitude >= 0x4b000000u) {
    return x;
  }
  if (magnitude <= 0x3f000000u) {
    return bitcast<f32>(sign);
  }
  if (magnitude < 0x3f800000u) {
    return bitcast<f32>(sign | 0x3f800000u);
  }
  let mask = f32_fraction_mask(a);
  let half = (mask + 1u) >> 1u;
  let odd = select(0u, 1u, (magnitude & (mask + 1u)) != 0u);
  // The unit's bit of numbers in [1, 2) is the lowest bit of the exponent field: 127 is odd, and so is 1.
  return bitcast<f32>(sign | ((magnitude + (half - 1u) + odd) & ~mask));
}

// a >> amount, with what is lost kept as a sticky last bit.
fn u32_jam(a: u32, amount: u32) -> u32 {
  let count = min(amount, 31u);
  let cut = a >> count;
  return cut | select(0u, 1u, (cut << count) != a);
}

// The number word * 2**(exponent - 158), rounded: the leading bit of the word is at 31, its last bit may be sticky, and
// `exponent` is the biased one of bit 31. Zero for a word of zero.
fn f32_pack(sign: u32, exponent: i32, word: u32) -> f32 {
  let whole = u32_jam(word, u32(max(1 - exponent, 0)));
  let kept = whole >> 8u;
  // The leading bit of a normal number counts in the exponent field.
  let field = select(u32(max(exponent, 1)) - 1u, 0u, word == 0u);
  let up = select(0u, 1u, ((whole & 255u) + (kept & 1u)) > 128u);
  let found = select((field << 23u) + kept + up, 0x7f800000u, exponent >= 255);
  return bitcast<f32>(found | (sign & 0x80000000u));
}

// The same, rounded to odd, so that it can be rounded once more.
fn f32_pack_odd(sign: u32, exponent: i32, word: u32) -> f32 {
  let whole = u32_jam(word, u32(max(1 - exponent, 0)));
  let kept = (whole >> 8u) | select(0u, 1u, (whole & 255u) != 0u);
  let field = select(u32(max(exponent, 1)) - 1u, 0u, word == 0u);
  let found = select((field << 23u) + kept, 0x7f800000u, exponent >= 255);
  return bitcast<f32>(found | (sign & 0x80000000u));
}

// The leading 32 bits of a number, the last one sticky.
fn u64_head(a: vec2u) -> u32 {
  let whole = u64_shl(a, u64_clz(a));
  return whole.y | select(0u, 1u, whole.x != 0u);
}

fn f32_from_u64(a: vec2u) -> f32 {
  return f32_pack(0u, 190 - i32(u64_clz(a)), u64_head(a));
}

fn f32_from_i64(a: vec2u) -> f32 {
  let magnitude = i64_abs(a);
  return f32_pack(a.y, 190 - i32(u64_clz(magnitude)), u64_head(magnitude));
}

fn f32_from_u32(a: u32) -> f32 {
  let zeros = countLeadingZeros(a);
  return f32_pack(0u, 158 - i32(zeros), a << (zeros & 31u));
}

fn f32_from_i32(a: i32) -> f32 {
  let negative = a < 0;
  let magnitude = select(bitcast<u32>(a), 0u - bitcast<u32>(a), negative);
  return bitcast<f32>(bitcast<u32>(f32_from_u32(magnitude)) | select(0u, 0x80000000u, negative));
}

// The same by floats, where their sums are right: both halves are exact, and the sum is rounded once. (Shifts by what
// differs from lane to lane go through the lanes one by one on SwiftShader.)
fn f32_sum_from_u32(a: u32) -> f32 {
  return f32(bitcast<i32>(a >> 16u)) * 65536.0 + f32(bitcast<i32>(a & 0xffffu));
}

fn f32_sum_from_i32(a: i32) -> f32 {
  return f32(a >> 16u) * 65536.0 + f32(a & 0xffff);
}

// The magnitude of a number below 2**64, truncated.
fn f32_magnitude(a: u32) -> vec2u {
  let exponent = (a >> 23u) & 255u;
  if (exponent < 127u) {
    return vec2u(0u);
  }
  let significand = vec2u(0u, (a << 8u) | 0x80000000u);
  return u64_shr(significand, 63u - (exponent - 127u));
}

fn f32_to_u64(x: f32) -> vec2u {
  let a = bitcast<u32>(x);
  if (f32_is_nan(a) | ((a >> 31u) != 0u)) {
    return vec2u(0u);
  }
  if (a >= 0x5f800000u) {
    return vec2u(0xffffffffu);
  }
  return f32_magnitude(a);
}

fn f32_to_i64(x: f32) -> vec2u {
  let a = bitcast<u32>(x);
  if (f32_is_nan(a)) {
    return vec2u(0u);
  }
  let negative = (a >> 31u) != 0u;
  if ((a & 0x7fffffffu) >= 0x5f000000u) {
    return select(vec2u(0xffffffffu, 0x7fffffffu), vec2u(0u, 0x80000000u), negative);
  }
  let magnitude = f32_magnitude(a);
  return select(magnitude, u64_neg(magnitude), negative);
}

fn f32_to_u32(x: f32) -> u32 {
  let a = bitcast<u32>(x);
  if (f32_is_nan(a) | ((a >> 31u) != 0u)) {
    return 0u;
  }
  if (a >= 0x4f800000u) {
    return 0xffffffffu;
  }
  return f32_magnitude(a).x;
}

fn f32_to_i32(x: f32) -> i32 {
  let a = bitcast<u32>(x);
  if (f32_is_nan(a)) {
    return 0;
  }
  let negative = (a >> 31u) != 0u;
  if ((a & 0x7fffffffu) >= 0x4f000000u) {
    return select(0x7fffffff, i32(-2147483647) - 1, negative);
  }
  let magnitude = bitcast<i32>(f32_magnitude(a).x);
  return select(magnitude, -magnitude, negative);
}

// fmod, exact: long division of the significands, one bit of the quotient a round.
fn f32_rem(x: f32, y: f32) -> f32 {
  let a = bitcast<u32>(x) & 0x7fffffffu;
  let b = bitcast<u32>(y) & 0x7fffffffu;
  let sign = bitcast<u32>(x) & 0x80000000u;
  if ((a >= 0x7f800000u) | (b > 0x7f800000u) | (b == 0u)) {
    return f32_bits(0x7fc00000u);
  }
  if (a < b) {
    return x;
  }
  var exponent = max(a >> 23u, 1u);
  let lowest = max(b >> 23u, 1u);
  var rest = (a & 0x7fffffu) | select(0u, 0x800000u, a >= 0x800000u);
  let divisor = (b & 0x7fffffu) | select(0u, 0x800000u, b >= 0x800000u);
  rest = rest % divisor;
  loop {
    if (exponent <= lowest) {
      break;
    }
    rest = rest << 1u;
    if (rest >= divisor) {
      rest -= divisor;
    }
    exponent -= 1u;
  }
  if (rest == 0u) {
    return bitcast<f32>(sign);
  }
  // Up to the leading bit, unless the result is subnormal.
  let shift = min(countLeadingZeros(rest) - 8u, exponent - 1u);
  rest = rest << shift;
  return bitcast<f32>(sign | (((exponent - shift - 1u) << 23u) + rest));
}

fn f16_to_f32(a: u32) -> f32 {
  let sign = (a & 0x8000u) << 16u;
  let rest = a & 0x7fffu;
  if (rest >= 0x7c00u) {
    return bitcast<f32>(sign | 0x7f800000u | (rest << 13u));
  }
  if (rest >= 0x400u) {
    return bitcast<f32>(sign | ((rest << 13u) + 0x38000000u));
  }
  if (rest == 0u) {
    return bitcast<f32>(sign);
  }
  let shift = countLeadingZeros(rest) - 21u;
  return bitcast<f32>(sign | (((113u - shift) << 23u) + (((rest << shift) & 0x3ffu) << 13u)));
}

fn f32_to_f16(x: f32) -> u32 {
  let a = bitcast<u32>(x);
  let sign = (a >> 16u) & 0x8000u;
  let rest = a & 0x7fffffffu;
  if (rest > 0x7f800000u) {
    return sign | 0x7e00u;
  }
  if (rest >= 0x477ff000u) {
    return sign | 0x7c00u;
  }
  if (rest >= 0x38800000u) {
    let shifted = rest - 0x38000000u;
    return sign | ((shifted + 0xfffu + ((shifted >> 13u) & 1u)) >> 13u);
  }
  let count = min(126u - (rest >> 23u), 31u);
  let significand = (rest & 0x7fffffu) | 0x800000u;
  let whole = significand >> count;
  let lost = significand - (whole << count);
  let half = 1u << (count - 1u);
  let up = (lost > half) | ((lost == half) & ((whole & 1u) != 0u));
  return sign | (whole + select(0u, 1u, up));
}

fn bf16_to_f32(a: u32) -> f32 {
  return bitcast<f32>(a << 16u);
}

fn f32_to_bf16(x: f32) -> u32 {
  let a = bitcast<u32>(x);
  return select((a + 0x7fffu + ((a >> 16u) & 1u)) >> 16u, 0x7fc0u, f32_is_nan(a));
}

// 64-bit integers to an F32 that is rounded to odd, so that it can be rounded once more.
fn f32_odd_from_u64(a: vec2u) -> f32 {
  return f32_pack_odd(0u, 190 - i32(u64_clz(a)), u64_head(a));
}

fn f32_odd_from_i64(a: vec2u) -> f32 {
  let magnitude = i64_abs(a);
  return f32_pack_odd(a.y, 190 - i32(u64_clz(magnitude)), u64_head(magnitude));
}

// The parts of a finite number: significand * 2**(exponent - 150). Subnormal significands are below 2**23.
fn f32_exponent(a: u32) -> u32 {
  return max((a >> 23u) & 255u, 1u);
}

fn f32_significand(a: u32) -> u32 {
  return (a & 0x7fffffu) | select(0u, 0x800000u, (a & 0x7f800000u) != 0u);
}

// Arithmetic in integers, subnormals included: for adapters whose own is not exact, and for math="strict".

fn f32_add(x: f32, y: f32) -> f32 {
  let a = bitcast<u32>(x);
  let b = bitcast<u32>(y);
  let swap = (a & 0x7fffffffu) < (b & 0x7fffffffu);
  let big = select(a, b, swap);
  let small = select(b, a, swap);
  let differ = ((a ^ b) >> 31u) != 0u;
  let exponent = f32_exponent(big);
  // Leading bits at 30: there is room for the carry, and for seven bits that are rounded off.
  let p = f32_significand(big) << 7u;
  let q = u32_jam(f32_significand(small) << 7u, exponent - f32_exponent(small));
  let total = select(p + q, p - q, differ);
  let zeros = countLeadingZeros(total);
  let sign = select(big, a & b, total == 0u);
  let sum = bitcast<u32>(f32_pack(sign, i32(exponent) + 1 - i32(zeros), total << (zeros & 31u)));
  let found = select(sum, big, (big & 0x7f800000u) == 0x7f800000u);
  return f32_bits(select(found, 0x7fc00000u, differ & ((small & 0x7f800000u) == 0x7f800000u)));
}

fn f32_sub(x: f32, y: f32) -> f32 {
  return f32_add(x, f32_neg(y));
}

fn f32_mul(x: f32, y: f32) -> f32 {
  let a = bitcast<u32>(x);
  let b = bitcast<u32>(y);
  let p = f32_significand(a);
  let q = f32_significand(b);
  let zp = countLeadingZeros(p) & 31u;
  let zq = countLeadingZeros(q) & 31u;
  let product = u64_widemul(p << zp, q << zq);
  let shift = countLeadingZeros(product.y) & 1u;
  let word = (product.y | select(0u, 1u, product.x != 0u)) << shift;
  let exponent = i32(f32_exponent(a) + f32_exponent(b)) - i32(zp + zq + shift) - 110;
  let sign = (a ^ b) & 0x80000000u;
  let special = max(a & 0x7fffffffu, b & 0x7fffffffu) >= 0x7f800000u;
  let found = select(bitcast<u32>(f32_pack(sign, exponent, word)), sign | 0x7f800000u, special);
  let invalid = f32_is_nan(a) | f32_is_nan(b) | (special & ((p == 0u) | (q == 0u)));
  return f32_bits(select(found, 0x7fc00000u, invalid));
}

fn f32_div(x: f32, y: f32) -> f32 {
  let a = bitcast<u32>(x);
  let b = bitcast<u32>(y);
  let p = f32_significand(a);
  let q = f32_significand(b);
  let zp = countLeadingZeros(p);
  let zq = countLeadingZeros(q);
  let divisor = max(q << (zq - 8u), 1u);
  let less = select(0u, 1u, (p << (zp - 8u)) < divisor);
  // A quotient in [1, 2): one bit, and 24 more by eight.
  var rest = (p << (zp - 8u + less)) - divisor;
  var quotient = 1u;
  for (var k = 0u; k < 3u; k++) {
    quotient = (quotient << 8u) | ((rest << 8u) / divisor);
    rest = (rest << 8u) % divisor;
  }
  let word = (quotient << 7u) | select(0u, 1u, rest != 0u);
  let exponent = i32(f32_exponent(a) + zq) - i32(f32_exponent(b) + zp + less) + 127;
  let sign = (a ^ b) & 0x80000000u;
  let infinite = (a & 0x7fffffffu) >= 0x7f800000u;
  let none = (b & 0x7fffffffu) >= 0x7f800000u;
  var found = select(bitcast<u32>(f32_pack(sign, exponent, word)), sign, none | (p == 0u));
  found = select(found, sign | 0x7f800000u, infinite | (q == 0u));
  let invalid = f32_is_nan(a) | f32_is_nan(b) | (infinite & none) | ((p | q) == 0u);
  return f32_bits(select(found, 0x7fc00000u, invalid));
}

// Bit by bit.
fn f32_sqrt(x: f32) -> f32 {
  let a = bitcast<u32>(x);
  let zeros = countLeadingZeros(f32_significand(a));
  let exponent = i32(f32_exponent(a)) - i32(zeros) + 8 - 127;
  // Of a number in [1, 4), in units of 2**-25.
  var rest = f32_significand(a) << (zeros - 6u + u32(exponent & 1));
  var root = 0u;
  for (var bit = 0x2000000u; bit != 0u; bit = bit >> 1u) {
    let test = (root << 1u) + bit;
    let fits = rest >= test;
    root |= select(0u, bit, fits);
    rest = (rest - select(0u, test, fits)) << 1u;
  }
  let word = (root << 6u) | select(0u, 1u, rest != 0u);
  let found = bitcast<u32>(f32_pack(0u, (exponent >> 1u) + 127, word));
  let zero = (a & 0x7fffffffu) == 0u;
  let same = zero | (a == 0x7f800000u);
  let invalid = f32_is_nan(a) | (((a >> 31u) != 0u) & !zero);
  return f32_bits(select(select(found, a, same), 0x7fc00000u, invalid));
}

// a * b + c, rounded once: a 48-bit product and the addend in 64 bits with a sticky bit.
fn f32_fma(x: f32, y: f32, z: f32) -> f32 {
  let a = bitcast<u32>(x);
  let b = bitcast<u32>(y);
  let c = bitcast<u32>(z);
  let ra = a & 0x7fffffffu;
  let rb = b & 0x7fffffffu;
  let rc = c & 0x7fffffffu;
  let sign_p = (a ^ b) & 0x80000000u;
  let sign_c = c & 0x80000000u;
  if ((ra > 0x7f800000u) | (rb > 0x7f800000u) | (rc > 0x7f800000u)) {
    return f32_bits(0x7fc00000u);
  }
  if ((ra == 0x7f800000u) | (rb == 0x7f800000u)) {
    let invalid = (ra == 0u) | (rb == 0u) | ((rc == 0x7f800000u) & (sign_c != sign_p));
    return bitcast<f32>(select(sign_p | 0x7f800000u, 0x7fc00000u, invalid));
  }
  if (rc == 0x7f800000u) {
    return z;
  }
  if ((ra == 0u) | (rb == 0u)) {
    return bitcast<f32>(select(c, sign_p & sign_c, rc == 0u));
  }
  var ma = (ra & 0x7fffffu) | select(0u, 0x800000u, ra >= 0x800000u);
  var mb = (rb & 0x7fffffu) | select(0u, 0x800000u, rb >= 0x800000u);
  var mc = (rc & 0x7fffffu) | select(0u, 0x800000u, rc >= 0x800000u);
  let za = countLeadingZeros(ma) - 8u;
  let zb = countLeadingZeros(mb) - 8u;
  ma = ma << za;
  mb = mb << zb;
  // The product has its leading bit at 46 or 47: move it to 60 or 61. `exponent` is that of bit 61, biased.
  var product = u64_shl(u64_widemul(ma, mb), 14u);
  let ep = i32(max(ra >> 23u, 1u)) + i32(max(rb >> 23u, 1u)) - i32(za) - i32(zb) - 126;
  var exponent = ep;
  var total = product;
  var sign = sign_p;
  if (rc != 0u) {
    let zc = countLeadingZeros(mc) - 8u;
    mc = mc << zc;
    var addend = vec2u(0u, mc << 6u);
    let ec = i32(max(rc >> 23u, 1u)) - i32(zc);
    // The addend has its leading bit at 61.
    exponent = max(ep, ec);
    product = u64_jam(product, u32(exponent - ep));
    addend = u64_jam(addend, u32(exponent - ec));
    if (sign_p == sign_c) {
      total = u64_add(product, addend);
    } else if (u64_lt(product, addend)) {
      total = u64_sub(addend, product);
      sign = sign_c;
    } else {
      total = u64_sub(product, addend);
      if ((total.x | total.y) == 0u) {
        return 0.0;
      }
    }
  }
  let zeros = u64_clz(total);
  total = u64_shl(total, zeros);
  // The leading bit is at 63 now.
  return f32_pack(sign, exponent + 2 - i32(zeros), total.y | select(0u, 1u, total.x != 0u));
}
