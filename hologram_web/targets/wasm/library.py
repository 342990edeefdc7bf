"""The device library: functions of wasm/wide.wat, assembled already, which kernels link as they need them."""

from __future__ import annotations

from collections.abc import Callable

from .encoder import FunctionBody

__all__ = ["library_function"]


def library_function(name: str, wide_arithmetic: bool, number: Callable[[str], int]) -> FunctionBody:
    """The function of that name; `number` gives the index of another that it calls."""
    from .assembled import FUNCTIONS, WIDE_ARITHMETIC  # in functions: few kernels need it

    instead = WIDE_ARITHMETIC if wide_arithmetic else {}
    params, results, locals_, names, code = (part.split() for part in instead.get(name) or FUNCTIONS[name])
    body = FunctionBody(name, tuple(params), tuple(results), locals_, names=dict(enumerate(names)))
    for part in code:
        body.code.append(("call", number(part)) if part in FUNCTIONS else ("", bytes.fromhex(part)))
    return body
