"""The names of hg that kernels use, for editors and type checkers; `hg.sqrt?` shows what stands here, too (names.py).

A type such as hg.f32 is a value of Python and an annotation: checkers take it, and what is computed with it, as Any. To
mypy `hg.Array[hg.f32, 2]` of a class would be wrong, so it is Any there; others read `__class_getitem__` of a class.
"""

# ruff: noqa: I001

from collections.abc import Iterator
from typing import Annotated, Any, Literal, TypeVar

from ._no_module import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
    f16 as f16,
    bf16 as bf16,
    f32 as f32,
    f64 as f64,
    i8 as i8,
    i16 as i16,
    i32 as i32,
    i64 as i64,
    i128 as i128,
    i256 as i256,
    i512 as i512,
    i1024 as i1024,
    i2048 as i2048,
    i4096 as i4096,
    u8 as u8,
    u16 as u16,
    u32 as u32,
    u64 as u64,
    u128 as u128,
    u256 as u256,
    u512 as u512,
    u1024 as u1024,
    u2048 as u2048,
    u4096 as u4096,
    bool_ as bool_,
    vec2 as vec2,
    vec3 as vec3,
    vec4 as vec4,
)

_T = TypeVar("_T")
_Axis = Literal[0, 1, 2]
_Lengths = int | tuple[int, ...]
_Index = int | tuple[int, ...]

Constant = Annotated[_T, "known while translating"]

MYPY = False  # mypy takes it for True
if MYPY:
    from ._no_module import Array as Array  # type: ignore[import-not-found,import-untyped,unused-ignore]
else:
    class Array:
        """An array parameter: `hg.Array[hg.f32]`, of several axes `hg.Array[hg.f32, 2]`."""

        @property
        def shape(self) -> tuple[int, ...]:
            """The lengths of its axes."""
        def __class_getitem__(cls, item: Any) -> Any: ...
        def __getitem__(self, index: Any) -> Any: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...
        def __len__(self) -> int: ...

DeviceArray = Array

# Lanes

def global_id(axis: _Axis = 0) -> int:
    """The number of the lane among all lanes, along an axis: 0 is x, 1 y, 2 z."""

def local_id(axis: _Axis = 0) -> int:
    """The number of the lane in its block, along an axis."""

def block_id(axis: _Axis = 0) -> int:
    """The number of the lane's block, along an axis."""

def block_dim(axis: _Axis = 0) -> int:
    """How many lanes a block has along an axis."""

def grid_dim(axis: _Axis = 0) -> int:
    """How many blocks the launch has along an axis."""

get_global_id = global_id

# Memory of a block, and of a lane

def shared(type: Any, size: _Lengths, /) -> Array:
    """An array that all lanes of a block share, zeroed: `tile = hg.shared(hg.f32, (16, 17))`."""

def local(type: Any, size: _Lengths, /) -> Array:
    """An array that the lane has for itself, zeroed: `mine = hg.local(hg.u32, 64)`."""

def registers(size: _Lengths, type: Any, value: Any = 0, /) -> Any:
    """An array in registers, whose indices are known while translating: `acc = hg.registers((4, 4), hg.f32)`."""

def barrier() -> None:
    """Waits for all lanes of the block; all of them have to reach it."""

# Known while translating

def static_range(start: int, stop: int = ..., step: int = ..., /) -> Iterator[int]:
    """A range whose loop is written out: `for k in hg.static_range(4)`."""

def static_assert(condition: object, text: str = ..., /) -> None:
    """An error of the translation, if the condition does not hold."""

# Values

def block_sum(value: Any, /) -> Any:
    """The sum of the values of all lanes of the block, in an order that is the same on every device."""

def block_prod(value: Any, /) -> Any:
    """The product of the values of all lanes of the block."""

def block_min(value: Any, /) -> Any:
    """The least of the values of all lanes of the block; NaN if one is."""

def block_max(value: Any, /) -> Any:
    """The greatest of the values of all lanes of the block; NaN if one is."""

def block_and(value: Any, /) -> Any:
    """The bits that the integers of all lanes of the block have."""

def block_or(value: Any, /) -> Any:
    """The bits that the integer of any lane of the block has."""

def block_xor(value: Any, /) -> Any:
    """Exclusive or of the integers of all lanes of the block."""

def block_argmin(value: Any, /) -> Any:
    """The number of the block's first lane with the least value; of the first NaN, if there is one."""

def block_argmax(value: Any, /) -> Any:
    """The number of the block's first lane with the greatest value; of the first NaN, if there is one."""

