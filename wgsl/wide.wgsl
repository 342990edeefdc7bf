// Wide integers: values of n words in memory of the lane, the lowest word first; dst, a and b are where they lie. dst may be
// a or b in what goes word by word: not in wide_mul, wide_divide and the shifts. work is where 6 * n + 2 words are free.
// Kernels declare the memory as long as they need it; where that is long it is storage, and the words of a block's lanes
// take turns, so that neighbouring lanes read neighbouring words. Loops go over four words a round, which compilers unroll:
// llvmpipe has 65,535 rounds for a lane.
var<private> wide_memory: array<u32, 2048>;

fn wide_get(at: u32) -> u32 {
  return wide_memory[at];
}

fn wide_set(at: u32, word: u32) {
  wide_memory[at] = word;
}

fn wide_copy(dst: u32, a: u32, n: u32) {
  for (var at = 0u; at < n; at += 4u) {
    for (var k = 0u; k < 4u; k++) {
      let i = at + k;
      wide_set(dst + i, wide_get(a + i));
    }
  }
}

fn wide_fill(dst: u32, n: u32, word: u32) {
  for (var at = 0u; at < n; at += 4u) {
    for (var k = 0u; k < 4u; k++) {
      let i = at + k;
      wide_set(dst + i, word);
    }
  }
}

// All ones if the number is negative as a signed one.
fn wide_sign(a: u32, n: u32) -> u32 {
  return bitcast<u32>(bitcast<i32>(wide_get(a + n - 1u)) >> 31u);
}

fn wide_add(dst: u32, a: u32, b: u32, n: u32) {
  var carry = 0u;
  for (var at = 0u; at < n; at += 4u) {
    for (var k = 0u; k < 4u; k++) {
      let i = at + k;
      let x = wide_get(a + i);
      let sum = x + wide_get(b + i);
      let total = sum + carry;
      wide_set(dst + i, total);
      carry = select(0u, 1u, (sum < x) || (total < sum));
    }
  }
}

fn wide_sub(dst: u32, a: u32, b: u32, n: u32) {
  var borrow = 0u;
  for (var at = 0u; at < n; at += 4u) {
    for (var k = 0u; k < 4u; k++) {
      let i = at + k;
      let x = wide_get(a + i);
      let y = wide_get(b + i);
      let difference = x - y;
      wide_set(dst + i, difference - borrow);
      borrow = select(0u, 1u, (x < y) || (difference < borrow));
    }
  }
}

fn wide_neg(dst: u32, a: u32, n: u32) {
  var carry = 1u;
  for (var at = 0u; at < n; at += 4u) {
    for (var k = 0u; k < 4u; k++) {
      let i = at + k;
      let x = ~wide_get(a + i) + carry;
      wide_set(dst + i, x);
      carry = select(0u, carry, x == 0u);
    }
  }
}

// A sum of three words, and a product more.
fn wide_accumulate(sum: vec3u, x: u32, y: u32) -> vec3u {
  let product = u64_widemul(x, y);
  let low = sum.x + product.x;
  let more = product.y + select(0u, 1u, low < product.x);
  let high = sum.y + more;
  return vec3u(low, high, sum.z + select(0u, 1u, high < more));
}

// The product modulo n words of a, of which the lowest words, rows, may be other than 0, and b, with columns such words;
// four rows at a time: a column of them is the sum of four products and the carry.
fn wide_mul(dst: u32, a: u32, b: u32, n: u32, rows: u32, columns: u32) {
  wide_fill(dst, n, 0u);
  for (var i = 0u; i < rows; i += 4u) {
    let x = vec4u(wide_get(a + i), wide_get(a + i + 1u), wide_get(a + i + 2u), wide_get(a + i + 3u));
    var y = vec4u(0u);
    var sum = vec3u(0u);
    let end = min(n, i + columns + 4u);
    for (var j = i; j < end; j++) {
      y = vec4u(wide_get(b + j - i), y.xyz);
      let word = wide_get(dst + j);
      let low = sum.y + word;
      sum = vec3u(low, sum.z + select(0u, 1u, low < word), 0u);
      sum = wide_accumulate(sum, x.x, y.x);
      sum = wide_accumulate(sum, x.y, y.y);
      sum = wide_accumulate(sum, x.z, y.z);
      sum = wide_accumulate(sum, x.w, y.w);
      wide_set(dst + j, sum.x);
    }
  }
}

