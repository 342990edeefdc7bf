"""Which statement begins at which instruction, and where the variables are then: a table for those who step.

It is made by translating once more; the program is the same, and who does not step pays nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from hologram_web.errors import TranslateError
from hologram_web.frontends.python.compounds import AnyValue, Parts
from hologram_web.frontends.python.emit import EnclosingLoop, KernelFacts
from hologram_web.frontends.python.source import Definition, Source
from hologram_web.frontends.python.translate import Parameters, Translator, settled
from hologram_web.frontends.python.types import Value
from hologram_web.isa.cfg import expand
from hologram_web.isa.hostflow import host_known
from hologram_web.isa.operands import Label, Register

if TYPE_CHECKING:
    from hologram_web.isa.program import Program

__all__ = ["Mark", "marks_of"]


@dataclass(frozen=True)
class Mark:
    """A statement that begins: in a function that was inlined at `path`, which is () in the kernel itself.

    `variables` are those that surely have a value: arrays, constants, and values in registers or predicates.
    """

    source: Source
    function: ast.FunctionDef
    path: tuple[ast.AST, ...]
    line: int
    variables: dict[str, Any]


class _Marking(Translator):
    """A pass that notes the statements.

    Some become no instruction of their own, such as `pass`. They are noted at the instruction behind them, unless
    lanes get there by a jump that went around them.
    """

    def __init__(self, definition: Definition, params: Parameters, facts: KernelFacts) -> None:
        super().__init__(definition, params, facts)
        self.marks: dict[int, list[tuple[ast.stmt, Mark]]] = {}  # by instruction
        self.around: list[ast.stmt] = []  # the statement that is translated, and those it is in
        self.looping: list[tuple[EnclosingLoop, ast.stmt]] = []
        self.last: dict[tuple[ast.AST, ...], int] = {}  # by path, the line marked last

    def statement(self, node: ast.stmt) -> None:
        doc = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not doc and self.last.get(self.scope.path) != self.scope.source.line(node):  # a line is one step
            self._mark(node)
        self.around.append(node)
        super().statement(node)
        self.around.pop()

    def inline(self, node: ast.Call, definition: Definition) -> AnyValue | None:
        self.last.pop((*self.scope.path, node), None)  # of the round before, where a loop is written out
        return super().inline(node, definition)

    def _loop(self, node: ast.While | ast.For) -> EnclosingLoop:
        loop = super()._loop(node)
        self.looping.append((loop, node))
        return loop

    def place(self, label: Label) -> None:
        super().place(label)
        here = len(self.code)
        for index in [index for index in self.marks if index >= here]:
            kept = [(node, mark) for node, mark in self.marks[index] if index == here and node in self.around]
            self.marks[index] = kept
        for loop, node in self.looping:  # which goes around here
            if loop.again is label and node not in [marked for marked, _ in self.marks.get(here, ())]:
                self._mark(node)

    def rename(self, names: Sequence[Register]) -> None:
        super().rename(names)
        for _, mark in chain.from_iterable(self.marks.values()):
            for name, value in mark.variables.items():
                if isinstance(value, Value) and value.reg is not None:
                    mark.variables[name] = replace(value, reg=names[value.reg.index])

    def _mark(self, node: ast.stmt) -> None:
        scope = self.scope
        if scope.assigned is None:  # no lane comes here
            return
        names = dict.fromkeys(name if name in scope.assigned else name.partition(".")[0] for name in scope.registers)
        held = {
            name: self.got(scope.registers, (scope.path,), name, name)
            for name in names
            if name in scope.assigned and (name in scope.registers or self.has_parts(scope, name))
        }
        function, found = self.calling[-1], {**scope.bound, **held}
        order = [parameter.arg for parameter in (*function.args.posonlyargs, *function.args.args)]
        variables: dict[str, Any] = {}
        for name in (*order, *found):
            value = found.get(name)
            variables |= dict(self.leaves(value, name)) if isinstance(value, Parts) else {name: value}
        variables = {name: value for name, value in variables.items() if value is not None}
        self.last[scope.path] = line = scope.source.line(node)
        mark = Mark(scope.source, function, scope.path, line, variables)
        self.marks.setdefault(len(self.code), []).append((node, mark))


_known: WeakKeyDictionary[Definition, dict[int, list[Mark]]] = WeakKeyDictionary()


def marks_of(definition: Definition, program: Program) -> dict[int, list[Mark]]:
    """The marks by instruction, of statements that begin there one after another.

    Raises TranslateError if the functions or constants that the kernel uses are no longer what they were.
    """
    if definition not in _known:
        last = settled(definition, _Marking)
        if last.translation().program.to_bytes() != program.to_bytes():
            name = definition.node.name
            raise TranslateError(
                f"a function or a constant that {name} uses has changed since: make the kernel anew to step through it",
                definition.source.file,
                definition.source.line(definition.node),
            )
        marks = {index: [mark for _, mark in found] for index, found in last.marks.items() if found}
        _known[definition] = _without_lost(marks, program) if last.collectives else marks
    return _known[definition]


def _without_lost(marks: dict[int, list[Mark]], program: Program) -> dict[int, list[Mark]]:
    """Without variables that held what lanes had before a collective."""
    graph, lost = expand(program), dict.fromkeys(marks, 0)
    for point, known in host_known(graph).items():
        index = graph.code[point]
        if index in lost:
            lost[index] |= known.lost

    def kept(value: Any, gone: int) -> bool:
        return not isinstance(value, Value) or value.reg is None or not gone >> value.reg.index & 1

    return {
        index: [
            replace(mark, variables={name: v for name, v in mark.variables.items() if kept(v, lost[index])})
            for mark in found
        ]
        for index, found in marks.items()
    }