def block_any(condition: object, /) -> bool:
    """Whether the condition holds in any lane of the block."""

def block_all(condition: object, /) -> bool:
    """Whether the condition holds in all lanes of the block."""

def block_scan(value: Any, operation: Any = "sum", /, *, exclusive: bool = False, identity: Any = 0) -> Any:
    """The sum of the values of the block's lanes up to this one (or their "max", or by a function of two values)."""

def block_broadcast(value: Any, lane: int, /) -> Any:
    """The value of one lane of the block."""

def block_lane() -> int:
    """The number of the lane in its block, x fastest."""

def shuffle(value: Any, lane: int, /) -> Any:
    """The value of lane `lane % 32` of the 32 lanes around."""

def shuffle_up(value: Any, delta: int, /) -> Any:
    """The value of the lane `delta` before this one, of the 32 lanes around; its own where there is none."""

def shuffle_down(value: Any, delta: int, /) -> Any:
    """The value of the lane `delta` behind this one, of the 32 lanes around; its own where there is none."""

def shuffle_xor(value: Any, mask: int, /) -> Any:
    """The value of the lane whose number is this one's xor `mask`, of the 32 lanes around."""

def bitcast(type: Any, x: Any, /) -> Any:
    """The same bits as another type: `hg.bitcast(hg.u32, x)`."""

def select(condition: object, a: Any, b: Any, /) -> Any:
    """a where the condition holds, else b; both are computed."""

def dot(a: Any, b: Any, /) -> Any:
    """The sum of the products of the parts of two vectors, from left to right."""

def cross(a: Any, b: Any, /) -> Any:
    """The cross product of two hg.vec3."""

def length(v: Any, /) -> Any:
    """The length of a vector: the square root of dot(v, v)."""

def normalize(v: Any, /) -> Any:
    """The vector divided by its length."""

def rotl(x: int, k: int, /) -> Any:
    """x, its bits rotated left by k."""

def popcount(x: int, /) -> int:
    """How many bits are set."""

def clz(x: int, /) -> int:
    """How many zeros stand above the highest set bit."""

def ctz(x: int, /) -> int:
    """How many zeros stand below the lowest set bit."""

def fma(a: float, b: float, c: float, /) -> Any:
    """a * b + c, rounded once."""

def fms(a: float, b: float, c: float, /) -> Any:
    """a * b - c, rounded once."""

def rcp(x: float, /) -> Any:
    """1 / x, correctly rounded."""

def rsqrt(x: float, /) -> Any:
    """1 / sqrt(x), each of the two correctly rounded."""

def clamp(x: float, low: float, high: float, /) -> Any:
    """min(max(x, low), high)."""

def lerp(a: float, b: float, t: float, /) -> Any:
    """a + (b - a) * t, each operation rounded."""

def sign(x: float, /) -> Any:
    """-1, 0 or 1; of NaN NaN, of a zero that zero."""

def floor(x: float, /) -> Any:
    """The nearest integer not above x, as a float; of an integer itself."""

def ceil(x: float, /) -> Any:
    """The nearest integer not below x, as a float; of an integer itself."""

def trunc(x: float, /) -> Any:
    """x without its fraction."""

def relu(x: float, /) -> Any:
    """0 where x < 0, else x."""

def sqrt(x: float, /) -> Any:
    """The square root, correctly rounded."""

def exp(x: float, /) -> Any:
    """e to the x."""

def log(x: float, /) -> Any:
    """The natural logarithm."""

def log2(x: float, /) -> Any:
    """The logarithm to base 2."""

def log10(x: float, /) -> Any:
    """The logarithm to base 10."""

def pow(x: float, y: float, /) -> Any:
    """x to the y, for an exponent that is no literal."""

def sin(x: float, /) -> Any:
    """The sine of x in radians."""

def cos(x: float, /) -> Any:
    """The cosine of x in radians."""

def tan(x: float, /) -> Any:
    """The tangent of x in radians."""

def tanh(x: float, /) -> Any:
    """The hyperbolic tangent."""

def sigmoid(x: float, /) -> Any:
    """1 / (1 + exp(-x))."""

def atan2(y: float, x: float, /) -> Any:
    """The angle of the point (x, y), from -pi to pi."""

def erf(x: float, /) -> Any:
    """The error function."""

def gelu(x: float, /) -> Any:
    """x / 2 * erfc(-x / sqrt(2))."""

def swish(x: float, /) -> Any:
    """x * sigmoid(x)."""

def conj(z: complex, /) -> Any:
    """z with the other sign of its imaginary part; a real number is its own."""

