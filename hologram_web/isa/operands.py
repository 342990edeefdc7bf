"""What instructions are made of: registers, predicates, labels, immediates, handles and the named operations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, overload

from ..errors import IsaError
from .types import Type

__all__ = [
    "PRELOADED",
    "Access",
    "AtomicOperation",
    "BinaryMapOperation",
    "BufferHandle",
    "Condition",
    "Immediate",
    "Label",
    "MapOperation",
    "MemoryScope",
    "PoolHandle",
    "Predicate",
    "ReduceOperation",
    "Register",
    "check_name",
    "p",
    "r",
]

_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$.]{0,127}")
_RESERVED = re.compile(r"[rp][0-9]+|shared|pool|class|phi|true|false|none|inf|nan")


def check_name(name: str, what: str) -> str:
    """`name`, if it can name a parameter or a label in the text form. Raises IsaError."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or _RESERVED.fullmatch(name):
        raise IsaError(
            f"{name!r} cannot name a {what}: use letters, digits, '_', '$' and '.', not starting with a digit, "
            "at most 128 of them, and none of the forms r0, p0, shared, pool, class, phi, true, false, none, inf, nan"
        )
    return name


@dataclass(frozen=True, slots=True)
class Register:
    """One of the 256 registers of a lane."""

    index: int

    def __post_init__(self) -> None:
        if type(self.index) is not int or not 0 <= self.index <= 255:
            raise IsaError(f"no register r{self.index}: a lane has r0 to r255")

    def __str__(self) -> str:
        return f"r{self.index}"


@dataclass(frozen=True, slots=True)
class Predicate:
    """One of the 16 predicates of a lane. `~p(0)` is its negation, accepted where a branch tests it."""

    index: int
    negated: bool = False

    def __post_init__(self) -> None:
        if type(self.index) is not int or not 0 <= self.index <= 15:
            raise IsaError(f"no predicate p{self.index}: a lane has p0 to p15")

    def __invert__(self) -> Predicate:
        return Predicate(self.index, not self.negated)

    def __str__(self) -> str:
        return f"{'!' if self.negated else ''}p{self.index}"


def r(index: int) -> Register:
    """Short form of Register."""
    return Register(index)


def p(index: int) -> Predicate:
    """Short form of Predicate."""
    return Predicate(index)


@dataclass(frozen=True, slots=True)
class Label:
    """A place in a Program, by name."""

    name: str

    def __post_init__(self) -> None:
        check_name(self.name, "label")

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Immediate:
    """A constant: a type and its bit pattern. `Immediate.of(Type.F32, 1.5)` makes one from a number.

    `Immediate(1.5)`, without a type, is an `Untyped`: it takes the type of the instruction or parameter it is given to.
    """

    ty: Type
    bits: int

    if TYPE_CHECKING:

        @overload
        def __init__(self, ty: Type, bits: int) -> None: ...
        @overload
        def __init__(self, ty: int | float) -> None: ...
        def __init__(self, ty: Any, bits: Any = None) -> None: ...

    def __new__(cls, ty: Any = None, bits: int | None = None) -> Any:
        if bits is None and isinstance(ty, (int, float)) and not isinstance(ty, bool):
            return Untyped(ty)
        return object.__new__(cls)

    def __post_init__(self) -> None:
        if type(self.bits) is not int or self.bits < 0 or self.bits >> self.ty.bits:
            raise IsaError(f"these are no bits of {self.ty}: Immediate.of({self.ty!r}, number) takes a number")

    @classmethod
    def of(cls, ty: Type, value: int | float) -> Immediate:
        """Raises IsaError if an integer does not fit `ty` (either as signed or as unsigned number)."""
        if ty.is_integer:
            if isinstance(value, float) and not value.is_integer():
                raise IsaError(f"the immediate {value!r} is no integer, and {ty} is an integer type")
            value = int(value)
            if not -(1 << (ty.bits - 1)) <= value < 1 << ty.bits:
                shown = value if value.bit_length() <= 64 else f"of {value.bit_length()} bits"
                raise IsaError(f"the immediate {shown} does not fit {ty}: it has {ty.bits} bits")
        return cls(ty, ty.encode(value))

    @property
    def value(self) -> int | float:
        return self.ty.decode(self.bits)


@dataclass(frozen=True, slots=True)
class Untyped:
    """A constant that has no type yet. Like a scalar of NumPy it gives its number to whoever takes numbers."""

    value: int | float
    ndim: ClassVar[int] = 0
    shape: ClassVar[tuple[int, ...]] = ()

    def item(self) -> int | float:
        return self.value


