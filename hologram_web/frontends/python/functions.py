"""Functions in the place where they are called, and what their signatures say."""

from __future__ import annotations

import ast
from dataclasses import replace
from types import BuiltinFunctionType, FunctionType
from typing import Any, TypeVar

from ...errors import TranslateError, like
from ...isa.operands import Register
from ...isa.types import Type
from .arithmetic import literal
from .compounds import AnyValue, Parts, PartsType, Tuple, parts_type, resolved
from .emit import ArrayRef, Scope
from .names import Annotation, Array, ArrayType, Constant, ConstantType, Elements, Intrinsic, shown
from .parts import Meeting
from .source import MISSING, Definition, Source, parameters_of
from .statements import Statements
from .types import Value, Weak, default
from .views import row_of

__all__ = ["Functions", "annotation", "check_signature"]

_INLINED = 4096
# What functions take as it is, besides arrays.
_STATIC = (tuple, str, FunctionType, BuiltinFunctionType, Definition, Intrinsic, Type)


class Functions(Statements):
    """Translates calls of functions. `inlined` counts them."""

    inlined = 0

    def leave(self) -> None:
        """A lane returns from the kernel."""
        raise NotImplementedError

    def definition(self, called: FunctionType) -> Definition:
        if called not in self.facts.definitions:
            self.facts.definitions[called] = Source.of(called)
        return self.facts.definitions[called]

    def print_(self, node: ast.Call) -> None:
        from .prints import print_

        print_(self, node)

    def row_elements(self, node: ast.expr, count: int) -> list[AnyValue] | None:
        from .generators import row_elements

        return row_elements(self, node, count)

    def of_elements(self, node: ast.Call, called: Any) -> AnyValue:
        from .generators import of_elements

        return of_elements(self, node, called)

    def inline(self, node: ast.Call, definition: Definition) -> AnyValue | None:
        called = definition.node
        if called in self.calling:
            self.fail(node, f"{called.name} calls itself: recursion is not available, write a loop")
        self.inlined += 1
        if self.inlined > _INLINED:
            self.fail(node, f"more than {_INLINED} calls are inlined: split the kernel")
        parameters = check_signature(definition.source, called, inlined=True)
        wanted = {p.arg: annotation(definition.source, p.annotation) for p in parameters if p.annotation}
        passed = self._passed(node, definition, parameters, wanted)
        given = [found for _, found in passed.values()]
        form = next((found.form for found in given if isinstance(found, Parts)), None)
        if form is None or definition.source.names.get("__name__") != f"{__package__}.library":
            return self._inlined(node, definition, passed, wanted)

        def make(*numbers: Any) -> Any:
            of_one = {key: (passed[key][0], number) for key, number in zip(passed, numbers, strict=True)}
            return self._inlined(node, definition, of_one, wanted)

        return form.math(self, node, make, given)  # those of `hg` are of numbers

    def _inlined(
        self,
        node: ast.Call,
        definition: Definition,
        passed: dict[str, tuple[ast.expr, Any]],
        wanted: dict[str, Annotation],
    ) -> AnyValue | None:
        """A call of a function with these arguments."""
        called, outer = definition.node, self.scope
        parameters, stores, rest = parameters_of(called), definition.stored_names, called.args.vararg
        source = self._bind(definition, passed, wanted)
        scope = Scope(
            (*outer.path, node),
            called.name,
            source,
            set(stores),
            level=len(self.temporaries) - 1,
            once=definition.stored_once,
            around=definition.around,
        )
        started: list[tuple[ast.arg, AnyValue]] = []
        for parameter in parameters:
            argument, found = passed[parameter.arg]
            value = self._argument(source, parameter, argument, found)
            if isinstance(value, (Value, Parts)) and self.is_read(argument):
                scope.read.add(parameter.arg)
            if isinstance(value, tuple) and parameter.arg in stores:
                value = self.object_value(argument, value)
            if isinstance(value, (Value, Parts)) and parameter.arg in stores:
                started.append((parameter, value))
            else:
                scope.bound[parameter.arg] = value
        if rest is not None:
            more = node.args[len(parameters) - len(called.args.kwonlyargs) :]
            scope.bound[rest.arg] = tuple(self._given(argument, None) for argument in more)
        scope.results["return"] = self.temporary()
        scope.returns = self.label()
        self.scope, before = scope, self.at
        self.calling.append(called)
        if called.returns is not None and not (
            isinstance(called.returns, ast.Constant) and called.returns.value is None
        ):
            self.declare((scope.path,), "return", _returned(source, called.returns))
        self.temporaries.append([])
        for parameter, value in started:
            says = None if parameter.annotation is None else annotation(source, parameter.annotation)
            if isinstance(says, (Type, PartsType)):
                self.declare((scope.path,), parameter.arg, says)
            self.assign_name(parameter, parameter.arg, value)
        self.statements(called.body)
        self.free_temporaries()
        self.temporaries.pop()
        if scope.returned not in ("", "nothing") and scope.assigned is not None:
            self.fail(called, f"{called.name} returns a value on some paths only: end it with a return")
        self.place(scope.returns)
        for register in scope.registers.values():
            self.give(register)
        self.calling.pop()
        self.scope, self.at = outer, before
        if scope.returned in ("", "nothing"):
            self.drop(*scope.results.values())
            return None
        return self.got(scope.results, (scope.path,), "return", "return")

    def _passed(
        self, node: ast.Call, definition: Definition, parameters: list[ast.arg], wanted: dict[str, Annotation]
    ) -> dict[str, tuple[ast.expr, Any]]:
        """What the parameters of a function stand for in a call, in its order, and where that is written."""
        name, names = definition.node.name, [parameter.arg for parameter in parameters]
        defaults, by_name = definition.defaults, len(definition.node.args.kwonlyargs)
        by_place, rest = names[: len(names) - by_name], definition.node.args.vararg
        shown = [f"{p} = {defaults[p]}" if p in defaults else p for p in names]
        star = ["*" + (rest.arg if rest else "")] if rest or by_name else []
        form = ", ".join([*shown[: len(by_place)], *star, *shown[len(by_place) :]])
        found: dict[str, tuple[ast.expr, Any]] = {}
        for key, argument in (*zip(by_place, node.args), *((keyword.arg, keyword.value) for keyword in node.keywords)):  # noqa: B905
            if isinstance(argument, ast.Starred) or key is None:
                self.scope.source.unsupported(argument, "Starred")
            if key not in names or key in found:
                what = "is given twice:" if key in found else f"is no parameter{like(key, names) or ':'}"
                self.fail(argument, f"{key} {what} write {name}({form})")
            found[key] = argument, self._given(argument, wanted.get(key))
        for key, value in defaults.items():
            if key not in found:
                found[key] = node, literal(value) if isinstance(value, (int, float)) else value
        if len(node.args) > len(by_place) and rest is None:
            self.fail(node, self.counted(name, form, len(node.args), len(by_place)))
        missing = [key for key in names if key not in found]
        if missing:
            self.fail(node, f"{missing[0]} is missing: write {name}({form})")
        return found

    def _given(self, argument: ast.expr, wanted: Annotation | None) -> Any:
        """What a function is called with: an array, a tuple, or a value."""
        found = self.static(argument)
        if found is MISSING:
            found = row_of(self, argument) or MISSING
        if isinstance(found, ArrayRef) or (isinstance(found, _STATIC) and wanted is None):
            return found
        return self.array(argument) if isinstance(wanted, ArrayType) else self.any_value(argument)

    def _bind(
        self, definition: Definition, passed: dict[str, tuple[ast.expr, Any]], wanted: dict[str, Annotation]
    ) -> Source:
        """The source of a function where its type variables are the types of its arguments."""
        types: dict[TypeVar, Type] = {}
        weak: list[tuple[ast.expr, TypeVar, Type]] = []
        for name, annotated in wanted.items():
            argument, given = passed[name]
            for variable, found in _pairs(annotated, given):
                if isinstance(found.ty, Weak):  # counts if nothing else decides
                    weak.append((argument, variable, default(found.ty)))
                elif types.setdefault(variable, found.ty) is not found.ty:
                    before = f"{variable.__name__} is {types[variable]} by an argument before"
                    self.fail(argument, f"{before}, and {found.ty} by this one")
                else:
                    self._check_choice(argument, variable, found.ty)
        for argument, variable, ty in weak:
            if variable not in types:
                self._check_choice(argument, variable, ty)
                types[variable] = ty
        for variable, place in definition.variables.items():
            if variable not in types:
                called = definition.node.name
                definition.source.fail(place, f"no parameter of {called} says what {variable.__name__} is")
        return definition.source.within({}, types)

    def _check_choice(self, node: ast.AST, variable: TypeVar, ty: Type) -> None:
        if variable.__constraints__ and ty not in variable.__constraints__:
            listed = ", ".join(map(str, variable.__constraints__))
            self.fail(node, f"{variable.__name__} is one of {listed}, and this is {ty}")

    def _argument(self, source: Source, parameter: ast.arg, argument: ast.expr, given: Any) -> Any:
        """What a parameter of an inlined function stands for: an array, a tuple, or a value of its type."""
        wanted = None if parameter.annotation is None else annotation(source, parameter.annotation)
        if isinstance(given, ArrayRef) and wanted not in (None, ArrayType(given.means, given.ndim)):
            have, name = ArrayType(given.means, given.ndim), shown(wanted)
            self.fail(argument, f"{given.title} is {have}, and {name} is wanted here")
        if isinstance(wanted, PartsType) and isinstance(given, tuple):
            given = self.object_value(argument, given)
        if isinstance(given, (Value, Parts)) and isinstance(wanted, (Type, PartsType)):
            return self.conform(argument, given, wanted)
        return given

    def stmt_Return(self, node: ast.Return) -> None:
        scope = self.scope
        if scope.returns is None:
            if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
                self.fail(node.value, "a kernel returns nothing: store the result in an array")
            self.leave()
        else:
            value = None if node.value is None else self.any_value(node.value)
            returned = "nothing"
            if value is not None:
                several = isinstance(value, Parts) and isinstance(value.form, Tuple)
                returned = f"{len(value.values)} values" if several else "a value"  # type: ignore[union-attr]
            if scope.returned not in ("", returned):
                if "nothing" in (scope.returned, returned):
                    self.fail(node, f"{scope.name} returns a value on some paths only: return one on all of them")
                self.fail(node, f"{scope.name} returns {scope.returned} elsewhere, and {returned} here")
            scope.returned = returned
            if value is not None:
                to = Meeting(scope.results, (scope.path,), lambda: self._kept(scope), self.choice)
                self.put(to, node, "return", "return", value, node.value or node)
            self.jump(scope.returns)
        scope.assigned = None

    def _kept(self, scope: Scope) -> Register:
        """A register for one of the values that a function returns."""
        register = self.take()
        self.temporaries[scope.level].append(register)
        return register


