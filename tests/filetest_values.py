"""Values in filetests: what the expressions of their run lines can name, and how results are compared.

Nothing here uses the arithmetic of `hologram_web`: expected values come from NumPy, Python integers and Fractions.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hologram_web.atlas import Footprint
from hologram_web.backends import LaunchConfig
from hologram_web.isa.types import Type

__all__ = ["ANYTHING", "ELEMENTS", "NAMES", "Alias", "Element", "Permutation", "difference"]

Array = NDArray[Any]


class Element:
    """A type in an expression: `f32([1, 2.5])` is an array of it."""

    def __init__(self, ty: Type) -> None:
        self.ty = ty
        self.name, self.bits_count, self.size = str(ty), ty.bits, ty.size_bytes
        self.digits = ty.mantissa + 1

    def __repr__(self) -> str:
        return self.name

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        if self.ty is Type.BF16:
            import ml_dtypes

            return np.dtype(ml_dtypes.bfloat16)
        return self.ty.numpy

    @property
    def unsigned(self) -> np.dtype[Any]:
        return np.dtype(f"<u{self.size}")

    def __call__(self, values: Any) -> Array:
        """An array of the type: floats round to nearest even, integers have to fit. Raises ValueError."""
        array = values if isinstance(values, np.ndarray) else np.array(values, None if self.ty.is_float else object)
        if array.dtype == self.dtype:
            return array
        if self.ty.is_float:
            if array.dtype.kind in "biu" and (not array.size or np.abs(array.astype(np.float64)).max() < 1 << 24):
                array = array.astype(np.float32)
            if array.dtype.kind in "fV" and array.dtype.itemsize <= 4:  # exact in F32
                return array.astype(np.float32).astype(self.dtype)
            if array.dtype.kind == "f" and self.ty is not Type.BF16:
                return array.astype(self.dtype)
            return self.round(array)
        numbers = array.ravel().tolist()
        for value in numbers:
            if not math.isfinite(value) or int(value) != value:
                raise ValueError(f"{value!r} is no integer, and {self.name} is an integer type: convert it first")
            if not self.min <= value <= self.max:
                raise ValueError(f"{value!r} does not fit {self.name}")
        return np.array([int(value) for value in numbers], self.dtype).reshape(array.shape)

    def bits(self, patterns: Any) -> Array:
        """An array of these bit patterns."""
        return np.array(patterns, self.unsigned).view(self.dtype)

    def pattern(self, values: Any) -> Array:
        """The bit patterns of an array of the type."""
        return np.ascontiguousarray(self(values)).view(self.unsigned)

    def wrap(self, values: Iterable[int]) -> Array:
        """Integers modulo 2**bits."""
        return self.bits([int(v) % (1 << self.bits_count) for v in values])

    def saturate(self, values: Iterable[float]) -> Array:
        """Numbers without their fraction, the nearest integer of the type beyond its range, 0 for NaN."""

        def one(value: float) -> int:
            if value != value:
                return 0
            return max(self.min, min(self.max, math.trunc(max(-(2.0**100), min(2.0**100, value)))))

        return self.wrap(one(value) for value in values)

    def map(self, function: Callable[..., Any], *arrays: Any) -> Array:
        """`function` on each group of elements, as integers or exact Fractions (which have to be finite).

        The results are taken modulo 2**bits, or rounded once: to nearest even.
        """
        results = [function(*group) for group in zip(*map(_exact, arrays), strict=True)]
        return self.round(results) if self.ty.is_float else self.wrap(results)

    def round(self, values: Any) -> Array:
        """Exact numbers (integers, floats, Fractions) rounded once to a float type; zeros, inf and NaN stay."""
        flat = [v.item() if isinstance(v, np.generic) else v for v in np.asarray(values, object).ravel().tolist()]
        rounded = np.array([self._round(value) for value in flat], np.float64)
        return rounded.astype(np.float32).astype(self.dtype) if self.ty is Type.BF16 else rounded.astype(self.dtype)

    def _round(self, value: Any) -> float:
        """`value` rounded to the type, as a Python float, which holds it exactly."""
        if value == 0 or (isinstance(value, float) and not math.isfinite(value)):
            return float(value)
        numerator, denominator = abs(value).as_integer_ratio()
        # The greatest power of two that is not above the value, but for subnormal ones.
        exponent = numerator.bit_length() - denominator.bit_length()
        exponent -= numerator << max(-exponent, 0) < denominator << max(exponent, 0)
        lowest = 2 - (1 << (self.ty.exponent - 1))
        place = max(exponent, lowest) - self.digits + 1  # the value of the last digit is 2**place
        digits, rest = divmod(numerator << max(-place, 0), denominator << max(place, 0))
        beyond = 2 * rest - (denominator << max(place, 0))
        digits += beyond > 0 or (beyond == 0 and digits % 2 == 1)
        size = math.inf if digits.bit_length() + place > 2 - lowest else math.ldexp(digits, place)
        return size if value > 0 else -size

    @property
    def min(self) -> Any:
        return self.ty.min_value

    @property
    def max(self) -> Any:
        """The greatest value, of floats the greatest finite one."""
        if not self.ty.is_float:
            return self.ty.max_value
        return self.bits([(((1 << self.ty.exponent) - 1) << self.ty.mantissa) - 1])[0]

    @property
    def specials(self) -> Array:
        """Values where mistakes show."""
        if not self.ty.is_float:
            half = self.bits_count // 2
            values = [0, 1, 2, 3, 7, 10, -1, -2, -7, self.min, self.min + 1, self.max, self.max - 1, 1 << half]
            checks = int("55" * self.size, 16)
            return self.wrap([*values, (1 << half) - 1, checks, 2 * checks])
        m = self.ty.mantissa
        infinity, one = ((1 << self.ty.exponent) - 1) << m, ((1 << (self.ty.exponent - 1)) - 1) << m
        smallest = 1 << m
        found = [0, 1, 2, smallest - 1, smallest, smallest + 1, one - 1, one, one + 1, infinity - 1, infinity]
        found += [infinity | 1 << (m - 1), infinity | 1 << (m - 1) | 1]  # NaNs
        numbers = self([0.5, 1.5, 2.0, 2.5, 3.0, 3.5, 0.1, 1 / 3, 10.0, 100.25, 2.0**m, 2.0 ** (m - 1) + 0.5])
        found += self.pattern(numbers).tolist()
        return self.bits([*found, *(pattern | 1 << (self.bits_count - 1) for pattern in found)])

    @property
    def finite(self) -> Array:
        """The specials that are finite."""
        return self.specials[np.isfinite(self.specials)]

    def random(self, count: int, seed: int = 0) -> Array:
        """Random values: integers of all sizes, floats of every sign from 2**-8 to 2**8."""
        source = np.random.default_rng(seed)
        if self.ty.is_float:
            return self(
                (source.random(count) + 1) * 2.0 ** source.integers(-8, 8, count) * source.choice([-1, 1], count)
            )
        shift = source.integers(0, self.bits_count, count).astype(np.uint64)
        return (source.integers(0, 1 << 64, count, np.uint64) >> shift).astype(self.unsigned).view(self.dtype)

    def patterns(self, count: int, seed: int = 0) -> Array:
        """Random bit patterns: floats of every size, some NaN."""
        source = np.random.default_rng(seed)
        return source.integers(0, 1 << self.bits_count, count, np.uint64).astype(self.unsigned).view(self.dtype)

    def ties(self, narrow: Element, seed: int = 0) -> Array:
        """Floats of this type that lie between two neighbours of a narrower one: halfway, and one place beside it."""
        below = narrow.patterns(400, seed)
        below = below[np.isfinite(below) & (np.abs(below.astype(np.float64)) < float(narrow.max))]
        above = narrow.bits(narrow.pattern(below) + 1)
        middle = self((below.astype(np.float64) + above.astype(np.float64)) / 2)
        at = self.pattern(middle)
        return np.concatenate([middle, self.bits(at + 1), self.bits(at - 1)])


class WideElement(Element):
    """An integer type of more than 64 bits: an array holds the bytes, in a field that has the type's name."""

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype([(self.name, self.unsigned)])

    @property
    def unsigned(self) -> np.dtype[Any]:
        return np.dtype(f"V{self.size}")

    def __call__(self, values: Any) -> Array:
        if isinstance(values, np.ndarray) and values.dtype == self.dtype:
            return values
        numbers = _exact(values)
        for value in numbers:
            if int(value) != value or not self.min <= value <= self.max:
                raise ValueError(f"{value!r} does not fit {self.name}")
        return self.wrap(map(int, numbers))

    def bits(self, patterns: Any) -> Array:
        data = b"".join(int(pattern).to_bytes(self.size, "little") for pattern in np.asarray(patterns, object).tolist())
        return np.frombuffer(data, self.dtype)

    def random(self, count: int, seed: int = 0) -> Array:
        """Random integers of all sizes, powers of two and their neighbours among them."""
        source = random.Random(f"{self.name} {seed}")

        def one() -> int:
            length = source.randrange(self.bits_count + 1)
            return source.choice((source.getrandbits(length), 1 << length, (1 << length) - 1)) * source.choice((1, -1))

        return self.wrap(one() for _ in range(count))

    def patterns(self, count: int, seed: int = 0) -> Array:
        source = random.Random(f"{self.name} {seed}")
        return self.bits([source.getrandbits(self.bits_count) for _ in range(count)])


