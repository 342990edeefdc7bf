"""Where a kernel's text comes from, what the names in it mean, and errors that show the line."""

from __future__ import annotations

import ast
import builtins
import contextlib
import copy
import inspect
import math
import re
import sys
import typing
from collections import ChainMap, Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import islice
from types import CodeType, FunctionType, ModuleType
from typing import Any, NoReturn, TypeVar

from ...errors import TranslateError
from ...isa.types import Type

__all__ = [
    "CHECKS",
    "MISSING",
    "OF_TYPES",
    "Definition",
    "Source",
    "chain_of",
    "constant",
    "from_text",
    "parsed",
    "walk",
]

MISSING: Any = object()
CHECKS = ("axis", "buffer")  # what accesses check
_FOLDED_BITS = 4096  # integer literals computed while translating have no more bits
# Words and signs of a text. Syntax trees take up to 500 bytes for each: a tuple of 500,000 numbers took 482 MB.
_MOST_WORDS = 1 << 18
_WORD = re.compile(r"\w++|[^\w\s]")


def walk(*roots: ast.AST, but: tuple[type[ast.AST], ...] = ()) -> Iterator[ast.AST]:
    """The nodes of syntax trees in some order, but for operators and contexts, and what is in nodes of some kinds:
    twice as fast as `ast.walk`."""
    work = list(roots)
    while work:
        node = work.pop()
        yield node
        kind: Any = type(node)
        if kind in but:
            continue
        for name in _inner(kind):
            value = getattr(node, name, None)
            if type(value) is list:
                work += [part for part in value if isinstance(part, ast.AST)]
            elif value is not None and isinstance(value, ast.AST):
                work.append(value)


@cache
def _inner(kind: Any) -> tuple[str, ...]:
    """The fields of a kind of nodes that may hold others."""
    return () if kind is ast.Constant else tuple(name for name in kind._fields if name not in _LEAVES)


_LEAVES = frozenset({"arg", "attr", "ctx", "id", "kind", "op", "ops", "type_comment"})


