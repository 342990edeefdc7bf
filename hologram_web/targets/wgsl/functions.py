"""Functions of `isa/mathematics` as WGSL, of which a shader gets those it calls."""

from __future__ import annotations

from functools import cache

from ...isa.mathematics import FUNCTIONS, PARTS
from ..clike.expressions import Expressions
from ..clike.functions import function_text, guarded_text
from .floats import Floats
from .language import language_of, traits_of
from .looped import looped_text

__all__ = ["functions_for"]

_NAMES = frozenset(
    f"{name}_{ty}{guarded}" for name in (*FUNCTIONS, *PARTS) for ty in ("f32", "f64") for guarded in ("", "_if")
)


@cache
def _function(name: str, math: str) -> tuple[str, set[str]]:
    """A function, and what it calls."""
    plain = name.removesuffix("_if")
    if name != plain:
        return guarded_text(plain, language_of(math)), {plain}
    if name.endswith("_f64"):
        return looped_text(name, math)

    def own(values: Expressions) -> dict[str, str]:
        hoisted: dict[str, str] = {}
        values.own = Floats(values, math, lambda text, name, kind: hoisted.setdefault(text, name)).compute
        return hoisted

    return function_text(name, language_of(math), traits_of(math), own)


def functions_for(names: set[str], math: str) -> tuple[list[str], set[str]]:
    """Those of these names and what they call, and the names of all that is called then. `math` is as in `Floats`.

    They are fenced always: what shader compilers would make of sums that recover rounding errors has no bound.
    """
    math = "exact" if math == "fast" else math
    found: dict[str, str] = {}
    called, work = set(names), sorted(names & _NAMES)
    while work:
        name = work.pop()
        if name not in found:
            found[name], calls = _function(name, math)
            called |= calls
            work += sorted(calls & _NAMES)
    return list(found.values()), called