def _pairs(annotated: Any, found: Any) -> list[tuple[TypeVar, Any]]:
    """The type variables in an annotation, each with the value or array that says what it is."""
    if isinstance(annotated, PartsType) and isinstance(found, Parts) and annotated.form == found.form:
        return [pair for inner in zip(annotated.types, found.values, strict=True) for pair in _pairs(*inner)]
    variable = annotated.ty if isinstance(annotated, ArrayType) else annotated
    fit = ArrayRef if isinstance(annotated, ArrayType) else Value
    return [(variable, found)] if isinstance(variable, TypeVar) and isinstance(found, fit) else []


def check_signature(source: Source, node: ast.FunctionDef, inlined: bool = False) -> list[ast.arg]:
    """The parameters of a kernel: positional ones. Of a function that is inlined also those that are given by name
    only; it may have *args beside them. Raises TranslateError."""
    arguments = node.args
    for extra in (arguments.kwarg, *((arguments.vararg, *arguments.kwonlyargs) if not inlined else ())):
        if extra is not None:
            what = "**kwargs is" if inlined else "*args, **kwargs and keyword-only parameters are"
            source.fail(extra, f"{what} not available: list the parameters")
    return parameters_of(node)


def annotation(source: Source, node: ast.expr) -> Annotation:
    """What an annotation says: a type, a type variable or an array. Raises TranslateError."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            inner = ast.parse(node.value, mode="eval").body
        except SyntaxError:
            inner = node
        for part in ast.walk(inner):
            ast.copy_location(part, node)
        node = inner
    found = parts_type(source, node) or source.resolve(node)
    if isinstance(node, ast.Subscript) and (kind := source.resolve(node.value)) in (Array, Elements):
        item = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        ndim = source.fold(item[1]) if len(item) > 1 else 1
        element = resolved(source, item[0])
        element = (parts_type(source, item[0]) or MISSING) if element is MISSING else element
        if element is MISSING:
            source.fail(item[0], f"{ast.unparse(item[0])} is not known here: write hg.Array[hg.f32]")
        try:
            return ArrayType(element, ndim, placed=kind is Elements)
        except TranslateError as error:
            source.fail(node, str(error))
    if isinstance(found, ArrayType):  # under another name
        return replace(found, ty=source.meant(found.ty))
    if isinstance(found, PartsType):
        return found.meant(source.meant)
    if isinstance(found, (Type, TypeVar, ConstantType)):
        return found
    if isinstance(node, ast.Subscript) and source.resolve(node.value) is Constant:
        try:
            wanted: ConstantType = Constant.__class_getitem__(source.resolve(node.slice))
        except TranslateError as error:
            source.fail(node, str(error))
        return wanted
    text = ast.unparse(node)
    last = text.partition("[")[0].rpartition(".")[2]
    from .elsewhere import INSTEAD_OF_TYPES

    instead = INSTEAD_OF_TYPES.get(last, "hg.f32, hg.i32 and so on, or hg.Array[hg.f32]")
    source.fail(node, f"{text} is no type of a parameter: write {instead}")


def _returned(source: Source, node: ast.expr) -> Type | PartsType:
    """The type in the annotation of what a function returns. Raises TranslateError."""
    ty = annotation(source, node)
    if not isinstance(ty, (Type, PartsType)):
        source.fail(node, f"functions return numbers, and {shown(ty)} is none: leave the annotation out")
    return ty
