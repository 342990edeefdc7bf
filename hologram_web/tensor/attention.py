"""What attention is made of: positions turned into angles, the cache of keys and values, and attention itself."""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from .language import Constant, Elements, T, cos, global_id, i32, select, sin
from .norms import wide
from .operation import TensorOperation, ceildiv, part

__all__ = ["OPERATIONS"]


def _rope(
    output: Elements[T],
    input: Elements[T],
    freqs: Elements[T],
    seq_len: i32,
    heads: i32,
    head_dim: i32,
    T: Constant[type],
    W: Constant[type],
    INTERLEAVED: Constant[bool],
):
    """One lane for each pair, which it turns by its angle; the last element of an odd number stays as it is."""
    j, head, row = global_id(0), global_id(1), global_id(2)
    half = head_dim // 2
    first = (row * heads + head) * head_dim
    if j < half:
        one, other = first + j, first + j + half
        if INTERLEAVED:
            one, other = first + 2 * j, first + 2 * j + 1
        angle = W(freqs[row % seq_len * half + j])
        x, y, across, up = W(input[one]), W(input[other]), cos(angle), sin(angle)
        output[one] = T(x * across - y * up)
        output[other] = T(y * across + x * up)
    else:
        output[first + head_dim - 1] = input[first + head_dim - 1]


def _turned(np, o, input, freqs):
    half = o.head_dim // 2
    found = input.reshape(o.batch, o.seq_len, o.heads, o.head_dim).copy()
    one, other = (
        (slice(0, 2 * half, 2), slice(1, 2 * half, 2)) if o.interleaved else (slice(half), slice(half, 2 * half))
    )
    x, y, angles = found[..., one].copy(), found[..., other].copy(), freqs.reshape(o.seq_len, 1, half)
    found[..., one] = x * np.cos(angles) - y * np.sin(angles)
    found[..., other] = y * np.cos(angles) + x * np.sin(angles)
    return found


def _cached(cache: Elements[T], new_kv: Elements[T], position: i32, head_dim: i32, max_len: i32, T: Constant[type]):
    """A position beyond the cache is a fault."""
    i, row = global_id(0), global_id(1)
    place = (row * max_len + position) * head_dim + i
    cache[select(position < max_len, place, -1)] = new_kv[row * head_dim + i]


def _put_in(np, o, new_kv, cache):
    if new_kv.size and o.position >= o.max_len:
        raise IndexError(f"position {o.position} of a cache of {o.max_len}")
    found = cache.reshape(o.batch, o.heads, o.max_len, o.head_dim).copy()
    if new_kv.size:
        found[:, :, o.position] = new_kv.reshape(o.batch, o.heads, o.head_dim)
    return found


OPERATIONS = (
    TensorOperation(
        "RoPE",
        lambda o: {
            "input": o.batch * o.seq_len * o.heads * o.head_dim,
            "freqs": o.seq_len * (o.head_dim // 2),
            "output": o.batch * o.seq_len * o.heads * o.head_dim,
        },
        lambda o, traits: [
            part(
                o,
                _rope,
                (ceildiv(o.head_dim, 2), o.heads, o.batch * o.seq_len),
                (64,),
                scalars={"seq_len": o.seq_len, "heads": o.heads, "head_dim": o.head_dim},
                T=o.ty,
                W=wide(o.ty),
                INTERLEAVED=o.interleaved,
            )
        ],
        _turned,
    ),
    TensorOperation(
        "KVCacheUpdate",
        lambda o: {
            "new_kv": o.batch * o.heads * o.head_dim,
            "cache": o.batch * o.heads * o.max_len * o.head_dim,
        },
        lambda o, traits: [
            part(
                o,
                _cached,
                (o.head_dim, o.batch * o.heads),
                (64,),
                scalars={"position": o.position, "head_dim": o.head_dim, "max_len": o.max_len},
                T=o.ty,
            )
        ],
        _put_in,
        updated=("cache",),
    ),
)
