"""What a kernel finds as `hg` and as built-in functions when Python executes it: one object for each lane."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from .compounds import Cells, Complex, Registers, Vector, each
from .numbers import (
    BOOL,
    F32,
    I32,
    INT,
    TYPES,
    Num,
    OracleError,
    Ty,
    arithmetic,
    bits_of,
    cast,
    convert,
    default,
    float_of,
    join,
    kind_of,
    of_bits,
    raw,
    result,
    rounded,
    square_root,
    wrap,
)

__all__ = ["Cells", "Lane", "builtins_of"]


class _Type:
    """`hg.u8`: a cast, and what `hg.shared` and `hg.bitcast` are given."""

    def __init__(self, ty: Ty) -> None:
        self.ty = ty

    def __call__(self, value: Any) -> Any:
        return each(lambda part: cast(part, self.ty))(value)


class _ComplexType:
    """`hg.complex64`: of two parts, or of one number."""

    def __init__(self, ty: Ty) -> None:
        self.part = ty

    def __call__(self, real: Any, imag: Any = 0.0) -> Complex:
        if isinstance(real, complex):
            real, imag = real.real, real.imag
        parts = (real.real, real.imag) if isinstance(real, Complex) else (real, imag)
        return Complex(convert(parts[0], self.part), convert(parts[1], self.part))


class _VectorType:
    """`hg.vec3`, and `hg.vec3[hg.f32]`, whose numbers have that type."""

    def __init__(self, size: int, ty: Ty | None = None) -> None:
        self.size, self.of = size, ty

    def __getitem__(self, ty: _Type) -> _VectorType:
        return _VectorType(self.size, ty.ty)

    def __call__(self, *values: Any) -> Vector:
        parts = [part for value in values for part in (value.parts if isinstance(value, Vector) else [value])]
        if len(parts) == 1:
            parts *= self.size
        if len(parts) != self.size:
            raise OracleError(f"{len(parts)} parts of a vector of {self.size}")
        return Vector([convert(part, self.of) for part in parts] if self.of else parts)


def _cross(a: Vector, b: Vector) -> Vector:
    return Vector([a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x])


def _dot(a: Vector, b: Vector) -> Num:
    products = [x * y for x, y in zip(a.parts, b.parts, strict=True)]
    return sum(products[1:], products[0])


def _registers(shape: Any, ty: _Type, value: Any = 0) -> Registers:
    sizes = tuple(int(n) for n in (shape if isinstance(shape, tuple) else (shape,)))
    return Registers([convert(value, ty.ty) for _ in range(math.prod(sizes))], sizes)


_WORD = (1 << 32) - 1


def _philox(seed: Any, i: Any, stream: Any = 0) -> tuple[int, ...]:
    """Philox4x32-10 of J. Salmon, M. Moraes, R. Dror and D. Shaw."""
    key, place, other = (wrap(TYPES["u64"], int(v.v if isinstance(v, Num) else v)) for v in (seed, i, stream))
    a, b, c, d = place & _WORD, place >> 32, other & _WORD, other >> 32
    first, second = key & _WORD, key >> 32
    for _ in range(10):
        x, y = a * 0xD2511F53, c * 0xCD9E8D57
        a, b, c, d = (y >> 32) ^ b ^ first, y & _WORD, (x >> 32) ^ d ^ second, x & _WORD
        first, second = (first + 0x9E3779B9) & _WORD, (second + 0xBB67AE85) & _WORD
    return a, b, c, d


def _integers(seed: Any, i: Any, low: Any, high: Any, stream: Any = 0) -> Num:
    first, last = (wrap(I32, int(v.v if isinstance(v, Num) else v)) for v in (low, high))
    return Num(I32, wrap(I32, first + (_philox(seed, i, stream)[0] * ((last - first) & _WORD) >> 32)))


def _meet(*values: Any) -> Ty:
    kind = kind_of(values[0])
    for value in values[1:]:
        kind = join(kind, kind_of(value))
    return INT if kind is BOOL else kind


def _least(ty: Ty, a: Any, b: Any, sign: int) -> Any:
    """MIN (sign 1) or MAX (-1): NaN if one is, and -0 below +0."""
    if ty.kind != "f":
        return min(a * sign, b * sign) * sign
    if a != a or b != b:
        return math.nan
    if a == b == 0:
        return math.copysign(0.0, sign * min(sign * math.copysign(1, a), sign * math.copysign(1, b)))
    return a if a * sign < b * sign else b


def _extreme(sign: int) -> Callable[..., Any]:
    def run(*values: Any) -> Any:
        kind = _meet(*values)
        if not any(isinstance(value, Num) for value in values):  # literals stay literals
            numbers = [float(v) if kind.name == "float" else int(v) for v in values]
        else:
            numbers = [raw(value, default(kind)) for value in values]
        ty = default(kind)
        found = numbers[0]
        for number in numbers[1:]:
            found = _least(ty, found, number, sign)
        return result(kind, found) if any(isinstance(value, Num) for value in values) else found

    return run


def _abs(value: Any) -> Any:
    kind = _meet(value)
    number = raw(value, default(kind))
    return result(kind, abs(number) if default(kind).kind == "f" else wrap(default(kind), abs(number)))


def _whole(rounding: Callable[[float], int]) -> Callable[[Any], Any]:
    def run(value: Any) -> Any:
        kind = _meet(value)
        number = raw(value, default(kind))
        if default(kind).kind == "f" and number == number and not math.isinf(number):
            number = math.copysign(float(rounding(number)), number)
        return result(kind, number)

    return run


def _fused(a: Any, b: Any, c: Any) -> Any:
    """FMA rounds once; of small floats it is that of F32, then rounded."""
    kind = float_of(_meet(a, b, c))
    ty = default(kind)
    wide = F32 if ty.bits == 16 else ty
    x, y, z = (raw(value, ty) for value in (a, b, c))
    if any(v != v or math.isinf(v) for v in (x, y, z)):
        product = x * y if not (0 in (x, y) and (math.isinf(x) or math.isinf(y))) else math.nan
        return result(kind, math.nan if math.isinf(product) and math.isinf(z) and product != z else product + z)
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    if exact:
        return result(kind, rounded(ty, rounded(wide, exact)))
    sign = math.copysign(1, x) * math.copysign(1, y)
    below = sign < 0 and math.copysign(1, z) < 0 if 0 in (x, y) and z == 0 else False
    return result(kind, -0.0 if below else 0.0)


def _lerp(a: Any, b: Any, t: Any) -> Any:
    kind = float_of(_meet(a, b, t))
    x, y, z = (Num(default(kind), raw(value, default(kind))) for value in (a, b, t))
    return result(kind, (x + (y - x) * z).v)


def _clamp(x: Any, low: Any, high: Any) -> Any:
    kind = _meet(x, low, high)
    ty = default(kind)
    a, b, c = (raw(value, ty) for value in (x, low, high))
    return result(kind, _least(ty, _least(ty, a, b, -1), c, 1))


def _relu(value: Any) -> Any:
    kind = _meet(value)
    number = raw(value, default(kind))
    return result(kind, (0.0 if default(kind).kind == "f" else 0) if number < 0 else number)


def _sign(value: Any) -> Any:
    kind = _meet(value)
    number = raw(value, default(kind))
    if default(kind).kind != "f":
        return result(kind, (number > 0) - (number < 0))
    return result(kind, number if number != number or number == 0 else math.copysign(1.0, number))


def _sqrt(value: Any) -> Any:
    kind = float_of(_meet(value))
    return result(kind, square_root(default(kind), raw(value, default(kind))))


def _rcp(value: Any) -> Any:
    kind = float_of(_meet(value))
    return result(kind, arithmetic("/", Num(default(kind), 1.0), Num(default(kind), raw(value, default(kind)))).v)


def _select(condition: Any, a: Any, b: Any) -> Any:
    same = kind_of(a) is kind_of(b)
    kind = kind_of(a) if same else join(kind_of(a), kind_of(b))
    chosen = a if condition else b
    return Num(BOOL, int(bool(chosen)), True) if kind is BOOL else result(kind, raw(chosen, default(kind)))


def _bitcast(to: _Type, value: Any) -> Num:
    source = default(kind_of(value))
    if source.bits != to.ty.bits:
        raise OracleError(f"{source.name} is not as wide as {to.ty.name}")
    return Num(to.ty, of_bits(to.ty, bits_of(source, raw(value, source))))


def _rotl(x: Any, k: Any) -> Num:
    ty = default(kind_of(x))
    bits, by = bits_of(ty, raw(x, ty)), int(k.v if isinstance(k, Num) else k) % ty.bits
    return Num(ty, wrap(ty, bits << by | bits >> (ty.bits - by)))


def _popcount(x: Any) -> Num:
    ty = default(kind_of(x))
    return Num(I32, bits_of(ty, raw(x, ty)).bit_count())


def _clz(x: Any) -> Num:
    ty = default(kind_of(x))
    return Num(I32, ty.bits - bits_of(ty, raw(x, ty)).bit_length())


_ATOMICS: dict[str, Callable[[Ty, Any, Any], Any]] = {
    "add": lambda ty, old, value: arithmetic("+", Num(ty, old), Num(ty, value)).v,
    "min": lambda ty, old, value: min(old, value),
    "max": lambda ty, old, value: max(old, value),
    "and": lambda ty, old, value: wrap(ty, old & value),
    "or": lambda ty, old, value: wrap(ty, old | value),
    "xor": lambda ty, old, value: wrap(ty, old ^ value),
    "exch": lambda ty, old, value: value,
}


def _atomic(name: str) -> Callable[..., Num]:
    def run(array: Cells, index: Any, value: Any) -> Num:
        old: Num = array[index]
        array[index] = Num(old.ty, _ATOMICS[name](old.ty, old.v, convert(value, old.ty).v))
        return old

    return run


def _cas(array: Cells, index: Any, compare: Any, value: Any) -> Num:
    old: Num = array[index]
    if old.v == convert(compare, old.ty).v:
        array[index] = convert(value, old.ty)
    return old


class Lane:
    """`hg` of one lane. Arrays of its block (shared) and of itself (local) are kept by their place in the text."""

    def __init__(self, at: tuple[tuple[int, ...], ...], block: dict[int, Cells]) -> None:
        self._lane, self._block, self._size, self._grid = at
        self._shared, self._local = block, dict[int, Cells]()

    def local_id(self, axis: int = 0) -> Num:
        return Num(I32, self._lane[axis])

    def block_id(self, axis: int = 0) -> Num:
        return Num(I32, self._block[axis])

    def block_dim(self, axis: int = 0) -> Num:
        return Num(I32, self._size[axis])

    def grid_dim(self, axis: int = 0) -> Num:
        return Num(I32, self._grid[axis])

    def global_id(self, axis: int = 0) -> Num:
        return Num(I32, self._block[axis] * self._size[axis] + self._lane[axis])

    def own_array(self, kind: str, number: int, ty: _Type, shape: Any) -> Cells:
        """hg.shared or hg.local at one place in the text: the same array again each time."""
        arrays = self._shared if kind == "shared" else self._local
        sizes = tuple(int(n) for n in (shape if isinstance(shape, tuple) else (shape,)))
        return arrays.setdefault(number, Cells(ty.ty, sizes))


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "select": _select,
    "bitcast": _bitcast,
    "fma": _fused,
    "lerp": _lerp,
    "clamp": _clamp,
    "relu": _relu,
    "sign": _sign,
    "sqrt": _sqrt,
    "rcp": _rcp,
    "rotl": _rotl,
    "popcount": _popcount,
    "clz": _clz,
    "floor": _whole(math.floor),
    "ceil": _whole(math.ceil),
    "trunc": _whole(math.trunc),
    "atomic_cas": _cas,
    **{f"atomic_{name}": _atomic(name) for name in _ATOMICS},
}
_PART_BY_PART = ("select", "fma", "lerp", "clamp", "relu", "sign", "sqrt", "rcp", "rotl", "popcount", "clz")
_FUNCTIONS |= {name: each(_FUNCTIONS[name]) for name in (*_PART_BY_PART, "floor", "ceil", "trunc")}
_FUNCTIONS |= {
    "dot": _dot,
    "cross": _cross,
    "length": lambda v: _sqrt(_dot(v, v)),
    "conj": lambda z: z.conjugate(),
    "registers": _registers,
    "random": lambda *values: tuple(Num(TYPES["u32"], word) for word in _philox(*values)),
    "random_uniform": lambda *values: Num(F32, (_philox(*values)[0] >> 8) * 2.0**-24),
    "random_integers": _integers,
    "static_assert": lambda condition, words="": None,
}
for _name, _ty in TYPES.items():
    setattr(Lane, _name, _Type(_ty))
for _size in (2, 3, 4):
    setattr(Lane, f"vec{_size}", _VectorType(_size))
for _part in (F32, TYPES["f64"]):
    setattr(Lane, f"complex{2 * _part.bits}", _ComplexType(_part))
for _name, _found in _FUNCTIONS.items():
    setattr(Lane, _name, staticmethod(_found))


def _len(found: Any) -> Num:
    return found.shape[0] if isinstance(found, (Cells, Registers)) else Num(I32, len(found))


def _range(*values: Any) -> Any:
    """Numbers of the type in which the bounds meet, of at least 32 bits."""
    start, stop, step = (0, *values, 1) if len(values) == 1 else (*values, 1)[:3]
    kind = join(kind_of(start), kind_of(stop))
    kind = kind if isinstance(step, int) else join(kind, kind_of(step))
    ty = default(kind)
    ty = ty if ty.bits >= 32 else I32
    numbers = [raw(value, ty) for value in (start, stop, step)]
    if numbers[2] == 0:
        raise OracleError("DivisionByZero")
    return (Num(ty, number) for number in range(*numbers))


Lane.static_range = staticmethod(_range)  # type: ignore[attr-defined]


def builtins_of() -> dict[str, Any]:
    """Names of Python that kernels use."""
    return {
        "abs": each(_abs),
        "min": each(_extreme(1)),
        "max": each(_extreme(-1)),
        "round": each(_whole(round)),
        "len": _len,
        "range": _range,
        "pow": lambda x, y: x**y,
        "math": math,
        "divmod": lambda a, b: (a // b, a % b),
        "hg": Lane,  # while the module runs: types of fields
    }
