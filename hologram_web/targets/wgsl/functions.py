"""Functions of `isa/mathematics` as WGSL, of which a shader gets those it calls."""

from __future__ import annotations

import re
from functools import cache

from ...isa.mathematics import FUNCTIONS, PARTS
from ..clike.expressions import Expressions
from ..clike.functions import function_text, guarded_text
from .floats import Floats
from .language import language_of, traits_of

__all__ = ["functions_for"]

_CALL = re.compile(rf"\b((?:{'|'.join([*FUNCTIONS, *PARTS])})_f32)(_if)?\(")


@cache
def _function(name: str, math: str) -> str:
    def own(values: Expressions) -> dict[str, str]:
        hoisted: dict[str, str] = {}
        values.own = Floats(values, math, lambda text, name, kind: hoisted.setdefault(text, name)).compute
        return hoisted

    return function_text(name, language_of(math), traits_of(math), own)


def functions_for(code: str, math: str) -> str:
    """The functions that `code` calls, and those that they call. `math` is as in `Floats`.

    They are fenced always: what shader compilers would make of sums that recover rounding errors has no bound.
    """
    math = "exact" if math == "fast" else math
    found: dict[str, str] = {}
    work = [code]
    while work:
        for name, guarded in _CALL.findall(work.pop()):
            if name not in found:
                found[name] = _function(name, math)
                work.append(found[name])
            if guarded:
                found[f"{name}_if"] = guarded_text(name, language_of(math))
    return "\n".join(found.values())
