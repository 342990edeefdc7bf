"""From Python text to kernel JSON. The text is parsed and never executed; what the schema cannot say is an error."""

from __future__ import annotations

import ast
from typing import Any, NoReturn

from hologram_web.errors import TranslateError
from hologram_web.frontends.python.elsewhere import NODES
from hologram_web.frontends.python.functions import check_signature
from hologram_web.frontends.python.source import Source, chain_of, parsed
from hologram_web.isa.types import Type

from .tables import ARITHMETIC, COLLECTIVES, COMPARISONS, LOGIC, SCALARS, UNARY

__all__ = ["from_python"]

_NODES = 100_000  # of a kernel, with what is inlined
_MARKS = ("atlas_kernel", "kernel")
_OPERATORS: dict[type[ast.AST], str] = {
    made: name for table in (ARITHMETIC, COMPARISONS, LOGIC, UNARY) for name, made in table.items()
}
_ADVICE = {
    "AnnAssign": "leave the annotation out, and cast the value",
    "Attribute": "names stand alone, and lengths are parameters",
    "Tuple": "an array has one index, and each value a name of its own",
}
_ALIASES = {"int": "i32", "float": "f32"}

_Json = dict[str, Any]


def from_python(source: str, file: str = "<kernel>") -> _Json | list[_Json]:
    """The schema of the kernel in a text; of several kernels a list, in their order.

    The text has imports and functions. Those under `@inline` are expressions that are put where they are called;
    all others are kernels. Raises TranslateError with line and column.
    """
    text = Source(file, source.splitlines(), 1, {})
    tree = parsed(text, source)
    kernels, helpers = _functions(text, tree)
    if not kernels:
        raise TranslateError("the text has no kernel: write a function", file)
    try:
        made = [_Writer(text, kernel, helpers).schema() for kernel in kernels]
    except RecursionError:
        raise TranslateError("the text is nested too deeply: split its expressions", file) from None
    return made[0] if len(made) == 1 else made


def _functions(text: Source, tree: ast.Module) -> tuple[list[ast.FunctionDef], dict[str, ast.FunctionDef]]:
    """Kernels, and helpers by name."""
    kernels: list[ast.FunctionDef] = []
    helpers: dict[str, ast.FunctionDef] = {}
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        ):
            continue
        variable = isinstance(node, ast.Assign) and "TypeVar" in ast.unparse(node.value)
        if variable or getattr(node, "type_params", None):
            text.fail(node, "kernel JSON has no type variables: write a kernel for each type")
        if not isinstance(node, ast.FunctionDef):
            text.fail(node, "a module of kernels has imports and functions: write numbers where they are used")
        marks = [mark.id if isinstance(mark, ast.Name) else "" for mark in node.decorator_list]
        for mark, name in zip(node.decorator_list, marks, strict=True):
            if name not in (*_MARKS, "inline"):
                text.fail(mark, "functions have no decorator but @inline and @atlas_kernel")
        if node.name in helpers or any(node.name == kernel.name for kernel in kernels):
            text.fail(node, f"there is a function {node.name} already")
        if "inline" in marks:
            helpers[node.name] = node
        elif node.name.startswith("_"):
            text.fail(node, f"{node.name} is no name of a kernel: mark a helper with @inline")
        else:
            kernels.append(node)
    return kernels, helpers


