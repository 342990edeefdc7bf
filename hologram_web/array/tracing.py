"""Tracing: functions of arrays run once with placeholders, of which the type and the shape are known, not the value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from ..errors import TranslateError
from ..isa.elements import ElementType
from .lines import users_line
from .node import ArrayNode
from .sizes import is_symbolic

if TYPE_CHECKING:
    from ..runtime.executor import Executor

__all__ = ["Parameter", "check_known", "executor_here", "is_unknown", "placeholder", "tracing"]

_here: ContextVar[Executor | None] = ContextVar("executor of the function that is traced", default=None)


class Parameter:
    """What a scalar node holds whose number is given when the plan runs: the name of a port, or a formula."""

    def __init__(self, name: Any) -> None:
        self.name = name


def placeholder(dtype: ElementType, shape: tuple[int, ...]) -> ArrayNode:
    """An array that is not there yet."""
    return ArrayNode("source", (), dtype, shape, None, None)


def is_unknown(node: ArrayNode) -> bool:
    """Whether it is a placeholder, a number that is given later, or of a length that is."""
    if node.op == "source":
        return node.held is None
    return type(node.held) is Parameter or (not node.args and is_symbolic(node.shape))


@contextmanager
def tracing(executor: Executor) -> Iterator[None]:
    """While it lasts, arrays that are made without `device` are on this executor."""
    token = _here.set(executor)
    try:
        yield
    finally:
        _here.reset(token)


def executor_here() -> Executor | None:
    """The executor of the function that is traced, if one is."""
    return _here.get()


def check_known(order: Iterable[ArrayNode]) -> None:
    """Raises TranslateError if one of the nodes has no value yet."""
    for node in order:
        if not node.args and is_unknown(node):
            raise TranslateError(
                "a value is read here that is not known while the function is traced: choose by hg.where or hg.cond, "
                "repeat by hg.while_loop or hg.scan; numbers that have to be known are named in static=(...)",
                *users_line(),
            )
