"""The extension linalg of the Python array API standard, by kernels of `algorithms.py`.

A matrix that has no inverse gives infinities and NaN, as has one that Cholesky's way is not for: nothing is read to
find that out.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..isa.elements import complex64, complex128
from ..isa.types import Type
from .array import Array, Axes, by_parts, mapped
from .creation import eye, full
from .functions import (
    argsort,
    concat,
    conj,
    matmul,
    matrix_transpose,
    of_buffers,
    prod,
    real,
    roll,
    sum,
    tensordot,
    vecdot,
    where,
)  # fmt: skip
from .functions import max as largest
from .functions import min as least
from .gradient import custom_gradient
from .library_nodes import kernel
from .linalg_gradients import of_cholesky, of_eigh, of_qr, of_singular_values
from .node import ArrayShapeError, broadcast_shapes, misfit, misshapen, view
from .products import stacked
from .sets import take_along_axis
from .types import floating, kind_of, promoted, real_of
from .view import View, row_major

__all__ = [
    "cholesky", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "matmul", "matrix_norm",
    "matrix_power", "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals",
    "tensordot", "trace", "vecdot", "vector_norm",
]  # fmt: skip

_ALONE = 12  # rows up to which a lane has a matrix of its own
_SWEEPS = {Type.F32: 10, Type.F64: 14}  # over all pairs of columns, after which nothing changes


class EigResult(NamedTuple):
    eigenvalues: Array
    eigenvectors: Array


class EighResult(NamedTuple):
    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    U: Array
    S: Array
    Vh: Array


def _matrices(x: Array, square: bool = False) -> Array:
    """Floats of 32 or 64 bits, in matrices."""
    if x.ndim < 2 or (square and x.shape[-1] != x.shape[-2]):
        raise ArrayShapeError(f"{'square ' if square else ''}matrices are expected: x has shape {x.shape}")
    ty = floating(x.dtype)
    return x.astype(Type.F32 if ty in (Type.F16, Type.BF16) else ty)


def _by(name: str, size: int, numbers: tuple[int, ...], rows: int, *operands: Array) -> Array:
    """What a kernel makes of each matrix of the first operand: so many elements."""
    stack = operands[0].shape[:-2]
    lanes = math.prod(stack) * (together := _together(rows))
    return kernel(name, operands[0].dtype, (*stack, size), lanes, numbers, *operands, together=together)


def _together(rows: int) -> int:
    return 1 if rows <= _ALONE else 64


def _in_rounds(name: str, size: int, numbers: tuple[int, ...], rows: int, a: Array) -> Array:
    """The same of a kernel whose first `rows` rows each round of a tournament of columns turns. On WebGPU a launch has
    some rounds: llvmpipe ends all loops of a lane after 65,535, of which roots in software have 54."""
    n = a.shape[-1]
    end, rounds = 0, _SWEEPS[real_of(a.dtype)] * max(n + n % 2 - 1, 0)  # type: ignore[index]
    some = 40_000 // (-(-n // (2 * _together(n))) * (2 * rows + 500) or 1) or 1
    while True:
        begin, end = end, min(end + some, rounds) if a.executor.backend.selected == "webgpu" else rounds
        made = _by(name, size, (*numbers, begin, end), n, a)
        if end == rounds:
            return made
        a = _part(made, 0, rows, n)


def _part(made: Array, first: int, rows: int, columns: int) -> Array:
    """A matrix of what a kernel made."""
    return made[..., first : first + rows * columns].reshape(*made.shape[:-1], rows, columns)


def _solved(a: Array, b: Array) -> tuple[Array, Array, Array]:
    """Of matrices the triangles that elimination leaves, the solutions, and signs."""
    n, m = a.shape[-1], b.shape[-1]
    made = _by("solve", n * (n + m) + 1, (n, m), n, a, b)
    both = _part(made, 0, n, n + m)
    return both[..., :n], both[..., n:], made[..., -1]


@custom_gradient
def _solution(a: Array, b: Array) -> Any:
    """x of a @ x = b, of stacks of one shape."""
    found = _solved(a, b)[1]

    def back(g: Array) -> tuple[Array, Array]:
        of_b = _solution(a.mT, g)
        return -(of_b @ found.mT), of_b

    return found, back


def solve(x1: Array, x2: Array, /) -> Array:
    """x of x1 @ x = x2, where x2 is a vector or matrices."""
    ty = promoted(_matrices(x1, True).dtype, floating(x2.dtype))
    a, b = x1.astype(ty), x2.astype(ty)
    vector = b.ndim == 1
    b = b.expand_dims(1) if vector else b
    if a.shape[-1] != b.shape[-2]:
        wanted = f"{a.shape[-1]}, as axis -1 of x1 {x1.shape}, is expected"
        raise misfit("solve", "x2", x2.shape, -1 if vector else -2, wanted)
    stack = stacked("solve", a, b)
    found: Array = _solution(*(each.broadcast_to((*stack, *each.shape[-2:])) for each in (a, b)))
    return found.squeeze(-1) if vector else found


def inv(x: Array, /) -> Array:
    """The inverse of matrices."""
    a = _matrices(x, True)
    found: Array = _solution(a, eye(a.shape[-1], dtype=a.dtype, device=a.executor).broadcast_to(a.shape))
    return found


def _eliminated(a: Array) -> tuple[Array, Array, Array]:
    """The products of the diagonals that elimination leaves; their signs, and the logarithms of their sizes."""
    triangles, _, sign = _solved(a, a[..., :0])
    pivots = diagonal(triangles)
    size = abs(pivots)
    turn = prod(where(size == 0, 0.0, pivots / size), axis=-1) * sign
    return prod(pivots, axis=-1) * sign, turn, sum(mapped("log", size), axis=-1)


def det(x: Array, /) -> Array:
    """Determinants. The gradient is that of matrices with an inverse."""
    found: Array = _determinant(_matrices(x, True))
    return found


@custom_gradient
def _determinant(a: Array) -> Any:
    plain, turn, logarithm = _eliminated(a)
    size = mapped("exp", logarithm)

    def sized(part: Array) -> Array:
        return where(part == 0.0, 0.0, part * size)

    # Where the product was too large or too small on the way: of complex numbers it is NaN then.
    other = by_parts(sized, turn) if kind_of(a.dtype) == "c" else sized(turn)
    found = where(mapped("isfinite", plain) & (plain != 0.0), plain, other)
    return found, lambda g: (g * found).expand_dims(-1).expand_dims(-1) * inv(a).mT


def slogdet(x: Array, /) -> SlogdetResult:
    """Signs and logarithms of the sizes of determinants."""
    found: SlogdetResult = _logarithm(_matrices(x, True))
    return found


@custom_gradient
def _logarithm(a: Array) -> Any:
    _, turn, logarithm = _eliminated(a)
    found = SlogdetResult(turn, logarithm)
    return found, lambda g: g.logabsdet.expand_dims(-1).expand_dims(-1) * inv(a).mT


def cholesky(x: Array, /, *, upper: bool = False) -> Array:
    """Of positive definite matrices L, the triangle of L @ L^H, or that of U^H @ U."""
    found: Array = _triangle(_matrices(x, True))
    return conj(found.mT) if upper else found


@custom_gradient
def _triangle(a: Array) -> Any:
    n = a.shape[-1]
    found = _part(_by("cholesky", n * n, (n,), n, a), 0, n, n)
    return found, lambda g: of_cholesky(found, g, solve)


def qr(x: Array, /, *, mode: str = "reduced") -> QRResult:
    """Q with orthonormal columns and triangles R of Q @ R."""
    if mode not in ("reduced", "complete"):
        raise ValueError(f"mode is 'reduced' or 'complete', not {mode!r}")
    found: QRResult = _orthogonal(_matrices(x), mode=mode)
    return found


@custom_gradient
def _orthogonal(a: Array, *, mode: str) -> Any:
    m, n = a.shape[-2:]
    made = _by("qr", m * (m + n), (m, n), max(m, n), a)
    k = m if mode == "complete" else min(m, n)
    q, r = _part(made, m * n, m, m)[..., :k], _part(made, 0, m, n)[..., :k, :]
    return QRResult(q, r), lambda g: of_qr(q, r, g.Q, g.R, solve)


def eigh(x: Array, /) -> EighResult:
    """Eigenvalues of Hermitian matrices, of which the lower triangle is read, the least first; and eigenvectors."""
    found: EighResult = _eigen(_matrices(x, True))
    return found


@custom_gradient
def _eigen(a: Array) -> Any:
    n = a.shape[-1]
    made = _in_rounds("eigh", 2 * n * n + 3 * (n + n % 2), (n,), 2 * n, a)
    values = real(diagonal(_part(made, 0, n, n)))
    order = argsort(values)
    rows = order.expand_dims(-2).broadcast_to(a.shape)
    found = EighResult(take_along_axis(values, order), take_along_axis(_part(made, n * n, n, n), rows))
    return found, lambda g: of_eigh(*found, g.eigenvalues, g.eigenvectors)


def eigvalsh(x: Array, /) -> Array:
    """Eigenvalues of Hermitian matrices, the least first."""
    return eigh(x).eigenvalues


def eig(x: Array, /) -> EigResult:
    """Complex eigenvalues of square matrices, in no order, and eigenvectors of length 1 in columns."""
    a = _matrices(x, True)
    a = a if kind_of(a.dtype) == "c" else a.astype(complex128 if a.dtype is Type.F64 else complex64)
    n = a.shape[-1]
    made = _by("eig", 3 * n * n, (n, 52 if a.dtype is complex128 else 23), 1, a)
    vectors = matmul(_part(made, n * n, n, n), _part(made, 2 * n * n, n, n))
    return EigResult(diagonal(_part(made, 0, n, n)), vectors / vector_norm(vectors, axis=-2, keepdims=True))


def eigvals(x: Array, /) -> Array:
    """Complex eigenvalues of square matrices, in no order."""
    return eig(x).eigenvalues


def svd(x: Array, /, *, full_matrices: bool = True) -> SVDResult:
    """U, S and V^H of x = U @ diag(S) @ V^H, the largest of S first."""
    a = _matrices(x)
    m, n = a.shape[-2:]
    if m < n:
        u, s, vh = svd(conj(a.mT), full_matrices=full_matrices)
        return SVDResult(conj(vh.mT), s, conj(u.mT))
    both = _part(_in_rounds("svd", (m + n) * n, (m, n), m + n, a), 0, m + n, n)
    columns, turns = both[..., :m, :], both[..., m:, :]
    sizes = vector_norm(columns, axis=-2)
    order = argsort(sizes, descending=True)
    along = order.expand_dims(-2)
    columns, turns = (
        take_along_axis(each, along.broadcast_to((*along.shape[:-2], each.shape[-2], n))) for each in (columns, turns)
    )
    # Columns at right angles are Q times a diagonal, whose numbers may have any sign.
    q, r = qr(columns, mode="complete" if full_matrices else "reduced")
    signs = diagonal(r)
    size = abs(signs)
    turn = where(size == 0, 1.0, signs / where(size == 0, 1.0, size))
    if m > n and full_matrices:
        ones = full((*turn.shape[:-1], m - n), 1, dtype=turn.dtype, device=a.executor)
        turn = concat([turn, ones], axis=-1)
    return SVDResult(q * turn.expand_dims(-2), take_along_axis(sizes, order), conj(turns.mT))


def svdvals(x: Array, /) -> Array:
    """The singular values of matrices, the largest first."""
    found: Array = _singular_values(_matrices(x))
    return found


@custom_gradient
def _singular_values(a: Array) -> Any:
    u, s, vh = svd(a, full_matrices=False)
    return s, lambda g: of_singular_values(u, vh, g)


def _cutoff(x: Array, rtol: Any, s: Array) -> Array:
    """Below which singular values count as 0."""
    ty: Any = s.dtype
    if rtol is None:
        rtol = max(x.shape[-2:]) * (2.0**-52 if ty is Type.F64 else 2.0**-23)
    rtol = rtol if isinstance(rtol, (int, float)) else rtol.astype(ty).expand_dims(-1)
    return largest(s, axis=-1, keepdims=True) * rtol if s.shape[-1] else s


def pinv(x: Array, /, *, rtol: float | Array | None = None) -> Array:
    """The pseudo-inverse of matrices."""
    u, s, vh = svd(x, full_matrices=False)
    if not s.shape[-1]:
        return conj(_matrices(x).mT)
    large = s > _cutoff(x, rtol, s)
    inverse = where(large, 1 / where(large, s, 1.0), 0.0).expand_dims(-1)
    return matmul(conj(vh.mT), inverse * conj(u.mT))


def matrix_rank(x: Array, /, *, rtol: float | Array | None = None) -> Array:
    """How many singular values are not 0."""
    s = svdvals(x)
    return sum((s > _cutoff(x, rtol, s)).astype(Type.I32), axis=-1)


def matrix_power(x: Array, n: int, /) -> Array:
    """The product of n matrices, or of inverses."""
    found = _matrices(x, True) if n < 0 or x.ndim < 2 else x
    if found.shape[-1] != found.shape[-2]:
        raise ArrayShapeError(f"square matrices are expected: x has shape {x.shape}")
    found = inv(found) if n < 0 else found
    left, made = abs(n), None
    while left:
        if left & 1:
            made = found if made is None else matmul(made, found)
        left >>= 1
        found = matmul(found, found) if left else found
    return made if made is not None else eye(x.shape[-1], dtype=x.dtype, device=x.executor).broadcast_to(x.shape)


def matrix_norm(x: Array, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    """A norm of matrices: "fro", "nuc", or 1, 2, inf and the opposites."""
    a = _matrices(x)
    if ord in ("nuc", 2, -2):
        s = svdvals(a)
        found = sum(s, axis=-1) if ord == "nuc" else s[..., 0] if ord == 2 else s[..., -1]
    elif ord == "fro":
        found = vector_norm(a, axis=(-2, -1))
    elif ord in (1, -1, math.inf, -math.inf):
        sums = sum(abs(a), axis=-2 if abs(ord) == 1 else -1)
        found = (largest if ord > 0 else least)(sums, axis=-1)
    else:
        raise ValueError(f"ord is 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, not {ord!r}")
    return found.reshape(*found.shape, 1, 1) if keepdims else found


def vector_norm(x: Array, /, *, axis: Axes = None, keepdims: bool = False, ord: float = 2) -> Array:
    """The norm of vectors along axes: (sum |x|^ord) ^ (1 / ord), the number that are not 0, or the largest or least."""
    size = abs(x.wide())
    if ord in (math.inf, -math.inf):
        found = (largest if ord > 0 else least)(size, axis=axis, keepdims=keepdims)
    elif ord == 0:
        found = sum((size != 0).astype(size.dtype), axis=axis, keepdims=keepdims)
    elif ord == 1:
        found = sum(size, axis=axis, keepdims=keepdims)
    elif ord == 2:
        found = mapped("sqrt", sum(size * size, axis=axis, keepdims=keepdims))
    else:
        found = sum(size ** float(ord), axis=axis, keepdims=keepdims) ** (1 / ord)
    return found.astype(real_of(floating(x.dtype)))


def outer(x1: Array, x2: Array, /) -> Array:
    """The products of all elements of two vectors."""
    if x1.ndim != 1 or x2.ndim != 1:
        name, x = ("x2", x2) if x1.ndim == 1 else ("x1", x1)
        raise misshapen("outer", name, x.shape, "one axis is expected")
    return x1.expand_dims(1) * x2


def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """The cross product of vectors of three elements."""
    shape = broadcast_shapes([x1.shape, x2.shape])
    for name, x in (("x1", x1), ("x2", x2)):
        if x.shape[x._axis(axis, name)] != 3:
            raise misfit("cross", name, x.shape, axis, "3 are expected")
    at = axis % len(shape)
    a, b = (each.broadcast_to(shape) for each in (x1, x2))
    return roll(a, -1, axis=at) * roll(b, -2, axis=at) - roll(a, -2, axis=at) * roll(b, -1, axis=at)


def diagonal(x: Array, /, *, offset: int = 0) -> Array:
    """The elements of a diagonal of the last two axes: a view."""
    if x.ndim < 2:
        raise misshapen("diagonal", "x", x.shape, "two axes or more are expected")
    m, n = x.shape[-2:]
    count = max(min(m + min(offset, 0), n - max(offset, 0)), 0)
    strides = row_major(x.shape)
    first = max(-offset, 0) * n + max(offset, 0)
    place = View((*x.shape[:-2], count), (*strides[:-2], n + 1), first if count else 0)
    return Array(view(x.node, place), x.executor)


def trace(x: Array, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """The sum of a diagonal."""
    return sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


for _name in __all__:
    globals()[_name] = of_buffers(globals()[_name])