@dataclass(frozen=True, slots=True)
class BufferHandle:
    """A buffer of one backend; written into a Program it is lifted to an anonymous parameter at launch."""

    id: int

    def __post_init__(self) -> None:
        _check_handle(self.id)

    def __hash__(self) -> int:  # launches look handles up: what a dataclass makes takes three times as long
        return self.id


@dataclass(frozen=True, slots=True)
class PoolHandle:
    """A pool of one backend, or the program-local pool that PoolAlloc makes."""

    id: int

    def __post_init__(self) -> None:
        _check_handle(self.id)


def _check_handle(number: int) -> None:
    if type(number) is not int or not 0 <= number < 1 << 48:
        raise IsaError(f"the handle #{number} is not an integer from 0 to 2**48 - 1")


class Access(Enum):
    """What a program may do with a buffer parameter."""

    READ = "read"
    WRITE = "write"
    READ_WRITE = "read_write"

    @classmethod
    def named(cls, name: str) -> Access:
        """The access of that name. Raises IsaError."""
        try:
            return cls(name)
        except ValueError:
            raise IsaError(f"unknown access {name!r}: use read, write or read_write") from None

    @property
    def reads(self) -> bool:
        return self is not Access.WRITE

    @property
    def writes(self) -> bool:
        return self is not Access.READ


class Condition(Enum):
    """Comparison of SETcc. With a NaN only NE is true. The U forms compare integers as unsigned."""

    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"
    LTU = "ltu"
    LEU = "leu"
    GTU = "gtu"
    GEU = "geu"

    @property
    def unsigned(self) -> bool:
        return len(self.value) == 3


class MemoryScope(Enum):
    """Scope of MemFence. It only stops our compiler from reordering accesses across it."""

    THREAD = "thread"
    BLOCK = "block"
    DEVICE = "device"
    SYSTEM = "system"

    # As the source documents write them: the same members.
    Thread = "thread"
    Block = "block"
    Device = "device"
    System = "system"


class AtomicOperation(Enum):
    """Read-modify-write of ATOM."""

    ADD = "add"
    MIN = "min"
    MAX = "max"
    AND = "and"
    OR = "or"
    XOR = "xor"
    EXCH = "exch"
    CAS = "cas"


class MapOperation(Enum):
    """Unary operation of ParallelMap and of activations: the lane instruction whose mnemonic is its value."""

    Abs = "abs"
    Neg = "neg"
    Sqrt = "sqrt"
    Exp = "exp"
    Log = "log"
    Sin = "sin"
    Cos = "cos"
    Tan = "tan"
    Relu = "relu"
    Sigmoid = "sigmoid"
    Tanh = "tanh"
    Rcp = "rcp"
    Rsqrt = "rsqrt"
    Sign = "sign"
    Floor = "floor"
    Ceil = "ceil"
    Round = "round"
    Trunc = "trunc"
    Log2 = "log2"
    Log10 = "log10"
    Erf = "erf"
    Gelu = "gelu"
    Swish = "swish"
    Not = "not"


class BinaryMapOperation(Enum):
    """Binary operation of ParallelMapBinary: the lane instruction whose mnemonic is its value."""

    Add = "add"
    Sub = "sub"
    Mul = "mul"
    Div = "div"
    Pow = "pow"
    Min = "min"
    Max = "max"
    Atan2 = "atan2"
    Rem = "rem"
    And = "and"
    Or = "or"
    Xor = "xor"


class ReduceOperation(Enum):
    """Operation of ParallelReduce and AllReduce: the lane instruction whose mnemonic is its value combines."""

    Sum = "add"
    Product = "mul"
    Min = "min"
    Max = "max"


# What registers hold at entry (isa.md section 1). They are ordinary registers afterwards.
PRELOADED: dict[int, tuple[str, Type]] = {
    255: ("GLOBAL_LANE_ID", Type.U64),
    254: ("BLOCK_DIM_X", Type.U32),
    253: ("BLOCK_IDX_X", Type.U32),
    252: ("LANE_IDX_X", Type.U32),
    251: ("LANE_IDX_Y", Type.U32),
    250: ("LANE_IDX_Z", Type.U32),
    249: ("BLOCK_IDX_Y", Type.U32),
    248: ("BLOCK_IDX_Z", Type.U32),
    247: ("BLOCK_DIM_Y", Type.U32),
    246: ("BLOCK_DIM_Z", Type.U32),
    245: ("GRID_DIM_X", Type.U32),
    244: ("GRID_DIM_Y", Type.U32),
    243: ("GRID_DIM_Z", Type.U32),
}
