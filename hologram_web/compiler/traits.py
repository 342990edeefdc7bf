"""What targets have: the types that their instructions work on. What they have not is made of what they have."""

from __future__ import annotations

from dataclasses import dataclass

from ..isa.types import Type
from .ir import ValueType

__all__ = ["Traits", "word"]


@dataclass(frozen=True)
class Traits:
    """`native` are the types of at most 64 bits that instructions of the target work on; the others are in words.

    `fused` says whether it has a fused multiply-add. Otherwise that is a function, as the conversions of halves are.
    """

    native: frozenset[Type]
    fused: bool = False

    def holds(self, ty: ValueType) -> ValueType:
        """The type that a value of another is held in: of its own, or a word."""
        return ty if not isinstance(ty, Type) or ty.bits > 16 or ty in self.native else word(ty)


def word(ty: Type) -> Type:
    """The type of 32 bits that holds a shorter one: integers with their sign or zeros above, F16 and BF16 as bits."""
    return ty if ty.bits > 16 else Type.I32 if ty.kind == "i" else Type.U32