ELEMENTS = {str(ty): WideElement(ty) if ty.is_wide else Element(ty) for ty in Type}


def _exact(values: Any) -> list[Any]:
    array = np.asarray(values)
    if array.dtype.names:
        ty = Type.named(array.dtype.names[0])
        size, raw = ty.size_bytes, array.tobytes()
        return [
            int.from_bytes(raw[k : k + size], "little", signed=ty.is_signed) for k in range(0, array.size * size, size)
        ]
    if array.dtype.kind in "biu" or array.dtype == object:
        return list(array.tolist())
    return [Fraction(value) for value in array.astype(np.float64).tolist()]


@dataclass(frozen=True)
class Alias:
    """An argument that is the buffer or pool of another parameter."""

    name: str


class Permutation:
    """Expected values in any order."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)


ANYTHING = object()


def pairs(values: Any, other: Any = None) -> tuple[Array, Array]:
    """All pairs of elements, as two arrays."""
    first, second = np.asarray(values), np.asarray(values if other is None else other)
    return np.repeat(first, second.size), np.tile(second, first.size)


def concat(*parts: Any) -> Array:
    """The parts one after the other; of different types as Python numbers, so that nothing is rounded."""
    arrays = [np.asarray(part) for part in parts]
    if len({array.dtype for array in arrays}) == 1:
        return np.concatenate(arrays)
    halves = [array.astype(np.float64) if array.dtype.kind == "V" else array for array in arrays]
    return np.array([value for array in halves for value in array.tolist()], object)


def each(function: Callable[..., Any], *arrays: Any) -> list[Any]:
    """`function` on each group of elements, as Python numbers."""
    numbers = (_exact(a) if np.asarray(a).dtype.names else np.asarray(a).tolist() for a in arrays)
    return [function(*group) for group in zip(*numbers, strict=True)]


def canonical(function: Callable[[Any, Any], Any], identity: Any, values: Any) -> Any:
    """The reduction of isa.md section 3, written as it stands there; arrays of one element keep their dtype."""
    level = list(np.asarray(values))
    while True:
        results = []
        for start in range(0, len(level), 2048) if level else (0,):
            orbits = [identity] * 32
            for place, value in enumerate(level[start : start + 2048]):
                orbits[place % 32] = function(orbits[place % 32], value)
            for stride in (16, 8, 4, 2, 1):
                orbits = [function(orbits[j], orbits[j + stride]) for j in range(stride)]
            results.append(orbits[0])
        if len(results) == 1:
            return results[0]
        level = results


NAMES: dict[str, Any] = {
    **{name: value for name, value in vars(math).items() if name in ("inf", "nan", "pi", "ceil")},
    **ELEMENTS,
    "np": np,
    "math": math,
    "Fraction": Fraction,
    "LaunchConfig": LaunchConfig,
    "Footprint": Footprint,
    "linear": LaunchConfig.linear,
    "grid_2d": LaunchConfig.grid_2d,
    "grid_3d": LaunchConfig.grid_3d,
    "alias": Alias,
    "permutation": Permutation,
    "anything": ANYTHING,
    "zeros": lambda count: np.zeros(count, np.int8),
    "ones": lambda count: np.ones(count, np.int8),
    "full": lambda count, value: np.full(count, value),
    "arange": np.arange,
    "concat": concat,
    "pairs": pairs,
    "each": each,
    "canonical": canonical,
}


def difference(element: Element, expected: Any, raw: bytes, ulp: int) -> str | None:
    """How `raw` differs from the expected elements: bit by bit, any NaN being like any other, or within `ulp`."""
    if expected is ANYTHING:
        return None
    actual = np.frombuffer(raw[: len(raw) // element.size * element.size], element.unsigned)
    values = expected.values if isinstance(expected, Permutation) else expected
    wanted = element.pattern(values).ravel()
    if wanted.size == 1 and np.ndim(values) == 0:
        wanted = np.repeat(wanted, actual.size)
    if wanted.size != actual.size:
        return f"{wanted.size} elements are expected, there are {actual.size}"
    if isinstance(expected, Permutation):
        actual, wanted = np.sort(actual), np.sort(wanted)
    wrong = actual != wanted
    if element.ty.is_float:
        a, w = actual.view(element.dtype), wanted.view(element.dtype)
        with np.errstate(invalid="ignore"):  # of signalling NaNs, which devices may pass on
            wrong &= ~(np.isnan(a) & np.isnan(w))
        if ulp:
            far = np.array(
                [abs(x - y) > ulp for x, y in zip(_ordered(element, actual), _ordered(element, wanted), strict=True)]
            )
            wrong &= far | np.isnan(a) | np.isnan(w)
    places = np.flatnonzero(wrong)
    if not places.size:
        return None
    lines = [f"{places.size} of {actual.size} elements are wrong:"]
    for place in places[:8].tolist():
        lines.append(f"  [{place}] is {_show(element, actual[place])}, expected {_show(element, wanted[place])}")
    return "\n".join(lines)


def _ordered(element: Element, patterns: Array) -> list[int]:
    """Bit patterns of floats as integers in the order of the numbers, one apart for neighbours."""
    sign = 1 << (element.bits_count - 1)
    return [-(pattern - sign) if pattern & sign else pattern for pattern in patterns.tolist()]


def _show(element: Element, pattern: Any) -> str:
    if element.ty.is_wide:
        return hex(int.from_bytes(pattern.tobytes(), "little"))
    value = element.bits([pattern])[0].item() if element.ty is not Type.BF16 else float(element.bits([pattern])[0])
    return f"{value!r} ({int(pattern):#x})" if element.ty.is_float else repr(value)
