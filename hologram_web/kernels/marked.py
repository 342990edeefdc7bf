"""`hg.function`: marks what kernels call, and compiles functions of arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from ..errors import TranslateError, outermost

if TYPE_CHECKING:
    from typing import Unpack, overload

    from ..array.function import Compiling, Options
    from ..runtime.executor import Executor

__all__ = ["function"]

_NUMBERS = (int, float, bool, complex, str, type(None))


if TYPE_CHECKING:

    @overload
    def function(fn: Callable[..., Any], **options: Unpack[Options]) -> Compiling: ...
    @overload
    def function(**options: Unpack[Options]) -> Callable[[Callable[..., Any]], Compiling]: ...


@outermost
def function(
    fn: Any = None,
    *,
    static: tuple[str, ...] = (),
    donate: str | int | tuple[str | int, ...] = (),
    name: str = "",
    device: Executor | None = None,
) -> Any:
    """A function of arrays that is compiled as a whole: it runs once for arguments of one form, types and shapes, with
    placeholders instead of arrays; from then on its Plan runs. Parameters named in `static` have a value that is known.
    It runs where its arguments are, or on `device`. Arrays for parameters in `donate`, names or numbers, are gone after
    a call, whose results may lie in their memory.

    Kernels call what it marks, too, and inline it; with numbers only it is what it was.

    `f.compile()` gives a CompiledProgram, `f.explain(...)` the kernels.
    """
    if fn is None:
        return partial(function, static=static, donate=donate, name=name, device=device)
    if not isinstance(fn, (FunctionType, MethodType)):
        raise TranslateError(f"@hg.function marks a function, not {fn!r}")
    made: Any = None

    def whole() -> Any:
        nonlocal made
        if made is None:
            from ..array.function import ArrayFunction

            made = ArrayFunction(fn, static, name or fn.__name__, device, donate)
        return made

    @wraps(fn)
    def call(*args: Any, **named: Any) -> Any:
        if made is None and all(type(each) in _NUMBERS for each in (*args, *named.values())):
            return fn(*args, **named)
        return (made or whole())(*args, **named)

    call.inlined = fn  # type: ignore[attr-defined]  # of kernels
    call.compile = lambda *args, **named: whole().compile(*args, **named)  # type: ignore[attr-defined]
    call.explain = lambda *args, **named: whole().explain(*args, **named)  # type: ignore[attr-defined]
    return call