class _Writer:
    """Writes one kernel. `arguments` are what the parameters of the helper being inlined stand for."""

    def __init__(self, text: Source, kernel: ast.FunctionDef, helpers: dict[str, ast.FunctionDef]) -> None:
        self.text, self.kernel, self.helpers = text, kernel, helpers
        self.version, self.count = "1.0", 0
        self.declared: set[str] = set()
        self.arguments: dict[str, tuple[_Json, int]] | None = None  # with the number of their parts
        self.calling: list[str] = []

    def fail(self, node: ast.AST, message: str) -> NoReturn:
        self.text.fail(node, message)

    def unsupported(self, node: ast.AST, what: str) -> NoReturn:
        name = type(node).__name__
        advice = _ADVICE.get(name) or NODES.get(name, "hg.")
        if "hg." in advice:  # of kernels under @hg.kernel, which can do more
            advice = "kernel JSON has nothing that says this"
        self.fail(node, f"unsupported {what} {name}: {advice}")

    def schema(self) -> _Json:
        kernel = self.kernel
        params = []
        if kernel.args.defaults:
            self.fail(kernel.args.defaults[0], "default values are not available: give every argument at the call")
        for param in check_signature(self.text, kernel):
            if param.annotation is None:
                self.fail(param, f"{param.arg} has no type: write {param.arg}: f32, or {param.arg}: DeviceArray[f32]")
            params.append({"name": param.arg, "type": self.type_of(param.annotation)})
            self.declared.add(param.arg)
        body = self.body(kernel.body)
        return {"version": self.version, "kernel": {"name": kernel.name, "params": params, "body": body}}

    def type_of(self, node: ast.expr, inner: bool = False) -> _Json:
        name = node.id if isinstance(node, ast.Name) else ""
        name = _ALIASES.get(name, name)
        if name in SCALARS or name in map(str, Type):
            if name not in SCALARS:
                self.version = "1.1"
            return {"kind": "scalar", "type": name}
        array = isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "DeviceArray"
        if isinstance(node, ast.Subscript) and array and not inner:
            return {"kind": "device_array", "element_type": self.type_of(node.slice, True)}
        what = (
            "type of elements: write DeviceArray[f32]"
            if inner
            else "type: write f32, i32 and so on, or DeviceArray[f32]"
        )
        self.fail(node, f"{ast.unparse(node)} is no {what}")

    # Statements

    def body(self, nodes: list[ast.stmt]) -> list[_Json]:
        return [made for node in nodes if (made := self.statement(node)) is not None]

    def statement(self, node: ast.stmt) -> _Json | None:
        """None for what does nothing: docstrings, pass."""
        make = getattr(self, f"stmt_{type(node).__name__}", None)
        if make is None:
            self.unsupported(node, "statement")
        made: _Json | None = make(node)
        return made

    def stmt_Pass(self, node: ast.Pass) -> None:
        return None

    def stmt_Break(self, node: ast.Break) -> _Json:
        return {"type": "break"}

    def stmt_Continue(self, node: ast.Continue) -> _Json:
        return {"type": "continue"}

    def stmt_Return(self, node: ast.Return) -> _Json:
        none = node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)
        return {"type": "return", "value": None if none else self.value(node.value)}  # type: ignore[arg-type]

    def stmt_Expr(self, node: ast.Expr) -> _Json | None:
        value = node.value
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return None
        if not isinstance(value, ast.Call):
            self.fail(node, "this line has no effect: assign the value, or store it in an array")
        name = self.called(value)
        if name in self.helpers:
            self.fail(node, f"{name} is a value: assign it, or store it in an array")
        if name not in COLLECTIVES:
            return {"type": "call", "function": name, "args": [self.value(part) for part in value.args]}
        fields = [part.partition(":")[0] for part in COLLECTIVES[name].split()]
        if len(value.args) != len(fields):
            self.fail(value, f"write {name}({', '.join(fields)}): arguments are missing or too many")
        made: _Json = {"type": name}
        for field, part in zip(fields, value.args, strict=True):
            if field != "operation":
                made[field] = self.value(part)
            elif isinstance(part, ast.Constant) and isinstance(part.value, str):
                made[field] = part.value
            else:
                self.fail(part, f"the operation of {name} is written as a text, such as 'exp' or 'sum'")
        return made

    def stmt_Assign(self, node: ast.Assign) -> _Json:
        if len(node.targets) > 1:
            self.fail(node, "unsupported statement Assign: assign one name at a time")
        if not isinstance(node.targets[0], (ast.Name, ast.Subscript)):
            self.unsupported(node.targets[0], "target")
        return self.assign(node.targets[0], self.value(node.value))

    def stmt_AugAssign(self, node: ast.AugAssign) -> _Json:
        if isinstance(node.target, ast.Name) and node.target.id not in self.declared:
            self.fail(node, f"{node.target.id} is used before it is assigned: assign it before")
        old = self.value(node.target)
        value = {"type": "binary_op", "op": self.operator(node, node.op), "left": old, "right": self.value(node.value)}
        return self.assign(node.target, value)

    def assign(self, target: ast.expr, value: _Json) -> _Json:
        if isinstance(target, ast.Subscript):
            return {"type": "assign", "target": self.value(target), "value": value}
        if not isinstance(target, ast.Name):
            self.unsupported(target, "target")
        if target.id in self.declared:
            return {"type": "assign", "target": {"type": "var", "name": target.id}, "value": value}
        self.declared.add(target.id)
        return {"type": "let", "name": target.id, "value": value}

    def stmt_If(self, node: ast.If) -> _Json:
        condition, then = self.value(node.test), self.body(node.body)
        otherwise = self.body(node.orelse) if node.orelse else None
        return {"type": "if", "condition": condition, "then_body": then, "else_body": otherwise}

    def stmt_While(self, node: ast.While) -> _Json:
        self.no_else(node)
        return {"type": "while", "condition": self.value(node.test), "body": self.body(node.body)}

    def stmt_For(self, node: ast.For) -> _Json:
        self.no_else(node)
        call, target = node.iter, node.target
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != "range":
            self.fail(call, "for loops over a range: write for i in range(n)")
        if not isinstance(target, ast.Name):
            self.fail(target, "the variable of a loop over a range is one name")
        self.called(call)
        if not 1 <= len(call.args) <= 3:
            self.fail(call, f"range takes 1 to 3 arguments, not {len(call.args)}")
        parts = [self.value(part) for part in call.args]
        start, stop, step = [_literal(0), *parts, _literal(1)] if len(parts) == 1 else [*parts, _literal(1)][:3]
        self.declared.add(target.id)
        made = {"type": "for", "var": target.id, "start": start, "stop": stop, "step": step}
        return {**made, "body": self.body(node.body)}

    def no_else(self, node: ast.For | ast.While) -> None:
        if node.orelse:
            self.fail(node.orelse[0], "else after a loop is not available: set a flag before break")

    # Expressions

    def grow(self, node: ast.AST, parts: int = 1) -> None:
        self.count += parts
        if self.count > _NODES:
            self.fail(node, f"the kernel has more than {_NODES} parts, with what is inlined: split it")

    def value(self, node: ast.expr) -> _Json:
        self.grow(node)
        make = getattr(self, f"expr_{type(node).__name__}", None)
        if make is None:
            self.unsupported(node, "expression")
        made: _Json = make(node)
        return made

    def operator(self, node: ast.AST, operator: ast.AST) -> str:
        name = _OPERATORS.get(type(operator))
        if name is None:
            advice = NODES.get(type(operator).__name__, f"there are {', '.join(ARITHMETIC)}")
            self.fail(node, f"unsupported operator {type(operator).__name__}: {advice}")
        return name

    def expr_Constant(self, node: ast.Constant) -> _Json:
        if not isinstance(node.value, (bool, int, float)):
            what = "None" if node.value is None else type(node.value).__name__
            self.fail(node, f"unsupported literal of type {what}: kernels compute with numbers")
        if node.value in (float("inf"), float("-inf")):
            self.fail(node, "the literal is infinite, which JSON cannot say")
        return _literal(node.value)

    def expr_Name(self, node: ast.Name) -> _Json:
        if self.arguments is not None:
            if node.id not in self.arguments:
                self.fail(node, f"{node.id} is no parameter of {self.calling[-1]}, which is inlined")
            made, parts = self.arguments[node.id]
            self.grow(node, parts)
            return made
        return {"type": "var", "name": node.id}

    def expr_BinOp(self, node: ast.BinOp) -> _Json:
        first, chain = chain_of(node)
        made = self.value(first)
        for part in chain:
            made = _binary(self.operator(part, part.op), made, self.value(part.right))
        return made

    def expr_UnaryOp(self, node: ast.UnaryOp) -> _Json:
        return {"type": "unary_op", "op": self.operator(node, node.op), "operand": self.value(node.operand)}

    def expr_BoolOp(self, node: ast.BoolOp) -> _Json:
        made, *more = map(self.value, node.values)
        for part in more:
            made = _binary(self.operator(node, node.op), made, part)
        return made

    def expr_Compare(self, node: ast.Compare) -> _Json:
        values = [self.value(part) for part in (node.left, *node.comparators)]
        names = [self.operator(node, operator) for operator in node.ops]
        made, *more = [_binary(name, a, b) for name, a, b in zip(names, values[:-1], values[1:], strict=True)]
        for part in more:
            made = _binary("and", made, part)
        return made

    def expr_Subscript(self, node: ast.Subscript) -> _Json:
        return {"type": "index", "array": self.value(node.value), "index": self.value(node.slice)}

    def expr_IfExp(self, node: ast.IfExp) -> _Json:
        condition, then, otherwise = (self.value(part) for part in (node.test, node.body, node.orelse))
        return {"type": "if_expr", "condition": condition, "then": then, "else": otherwise}

    def expr_Call(self, node: ast.Call) -> _Json:
        name = self.called(node)
        if name in COLLECTIVES:
            self.fail(node, f"{name} has no result: call it in a line of its own")
        before, args = self.count, [self.value(part) for part in node.args]
        helper = self.helpers.get(name)
        if helper is None:
            return {"type": "call", "function": name, "args": args}
        if name in self.calling:
            self.fail(node, f"{name} calls itself: an inline function is not recursive")
        params = [param.arg for param in check_signature(self.text, helper)]
        if len(params) != len(args):
            self.fail(node, f"write {name}({', '.join(params)}): arguments are missing or too many")
        lines = [
            line for line in helper.body if not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))
        ]
        if len(lines) != 1 or not isinstance(lines[0], ast.Return) or lines[0].value is None:
            self.fail(helper, f"{name} is inlined, so its body is one return of a value")
        parts = self.count - before  # of all arguments: no less than each has
        outside, self.arguments = self.arguments, {key: (arg, parts) for key, arg in zip(params, args, strict=True)}
        self.calling.append(name)
        made = self.value(lines[0].value)
        self.calling.pop()
        self.arguments = outside
        return made

    def called(self, node: ast.Call) -> str:
        """The name of what is called, with positional arguments."""
        if not isinstance(node.func, ast.Name):
            self.fail(node.func, f"{ast.unparse(node.func)} is not called by a name: write sin(x), not math.sin(x)")
        if node.keywords:
            self.fail(node.keywords[0].value, f"{node.func.id} takes no keyword arguments: give them by position")
        return node.func.id


def _literal(value: float) -> _Json:
    return {"type": "literal", "value": value}


def _binary(op: str, left: _Json, right: _Json) -> _Json:
    return {"type": "binary_op", "op": op, "left": left, "right": right}
