"""Operations on arrays by the names of the specification: `hg.ops.gelu(x)`, `hg.ops.add(x, y, out=z)`.

Each takes Buffers, Arrays and what NumPy takes for one, and gives an Array, or with `out`, a Buffer of the result's
shape and type, writes there and gives that. The classic forms take an executor, the operands, the result, and how many
elements of each: `hg.ops.vector_add(ex, a, b, c, n)`. They are in groups, too: `hg.ops.math`, `reduce`, `activation`,
`loss`, `linalg` and `memory` have the same functions. `hg.ops.default_rng(seed)` has random numbers as NumPy's has.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from .array.by_name import OPERATIONS
from .array.generator import Generator as Generator
from .array.generator import default_rng as default_rng

_GROUPS = {
    "math": "add sub mul div mod pow min max abs neg sign exp log log2 log10 sqrt rsqrt sin cos tan atan2 clip where "
    "lerp floor ceil round trunc eq ne lt le gt ge logical_and logical_or logical_not logical_xor vector_add "
    "vector_sub vector_mul vector_div vector_min vector_max vector_abs vector_neg vector_clip scalar_add scalar_mul",
    "reduce": "sum prod min max mean var argmin argmax any all cumsum reduce_sum reduce_min reduce_max",
    "activation": "relu leaky_relu elu selu gelu silu softplus sigmoid tanh softmax log_softmax vector_relu",
    "loss": "mse_loss cross_entropy_loss binary_cross_entropy_loss",
    "linalg": "gemm matmul matvec dot einsum tensordot outer sparse_matmul quantized_matmul",
    "memory": "copy fill reshape transpose permute concat stack split slice gather scatter pad one_hot embedding",
}
__all__ = sorted([*OPERATIONS, "Generator", "default_rng"])

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


globals().update(OPERATIONS)
globals().update(
    {group: SimpleNamespace(**{name: OPERATIONS[name] for name in names.split()}) for group, names in _GROUPS.items()}
)