fn wide_and(dst: u32, a: u32, b: u32, n: u32) {
  for (var at = 0u; at < n; at += 4u) {
    for (var k = 0u; k < 4u; k++) {
      let i = at + k;
      wide_set(dst + i, wide_get(a + i) & wide_get(b + i));
    }
  }
}

fn wide_or(dst: u32, a: u32, b: u32, n: u32) {
  for (var at = 0u; at < n; at += 4u) {
    for (var k = 0u; k < 4u; k++) {
      let i = at + k;
      wide_set(dst + i, wide_get(a + i) | wide_get(b + i));
    }
  }
}

fn wide_xor(dst: u32, a: u32, b: u32, n: u32) {
  for (var at = 0u; at < n; at += 4u) {
    for (var k = 0u; k < 4u; k++) {
      let i = at + k;
      wide_set(dst + i, wide_get(a + i) ^ wide_get(b + i));
    }
  }
}

fn wide_not(dst: u32, a: u32, n: u32) {
  for (var at = 0u; at < n; at += 4u) {
    for (var k = 0u; k < 4u; k++) {
      let i = at + k;
      wide_set(dst + i, ~wide_get(a + i));
    }
  }
}

fn wide_eq(a: u32, b: u32, n: u32) -> bool {
  var differ = 0u;
  for (var at = 0u; at < n; at += 4u) {
    for (var k = 0u; k < 4u; k++) {
      let i = at + k;
      differ |= wide_get(a + i) ^ wide_get(b + i);
    }
  }
  return differ == 0u;
}

// Whether a is less than b; flip is the sign bit for signed numbers, 0 for unsigned ones.
fn wide_lt(a: u32, b: u32, n: u32, flip: u32) -> bool {
  var less = false;
  for (var at = 0u; at < n; at += 4u) {
    for (var k = 0u; k < 4u; k++) {
      let i = at + k;
      let turn = select(0u, flip, i == n - 1u);
      let x = wide_get(a + i) ^ turn;
      let y = wide_get(b + i) ^ turn;
      less = (x < y) || ((x == y) && less);
    }
  }
  return less;
}

fn wide_shl(dst: u32, a: u32, amount: u32, n: u32) {
  let words = (amount >> 5u) & (n - 1u);
  let bits = amount & 31u;
  for (var i = 0u; i < n; i++) {
    var word = 0u;
    if (i >= words) {
      word = wide_get(a + i - words) << bits;
    }
    if (i > words) {
      word |= (wide_get(a + i - words - 1u) >> 1u) >> (31u - bits);
    }
    wide_set(dst + i, word);
  }
}

// fill is what is above the highest word: 0, or all ones.
fn wide_shr(dst: u32, a: u32, amount: u32, n: u32, fill: u32) {
  let words = (amount >> 5u) & (n - 1u);
  let bits = amount & 31u;
  for (var i = 0u; i < n; i++) {
    var low = fill;
    var high = fill;
    if (i + words < n) {
      low = wide_get(a + i + words);
    }
    if (i + words + 1u < n) {
      high = wide_get(a + i + words + 1u);
    }
    wide_set(dst + i, (low >> bits) | ((high << 1u) << (31u - bits)));
  }
}

// Where the magnitude of a number is: at a, or at work if it is negative.
fn wide_magnitude(a: u32, n: u32, work: u32) -> u32 {
  if (wide_sign(a, n) == 0u) {
    return a;
  }
  wide_neg(work, a, n);
  return work;
}

// Digits of 16 bits, of which products and quotients fit a word.
fn wide_digit(a: u32, i: u32) -> u32 {
  return (wide_get(a + (i >> 1u)) >> ((i & 1u) * 16u)) & 0xffffu;
}

fn wide_put_digit(dst: u32, i: u32, digit: u32) {
  wide_set(dst + (i >> 1u), wide_get(dst + (i >> 1u)) | (digit << ((i & 1u) * 16u)));
}

