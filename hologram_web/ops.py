"""Operations on arrays by the names of the specification: `hg.ops.gelu(x)`, `hg.ops.add(x, y, out=z)`.

Each takes Buffers, Arrays and what NumPy takes for one, and gives an Array, or with `out`, a Buffer of the result's
shape and type, writes there and gives that. The classic forms take an executor, the operands, the result, and how many
elements of each: `hg.ops.vector_add(ex, a, b, c, n)`. `hg.ops.default_rng(seed)` has random numbers as NumPy's has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .array.by_name import OPERATIONS
from .array.generator import Generator as Generator
from .array.generator import default_rng as default_rng

__all__ = sorted([*OPERATIONS, "Generator", "default_rng"])

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


globals().update(OPERATIONS)