class Definition:
    """A function's syntax tree and the source it is in. `name` says which types it is made for, too, and `checks` what
    accesses check: "axis" or "buffer"."""

    def __init__(
        self,
        node: ast.FunctionDef | ast.Lambda,
        source: Source,
        name: str = "",
        checks: str = "axis",
        around: Any = None,
    ) -> None:
        self.made_of: ast.AST = node
        if isinstance(node, ast.Lambda):
            body = ast.copy_location(ast.Return(node.body), node.body)
            node = ast.copy_location(ast.FunctionDef("lambda", node.args, [body], [], None, None), node)
        self.node, self.source, self.name, self.checks = node, source, name or node.name, checks
        self.around = around  # the scope that it is defined in, of a function in a function

    @cached_property
    def names(self) -> list[ast.Name | ast.Attribute]:
        """The names and attributes in the function, in the order of the text."""
        found = [part for part in walk(self.node) if isinstance(part, (ast.Name, ast.Attribute))]
        return sorted(found, key=lambda part: (part.lineno, part.col_offset))

    @cached_property
    def stored_names(self) -> frozenset[str]:
        """The names that the function assigns."""
        return frozenset(self._stores)

    @cached_property
    def _stores(self) -> list[str]:
        own = walk(*self.node.body, but=(ast.FunctionDef, ast.Lambda))
        return [part.id for part in own if isinstance(part, ast.Name) and type(part.ctx) is ast.Store]

    @cached_property
    def stored_once(self) -> frozenset[str]:
        """The names, no parameters, that one place of the function assigns."""
        return frozenset(name for name, count in Counter(self._stores).items() if count == 1) - {
            parameter.arg for parameter in parameters_of(self.node)
        }

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """Default values of parameters: numbers, and tuples of them. Raises TranslateError."""
        arguments, found = self.node.args, {}
        names = [parameter.arg for parameter in (*arguments.posonlyargs, *arguments.args)]
        given = list(zip(names[len(names) - len(arguments.defaults) :], arguments.defaults, strict=True))
        by_name = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        for name, node in given + [(parameter.arg, node) for parameter, node in by_name if node is not None]:
            value = Definition(node, self.source) if isinstance(node, ast.Lambda) else self.source.fold(node)
            if value is MISSING:
                value = node.value if isinstance(node, ast.Constant) else self.source.resolve(node)
            if constant(value) is MISSING and not isinstance(value, (str, Type, Definition)) and not callable(value):
                self.source.fail(node, "a default value is a constant: a number, or a tuple of numbers")
            found[name] = value
        return found

    def with_types(self, types: Mapping[TypeVar, Type]) -> Definition:
        """The function where its type variables are types."""
        chosen = ", ".join(f"{variable.__name__}={ty}" for variable, ty in types.items())
        return Definition(self.node, self.source.within({}, types), f"{self.name}[{chosen}]", self.checks)

    def with_constants(self, values: Mapping[str, Any]) -> Definition:
        """The function whose parameters of these names are constants."""
        arguments = self.node.args
        parameters = [*arguments.posonlyargs, *arguments.args]
        defaults = [None] * (len(parameters) - len(arguments.defaults)) + arguments.defaults
        left = [(p, default) for p, default in zip(parameters, defaults, strict=True) if p.arg not in values]
        made = copy.copy(self.node)
        made.args = copy.copy(arguments)
        made.args.posonlyargs, made.args.args = [], [parameter for parameter, _ in left]
        made.args.defaults = [default for _, default in left if default is not None]
        named = {n: v.name if isinstance(v, Definition) else getattr(v, "__name__", v) for n, v in values.items()}
        chosen = ", ".join(f"{name}={value}" for name, value in named.items())
        return Definition(made, self.source.within(values), f"{self.name}[{chosen}]", self.checks)

    def checking(self, checks: str) -> Definition:
        """The function with accesses that check so much. Raises TranslateError."""
        if checks not in CHECKS:
            raise TranslateError(f"checks are {' or '.join(map(repr, CHECKS))}, not {checks!r}")
        return Definition(self.node, self.source, self.name, checks)

    @cached_property
    def variables(self) -> dict[TypeVar, ast.AST]:
        """The type variables that have no type yet, with where they are named first. Raises TranslateError."""
        source, found = self.source, {}
        meant = [(source.lookup(param.name), param) for param in getattr(self.node, "type_params", ())]
        first: dict[str, ast.AST] = {}
        for part in self.names:
            if isinstance(part, ast.Attribute):
                meant.append((source.resolve(part), part))
            elif part.id not in first and part.id not in self.stored_names:
                meant.append((source.resolve(part), first.setdefault(part.id, part)))
        for variable, place in meant:
            if isinstance(variable, TypeVar) and variable not in found:
                _check(source, place, variable)
                found[variable] = place
        return found


def parameters_of(node: ast.FunctionDef) -> list[ast.arg]:
    """The parameters of a function but for *args and **kwargs: those that are given by name only last."""
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


