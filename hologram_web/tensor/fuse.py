"""Functions of elements inside operations: what is read is computed first, what is written computed on.

No kernel of an operation knows of it. Where its text reads an element of an operand that is computed, the function is
called with the element's number; where it writes one, with the value and the number. Both are inlined.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import FunctionType
from typing import Any

from ..errors import CompileError
from ..frontends.python.names import Elements
from ..frontends.python.source import Definition, Source
from ..isa.collectives import COLLECTIVE_ROWS
from ..isa.elements import ElementType
from ..isa.types import Type

__all__ = ["MORE", "Computed", "Fusion", "fuse", "fused"]

MORE = "more."  # before the names of what functions take, as parameters of a kernel that has names of its own

_STORE = """def store(target, i, value{names}):
    target[i] = function(value, i{names})
"""


@dataclass(frozen=True)
class Computed:
    """A function of elements: `function(i, *more)` gives element i of an operand that is read, `function(value, i,
    *more)` what is written for a value. `arrays` and `scalars` are what it takes besides, in order, by names that
    become operands; an array is flat, and starts anywhere in its buffer. `ty` is the type of what is written, where it
    is not the operation's. Variables of the kernel in `place`, which say where an element is that is written, come
    behind its number: products have a `row` and a `column`, in which nothing is divided."""

    function: Callable[..., Any] | Definition
    arrays: Mapping[str, ElementType] = field(default_factory=dict)
    scalars: Mapping[str, Type] = field(default_factory=dict)
    ty: ElementType | None = None
    place: tuple[str, ...] = ()

    @property
    def more(self) -> dict[str, ElementType]:
        return {**self.arrays, **self.scalars}


@dataclass(frozen=True)
class Fusion:
    """Operands that are computed: those that are `read`, and those that are `written`."""

    read: Mapping[str, Computed]
    written: Mapping[str, Computed]

    @cached_property
    def arrays(self) -> dict[str, ElementType]:
        """The arrays of all the functions."""
        return {name: ty for each in self._all for name, ty in each.arrays.items()}

    @cached_property
    def scalars(self) -> dict[str, Type]:
        """The scalars of all the functions."""
        return {name: ty for each in self._all for name, ty in each.scalars.items()}

    @property
    def more(self) -> dict[str, ElementType]:
        return {**self.arrays, **self.scalars}

    @property
    def _all(self) -> tuple[Computed, ...]:
        return (*self.read.values(), *self.written.values())

    def within(self, operands: Mapping[str, str]) -> Fusion | None:
        """What of it concerns a kernel, whose parameters are these operands; None if nothing."""
        of_kernel = [
            {name: each[operand] for name, operand in operands.items() if operand in each}
            for each in (self.read, self.written)
        ]
        return Fusion(*of_kernel) if any(of_kernel) else None

    @property
    def key(self) -> Any:
        parts = (self.read, self.written)
        return tuple(
            (
                name,
                each.function,
                tuple(each.arrays.items()),
                tuple(each.scalars.items()),
                each.ty,
                each.place,
                part is self.read,
            )
            for part in parts
            for name, each in part.items()
        )


def fuse(
    operation: Any, /, read: Mapping[str, Computed] | None = None, written: Mapping[str, Computed] | None = None
) -> Any:
    """An operation of the tensor library whose operands are computed by functions: a TensorOperation without the
    operands that are read so, and with what the functions take. What it can do without is there if it is computed.
    Raises CompileError for operands that it has not, that it writes where they are to be read, or the other way round,
    and for results that are not written once and whole."""
    fusion, name = Fusion(read or {}, written or {}), operation.name
    operands = [each for row in COLLECTIVE_ROWS if row.name == name for each in row.operands]
    loads = {each.name: each.kind == "load" for each in operands if each.is_address or each.kind == "result"}
    for part, instead in ((fusion.read, "written"), (fusion.written, "read")):
        for each in part:
            if each not in loads:
                raise CompileError(None, f"{name} has no operand {each!r}: {', '.join(loads)}")
            if loads[each] != (part is fusion.read):
                raise CompileError(None, f"{each} of {name} is {instead}: give its function as {instead}={{...}}")
    if fusion.written and not operation.whole:
        raise CompileError(None, f"nothing is computed of what {name} writes: {operation.apart}")

    def given(o: Any) -> Any:
        return replace(o, values={**o.values, **dict.fromkeys(fusion.read, True)})

    def extents(o: Any) -> dict[str, Any]:
        for each in fusion.written:
            if o.values.get(each) is None:
                raise CompileError(None, f"{name} writes no {each!r} here, of which something is computed")
        return {each: count for each, count in operation.extents(given(o)).items() if each not in fusion.read}

    def launches(o: Any, traits: Any) -> Any:
        o = given(o)
        return operation.launches(replace(o, fusion=fusion, most=operation.extents(o) | o.most), traits)

    types = fusion.arrays | {name: each.ty for name, each in fusion.written.items() if each.ty is not None}
    return replace(operation, extents=extents, launches=launches, reference=None, in_place=False, types=types)


def fused(kernel: Definition, fusion: Fusion) -> Definition:
    """A kernel of an operation with those functions in it, and parameters for what they take. Raises CompileError."""
    rewriting, more = _Rewriting(kernel, fusion), fusion.more
    node = rewriting.visit(copy.deepcopy(kernel.node))
    meant: dict[str, Any] = rewriting.helpers | {"_elements_": Elements}
    meant |= {f"_type_of_{name}_": ty for name, ty in more.items()}
    for name, each in fusion.read.items():
        meant[f"_read_{name}_"] = _definition(each.function)
    for name, each in fusion.written.items():
        lines = _STORE.format(names="".join(f", {more}" for more in (*each.place, *each.more))).splitlines()
        source = Source("<fusion>", lines, 1, {"function": _definition(each.function)})
        tree: Any = ast.parse("\n".join(lines)).body[0]
        meant[f"_store_{name}_"] = Definition(tree, source)
        if each.ty is not None:
            meant[f"_type_of_{name}_"] = each.ty
    arrays = fusion.arrays
    for name in more:
        ty: ast.expr = ast.Name(f"_type_of_{name}_", ast.Load())
        if name in arrays:
            ty = ast.Subscript(ast.Name("_elements_", ast.Load()), ty, ast.Load())
        node.args.args.append(ast.fix_missing_locations(ast.copy_location(ast.arg(MORE + name, ty), kernel.node)))
    return Definition(node, kernel.source.within(meant), kernel.name, kernel.checks)


def _definition(function: Callable[..., Any] | Definition) -> Definition:
    return function if isinstance(function, Definition) else Source.of(function)  # type: ignore[arg-type]


class _Rewriting(ast.NodeTransformer):
    """Puts calls in the places of accesses."""

    def __init__(self, kernel: Definition, fusion: Fusion) -> None:
        self.kernel, self.fusion = kernel, fusion
        self.helpers: dict[str, Definition] = {}  # functions whose arrays are functions of the number of an element
        args = [*kernel.node.args.posonlyargs, *kernel.node.args.args]
        self.types = {each.arg: each.annotation.slice for each in args if isinstance(each.annotation, ast.Subscript)}
        assert not kernel.node.args.defaults, "kernels of the tensor library have none"

    def visit_arguments(self, node: ast.arguments) -> ast.arguments:
        node.args = [each for each in node.args if each.arg not in self.fusion.read]
        for each in node.args:
            computed = self.fusion.written.get(each.arg)
            if computed is not None and computed.ty is not None:
                assert isinstance(each.annotation, ast.Subscript)
                each.annotation.slice = _named(each, f"_type_of_{each.arg}_")
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        name, stores = getattr(node.value, "id", ""), not isinstance(node.ctx, ast.Load)
        if stores and (name in self.fusion.read or name in self.fusion.written):  # others are what visit_Assign takes
            way = "is computed where it is read" if name in self.fusion.read else "is computed on, beside others"
            raise CompileError(None, f"{self.kernel.name} writes {name}, which {way}")
        node.slice = self.visit(node.slice)
        return self._element(node, name, node.slice) if name in self.fusion.read else node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        value, (target,) = self.visit(node.value), node.targets
        name = getattr(getattr(target, "value", None), "id", "")
        if not isinstance(target, ast.Subscript) or name not in self.fusion.written:
            node.value, node.targets = value, [self.visit(target)]
            return node
        place = _named(node, name), self.visit(target.slice), value
        computed = self.fusion.written[name]
        more = [_named(node, each) for each in (*computed.place, *(MORE + each for each in computed.more))]
        call = _called(node, _named(node, f"_store_{name}_"), *place, *more)
        return ast.copy_location(ast.Expr(call), node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A function that is given what is computed gets a function of the number of an element in its place."""
        places = [k for k, each in enumerate(node.args) if getattr(each, "id", "") in self.fusion.read]
        helper = self.kernel.source.resolve(node.func)
        if places and isinstance(helper, FunctionType):
            definition = Source.of(helper)
            names = [definition.node.args.args[k].arg for k in places]
            name = "_".join(["", definition.name, *names, ""])
            made = _Calling(definition.name, names).visit(copy.deepcopy(definition.node))
            self.helpers[name] = Definition(made, definition.source)
            for k in places:
                number = ast.copy_location(ast.arg("number"), node)
                element = self._element(node, node.args[k].id, _named(node, "number"))  # type: ignore[attr-defined]
                arguments = ast.arguments([], [number], None, [], [], None, [])
                node.args[k] = ast.copy_location(ast.Lambda(arguments, element), node)
            node.func = _named(node, name)
            places = [k for k in range(len(node.args)) if k not in places]
            for k in places:
                node.args[k] = self.visit(node.args[k])
            return node
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.fusion.read:  # not as `operand[i]`, which is above
            raise CompileError(None, f"{self.kernel.name} takes the memory of {node.id}, which is computed")
        return node

    def _element(self, place: ast.AST, name: str, index: ast.expr) -> ast.expr:
        more = (_named(place, MORE + each) for each in self.fusion.read[name].more)
        found = _called(place, _named(place, f"_read_{name}_"), index, *more)
        return _called(place, copy.deepcopy(self.types[name]), found)


class _Calling(ast.NodeTransformer):
    """Puts calls in the places of elements of some parameters of a function, which are functions there."""

    def __init__(self, function: str, names: Sequence[str]) -> None:
        self.function, self.names = function, names

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        node.slice = self.visit(node.slice)
        if getattr(node.value, "id", "") not in self.names:
            return node
        if not isinstance(node.ctx, ast.Load):
            raise CompileError(None, f"{self.function} writes {ast.unparse(node)}, which is computed where it is read")
        return _called(node, node.value, node.slice)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.names:
            raise CompileError(None, f"{self.function} takes the memory of {node.id}, which is computed")
        return node


def _named(place: ast.AST, name: str) -> ast.Name:
    return ast.copy_location(ast.Name(name, ast.Load()), place)


def _called(place: ast.AST, function: ast.expr, *arguments: ast.expr) -> ast.Call:
    return ast.copy_location(ast.Call(function, list(arguments), []), place)
