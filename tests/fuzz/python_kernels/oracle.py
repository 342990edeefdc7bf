"""Runs the text of a kernel with Python itself: each lane executes the function, over typed numbers.

Python decides about control flow, order of evaluation, names and calls. What its syntax does not say is put in before:
an assignment to a variable keeps the variable's type, which is joined over all assignments (`_Kinds`), both sides of a
conditional expression have one type, and `hg.barrier()` is where a lane waits for the others of its block (a `yield`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .compounds import Cells, copied, each, equal, made
from .forms import Form
from .namespace import Lane, builtins_of
from .numbers import (
    BOOL,
    FLOAT,
    I32,
    INT,
    TYPES,
    Num,
    OracleError,
    Ty,
    convert,
    default,
    float_of,
    join,
    kind_of,
    raw,
    result,
)
from .together import OPERATIONS, together

__all__ = ["Launch", "run"]

_THROUGH = object()
_TOGETHER = {f"block_{name}": name for name in (*OPERATIONS, "any", "all", "argmin", "argmax", "scan", "broadcast")}
_TOGETHER |= {"shuffle": "shuffle", "shuffle_up": "up", "shuffle_down": "down", "shuffle_xor": "xor lanes"}

_SAME = ("abs", "min", "max", "clamp", "relu", "sign")  # the type in which the arguments meet
_FLOATS = ("sqrt", "rcp", "fma", "lerp")
_OF_INTEGERS = ("global_id", "local_id", "block_id", "block_dim", "grid_dim", "popcount", "clz", "len")
_OPEN = (INT, FLOAT)
_SYMBOLS = {ast.LShift: "<<", ast.RShift: ">>", ast.Div: "/", ast.Pow: "**"}


@dataclass
class Launch:
    """What a kernel is called with: lanes and block along each axis, and by name Cells, Num or Whole."""

    lanes: tuple[int, ...]
    block: tuple[int, ...]
    arguments: dict[str, Any] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)  # as they are written


class Whole(NamedTuple):
    """An argument that is a record or a complex number: the first element of an array."""

    cells: Cells


def _annotated(node: ast.expr | None) -> Ty | None:
    """The type of an annotation `hg.u8`."""
    return TYPES.get(node.attr) if isinstance(node, ast.Attribute) else None


class _Kinds:
    """The types of a function's variables and expressions. A kind is None where nothing is known of an argument.

    `names` are variables and parameters, `arrays` the types of arrays, `tuples` constants of the module.
    """

    def __init__(self, module: _Module, node: ast.FunctionDef, given: dict[str, Any]) -> None:
        self.module, self.node = module, node
        # Types of elements and of variables: None of those that have parts, which Python's own values know.
        self.arrays = {k: _number(found.ty) for k, found in given.items() if isinstance(found, Cells)}
        self.names: dict[str, Ty | None] = {k: v for k, v in given.items() if not isinstance(v, Cells)}
        parameters = [*node.args.args, *node.args.kwonlyargs]
        self.fixed = {arg.arg: ty for arg in parameters if (ty := _annotated(arg.annotation))}
        for part in ast.walk(node):
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                self.fixed[part.target.id] = _annotated(part.annotation) or I32
            if isinstance(part, ast.Assign) and (own := _own_array(part.value)):
                self.arrays[part.targets[0].id] = module.type_of(own.args[0])  # type: ignore[attr-defined]
        self.names |= self.fixed
        self.literals: dict[str, Ty] = {}  # variables of loops over constant tuples
        self.returns: Ty | None = None
        functions = [part for part in ast.walk(node) if isinstance(part, ast.FunctionDef) and part is not node]
        inner = {part for function in functions for part in ast.walk(function)}
        while True:
            before = (dict(self.names), self.returns)
            for part in ast.walk(node):
                if part not in inner:
                    self._learn(part)
            if before == (self.names, self.returns):
                weak = [(name, kind) for name, kind in self.names.items() if kind is not None and kind in _OPEN]
                self.names |= {name: default(kind) for name, kind in weak}
                if not weak:
                    break
        if self.returns is not None and self.returns in _OPEN:
            self.returns = default(self.returns)

    def _learn(self, part: ast.AST) -> None:
        if isinstance(part, ast.Assign):
            if _own_array(part.value):
                return
            target = part.targets[0]
            if (whole := _row_of(part.value)) and isinstance(target, ast.Name):
                self.arrays[target.id] = self.arrays.get(whole)
            elif isinstance(target, ast.Tuple):
                for one, kind in zip(target.elts, self.kinds(part.value), strict=False):
                    self._assign(one, kind)
            else:
                self._assign(target, self.kind(part.value))
        elif isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name):
            load = ast.Name(part.target.id, ast.Load())
            self._assign(part.target, self.kind(ast.BinOp(load, part.op, part.value)))
        elif isinstance(part, ast.For):
            if _is_range(part.iter):
                self._assign(part.target, self.range_kind(part.iter))
            elif isinstance(part.iter, ast.Name) and part.iter.id in self.module.constants:
                values = self.module.constants[part.iter.id]
                self.literals[part.target.id] = kind_of(values[0])  # type: ignore[attr-defined]
            elif isinstance(part.iter, ast.Name):
                self._assign(part.target, self.arrays.get(part.iter.id))
        elif isinstance(part, ast.Return) and part.value is not None:
            ty = _annotated(self.node.returns)
            kind = ty or self.kind(part.value)
            self.returns = kind if self.returns is None or kind is None else join(self.returns, kind)

    def _assign(self, target: ast.expr, kind: Ty | None) -> None:
        if not isinstance(target, ast.Name) or target.id in self.fixed:
            return
        old = self.names.get(target.id)
        self.names[target.id] = kind if old is None or kind is None or old is kind else join(old, kind)

    def range_kind(self, call: ast.expr) -> Ty | None:
        assert isinstance(call, ast.Call)
        kinds = [self.kind(argument) for argument in call.args]
        if None in kinds:
            return None
        bounds = [INT, *kinds] if len(kinds) == 1 else kinds
        kind = join(*bounds[:2])  # type: ignore[arg-type]
        if len(bounds) == 3 and bounds[2] is not INT:
            kind = join(kind, bounds[2])  # type: ignore[arg-type]
        return default(kind) if default(kind).bits >= 32 else I32

    def kinds(self, node: ast.expr) -> list[Ty | None]:
        """Of what is unpacked."""
        return [self.kind(part) for part in node.elts] if isinstance(node, ast.Tuple) else []

    def _joined(self, nodes: list[ast.expr]) -> Ty | None:
        found: Ty | None = None
        for node in nodes:
            kind = self.kind(node)
            if kind is None:
                return None
            found = kind if found is None else join(found, kind)
        return INT if found is BOOL else found

    def kind(self, node: ast.expr) -> Ty | None:
        """The type of an expression."""
        match node:
            case ast.Constant():
                return None if isinstance(node.value, (complex, str)) else kind_of(node.value)
            case ast.Name():
                if node.id in self.literals:
                    return self.literals[node.id]
                if node.id in self.module.constants:
                    return kind_of(self.module.constants[node.id])
                return self.names.get(node.id)
            case ast.Subscript():
                owner = node.value
                if isinstance(owner, ast.Attribute) and owner.attr == "shape":
                    return I32
                if not isinstance(owner, ast.Name):
                    return None
                if owner.id in self.module.constants:
                    return kind_of(self.module.constants[owner.id][0])
                return self.arrays.get(owner.id)
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                return BOOL
            case ast.UnaryOp():
                kind = self.kind(node.operand)
                return INT if kind is BOOL else kind
            case ast.BinOp():
                return self._binary(node)
            case ast.IfExp():
                kinds = [self.kind(node.body), self.kind(node.orelse)]
                return None if None in kinds else kinds[0] if kinds[0] is kinds[1] else join(*kinds)  # type: ignore[arg-type]
            case ast.Call():
                return self._call(node)
            case ast.Attribute():
                return FLOAT if isinstance(node.value, ast.Name) and node.value.id == "math" else None
            case ast.Tuple() | ast.Lambda() | ast.GeneratorExp():
                return None
        raise OracleError(f"what is the type of {ast.dump(node)}?")

    def _binary(self, node: ast.BinOp) -> Ty | None:
        a, b = self.kind(node.left), self.kind(node.right)
        symbol = _SYMBOLS.get(type(node.op), "")
        if a is None or b is None:
            return None
        weak = a in (BOOL, INT, FLOAT)
        if symbol in ("<<", ">>"):
            return join(a, b) if weak else a
        if symbol == "**":
            return INT if a is BOOL else a
        if isinstance(node.op, (ast.BitAnd, ast.BitOr, ast.BitXor)) and a is b is BOOL:
            return BOOL
        return float_of(join(a, b)) if symbol == "/" else join(a, b)

    def _call(self, node: ast.Call) -> Ty | None:
        if isinstance(node.func, ast.Subscript):
            return None
        name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id  # type: ignore[attr-defined]
        if ty := self.module.type_of(node.func):
            return ty
        if name == "bitcast":
            return _annotated(node.args[0])
        if name in _OF_INTEGERS:
            return I32
        if name in ("rotl", "round", "floor", "ceil", "trunc", *_SAME, *_FLOATS):
            kind = self._joined(node.args[:1] if name == "rotl" else node.args)
            if kind is None:
                return None
            return default(kind) if name == "rotl" else float_of(kind) if name in _FLOATS else kind
        if name == "select":
            kinds = [self.kind(argument) for argument in node.args[1:]]
            return None if None in kinds else kinds[0] if kinds[0] is kinds[1] else join(*kinds)  # type: ignore[arg-type]
        if name.startswith("atomic_"):
            return self.arrays.get(node.args[0].id)  # type: ignore[attr-defined]
        if name in _TOGETHER:
            kind = self.kind(node.args[0])
            known = {"any": BOOL, "all": BOOL, "argmin": I32, "argmax": I32}.get(_TOGETHER[name])
            return known or (None if kind is None else default(kind))
        called = self.module.functions.get(name)
        if called is None or node.keywords or called.args.vararg:
            return None
        given: dict[str, Any] = {}
        for parameter, argument in zip(called.args.args, node.args, strict=True):
            array = self.arrays.get(argument.id) if isinstance(argument, ast.Name) else None
            given[parameter.arg] = Cells(array, (1,)) if array else self.kind(argument)
        key = name, *(("array", v.ty.name) if isinstance(v, Cells) else v for v in given.values())
        if key not in self.module.returned:
            self.module.returned[key] = _Kinds(self.module, called, given).returns
        return self.module.returned[key]


def _number(ty: Ty | Form) -> Ty | None:
    return ty if isinstance(ty, Ty) else None


def _row_of(node: ast.expr) -> str:
    """The array of which `x[i, :]` is a part."""
    parts = [*ast.walk(node.slice)] if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) else []
    return node.value.id if any(isinstance(part, ast.Slice) for part in parts) else ""  # type: ignore[attr-defined]


def _is_range(node: ast.expr) -> bool:
    name = getattr(getattr(node, "func", None), "id", None) or getattr(getattr(node, "func", None), "attr", None)
    return name in ("range", "static_range")


def _own_array(node: ast.expr | None) -> ast.Call | None:
    """`hg.shared(...)` or `hg.local(...)`."""
    own = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("shared", "local")
    return node if own else None  # type: ignore[return-value]


class _Module:
    """The text: constants, helpers, and the kernel."""

    def __init__(self, text: str) -> None:
        self.tree = ast.parse(text)
        functions = [node for node in self.tree.body if isinstance(node, ast.FunctionDef)]
        self.classes = [node.name for node in self.tree.body if isinstance(node, ast.ClassDef)]
        self.functions = {node.name: node for node in functions}
        self.kernel = functions[-1]
        self.constants: dict[str, Any] = {}
        self.returned: dict[Any, Ty | None] = {}  # by function and types of arguments
        self.types: dict[str, Ty] = {}  # constants of the launch that are types
        for node in self.tree.body:
            if isinstance(node, ast.Assign):
                self.constants[node.targets[0].id] = ast.literal_eval(node.value)  # type: ignore[attr-defined]

    def learn(self, name: str, node: ast.expr) -> None:
        """A constant of the launch: a number, text, tuple, type or function."""
        if ty := _annotated(node):
            self.types[name] = ty
        elif isinstance(node, ast.Name):
            self.functions[name] = self.functions[node.id]
        elif not isinstance(node, ast.Lambda):
            self.constants[name] = ast.literal_eval(node)

    def type_of(self, node: ast.expr) -> Ty | None:
        """The type that an expression names."""
        return self.types.get(node.id) if isinstance(node, ast.Name) else _annotated(node)


class _Instrument(ast.NodeTransformer):
    """Puts in what Python's syntax does not say."""

    def __init__(self, kinds: _Kinds) -> None:
        self.kinds, self.own, self.depth = kinds, 0, 0

    def _call(self, name: str, *parts: Any) -> ast.Call:
        arguments = [part if isinstance(part, ast.expr) else ast.Constant(part) for part in parts]
        return ast.Call(ast.Name(name, ast.Load()), arguments, [])

    def _kept(self, target: ast.expr, value: ast.expr) -> ast.expr:
        """What an assignment to the target keeps of a value."""
        kind = self.kinds.names.get(target.id) if isinstance(target, ast.Name) else None
        return self._call("_copied_", value) if kind is None else self._call("_put_", value, kind.name)

    def visit_Assign(self, node: ast.Assign) -> Any:
        if own := _own_array(node.value):
            self.own += 1
            name = ast.Attribute(ast.Name("hg", ast.Load()), "own_array", ast.Load())
            kind = ast.Constant(own.func.attr)  # type: ignore[attr-defined]
            shape = self.visit(own.args[1])
            node.value = ast.Call(name, [kind, ast.Constant(self.own), own.args[0], shape], [])
            return node
        self.generic_visit(node)
        target = node.targets[0]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            values = zip(target.elts, node.value.elts, strict=True)
            node.value = ast.Tuple([self._kept(one, value) for one, value in values], ast.Load())
        else:
            node.value = self._kept(target, node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name):
            return node
        load = ast.Name(node.target.id, ast.Load())
        return ast.Assign([node.target], self._kept(node.target, ast.BinOp(load, node.op, node.value)))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        self.generic_visit(node)
        return ast.Assign([node.target], self._kept(node.target, node.value))  # type: ignore[arg-type]

    def visit_For(self, node: ast.For) -> Any:
        self.generic_visit(node)
        if _is_range(node.iter) and isinstance(node.target, ast.Name):
            load = ast.Name(node.target.id, ast.Load())
            node.body.insert(0, ast.Assign([node.target], self._kept(node.target, load)))
        return node

    def visit_Expr(self, node: ast.Expr) -> Any:
        self.generic_visit(node)
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "barrier":
            node.value = ast.Yield(None)
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        """A block operation: the lane waits for the others, and is sent what it gets."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in self.kinds.module.classes:
            node.args.insert(0, node.func)
            node.func = ast.Name("_made_", ast.Load())
            return node
        name = _TOGETHER.get(node.func.attr, "") if isinstance(node.func, ast.Attribute) else ""
        if not name:
            return node
        more = [ast.Constant(any(k.arg == "exclusive" for k in node.keywords))] if name == "scan" else []
        asked = ast.Tuple([ast.Constant(name), *node.args, *more], ast.Load())
        sent: ast.expr = ast.Yield(asked)
        return self._call("_truth_", sent) if name in ("any", "all") else sent

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        kind = self.kinds.kind(node)
        self.generic_visit(node)
        if kind is not None:
            node.body, node.orelse = (self._call("_as_", part, kind.name) for part in (node.body, node.orelse))
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        self.generic_visit(node)
        return self._call("_not_", node.operand) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        if isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return self._call("_in_", node.left, node.comparators[0], isinstance(node.ops[0], ast.NotIn))
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            same = self._call("_equal_", node.left, node.comparators[0])
            return same if isinstance(node.ops[0], ast.Eq) else self._call("_not_", same)
        return node

    def visit_Return(self, node: ast.Return) -> Any:
        self.generic_visit(node)
        kind = self.kinds.returns
        if node.value is not None and kind is not None and self.depth == 1:
            node.value = self._call("_put_", node.value, kind.name)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1
        node.decorator_list, node.returns = [], None
        for parameter in [*node.args.args, *node.args.kwonlyargs]:
            ty, parameter.annotation = _annotated(parameter.annotation), None
            if ty is not None:
                value = self._call("_put_", ast.Name(parameter.arg, ast.Load()), ty.name)
                node.body.insert(0, ast.Assign([ast.Name(parameter.arg, ast.Store())], value))
        return node


_KINDS = {"bool": BOOL, "int": INT, "float": FLOAT, **TYPES}


def _put(value: Any, name: str) -> Any:
    """What a variable of a type keeps of a value."""
    kind = _KINDS[name]
    if kind is BOOL:
        return Num(BOOL, int(bool(value)), True)
    return each(lambda value: convert(value, kind))(value)


def _as(value: Any, name: str) -> Any:
    """One side of a conditional expression."""
    kind = _KINDS[name]
    if kind is BOOL:
        return Num(BOOL, int(bool(value)), True)
    return each(lambda value: result(kind, raw(value, default(kind))))(value)


def _in(value: Any, others: tuple[Any, ...], negated: bool) -> Num:
    found = [bool(other == value) for other in others]
    return Num(BOOL, int(any(found) is not negated), True)


def _given(value: Any) -> Any:
    """What is known of an argument before the lanes run."""
    return value if isinstance(value, Cells) else value.ty if isinstance(value, Num) else None


def _compiled(module: _Module, arguments: dict[str, Any]) -> dict[str, Any]:
    """The functions as Python runs them, with what they find."""
    first = (ast.Assign, ast.ClassDef, ast.ImportFrom)
    body: list[ast.stmt] = [node for node in module.tree.body if isinstance(node, first)]
    for node in module.functions.values():
        kernel = node is module.kernel
        given = {name: _given(value) for name, value in arguments.items()} if kernel else {}
        if not kernel:
            given = {arg.arg: _annotated(arg.annotation) for arg in node.args.args}
        changed = _Instrument(_Kinds(module, node, given)).visit(deepcopy(node))
        if kernel:
            changed.body.append(ast.Expr(ast.Yield(None)))  # lanes are generators
        body.append(changed)
    tree = ast.fix_missing_locations(ast.Module(body, []))
    names = builtins_of() | {"_put_": _put, "_as_": _as, "_in_": _in}
    names |= {"_copied_": copied, "_equal_": equal, "_made_": made, "__name__": __name__}
    names["_truth_"] = lambda value: Num(BOOL, int(bool(value)), True)
    names["_not_"] = lambda value: Num(BOOL, int(not value), True)
    exec(compile(tree, "<kernel>", "exec"), names)
    return names


def run(text: str, launch: Launch) -> None:
    """Runs a kernel; the arrays among the arguments are changed. Raises OracleError."""
    module = _Module(text)
    for name, written in launch.constants.items():
        module.learn(name, ast.parse(written, mode="eval").body)
    names = _compiled(module, launch.arguments)
    arguments = dict(launch.arguments)
    for name, found in launch.arguments.items():
        if isinstance(found, Whole):
            found.cells.classes = names
            arguments[name] = copied(found.cells[0])
        elif isinstance(found, Cells):
            found.classes = names
    arguments |= {name: eval(written, names) for name, written in launch.constants.items()}
    kernel = names[module.kernel.name]
    lanes, block = ((*shape, 1, 1)[:3] for shape in (launch.lanes, launch.block))
    grid = tuple(-(-count // size) for count, size in zip(lanes, block, strict=True))
    for at in _places(grid):
        shared: dict[int, Cells] = {}
        waiting: list[tuple[int, Lane, Any]] = []
        sent: dict[int, Any] = {}
        for place in _places(block):
            if all(b * size + p < n for b, size, p, n in zip(at, block, place, lanes, strict=True)):
                lane = Lane((place, at, block, grid), shared)
                number = place[0] + block[0] * (place[1] + block[1] * place[2])
                waiting.append((number, lane, kernel(**arguments)))
        while waiting:
            asked = [(number, _step(names, lane, steps, sent.get(number))) for number, lane, steps in waiting]
            waiting = [one for one, (_, request) in zip(waiting, asked, strict=True) if request is not _THROUGH]
            requests = {number: request for number, request in asked if isinstance(request, tuple)}
            if requests and len(requests) < len(waiting):
                raise OracleError("some lanes of a block do not come")
            sent = together(requests, block[0] * block[1] * block[2]) if requests else {}


def _places(sizes: tuple[int, ...]) -> Iterator[tuple[int, int, int]]:
    for z in range(sizes[2]):
        for y in range(sizes[1]):
            for x in range(sizes[0]):
                yield x, y, z


def _step(names: dict[str, Any], lane: Lane, steps: Any, sent: Any) -> Any:
    """Runs a lane up to its next barrier, or block operation: what it asks for there. _THROUGH at its end."""
    names["hg"] = lane
    try:
        return steps.send(sent)
    except StopIteration:
        return _THROUGH
