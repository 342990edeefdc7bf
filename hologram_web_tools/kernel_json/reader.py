"""From kernel JSON to the syntax tree of a Python function, which the Python frontend translates.

So the rules of types are in one place, and a kernel does what its body says, whatever its name is.
"""

from __future__ import annotations

import ast
import json
import keyword
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from hologram_web.errors import TranslateError
from hologram_web.frontends.python.source import MISSING, Definition, Source
from hologram_web.isa.types import Type

from .tables import ARITHMETIC, BINARY, COMPARISONS, EXPRESSIONS, FUNCTIONS, NAMES, PLACED, SCALARS, STATEMENTS, UNARY

__all__ = ["Schema", "read"]

Schema = str | bytes | Mapping[str, Any] | Sequence[Any]
_Node = TypeVar("_Node", bound=ast.AST)
_LITERAL_BITS = 4096
_RESERVED = ("parallel_scan", "parallel_gather", "parallel_scatter")


class _Object(dict[str, Any]):
    """An object of JSON text; `twice` is a key that it has more than once."""

    twice: str | None = None

    @classmethod
    def of(cls, pairs: list[tuple[str, Any]]) -> _Object:
        found = cls(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            found.twice = next(key for key in keys if keys.count(key) > 1)
        return found


class _JsonSource(Source):
    """Kernel JSON as Python text: names are those of the schema, and errors say the JSON pointer of the node."""

    def fail(self, node: Any, message: str) -> NoReturn:
        _fail(self.file, getattr(node, "pointer", ""), message.replace("hg.", ""))

    def lookup(self, name: str) -> Any:
        return self.names.get(name, MISSING)


def _fail(file: str, pointer: str, message: str) -> NoReturn:
    raise TranslateError(message, f"{file}#{pointer}")


def read(schema: Schema, file: str) -> dict[str, Callable[[], Definition]]:
    """The kernels by name, each to be read when it is called. Raises TranslateError, calling too."""
    if isinstance(schema, (str, bytes)):
        try:
            schema = json.loads(schema, object_pairs_hook=_Object.of)
        except json.JSONDecodeError as error:
            raise TranslateError(f"this is no JSON: {error.msg}", file, error.lineno, error.colno) from None
        except (ValueError, RecursionError) as error:
            raise TranslateError(f"this is no JSON that can be read: {error}", file) from None
    many = isinstance(schema, (list, tuple))
    found: dict[str, Callable[[], Definition]] = {}
    for number, one in enumerate(schema if many else [schema]):
        reader = _Reader(file, one, f"/{number}" if many else "")
        if reader.name in found:
            _fail(file, f"{reader.at}/kernel/name", f"there is a kernel {reader.name} already")
        found[reader.name] = reader.definition
    return found


class _Reader:
    """Reads one kernel; `at` is the pointer of its schema."""

    def __init__(self, file: str, schema: Any, at: str) -> None:
        self.file, self.at = file, at
        version, kernel = self.fields(schema, at, ("version", "kernel"))
        if version not in ("1.0", "1.1"):
            self.fail(f"{at}/version", f"the version is {_shown(version)}: there are '1.0' and '1.1'")
        self.types = SCALARS if version == "1.0" else {**{str(ty): ty for ty in Type}, **SCALARS}
        self.version = version
        self.inside = f"{at}/kernel"
        name, self.params, self.body = self.fields(kernel, self.inside, ("name", "params", "body"))
        self.name = self.read_name(name, f"{self.inside}/name")
        self.declared: set[str] = set()
        self.bools: set[str] = set()  # parameters of type bool: scalars and arrays
        self.elements: dict[str, str] = {}  # types of arrays

    def fail(self, pointer: str, message: str) -> NoReturn:
        _fail(self.file, pointer, message)

    def definition(self) -> Definition:
        """The kernel as a function, with lines of Python text that stand for it."""
        try:
            arguments = [self.parameter(param, at) for param, at in self.items(self.params, f"{self.inside}/params")]
            made: Any = _at(ast.parse(f"def {self.name}(): pass").body[0], self.inside)
            made.args.args, made.body = arguments, self.read_body(self.body, f"{self.inside}/body")
            text = ast.unparse(ast.fix_missing_locations(made))
            parsed = ast.parse(text).body[0]
        except (RecursionError, MemoryError):
            self.fail(self.inside, "the kernel is nested too deeply: split its expressions")
        assert isinstance(parsed, ast.FunctionDef)
        for ours, theirs in zip(ast.walk(made), ast.walk(parsed), strict=True):
            if isinstance(theirs, (ast.expr, ast.stmt, ast.arg)):
                theirs.pointer = getattr(ours, "pointer", self.inside)  # type: ignore[union-attr]
        return Definition(parsed, _JsonSource(self.file, text.split("\n"), 1, NAMES))

    # Parts of JSON

    def fields(self, value: Any, at: str, names: Sequence[str]) -> list[Any]:
        """The values of an object that has these fields; those with ? may be null or left out."""
        if not isinstance(value, Mapping):
            self.fail(at, f"an object with {', '.join(names) or 'no fields'} stands here, not {_shown(value)}")
        if getattr(value, "twice", None) is not None:
            self.fail(at, f"the field {value.twice!r} is there twice")  # type: ignore[attr-defined]
        plain = [name.rstrip("?") for name in names]
        for key in value:
            if key not in plain:
                self.fail(f"{at}/{_escaped(key)}", f"there is no such field here, only {', '.join(plain) or 'none'}")
        for name in names:
            if name not in value and not name.endswith("?"):
                self.fail(at, f"the field {name!r} is missing")
        return [value.get(name) for name in plain]

    def items(self, value: Any, at: str) -> list[tuple[Any, str]]:
        if not isinstance(value, (list, tuple)):
            self.fail(at, f"an array stands here, not {_shown(value)}")
        return [(item, f"{at}/{number}") for number, item in enumerate(value)]

    def node(self, value: Any, at: str, table: Mapping[str, str], what: str) -> tuple[str, list[Any]]:
        """The type of a statement or an expression, and its fields, each read as the table says."""
        kind = value.get("type") if isinstance(value, Mapping) else None
        if not isinstance(value, Mapping):
            self.fail(at, f"{what} stands here, an object with a type, not {_shown(value)}")
        if "type" not in value:
            self.fail(at, "the field 'type' is missing")
        if not isinstance(kind, str) or kind not in table:
            self.fail(f"{at}/type", f"{_shown(kind)} is no type of {what}: there are {', '.join(table)}")
        pairs = [part.split(":") for part in table[kind].split()]
        optional = [f"{name}?" if how.endswith("?") else name for name, how in pairs]
        _, *values = self.fields(value, at, ("type", *optional))
        read = [
            None
            if part is None and how.endswith("?")
            else getattr(self, f"read_{how.rstrip('?')}")(part, f"{at}/{name}")
            for part, (name, how) in zip(values, pairs, strict=True)
        ]
        return kind, read

    def chosen(self, value: Any, at: str, table: Mapping[str, Any], what: str) -> Any:
        if not isinstance(value, str) or value not in table:
            old = (
                ": older compilers wrote it for // and all they did not know; write floor_div"
                if value == "unknown"
                else ""
            )
            self.fail(at, f"{_shown(value)} is no {what}{old or ': there are ' + ', '.join(table)}")
        return table[value]

    def read_binary(self, value: Any, at: str) -> Any:
        return self.chosen(value, at, BINARY, "operator")

    def read_unary(self, value: Any, at: str) -> Any:
        return self.chosen(value, at, UNARY, "operator")

    def read_text(self, value: Any, at: str) -> ast.expr:
        if not isinstance(value, str):
            self.fail(at, f"a text stands here, not {_shown(value)}")
        return _at(ast.Constant(value), at)

    def read_name(self, value: Any, at: str) -> str:
        if not isinstance(value, str) or not value.isidentifier() or keyword.iskeyword(value) or value == "range":
            self.fail(at, f"{_shown(value)} is no name: a name is an identifier that is no word of Python")
        return value

    def read_function(self, value: Any, at: str) -> tuple[str, str]:
        if value in _RESERVED:
            self.fail(at, f"{value} is a reserved name that has no meaning yet: write the loop")
        if not isinstance(value, str) or value not in (*FUNCTIONS, *PLACED):
            self.fail(at, f"{_shown(value)} is no function: those there are stand in docs/kernel_json.md")
        if isinstance(FUNCTIONS.get(value), Type) and self.version == "1.0" and value not in (*SCALARS, "int", "float"):
            self.fail(at, f"{value} is a type of version '1.1'")
        return value, at

    def read_number(self, value: Any, at: str) -> ast.expr:
        if not isinstance(value, (int, float)) or (isinstance(value, float) and not math.isfinite(value)):
            self.fail(at, f"a number or a bool stands here, not {_shown(value)}")
        if isinstance(value, int) and value.bit_length() > _LITERAL_BITS:
            self.fail(at, f"an integer has at most {_LITERAL_BITS} bits")
        if isinstance(value, bool) or math.copysign(1, value) > 0:
            return _at(ast.Constant(value), at)
        return _at(ast.UnaryOp(ast.USub(), _at(ast.Constant(-value), at)), at)

    # Parameters and types

    def parameter(self, value: Any, at: str) -> ast.arg:
        name, ty = self.fields(value, at, ("name", "type"))
        name = self.read_name(name, f"{at}/name")
        if name in self.declared or name in self.elements:
            self.fail(f"{at}/name", f"there is a parameter {name} already")
        annotation = self.read_type(ty, f"{at}/type", name)
        return _at(ast.arg(name, annotation), at)

    def read_type(self, value: Any, at: str, name: str, inner: bool = False) -> ast.expr:
        kind = value.get("kind") if isinstance(value, Mapping) else None
        if kind == "device_array" and not inner:
            _, element = self.fields(value, at, ("kind", "element_type"))
            made = self.read_type(element, f"{at}/element_type", name, True)
            array = _at(ast.Name("DeviceArray", ast.Load()), at)
            return _at(ast.Subscript(array, made, ast.Load()), at)
        if kind == "device_ptr":
            self.fail(at, "a device_ptr does not say what it points to: use a device_array")
        if kind != "scalar":
            known = "scalar" if inner else "scalar and device_array"
            self.fail(f"{at}/kind", f"{_shown(kind)} is no kind of type here: there is {known}")
        _, ty = self.fields(value, at, ("kind", "type"))
        self.chosen(ty, f"{at}/type", self.types, f"scalar type of version {self.version!r}")
        if inner:
            self.elements[name] = ty
        else:
            self.declared.add(name)
        if ty == "bool":
            self.bools.add(name)
        return _at(ast.Name(ty, ast.Load()), at)

    # Statements

    def read_body(self, value: Any, at: str) -> list[ast.stmt]:
        return [self.statement(item, where) for item, where in self.items(value, at)] or [_at(ast.Pass(), at)]

    def statement(self, value: Any, at: str) -> ast.stmt:
        if isinstance(value, Mapping) and value.get("type") == "for":
            self.declared.add(self.read_name(value.get("var"), f"{at}/var"))  # its body may assign it
        kind, fields = self.node(value, at, STATEMENTS, "a statement")
        made: ast.stmt = getattr(self, f"stmt_{kind}", self.stmt_collective)(at, kind, *fields)
        return _at(made, at)

    def stmt_let(self, at: str, _: str, name: str, value: ast.expr) -> ast.stmt:
        self.assignable(name, f"{at}/name")
        self.declared.add(name)
        return ast.Assign([_at(ast.Name(name, ast.Store()), f"{at}/name")], value)

    def assignable(self, name: str, at: str) -> None:
        if name in self.bools and name not in self.elements:
            self.fail(at, f"{name} is a parameter of type bool, which is not assigned: use another name")

    def read_target(self, value: Any, at: str) -> tuple[ast.expr, bool]:
        kind, fields = self.node(value, at, {name: EXPRESSIONS[name] for name in ("var", "index")}, "a target")
        if kind == "index":
            array, index = fields
            is_bool = isinstance(array, ast.Name) and array.id in self.bools
            return _at(ast.Subscript(array, index, ast.Store()), at), is_bool
        (name,) = fields
        self.assignable(name, f"{at}/name")
        if name not in self.declared and name not in self.elements:
            self.fail(at, f"{name} is assigned before any let: a variable starts with let")
        return _at(ast.Name(name, ast.Store()), at), False

    def stmt_assign(self, at: str, _: str, target: tuple[ast.expr, bool], value: ast.expr) -> ast.stmt:
        return ast.Assign([target[0]], _truth(value) if target[1] else value)

    def stmt_if(
        self, at: str, _: str, condition: ast.expr, then: list[ast.stmt], otherwise: list[ast.stmt] | None
    ) -> ast.stmt:
        return ast.If(condition, then, otherwise or [])

    def stmt_for(self, at: str, _: str, name: str, *parts: Any) -> ast.stmt:
        start, stop, step, body = parts
        whole = [start, stop, step] if _number(step) != 1 else [start, stop] if _number(start) != 0 else [stop]
        function = _at(ast.Name("range", ast.Load()), at)
        steps = _at(ast.Call(function, whole, []), at)
        return ast.For(_at(ast.Name(name, ast.Store()), f"{at}/var"), steps, body, [])

    def stmt_while(self, at: str, _: str, condition: ast.expr, body: list[ast.stmt]) -> ast.stmt:
        return ast.While(condition, body, [])

    def stmt_break(self, at: str, _: str) -> ast.stmt:
        return ast.Break()

    def stmt_continue(self, at: str, _: str) -> ast.stmt:
        return ast.Continue()

    def stmt_return(self, at: str, _: str, value: ast.expr | None) -> ast.stmt:
        return ast.Return(value)

    def stmt_call(self, at: str, _: str, function: tuple[str, str], args: list[ast.expr]) -> ast.stmt:
        name, where = function
        if name in PLACED:
            name, ty = PLACED[name]
            if len(args) != 2:
                self.fail(at, f"{function[0]} takes an array and a value, and here are {len(args)} arguments")
            have = self.elements.get(args[0].id) if isinstance(args[0], ast.Name) else None
            if have != ty:
                self.fail(f"{at}/args/0", f"{function[0]} works on an array of {ty}")
            args = [args[0], _at(ast.Constant(0), at), args[1]]
        return ast.Expr(_at(ast.Call(_at(ast.Name(name, ast.Load()), where), args, []), at))

    def stmt_collective(self, at: str, kind: str, *fields: ast.expr) -> ast.stmt:
        return ast.Expr(_at(ast.Call(_at(ast.Name(kind, ast.Load()), at), list(fields), []), at))

    # Expressions

    def read_expressions(self, value: Any, at: str) -> list[ast.expr]:
        return [self.read_expression(item, where) for item, where in self.items(value, at)]

    def read_expression(self, value: Any, at: str) -> ast.expr:
        kind, fields = self.node(value, at, EXPRESSIONS, "an expression")
        made: ast.expr = getattr(self, f"expr_{kind}")(at, *fields)
        return made if hasattr(made, "pointer") else _at(made, at)

    def expr_var(self, at: str, name: str) -> ast.expr:
        made = _at(ast.Name(name, ast.Load()), at)
        return _truth(made) if name in self.bools and name not in self.elements else made

    def expr_literal(self, at: str, value: ast.expr) -> ast.expr:
        return _at(value, at)

    def expr_binary_op(self, at: str, operator: Any, left: ast.expr, right: ast.expr) -> ast.expr:
        if operator in ARITHMETIC.values():
            return ast.BinOp(left, operator(), right)
        if operator in COMPARISONS.values():
            return ast.Compare(left, [operator()], [right])
        first = left.values if isinstance(left, ast.BoolOp) and isinstance(left.op, operator) else [left]
        return ast.BoolOp(operator(), [*first, right])

    def expr_unary_op(self, at: str, operator: Any, operand: ast.expr) -> ast.expr:
        return ast.UnaryOp(operator(), operand)

    def expr_index(self, at: str, array: ast.expr, index: ast.expr) -> ast.expr:
        made = _at(ast.Subscript(array, index, ast.Load()), at)
        return _truth(made) if isinstance(array, ast.Name) and array.id in self.bools else made

    def expr_call(self, at: str, function: tuple[str, str], args: list[ast.expr]) -> ast.expr:
        name, where = function
        if name in PLACED:
            self.fail(
                at, f"{name} has no result: call it as a statement, or use {PLACED[name][0]}(array, index, value)"
            )
        return ast.Call(_at(ast.Name(name, ast.Load()), where), args, [])

    def expr_if_expr(self, at: str, condition: ast.expr, then: ast.expr, otherwise: ast.expr) -> ast.expr:
        return ast.IfExp(condition, then, otherwise)


def _at(node: _Node, pointer: str) -> _Node:
    node.pointer = pointer  # type: ignore[attr-defined]
    return node


def _truth(value: Any) -> ast.expr:
    """value != 0: what is stored as a byte becomes a bool."""
    at = value.pointer
    return _at(ast.Compare(value, [ast.NotEq()], [_at(ast.Constant(0), at)]), at)


def _number(node: ast.expr) -> Any:
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _escaped(key: Any) -> str:
    return str(key).replace("~", "~0").replace("/", "~1")


def _shown(value: Any) -> str:
    """A value in a message."""
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, (list, tuple)):
        return "an array"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and value.bit_length() > 256:
        return "a large integer"
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:97]}..."