class Source:
    """Text of kernels: `lines`, the first of which is number `first` of `file`; and what its names mean."""

    def __init__(self, file: str, lines: list[str], first: int, names: Mapping[str, Any]) -> None:
        self.file, self.lines, self.first, self.names = file, lines, first, names
        self.types: Mapping[TypeVar, Type] = {}

    def within(self, names: Mapping[str, Any], types: Mapping[TypeVar, Type] | None = None) -> Source:
        """The same text where there are more names, and types for type variables."""
        if not names and not types:
            return self
        made = copy.copy(self)
        made.names, made.types = ChainMap(dict(names), self.names), {**self.types, **(types or {})}  # type: ignore[arg-type]
        return made

    def fail(self, node: Any, message: str) -> NoReturn:
        """Raises TranslateError with the place of a syntax node, its line, and a caret below."""
        line, offset = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        before = text.encode()[:offset].decode(errors="ignore")  # offsets of syntax nodes count bytes
        indent = len(text) - len(text.lstrip())
        shown = f"\n    {text.strip()}\n    {' ' * (len(before) - indent)}^" if text.strip() else ""
        raise TranslateError(message + shown, self.file, self.first + line - 1, len(before) + 1)

    def line(self, node: ast.AST) -> int:
        """The number of a node's line in the file."""
        return self.first + int(getattr(node, "lineno", 1)) - 1

    def unsupported(self, node: ast.AST, name: str = "") -> NoReturn:
        """Raises TranslateError for syntax that kernels do not have, by the name of what stands there."""
        from .elsewhere import NODES  # not in what a page loads first

        name = name or type(node).__name__
        if isinstance(node, ast.Constant):
            name = "None" if node.value is None else type(node.value).__name__.capitalize()
        self.fail(node, NODES.get(name, f"{name} is not available in a kernel"))

    def lookup(self, name: str) -> Any:
        """What a name means outside the kernel, or MISSING."""
        found = self.names.get(name, MISSING)
        return getattr(builtins, name, MISSING) if found is MISSING else self.meant(found)

    def meant(self, found: Any) -> Any:
        """What is found, or the type that a type variable stands for; the numbers of bytes."""
        if isinstance(found, TypeVar):
            return self.types.get(found, found)
        return tuple(found) if isinstance(found, bytes) else found

    def attribute(self, owner: Any, name: str) -> Any:
        """What a name in a module or class means, a field of a record, a property of a type; else MISSING."""
        if not isinstance(owner, ModuleType | type) and not (isinstance(owner, Type) and name in OF_TYPES):
            fields = getattr(owner, "_fields" if isinstance(owner, tuple) else "__dataclass_fields__", ())
            if name not in fields:
                return MISSING
        return self.meant(getattr(owner, name, MISSING))

    def resolve(self, node: ast.AST) -> Any:
        """The object that a name, an attribute of a module, or an element of a tuple is; else MISSING."""
        if isinstance(node, ast.Name):
            return self.lookup(node.id)
        if isinstance(node, ast.Attribute):
            return self.attribute(self.resolve(node.value), node.attr)
        return MISSING

    @classmethod
    def of(cls, fn: FunctionType) -> Definition:
        """The definition of a Python function. Raises TranslateError where its text cannot be found."""
        fn = getattr(fn, "inlined", fn)  # of hg.function
        file = fn.__code__.co_filename
        if hasattr(fn, "__wrapped__"):
            raise TranslateError(
                f"{fn.__name__} is wrapped by a decorator, which kernels do not run: take the decorator away",
                file,
                fn.__code__.co_firstlineno,
            )
        unnamed = fn.__code__.co_name == "<lambda>"
        try:  # a lambda may be a part of any statement
            lines, first = (inspect.findsource(fn)[0], 1) if unnamed else inspect.getsourcelines(fn)
            text = "".join(lines)
            node: Any = None if unnamed else _parsed(text)
            if node and getattr(node, "name", "") != fn.__code__.co_name:
                raise OSError  # Python 3.13 takes the text of `python -c` for that of all that is exec'ed
        except (OSError, TypeError):
            in_page = sys.platform == "emscripten"
            how = "give runPythonAsync a { filename: 'cell.py' }" if in_page else "write it in a file"
            raise TranslateError(
                f"the text of {fn.__name__} cannot be found: {how}, or use hg.kernel_from_source(text)",
                file,
                fn.__code__.co_firstlineno,
            ) from None
        closure = {}
        for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True):
            with contextlib.suppress(ValueError):  # not assigned yet
                closure[name] = cell.cell_contents
        names = {**fn.__globals__, **closure}
        source = cls(file, [line.rstrip("\r\n") for line in lines], first, names)
        if unnamed:
            return Definition(_lambda(source, fn, text), source)
        if isinstance(node, ast.AsyncFunctionDef):
            source.unsupported(node)
        names |= _annotated(fn, node)
        return Definition(node, source.within(_parameters(source, node)))

    def fold(self, node: ast.AST) -> Any:
        """The number or tuple that an expression of constants is; else MISSING. Raises TranslateError if it fails."""
        if isinstance(node, ast.Constant):
            return constant(node.value)
        if isinstance(node, ast.Tuple):
            parts = tuple(self.fold(part) for part in node.elts)
            return MISSING if any(part is MISSING for part in parts) else parts
        if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
            return self.unary(node, self.fold(node.operand))
        if isinstance(node, ast.BinOp):
            return self.binary(node, node.op, self.fold(node.left), self.fold(node.right))
        return constant(self.resolve(node))

    def unary(self, node: ast.AST, value: Any) -> Any:
        """-, + or ~ of a constant."""
        assert isinstance(node, ast.UnaryOp)
        if not isinstance(value, (int, float)) or (isinstance(value, float) and isinstance(node.op, ast.Invert)):
            return MISSING
        if isinstance(node.op, ast.USub):
            return -value
        return ~int(value) if isinstance(node.op, ast.Invert) else +value

    def binary(self, node: ast.AST, operator: ast.operator, left: Any, right: Any) -> Any:
        """An operation on two constants, as Python computes it."""
        if not isinstance(left, (int, float)) or not isinstance(right, (int, float)):
            return MISSING
        compute = _FOLD.get(type(operator))
        if compute is None:
            return MISSING
        if isinstance(operator, (ast.Pow, ast.LShift)) and isinstance(right, int) and abs(right) > _FOLDED_BITS:
            self.fail(node, f"the constant is too large: it may have {_FOLDED_BITS} bits")
        try:
            result = compute(left, right)
        except (ArithmeticError, ValueError, TypeError) as error:
            self.fail(node, f"this constant cannot be computed: {error}")
        if isinstance(result, int) and result.bit_length() > _FOLDED_BITS:
            self.fail(node, f"the constant is too large: it may have {_FOLDED_BITS} bits")
        return MISSING if isinstance(result, complex) else result