// How many digits are up to the highest that is not 0.
fn wide_digits(a: u32, n: u32) -> u32 {
  var count = 0u;
  for (var i = 0u; i < n; i++) {
    let word = wide_get(a + i);
    count = select(count, 2u * i + select(1u, 2u, word > 0xffffu), word != 0u);
  }
  return count;
}

// Digits shifted left by less than 16 bits, one in each word from dst on; what is carried out is one more.
fn wide_unpack(dst: u32, a: u32, count: u32, shift: u32) {
  var carry = 0u;
  for (var i = 0u; i < count; i++) {
    let digit = (wide_digit(a, i) << shift) | carry;
    wide_set(dst + i, digit & 0xffffu);
    carry = digit >> 16u;
  }
  wide_set(dst + count, carry);
}

// The quotient of unsigned numbers, or the remainder if rest: Knuth, The Art of Computer Programming, 4.3.1, algorithm D
// with digits of 16 bits. Dividing by 0 gives 0.
fn wide_divide(dst: u32, a: u32, b: u32, n: u32, rest: bool, work: u32) {
  wide_fill(dst, n, 0u);
  let m = wide_digits(a, n);
  let k = wide_digits(b, n);
  if (k == 0u) {
    return;
  }
  if (m < k) {
    if (rest) {
      wide_copy(dst, a, n);
    }
    return;
  }
  let shift = countLeadingZeros(wide_digit(b, k - 1u)) - 16u;
  let v = work;
  let u = work + 2u * n + 1u;
  wide_unpack(v, b, k, shift);
  wide_unpack(u, a, m, shift);
  let top = wide_get(v + k - 1u);
  var next = 0u;
  if (k > 1u) {
    next = wide_get(v + k - 2u);
  }
  for (var round = 0u; round <= m - k; round++) {
    let j = u + m - k - round;
    let pair = (wide_get(j + k) << 16u) | wide_get(j + k - 1u);
    var digit = pair / top;
    var left = pair % top;
    var below = 0u;
    if (k > 1u) {
      below = wide_get(j + k - 2u);
    }
    // At most two too large.
    for (var step = 0u; step < 2u; step++) {
      if ((left < 0x10000u) && ((digit > 0xffffu) || (digit * next > ((left << 16u) | below)))) {
        digit -= 1u;
        left += top;
      }
    }
    var borrow = 0u;
    for (var i = 0u; i < k; i++) {
      let product = digit * wide_get(v + i) + borrow;
      let x = wide_get(j + i);
      let low = product & 0xffffu;
      wide_set(j + i, (x - low) & 0xffffu);
      borrow = (product >> 16u) + select(0u, 1u, x < low);
    }
    let x = wide_get(j + k);
    wide_set(j + k, (x - borrow) & 0xffffu);
    if (x < borrow) {
      // The digit was one too large still: the divisor is added back.
      digit -= 1u;
      var carry = 0u;
      for (var i = 0u; i < k; i++) {
        let sum = wide_get(j + i) + wide_get(v + i) + carry;
        wide_set(j + i, sum & 0xffffu);
        carry = sum >> 16u;
      }
      wide_set(j + k, (wide_get(j + k) + carry) & 0xffffu);
    }
    if (!rest) {
      wide_put_digit(dst, m - k - round, digit);
    }
  }
  if (rest) {
    for (var i = 0u; i < k; i++) {
      let pair = (wide_get(u + i + 1u) << 16u) | wide_get(u + i);
      wide_put_digit(dst, i, (pair >> shift) & 0xffffu);
    }
  }
}

// The same of signed numbers: the quotient is truncated, the remainder has the sign of a.
fn wide_divide_signed(dst: u32, a: u32, b: u32, n: u32, rest: bool, work: u32) {
  let sign = wide_sign(a, n) ^ select(wide_sign(b, n), 0u, rest);
  let x = wide_magnitude(a, n, work);
  let y = wide_magnitude(b, n, work + n);
  wide_divide(dst, x, y, n, rest, work + 2u * n);
  if (sign != 0u) {
    wide_neg(dst, dst, n);
  }
}

