"""Losses: one number each, the mean over all elements or rows."""

from __future__ import annotations

from ..array import functions as f
from ..array.array import Array
from ..array.creation import arange
from ..array.types import kind_of
from ..errors import LaunchError

__all__ = ["binary_cross_entropy", "cross_entropy", "huber", "l1", "mse"]


def _alike(x: Array, target: Array) -> None:
    if x.shape != target.shape:
        raise LaunchError(f"a loss compares arrays of one shape, not {x.shape} and {target.shape}")


def mse(x: Array, target: Array) -> Array:
    """The mean of squares of differences."""
    _alike(x, target)
    return f.square(x - target).mean()


def l1(x: Array, target: Array) -> Array:
    """The mean of differences, whatever their sign."""
    _alike(x, target)
    return f.abs(x - target).mean()


def huber(x: Array, target: Array, delta: float = 1.0) -> Array:
    """Squares of small differences, and in proportion to those above delta."""
    _alike(x, target)
    away = f.abs(x - target)
    return f.where(away <= delta, away * away * 0.5, (away - delta / 2) * delta).mean()


def cross_entropy(logits: Array, target: Array, smoothing: float = 0.0) -> Array:
    """Of logits along the last axis and the numbers of the right classes, or probabilities of all."""
    found = f.log_softmax(logits)
    classes = logits.shape[-1]
    if kind_of(target.dtype) == "f":
        _alike(logits, target)
        wanted = target
    else:
        if target.shape != logits.shape[:-1]:
            raise LaunchError(
                f"logits of shape {logits.shape} have classes of shape {logits.shape[:-1]}, not {target.shape}"
            )
        hit = target.expand_dims(-1) == arange(classes, dtype=target.dtype, device=logits.executor)
        wanted = hit.astype(found.dtype)
    if smoothing:
        wanted = wanted * (1 - smoothing) + smoothing / classes
    return -(found * wanted).sum(axis=-1).mean()


def binary_cross_entropy(logits: Array, target: Array) -> Array:
    """Of logits and of 0 or 1, or probabilities: max(x, 0) - x * t + log(1 + exp(-|x|)), which does not overflow."""
    _alike(logits, target)
    wanted = target.astype(logits.dtype)
    return (f.maximum(logits, 0.0) - logits * wanted + f.log1p(f.exp(-f.abs(logits)))).mean()


for _name in __all__:
    globals()[_name] = f.of_buffers(globals()[_name])