_FOLD: dict[type[ast.operator], Any] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.Pow: lambda a, b: a**b,
    ast.LShift: lambda a, b: a << b,
    ast.RShift: lambda a, b: a >> b,
    ast.BitAnd: lambda a, b: a & b,
    ast.BitOr: lambda a, b: a | b,
    ast.BitXor: lambda a, b: a ^ b,
}


def constant(value: Any) -> Any:
    """`value`, if it is a number, a bool or a tuple of such, NumPy scalars as Python's, bytes as a tuple; else
    MISSING."""
    if isinstance(value, bytes):
        return tuple(value)
    if isinstance(value, tuple):
        parts = tuple(constant(part) for part in value)
        return MISSING if any(part is MISSING for part in parts) else parts
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()
    if isinstance(value, (bool, int)):
        return value if isinstance(value, bool) else int(value)  # an IntEnum, too
    return value if isinstance(value, (float, complex)) else MISSING


def _lambda(source: Source, fn: FunctionType, text: str) -> ast.Lambda:
    """The syntax tree of a lambda: the one in its line, by where its instructions come from if there are several.
    Raises TranslateError."""
    line = fn.__code__.co_firstlineno
    try:
        tree = ast.parse(text)
    except SyntaxError:  # the file has more than Python, such as a page with blocks of it: from the line on
        here = inspect.getblock([f"{each}\n" for each in source.lines[line - 1 :]])
        tree = ast.increment_lineno(parsed(source, "if 1:\n " + "".join(here).lstrip()), line - 2)
    found = [part for part in walk(tree) if isinstance(part, ast.Lambda) and part.lineno == line]
    if len(found) > 1:
        places = {(at[0], at[2]) for at in fn.__code__.co_positions() if at[2] is not None}
        inner = {part: [each for each in walk(part.body) if isinstance(each, ast.expr)] for part in found}
        found = [p for p in found if any((each.lineno, each.col_offset) in places for each in inner[p])]
        found = [p for p in found if not any(other in inner[p] for other in found)]
    if len(found) != 1:
        what = f"several lambdas begin in line {line}, and nothing tells which one this is: give each a line of its own"
        raise TranslateError(what, source.file, line)
    return found[0]