# More functions

def acos(x: float) -> Any:
    """The angle whose cosine is x, in radians: NaN beyond -1 and 1."""

def acosh(x: float) -> Any:
    """The inverse of the hyperbolic cosine: NaN below 1."""

def asin(x: float) -> Any:
    """The angle whose sine is x, in radians: NaN beyond -1 and 1."""

def asinh(x: float) -> Any:
    """The inverse of the hyperbolic sine."""

def atan(x: float) -> Any:
    """The angle whose tangent is x, in radians."""

def atanh(x: float) -> Any:
    """The inverse of the hyperbolic tangent: infinite at -1 and 1, NaN beyond."""

def cbrt(x: float) -> Any:
    """The cube root, of negative numbers, too: a power and one step of Newton's."""

def copysign(x: float, y: float) -> Any:
    """|x| with the sign of y, also of -0; NaN counts as positive."""

def cosh(x: float) -> Any:
    """The hyperbolic cosine."""

def degrees(x: float) -> Any:
    """Radians as degrees."""

def exp2(x: float) -> Any:
    """2 to the x."""

def expm1(x: float) -> Any:
    """exp(x) - 1, for small x, too: W. Kahan's way, in which the errors of exp and log cancel."""

def fmod(x: float, y: float) -> Any:
    """What is left of x when y is taken from it as often as it goes, exactly; with the sign of x."""

def hypot(x: float, y: float) -> Any:
    """sqrt(x * x + y * y), which overflows only where the result does."""

def isfinite(x: float) -> bool:
    """Whether x is neither NaN nor an infinity."""

def isinf(x: float) -> bool:
    """Whether x is an infinity."""

def isnan(x: float) -> bool:
    """Whether x is NaN."""

def log1p(x: float) -> Any:
    """log(1 + x), for small x, too: the way of expm1."""

def radians(x: float) -> Any:
    """Degrees as radians."""

def random(seed: int, i: int, stream: int = 0) -> tuple[Any, Any, Any, Any]:
    """Four u32, all values equally likely: Philox4x32-10 of the key `seed` and the counter (i, stream), each taken
    as a u64."""

def random_integers(seed: int, i: int, low: int, high: int, stream: int = 0) -> Any:
    """An i32 from `low` on, below `high`. Of ranges that do not divide 2**32 some values are more likely by 2**-32."""

def random_normal(seed: int, i: int, stream: int = 0) -> Any:
    """An f32 of mean 0 and variance 1: G. Box's and M. Muller's way, of two words."""

def random_uniform(seed: int, i: int, stream: int = 0) -> Any:
    """An f32 from 0 on, below 1: a multiple of 2**-24."""

def sinh(x: float) -> Any:
    """The hyperbolic sine."""

# Atomics: they return the element as it was

def atomic_add(x: Array, i: _Index, v: Any, /) -> Any:
    """x[i] += v, also of f32, whose order, and so the last bits, is the device's. Returns the element as it was."""

def atomic_min(x: Array, i: _Index, v: Any, /) -> Any:
    """x[i] = min(x[i], v). Returns the element as it was."""

def atomic_max(x: Array, i: _Index, v: Any, /) -> Any:
    """x[i] = max(x[i], v). Returns the element as it was."""

def atomic_and(x: Array, i: _Index, v: Any, /) -> Any:
    """x[i] &= v. Returns the element as it was."""

def atomic_or(x: Array, i: _Index, v: Any, /) -> Any:
    """x[i] |= v. Returns the element as it was."""

def atomic_xor(x: Array, i: _Index, v: Any, /) -> Any:
    """x[i] ^= v. Returns the element as it was."""

def atomic_exch(x: Array, i: _Index, v: Any, /) -> Any:
    """x[i] = v. Returns the element as it was."""

def atomic_cas(x: Array, i: _Index, compare: Any, v: Any, /) -> Any:
    """x[i] = v where x[i] is `compare`. Returns the element as it was."""

# The whole launch, once

def parallel_map_unary(input: Array, output: Array, operation: str, count: int) -> None:
    """output[i] = operation(input[i]) for the first count elements: "exp", "sqrt" and so on."""

def parallel_map_binary(input_a: Array, input_b: Array, output: Array, operation: str, count: int) -> None:
    """output[i] = operation(input_a[i], input_b[i]) for the first count elements: "add", "mul" and so on."""

def parallel_reduce(input: Array, output: Array, operation: str, count: int) -> None:
    """output[0] = the "sum", "product", "min" or "max" of the first count elements."""
