"""Optimizers: `init(params)` makes a state, `update(params, gradients, state)` gives the next parameters and state.

A rate is a number, an array, or a schedule: a function from the number of the step, an array, to the rate.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..array import functions as f
from ..array.array import Array
from ..array.creation import zeros, zeros_like
from ..array.nested import flattened, tree_leaves, tree_map, unflatten
from ..errors import LaunchError
from ..isa.types import Type

__all__ = ["SGD", "Adam", "AdamW", "clip_by_norm", "cosine", "exponential", "linear", "norm_of", "warmed_up"]

Schedule = Callable[[Array], Any]
Rate = float | Array | Schedule
State = dict[str, Any]


def _several(count: int, function: Callable[..., tuple[Any, ...]], *trees: Any) -> list[Any]:
    """Trees of the first, second, ... of what a function gives for leaves."""
    form = flattened(trees[0])[1]
    made = flattened(tree_map(lambda *leaves: _Parts(function(*leaves)), *trees))[0]
    return [unflatten(form, iter([each.parts[number] for each in made])) for number in range(count)]


class _Parts:
    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts


class _Optimizer:
    rate: Rate
    moments: tuple[str, ...]

    def init(self, params: Any) -> State:
        """Before the first step."""
        leaves = tree_leaves(params)
        if not leaves:
            raise LaunchError("there are no parameters to optimize")
        state: State = {"step": zeros((), dtype=Type.I32, device=leaves[0].executor)}
        return state | {name: tree_map(zeros_like, params) for name in self.moments}

    def _rate(self, step: Array) -> Any:
        return self.rate(step.astype(Type.F32)) if callable(self.rate) else self.rate


class SGD(_Optimizer):
    """Along the gradient, with momentum (Nesterov's, if it is asked for) and decay of weights, as PyTorch's."""

    def __init__(self, rate: Rate, momentum: float = 0.0, *, nesterov: bool = False, weight_decay: float = 0.0) -> None:
        self.rate, self.momentum, self.nesterov, self.weight_decay = rate, momentum, nesterov, weight_decay
        self.moments = ("velocity",) if momentum else ()

    def update(self, params: Any, gradients: Any, state: State) -> tuple[Any, State]:
        """The next parameters and state."""
        rate = self._rate(state["step"])
        step = {"step": state["step"] + 1}

        def decayed(p: Array, g: Array) -> Array:
            return g + p * self.weight_decay if self.weight_decay else g

        if not self.momentum:
            return tree_map(lambda p, g: _moved(p, decayed(p, g), rate), params, gradients), step

        def moved(p: Array, g: Array, v: Array) -> tuple[Array, Array]:
            g = decayed(p, g)
            v = v * self.momentum + g
            return _moved(p, g + v * self.momentum if self.nesterov else v, rate), v

        params, velocity = _several(2, moved, params, gradients, state["velocity"])
        return params, {**step, "velocity": velocity}


def _moved(p: Array, by: Array, rate: Any) -> Array:
    return p - by * (rate.astype(p.dtype) if isinstance(rate, Array) else rate)


class Adam(_Optimizer):
    """Kingma and Ba's, with the decay of weights added to the gradient."""

    moments = ("mean", "square")
    decoupled = False

    def __init__(
        self, rate: Rate, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0.0
    ) -> None:
        self.rate, self.betas, self.eps, self.weight_decay = rate, betas, eps, weight_decay

    def update(self, params: Any, gradients: Any, state: State) -> tuple[Any, State]:
        """The next parameters and state."""
        rate, step = self._rate(state["step"]), state["step"] + 1
        number = step.astype(Type.F32)
        # Powers of the betas by exp: the same bits on every device. Those of 0 are too small for F32.
        far, wide = (1.0 - f.exp(number * math.log(beta or 1e-99)) for beta in self.betas)
        one, two = self.betas

        def moved(p: Array, g: Array, m: Array, v: Array) -> tuple[Array, Array, Array]:
            if self.weight_decay and not self.decoupled:
                g = g + p * self.weight_decay
            m = m * one + g * (1 - one)
            v = v * two + g * g * (1 - two)
            by = (m / far.astype(p.dtype)) / (f.sqrt(v / wide.astype(p.dtype)) + self.eps)
            if self.weight_decay and self.decoupled:
                by = by + p * self.weight_decay
            return _moved(p, by, rate), m, v

        params, mean, square = _several(3, moved, params, gradients, state["mean"], state["square"])
        return params, {"step": step, "mean": mean, "square": square}


class AdamW(Adam):
    """Loshchilov and Hutter's: weights decay on their own."""

    decoupled = True

    def __init__(
        self, rate: Rate, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0.01
    ) -> None:
        super().__init__(rate, betas, eps, weight_decay)


def norm_of(tree: Any) -> Array:
    """The root of the sum of squares of all elements of a tree."""
    sums = [(leaf * leaf).sum() for leaf in tree_leaves(tree)]
    if not sums:
        raise LaunchError("there are no arrays to take the norm of")
    total = sums[0]
    for each in sums[1:]:
        total = total + each
    return f.sqrt(total)


def clip_by_norm(gradients: Any, most: float) -> tuple[Any, Array]:
    """The gradients, made smaller together if their norm is above `most`; and the norm before."""
    norm = norm_of(gradients)
    by = f.minimum(most / f.maximum(norm, 1e-12), 1.0)
    return tree_map(lambda g: g * by.astype(g.dtype), gradients), norm


# Schedules


def linear(first: float, last: float, steps: int) -> Schedule:
    """From one rate to another in so many steps, and then that one."""
    return lambda step: f.minimum(step / float(steps), 1.0) * (last - first) + first


def cosine(first: float, steps: int, last: float = 0.0) -> Schedule:
    """Half a wave of the cosine from one rate to another."""
    return lambda step: (f.cos(f.minimum(step / float(steps), 1.0) * math.pi) + 1.0) * ((first - last) / 2) + last


def exponential(first: float, factor: float, steps: int = 1) -> Schedule:
    """A rate that has a factor more every so many steps."""
    return lambda step: f.exp(step * (math.log(factor) / steps)) * first


def warmed_up(schedule: Schedule, steps: int) -> Schedule:
    """A schedule that begins after so many steps, on which the rate rises from 0 to its first one."""

    def rate(step: Array) -> Any:
        after = schedule(f.maximum(step - float(steps), 0.0))
        return after * f.minimum(step / float(steps), 1.0)

    return rate
