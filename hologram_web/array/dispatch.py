"""NumPy's functions of Arrays: `np.exp(x)` and `np.sum(x, axis=0)` are those of the standard's namespace."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import lru_cache
from inspect import Parameter
from typing import Any

from .array import Array
from .beyond import BEYOND
from .creation import array_like

__all__ = ["Lent", "function", "ufunc"]

# Where NumPy's name is another one.
_NAMES = {
    "absolute": "abs", "conjugate": "conj", "invert": "bitwise_invert", "left_shift": "bitwise_left_shift",
    "power": "pow", "right_shift": "bitwise_right_shift", "rint": "round", "true_divide": "divide", "amax": "max",
    "amin": "min", "around": "round", "concatenate": "concat", "cumprod": "cumulative_prod", "cumsum": "cumulative_sum",
    "dot": "matmul", "transpose": "permute_dims", "unique": "unique_values",
} | {f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "tan2")}  # fmt: skip
_REDUCTIONS = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all", "logical_or": "any",
}  # fmt: skip

# What asks for something that no array is: NumPy answers, of the elements.
_ASKING = {
    "allclose", "array_equal", "array_equiv", "array_repr", "array_str", "array2string", "ndim", "save", "savetxt",
    "savez", "savez_compressed", "shape", "size",
}  # fmt: skip


class Lent:
    """The memory of a Buffer to NumPy, which keeps the Buffer as long as its arrays."""

    def __init__(self, array: Array) -> None:
        self.buffer = array.buffer
        self.__array_interface__ = self.buffer.view().__array_interface__


# Of one of NumPy's functions and of one of ours: finding it took half of the time that a call of np.clip took.
_signature = lru_cache(256)(inspect.signature)


@lru_cache(64)
def _namespace(module: str) -> Any:
    from .. import array_api

    part = module.rpartition(".")[2]
    return getattr(array_api, part) if part in ("linalg", "fft") else array_api


def _called(ours: Callable[..., Any], named: dict[str, Any], by_order: bool) -> Any:
    """Our function with NumPy's arguments: in their order, as far as names differ, then by their names. None of the
    others may be left."""
    own = _signature(ours).parameters.values()
    in_order = [each for each in own if each.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)]
    in_order = [each for each in in_order if by_order or each.default is Parameter.empty]
    given = [named.pop(name) for name in list(named)[: len(in_order)]]
    return ours(*given, **named)


def ufunc(made: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """What `__array_ufunc__` does. NotImplemented for what we do not have, of which NumPy makes a TypeError."""
    name = made.__name__
    if method == "reduce" and name in _REDUCTIONS:
        name = _REDUCTIONS[name]
        options = {"axis": 0} | {key: value for key, value in options.items() if value is not None or key == "axis"}
    elif method != "__call__" or options:
        return NotImplemented
    ours = getattr(_namespace(""), _NAMES.get(name, name), None)
    return NotImplemented if ours is None else ours(*inputs, **options)


def _elements(value: Any) -> Any:
    return value.numpy() if isinstance(value, Array) else value


def function(made: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """What `__array_function__` does, likewise."""
    name = _NAMES.get(made.__name__, made.__name__)
    if name in _ASKING:
        return made(*map(_elements, args), **{key: _elements(value) for key, value in options.items()})
    space = _namespace(made.__module__)
    ours: Any = BEYOND.get(name) or getattr(space, name, None) or getattr(_namespace("linalg"), name, None)
    if ours is None:
        return NotImplemented
    theirs = _signature(made)
    bound = theirs.bind(*args, **options).arguments
    named: dict[str, Any] = {}
    for name, value in bound.items():
        parameter = theirs.parameters[name]
        if parameter.kind is Parameter.VAR_POSITIONAL:
            return ours(*named.values(), *value, **{key: bound[key] for key in list(bound)[len(named) + 1 :]})
        if parameter.kind is Parameter.VAR_KEYWORD:
            named |= value
        elif parameter.default is Parameter.empty or value is not parameter.default:
            named[name] = value
    if "ddof" in named and made.__name__ not in BEYOND:
        named["correction"] = named.pop("ddof")
    if made.__name__ in ("cumsum", "cumprod") and "axis" not in named:
        return ours(named.pop("a").ravel(), axis=0, **named)
    if made.__name__ == "transpose" and len(named) == 1:
        return array_like(next(iter(named.values()))).transpose()
    try:
        return _called(ours, named, made.__name__ not in BEYOND)
    except TypeError:  # NumPy has arguments that the standard does not
        return NotImplemented