def _parsed(text: str) -> ast.stmt:
    """The first statement of a text, which may be indented."""
    if not text[:1].isspace():
        return ast.parse(text).body[0]
    statement: ast.stmt = ast.parse("if 1:\n" + text).body[0].body[0]  # type: ignore[attr-defined]
    return ast.increment_lineno(statement, -1)


def _annotated(fn: FunctionType, node: ast.FunctionDef) -> dict[str, Any]:
    """Names of a function around that only annotations use, by what they were evaluated to: closures lack them. Where
    they are texts (`from __future__ import annotations`) the function around still runs, as this is a decorator."""
    found: dict[str, Any] = {}
    around = _locals_around(fn.__code__)
    for parameter in (*node.args.posonlyargs, *node.args.args):
        said: Any = parameter.annotation
        value: Any = fn.__annotations__.get(parameter.arg)
        if isinstance(value, str):
            names = {part.id for part in walk(said) if isinstance(part, ast.Name)}
            found |= {name: around[name] for name in names if name in around}
        parts = [(said, value)]
        if isinstance(said, ast.Subscript) and hasattr(value, "ndim"):
            inner = said.slice.elts if isinstance(said.slice, ast.Tuple) else [said.slice]
            parts = list(zip(inner, (value.ty, value.ndim), strict=False))
        found |= {part.id: what for part, what in parts if isinstance(part, ast.Name) and not isinstance(what, str)}
    return found


def _locals_around(code: CodeType) -> Mapping[str, Any]:
    """The variables of the function that defines one and runs now."""
    frame: Any = sys._getframe(1)
    while frame is not None and code not in frame.f_code.co_consts:
        frame = frame.f_back
    return {} if frame is None or frame.f_locals is frame.f_globals else frame.f_locals


def _parameters(source: Source, node: ast.FunctionDef) -> dict[str, TypeVar]:
    """The type variables in the brackets of `def f[T: (hg.f32, hg.f64)](x: T)`."""
    made = {}
    for param in getattr(node, "type_params", ()):
        bound = getattr(param, "bound", None)
        if not hasattr(param, "bound"):
            source.fail(param, "only type variables are available here: list the parameters, and give each a type")
        if bound is not None and not isinstance(bound, ast.Tuple):
            source.fail(bound, f"the types of {param.name} stand in parentheses: {param.name}: (hg.f32, hg.f64)")
        if getattr(param, "default_value", None) is not None:
            source.fail(param, _DEFAULT.format(param.name))
        made[param.name] = _type_variable(source, param.name, [] if bound is None else bound.elts)
    return made


def _type_variable(source: Source, name: str, nodes: Sequence[ast.expr]) -> TypeVar:
    """A type variable that stands for one of these types; for any type if there are none."""
    if len(nodes) == 1:
        source.fail(nodes[0], f"{name} stands for one of several types, and here is one: write the type itself")
    made = TypeVar(name, *map(source.resolve, nodes))  # type: ignore[misc]
    for node, ty in zip(nodes, made.__constraints__, strict=True):
        if not isinstance(ty, Type):
            source.fail(node, f"{ast.unparse(node)} is no type of the ISA: {_TYPES.format(name)}")
    return made


def _check(source: Source, node: ast.AST, variable: TypeVar) -> None:
    """Refuses a type variable that does not say which types it stands for."""
    name = variable.__name__
    if variable.__bound__ is not None:
        source.fail(node, f"{name} has a bound, which says nothing about types of the ISA: {_TYPES.format(name)}")
    for ty in variable.__constraints__:
        if not isinstance(ty, Type):
            source.fail(
                node, f"{name} may be {getattr(ty, '__name__', ty)!s}, no type of the ISA: {_TYPES.format(name)}"
            )
    if getattr(variable, "has_default", bool)():
        source.fail(node, _DEFAULT.format(name))


OF_TYPES = ("bits", "size_bytes", "is_float", "is_integer", "is_signed", "is_unsigned", "min_value", "max_value")
_TYPES = 'write {0} = typing.TypeVar("{0}", hg.f32, hg.i32), or without types for all'
_DEFAULT = "{} has a default: give the type with specialize instead"


