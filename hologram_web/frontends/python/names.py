"""The names that kernels use: `hg.Array`, `hg.global_id`, `hg.sqrt` and so on. Outside kernels they only raise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import BuiltinFunctionType, FunctionType
from typing import TYPE_CHECKING, Any, TypeVar, Union

from ...errors import TranslateError, outermost
from ...isa.elements import Element
from ...isa.operands import AtomicOperation
from ...isa.row import Row
from ...isa.table import LANE_ROWS
from ...isa.types import Type
from .source import Definition

if TYPE_CHECKING:
    from .compounds import PartsType

__all__ = [
    "ALLOWED",
    "ATOMICS",
    "BLOCKS",
    "INTRINSICS",
    "KERNEL_NAMES",
    "LIBRARY",
    "MATH",
    "MAX_AXES",
    "VECTOR_FUNCTIONS",
    "Annotation",
    "Array",
    "ArrayType",
    "Constant",
    "ConstantType",
    "Elements",
    "InstructionFunction",
    "Intrinsic",
    "VectorName",
    "marks",
    "shown",
]

ALLOWED = tuple(Type)
MAX_AXES = 8  # of arrays, as of ports of a plan

_OPERATORS = ("ADD", "SUB", "MUL", "DIV", "REM", "MAD", "NEG")  # these are written as operators

# Functions that are one instruction. Their operands are numbers of one type, and so is the result.
MATH: dict[str, Row] = {
    row.mnemonic: row
    for row in LANE_ROWS
    if row.group == "Transcendental" or (row.group == "Arithmetic" and row.name not in _OPERATORS)
}
VECTOR_FUNCTIONS = ("cross", "dot", "length", "normalize")
ATOMICS = {f"atomic_{operation.value}": operation for operation in AtomicOperation}


@dataclass(frozen=True)
class ArrayType:
    """What `hg.Array[hg.f32, 2]` means: elements of one type, or a type variable, and one to eight dimensions.

    `placed` says that element 0 lies somewhere in the buffer: where is a parameter that the host adds.
    """

    ty: Any  # a Type or an Element; a TypeVar where a kernel has no types yet
    ndim: int = 1
    placed: bool = False
    shape: tuple[int | str, ...] | None = field(default=None, compare=False)  # of functions of arrays

    def __post_init__(self) -> None:
        if not isinstance(self.ty, (Type, TypeVar, Element)):
            from .records import element_of_any

            object.__setattr__(self, "ty", element_of_any(self.ty) or self.ty)
        if not isinstance(self.ty, (TypeVar, Element)) and self.ty not in ALLOWED:
            instead = f"{self.ty!r}[hg.f32]" if isinstance(self.ty, VectorName) else "hg.f32"
            raise TranslateError(f"{self.ty!r} is no type of array elements: write hg.Array[{instead}]")
        if self.ndim not in range(self.shape is None, MAX_AXES + 1) or isinstance(self.ndim, bool):
            raise TranslateError(
                f"an array of {self.ndim!r} dimensions: write hg.Array[hg.f32, 2], with 1 to {MAX_AXES} of them"
            )

    def __repr__(self) -> str:
        if self.shape is not None:
            return f"Array[{', '.join(map(str, (shown(self.ty), *self.shape)))}]"
        return f"Array[{shown(self.ty)}]" if self.ndim == 1 else f"Array[{shown(self.ty)}, {self.ndim}]"


Annotation = Union[Type, ArrayType, TypeVar, "ConstantType", "PartsType"]  # what annotations of parameters mean


@dataclass(frozen=True)
class ConstantType:
    """What `hg.Constant[int]` means: a parameter that is known while translating."""

    ty: Any  # int, float, bool, str, bytes, tuple, type (of numbers), FunctionType

    def takes(self, value: Any) -> bool:
        """Whether it is such a value."""
        if self.ty is type:
            return isinstance(value, Type)
        if self.ty is FunctionType:
            return isinstance(value, (FunctionType, BuiltinFunctionType, Intrinsic, Definition))
        if self.ty is bytes:  # as a default value they are a tuple already
            return isinstance(value, (bytes, tuple)) and all(isinstance(n, int) and 0 <= n < 256 for n in value)
        if self.ty is tuple:
            return isinstance(value, tuple) and all(isinstance(part, (bool, int, float, tuple)) for part in value)
        if isinstance(value, bool) and self.ty is not bool:
            return False
        return isinstance(value, (int, float) if self.ty is float else self.ty)

    def __str__(self) -> str:
        return f"Constant[{'Callable' if self.ty is FunctionType else self.ty.__name__}]"


class Constant:
    """Annotation of parameters that are known while translating: `hg.Constant[int]`, also of float, bool, str, bytes,
    tuple, type (such as hg.f32) and `Callable` (functions)."""

    @outermost
    def __class_getitem__(cls, item: Any) -> Any:
        item = FunctionType if item is Callable or getattr(item, "__origin__", None) is Callable else item
        if item not in (int, float, bool, str, bytes, tuple, type, FunctionType):
            raise TranslateError(
                f"hg.Constant[{item!r}]: constants are int, float, bool, str, bytes, tuple, type or "
                "collections.abc.Callable"
            )
        return ConstantType(item)


def shown(annotation: Any) -> str:
    """An annotation as messages show it."""
    if isinstance(annotation, (TypeVar, type)):
        return annotation.__name__
    made_by = getattr(annotation, "made_by", None)
    return str(annotation) if made_by is None else str(made_by.__name__)


class Array:
    """Annotation of array parameters: `hg.Array[hg.f32]`, `hg.Array[hg.f32, 2]` with two axes. Functions of arrays
    may say how long axes are, by numbers or names: `hg.Array[hg.f32, "batch", 784]`, `hg.Array[hg.f32, (784,)]`."""

    @outermost
    def __class_getitem__(cls, item: Any) -> Any:
        if not isinstance(item, tuple):
            return ArrayType(item)
        ty, *axes = item
        if len(axes) == 1 and isinstance(axes[0], (int, tuple)):
            (axes,) = axes
        return ArrayType(ty, axes) if isinstance(axes, int) else ArrayType(ty, len(axes), False, tuple(axes))


class Elements(Array):
    """Annotation of arrays in kernels of the tensor library: elements of a buffer from any one on."""

    def __class_getitem__(cls, item: Any) -> Any:
        return ArrayType(item, placed=True)


@dataclass(frozen=True)
class Intrinsic:
    # A function that only kernels have. Its text and signature are those of language.pyi.
    name: str

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        return str(self._described()[0])

    @property
    def __signature__(self) -> Any:
        return self._described()[1]

    def _described(self) -> tuple[str, Any]:
        try:
            from .described import described

            return described(self.name)
        except (ImportError, KeyError):  # pages have neither it nor language.pyi, which leaves out what is no function
            from inspect import signature

            return "A function that kernels have: docs/kernel_reference.md.", signature(lambda *args: None)

    @property
    def __name__(self) -> str:
        return self.name

    @outermost
    def __call__(self, *args: Any, **fields: Any) -> Any:
        raise TranslateError(f"hg.{self.name} belongs into a kernel: call it in a function under @hg.kernel")

    def __repr__(self) -> str:
        return f"hg.{self.name}"


@dataclass(frozen=True)
class InstructionFunction(Intrinsic):
    """An instruction that kernels of the tensor library call: on values of its type, on the memory from an element of
    an array on, and on sizes."""


@dataclass(frozen=True)
class VectorName(Intrinsic):
    """`hg.vec3`, which makes vectors; `hg.vec3[hg.f32]` is a type of parameters of functions."""

    size: int = 0

    def __getitem__(self, ty: Any) -> PartsType:
        from .componentwise import vector
        from .compounds import PartsType

        return PartsType(vector(self.size), (ty,) * self.size)

    __repr__ = Intrinsic.__repr__


# What the lanes of a block do together, in block_calls.py, which is loaded when one of them is called.
BLOCKS = frozenset(
    (
        *(f"block_{name}" for name in ("sum", "prod", "min", "max", "and", "or", "xor", "any", "all")),
        *("block_argmin", "block_argmax", "block_scan", "block_broadcast", "block_lane"),
        *("shuffle", "shuffle_up", "shuffle_down", "shuffle_xor"),
    )
)

INTRINSICS: dict[str, Intrinsic] = {
    name: Intrinsic(name)
    for name in (
        *("global_id", "local_id", "block_id", "block_dim", "grid_dim"),
        *("static_range", "static_assert", "shared", "local", "registers", "barrier"),
        *("bitcast", "conj", "select", "rotl", "popcount", "clz", "ctz", *VECTOR_FUNCTIONS),
        *("parallel_map_unary", "parallel_map_binary", "parallel_reduce"),
        *ATOMICS,
        *sorted(BLOCKS),
        *(name for name in MATH if name not in ("min", "max", "abs", "round")),
    )
}
INTRINSICS |= {name: VectorName(name, size) for size, name in ((2, "vec2"), (3, "vec3"), (4, "vec4"))}

# The functions of library.py, which is loaded when one of them is asked for.
LIBRARY = frozenset(
    (
        *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "copysign", "cosh", "degrees", "exp2", "expm1"),
        *("fmod", "hypot", "isfinite", "isinf", "isnan", "log1p", "radians", "sinh"),
        *("random", "random_integers", "random_normal", "random_uniform"),
    )
)

KERNEL_NAMES = frozenset((*INTRINSICS, *LIBRARY, *map(str, Type), "Array", "Constant"))  # of hg, for kernels


def marks(found: Any) -> bool:
    """Whether it is `hg.function`, whose room is above this one."""
    return getattr(found, "__module__", None) == "hologram_web.kernels.marked"
