"""What targets have: the types that their instructions work on. What they have not is made of what they have."""

from __future__ import annotations

from dataclasses import dataclass

from ..isa.types import Type
from .ir import ValueType

__all__ = ["PAIRS", "Traits", "forms_of", "word"]

PAIRS = frozenset({Type.I64, Type.U64, Type.F64})


@dataclass(frozen=True)
class Traits:
    """`native` are the types of at most 64 bits that instructions of the target work on; the others are in words.

    `fused` says whether it has a fused multiply-add. Otherwise that is a function, as the conversions of halves are.
    `wraps` says whether shifts take the amount modulo the width; if not, it is below it.
    `bytes` says whether memory has elements of 8 and 16 bits; if not, they are parts of words.
    `dots` says whether it has an instruction for sums of two products of 16 bits.
    `folds` says that what compiles its code computes with floats whose bits it knows as if they were numbers.
    """

    native: frozenset[Type]
    fused: bool = False
    wraps: bool = True
    bytes: bool = True
    dots: bool = False
    folds: bool = False

    def holds(self, ty: ValueType) -> ValueType:
        """The type that a value of another is held in: of its own, a word, or U64 for a pair of words."""
        if not isinstance(ty, Type) or ty in self.native or ty.is_wide:
            return ty
        return Type.U64 if ty in PAIRS else word(ty)

    @property
    def pairs(self) -> bool:
        """Whether 64 bits are two words."""
        return Type.U64 not in self.native


def word(ty: Type) -> Type:
    """The type of 32 bits that holds a shorter one: integers with their sign or zeros above, F16 and BF16 as bits."""
    return ty if ty.bits > 16 else Type.I32 if ty.kind == "i" else Type.U32


def forms_of(ty: Type) -> tuple[Type, Type]:
    """The types that an element of memory is held in, on any target."""
    return ty, Type.U64 if ty in PAIRS else word(ty)