def parsed(source: Source, text: str) -> ast.Module:
    """The syntax tree of a text. Raises TranslateError with its place."""
    if len(text) > _MOST_WORDS:  # it may have as many
        beyond = next(islice(_WORD.finditer(text), _MOST_WORDS, None), None)
        if beyond is not None:
            place = ast.Pass(lineno=text.count("\n", 0, beyond.start()) + 1, col_offset=0)
            raise TranslateError(
                f"the text has more than {_MOST_WORDS} words and signs: divide it",
                source.file,
                source.line(place),
            )
    try:
        return ast.parse(text)
    except SyntaxError as error:
        at = ast.Pass(lineno=error.lineno or 1, col_offset=max((error.offset or 1) - 1, 0))
        source.fail(at, f"this is no Python: {error.msg}")
    except ValueError as error:  # null bytes
        raise TranslateError(f"this is no Python: {error}", source.file) from None
    except (RecursionError, MemoryError):
        raise TranslateError("the text is nested too deeply: split its expressions", source.file) from None


def chain_of(node: ast.BinOp) -> tuple[ast.expr, list[ast.BinOp]]:
    """The first operand of a + b + c + ..., and the operations in order: long sums are as deep as they are long."""
    chain: list[ast.BinOp] = []
    first: ast.expr = node
    while isinstance(first, ast.BinOp):
        chain.append(first)
        first = first.left
    return first, chain[::-1]


def from_text(text: str, file: str, constants: Mapping[str, Any]) -> tuple[Source, dict[str, Definition]]:
    """A source typed somewhere, and the functions in it. Nothing of it is executed.

    At module level it may import hologram_web and math, define functions, and assign constants and `__all__`, which
    says nothing here; `hg` and `math` are known without import. Raises TranslateError.
    """
    known = {"hologram_web": sys.modules["hologram_web"], "math": math, "typing": typing}
    names: dict[str, Any] = {"hg": known["hologram_web"], "math": math}
    for name, value in constants.items():
        if constant(value) is MISSING and not isinstance(value, str):
            raise TranslateError(
                f"the constant {name!r} is {value!r}: give an int, a float, a bool, a tuple of them, bytes or a str"
            )
        names[name] = value
    source = Source(file, text.splitlines(), 1, names)
    tree = parsed(source, text)
    found: dict[str, Definition] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            made = Definition(node, source.within(_parameters(source, node)))
            names[node.name] = found[node.name] = made
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            _import(source, node, known, names)
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            if node.targets[0].id == "__all__":
                continue
            value = _assigned(source, node.value)
            if value is MISSING:
                source.fail(node.value, "only constants are assigned at module level: numbers and tuples of numbers")
            names[node.targets[0].id] = value
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):  # a docstring
            source.fail(node, "at module level there are only imports, constants and functions: move it into a kernel")
    return source, found


def _assigned(source: Source, node: ast.expr) -> Any:
    """A constant, a text, or `typing.TypeVar("T", hg.f32, hg.i32)`; else MISSING."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if not isinstance(node, ast.Call) or source.resolve(node.func) is not TypeVar:
        return source.fold(node)
    first = node.args[0] if node.args else None
    if not isinstance(first, ast.Constant) or not isinstance(first.value, str) or node.keywords:
        source.fail(node, f"a type variable has a name, and types: {_TYPES.format('T')}")
    return _type_variable(source, first.value, node.args[1:])


def _import(source: Source, node: ast.Import | ast.ImportFrom, known: dict[str, Any], names: dict[str, Any]) -> None:
    for alias in node.names:
        module = node.module if isinstance(node, ast.ImportFrom) and not node.level else alias.name
        if module == "__future__":
            continue
        if module not in known or (isinstance(node, ast.ImportFrom) and not hasattr(known[module], alias.name)):
            source.fail(node, f"{alias.name} cannot be imported here: there are hologram_web, math and typing")
        value = getattr(known[module], alias.name) if isinstance(node, ast.ImportFrom) else known[module]
        names[alias.asname or alias.name] = value
