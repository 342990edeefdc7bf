"""Frames in which a Python debugger stops at the lines of a kernel: `kernel.debug[n](...)`.

The kernel's text is still not executed. A frame's code has the name, the file and the lines of a function, and at each
line nothing but a call that lets the reference run it; its local variables are those of the step. What chooses the
next line has no line number, so that no debugger sees it.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import os
import sys
from bdb import Bdb
from collections.abc import Callable, Generator, Iterator
from itertools import starmap
from types import CodeType
from typing import Any

from hologram_web.errors import ExecutionError
from hologram_web.frontends.python.source import Source, walk

from .marks import Mark
from .step import DebugStep, Steps, Where

__all__ = ["Debug"]

_FUNCTION = "def f():\n while True:\n  pass"
_LINE = """
if __frame__.line == {0}:
    if __frame__.stop:
        builtins.breakpoint()
    __frame__.tracer = None
    if builtins.isinstance(builtins.getattr(__frame__.sys.gettrace(), "__self__", None), __frame__.Bdb):
        __frame__.tracer = __frame__.sys.gettrace()
        __frame__.sys.settrace(None)
    __frame__.run()
    if __frame__.tracer:
        __frame__.sys.settrace(__frame__.tracer)
    if builtins.any(__frame__.called) or __frame__.left:
        return
""".replace("builtins.", "__frame__.builtins.")
_Stop = Callable[[DebugStep], Any]
_Call = tuple[CodeType, dict[str, Any], dict[str, Any]]


class Debug:
    """`kernel.debug[n](x, y)` launches on the reference so that a Python debugger stops at the kernel's lines.

    Breakpoints by file and line stop there. The kernel's variables are the frame's locals: the `values` of the step,
    which is `__step__` there; changing them changes nothing. `kernel.debug(stop=lambda step: step.line == 12)[n](x, y)`
    calls `breakpoint()` before such steps; `block` and `lane` are those of `kernel.steps`.
    """

    def __init__(self, steps: Steps, stop: _Stop | None = None) -> None:
        self._steps, self._stop = steps, stop

    def __call__(self, *, block: Where | None = None, lane: Where | None = None, stop: _Stop | None = None) -> Debug:
        return Debug(self._steps(block=block, lane=lane), stop)

    def __getitem__(self, lanes: Any) -> Callable[..., None]:
        """Raises what `kernel.steps` does."""
        start = self._steps[lanes]

        def run(*args: Any, **named: Any) -> None:
            frames = _Frames(start(*args, **named), self._stop)
            try:
                for call in frames.advance():
                    exec(*call)
            finally:
                frames.steps.close()

        return run


class _Frame:
    """What the code of a frame asks: which `line` is next, whether to `stop` there, to `run` it, and if it is `left`.

    `calls` are the frames that its line needs, as arguments of `exec`. Nothing between two lines is seen by those who
    step with pdb and its kin: their `tracer` is put aside while the line runs, and frames are executed by `called`.
    """

    builtins, sys, Bdb = builtins, sys, Bdb  # a kernel's module may call something else so

    def __init__(self, frames: _Frames, mark: Mark) -> None:
        self.frames, self.path = frames, mark.path
        self.names: dict[str, Any] = {**mark.source.names, "__frame__": self}
        self.values: dict[str, Any] = {}
        self.calls: list[_Call] = []
        self.called: Iterator[None] = iter(())
        self.line, self.stop, self.left = 0, False, False
        self.tracer: Any = None

    def run(self) -> None:
        """Runs the line. What it calls is executed as `called` is iterated."""
        self.calls = []
        try:
            self.frames.advance()
        except BaseException as error:
            if self.tracer:
                sys.settrace(self.tracer)
            if isinstance(error, ExecutionError):
                error.__traceback__ = None  # what is above is the kernel's frame
            raise
        self.called = starmap(exec, self.calls)  # to which more is added meanwhile


class _Frames:
    """Takes steps, one after another, each in the frame of its function."""

    def __init__(self, steps: Generator[DebugStep], stop: _Stop | None) -> None:
        self.steps, self.stop = steps, stop
        self.codes: dict[ast.FunctionDef, CodeType] = {}
        self.calls: list[_Call] = []
        self.stack: list[_Frame] = []

    def advance(self) -> list[_Call]:
        """Shows the next step in its frame, which may be a new one, and leaves those that it is not in.

        The calls of frames that no other one calls.
        """
        step, stack = next(self.steps, None), self.stack
        while stack and (step is None or step.mark.path[: len(stack[-1].path)] != stack[-1].path):
            stack.pop().left = True
        if step is not None:
            if not stack or stack[-1].path != step.mark.path:
                self._enter(step.mark)
            frame = stack[-1]
            frame.line, frame.stop = step.line, bool(self.stop and self.stop(step))
            frame.names["__step__"] = step
            frame.values.clear()
            frame.values.update(step.values)
        return self.calls

    def _enter(self, mark: Mark) -> None:
        if mark.function not in self.codes:
            _show(mark.source)
            self.codes[mark.function] = _code(mark)
        frame = _Frame(self, mark)
        calls = self.stack[-1].calls if self.stack else self.calls
        calls.append((self.codes[mark.function], frame.names, frame.values))
        self.stack.append(frame)


def _code(mark: Mark) -> CodeType:
    """Code that looks to a debugger like that of the function, which it is not."""
    function = _located(ast.parse(_FUNCTION).body[0], None)
    function.name = mark.function.name
    function.lineno = function.end_lineno = mark.source.line(mark.function)
    function.col_offset = function.end_col_offset = 0
    loop = function.body[0]
    loop.body = []
    for line in sorted({mark.source.line(part) for part in walk(*mark.function.body) if isinstance(part, ast.stmt)}):
        ways = _located(ast.parse(_LINE.format(line)).body[0], None)
        for part in ways.body[1:]:
            _located(part, line)
        if sys.version_info >= (3, 13):  # where breakpoint() stops in its own line, and before that in the next one
            _located(ways.body[0].body[0], line)
        loop.body.append(ways)
    module = compile(ast.Module([function], []), mark.source.file, "exec")
    code = next(part for part in module.co_consts if isinstance(part, CodeType))
    # Names are looked up in the dict of locals that `exec` is given.
    return code.replace(co_flags=code.co_flags & ~(inspect.CO_OPTIMIZED | inspect.CO_NEWLOCALS))


def _located(node: Any, line: int | None) -> Any:
    """The syntax tree, all of it in a line, or in none."""
    for part in ast.walk(node):
        if isinstance(part, (ast.stmt, ast.expr)):
            part.lineno = part.end_lineno = -1 if line is None else line
            part.col_offset = part.end_col_offset = -1 if line is None else 0
    return node


def _show(source: Source) -> None:
    """Lets debuggers list a text that is in no file."""
    if source.first == 1 and not os.path.exists(source.file):
        lines = [line + "\n" for line in source.lines]
        for name in (source.file, os.path.abspath(source.file)):
            linecache.cache[name] = sum(map(len, lines)), None, lines, name
