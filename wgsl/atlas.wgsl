// Number theory of the Atlas instructions.

// The x with a * x = 1 modulo m; 0 where there is none. Euclid's algorithm with the sign of the factor kept apart.
fn u32_inverse(a: u32, m: u32) -> u32 {
  if (m < 2u) {
    return 0u;
  }
  var r = vec2u(m, a % m);
  var t = vec2u(0u, 1u);
  var odd = false;
  while (r.y != 0u) {
    let q = r.x / r.y;
    r = vec2u(r.y, r.x - q * r.y);
    t = vec2u(t.y, t.x + q * t.y);
    odd = !odd;
  }
  if (r.x != 1u) {
    return 0u;
  }
  return select(m - t.x, t.x, odd);
}