// The leading 64 bits of a number, of which the last says whether there are others below, and how many bits it has.
fn wide_head(a: u32, n: u32) -> vec3u {
  var words = 0u;
  for (var i = 0u; i < n; i++) {
    words = select(words, i + 1u, wide_get(a + i) != 0u);
  }
  if (words == 0u) {
    return vec3u(0u);
  }
  var head = vec3u(0u, 0u, wide_get(a + words - 1u));
  if (words > 1u) {
    head.y = wide_get(a + words - 2u);
  }
  if (words > 2u) {
    head.x = wide_get(a + words - 3u);
  }
  let zeros = countLeadingZeros(head.z);
  let low = vec2u(head.x << zeros, (head.y << zeros) | ((head.x >> 1u) >> (31u - zeros)));
  var sticky = low.x;
  for (var i = 3u; i < words; i++) {
    sticky |= wide_get(a + words - 1u - i);
  }
  let high = (head.z << zeros) | ((head.y >> 1u) >> (31u - zeros));
  return vec3u(low.y | select(0u, 1u, sticky != 0u), high, 32u * words - zeros);
}

// The float nearest to a magnitude, with a sign.
fn wide_to_f32(a: u32, n: u32, sign: u32) -> f32 {
  let head = wide_head(a, n);
  return f32_pack(sign, i32(head.z) + 126, head.y | select(0u, 1u, head.x != 0u));
}

// The same, rounded to odd, so that it can be rounded once more.
fn wide_to_f32_odd(a: u32, n: u32, sign: u32) -> f32 {
  let head = wide_head(a, n);
  return f32_pack_odd(sign, i32(head.z) + 126, head.y | select(0u, 1u, head.x != 0u));
}

fn wide_to_f64(a: u32, n: u32, sign: u32) -> vec2u {
  let head = wide_head(a, n);
  return f64_pack(sign, i32(head.z) + 1022, head.xy);
}

// The integer nearest to zero of a float: significand * 2**exponent. Beyond the range, and for infinity (`above`), the
// nearest number of the type.
fn wide_from_parts(dst: u32, significand: vec2u, exponent: i32, n: u32, negative: bool, is_signed: bool, above: bool) {
  wide_fill(dst, n, 0u);
  let bits = 64 - i32(u64_clz(significand)) + exponent;
  if ((bits <= 0) || all(significand == vec2u(0u)) || (negative && !is_signed)) {
    return;
  }
  if (above || (bits > i32(32u * n - select(0u, 1u, is_signed)))) {
    wide_fill(dst, n, select(0xffffffffu, 0u, negative));
    if (is_signed) {
      wide_set(dst + n - 1u, wide_get(dst + n - 1u) ^ 0x80000000u);
    }
    return;
  }
  let whole = select(significand, u64_shr(significand, u32(max(-exponent, 0))), exponent < 0);
  let place = u32(max(exponent, 0));
  let word = place >> 5u;
  let by = place & 31u;
  wide_set(dst + word, whole.x << by);
  if (word + 1u < n) {
    wide_set(dst + word + 1u, (whole.y << by) | ((whole.x >> 1u) >> (31u - by)));
  }
  if (word + 2u < n) {
    wide_set(dst + word + 2u, (whole.y >> 1u) >> (31u - by));
  }
  if (negative) {
    wide_neg(dst, dst, n);
  }
}

// A float without its fraction; 0 for NaN.
fn wide_from_f32(dst: u32, x: f32, n: u32, is_signed: bool) {
  let a = bitcast<u32>(x);
  let exponent = i32((a >> 23u) & 255u) - 150;
  let significand = select((a & 0x7fffffu) | 0x800000u, 0u, f32_is_nan(a) || (exponent == -150));
  wide_from_parts(dst, vec2u(significand, 0u), exponent, n, (a >> 31u) != 0u, is_signed, exponent == 105);
}

fn wide_from_f64(dst: u32, a: vec2u, n: u32, is_signed: bool) {
  let significand = select(f64_significand(a), vec2u(0u), f64_is_nan(a));
  let exponent = i32(f64_exponent(a)) - 1075;
  wide_from_parts(dst, significand, exponent, n, (a.y >> 31u) != 0u, is_signed, exponent == 972);
}
