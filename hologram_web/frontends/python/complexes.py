"""Complex numbers: values with a real and an imaginary part, both of one float type.

A number that meets one stays a number where that gives the same (C99, annex G): 2 * z is two products. Division is
Smith's, as NumPy's is, which overflows only where the quotient is near to.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from ...isa.elements import Element
from ...isa.types import Type
from .arithmetic import literal
from .compounds import AnyValue, Compound, Parts, PartsType
from .types import Value, Weak, default, float_of, join

if TYPE_CHECKING:
    from .calls import Calls
    from .expressions import Expressions
    from .parts import PartValues

__all__ = ["COMPLEX", "complex_literal", "complex_of", "conjugate", "type_of_complex"]

_MOST = 64  # the exponent that is written out, as that of numbers


@dataclass(frozen=True)
class Complex(Compound):
    """Complex numbers."""

    uniform = True
    lifts = True
    indexed = False

    def __str__(self) -> str:
        return "complex"

    def lifted(self, kernel: PartValues, node: ast.AST, value: Value) -> Parts:
        return Parts(self, (_float(kernel, node, value), literal(0.0)))

    def attribute(self, kernel: Expressions, node: ast.Attribute, parts: tuple[AnyValue, ...]) -> AnyValue:
        if node.attr in ("conj", "conjugate"):
            kernel.fail(node, f"{node.attr} is a function: call it, {ast.unparse(node)}()")
        self.no_attribute(kernel, node)

    def binary(self, kernel: Expressions, node: ast.AST, operator: ast.operator, a: AnyValue, b: AnyValue) -> AnyValue:
        for value in (a, b):
            if isinstance(value, Parts) and value.form != self:
                return value.form.binary(kernel, node, operator, a, b)
        make = _OPERATORS.get(type(operator))
        if isinstance(operator, ast.Pow) and isinstance(a, Parts):
            return _power(kernel, node, a, b)
        if make is None:
            kernel.fail(node, f"{kernel.sign(operator)} does not work on complex numbers: they have + - * / and **")
        found: AnyValue = make(_Of(kernel, node), _pair(kernel, node, a), _pair(kernel, node, b))
        return found

    def unary(self, kernel: Expressions, node: ast.UnaryOp, value: Parts) -> AnyValue:
        if isinstance(node.op, ast.Invert):
            kernel.fail(
                node, "~ works on integers, not complex numbers: write z.conjugate() for the other sign of z.imag"
            )
        return kernel.each(self, lambda part: kernel.unary(node, part), value)

    def math(self, kernel: Calls, node: ast.Call, make: Callable[..., AnyValue], values: list[AnyValue]) -> AnyValue:
        called = kernel.static(node.func)
        name = getattr(called, "name", getattr(called, "__name__", ""))
        if name not in ("abs", "exp"):
            kernel.fail(
                node, f"{ast.unparse(node.func)} is of real numbers: complex ones have abs, hg.exp and z.conjugate()"
            )
        from . import complex_library

        hidden = "complex.argument"  # that no text can name; the argument is computed once
        of, given = _Of(kernel, node), values[0]
        if isinstance(given, Parts):  # of constants, too: those have no type that could settle
            given = kernel.each(self, lambda part: of.typed(part, default(part.ty)), given)
        kernel.scope.bound[hidden] = given
        call = ast.copy_location(ast.Call(node.func, [ast.copy_location(ast.Name(hidden, ast.Load()), node)], []), node)
        found: AnyValue | None = kernel.inline(call, kernel.definition(getattr(complex_library, name)))
        del kernel.scope.bound[hidden]
        assert found is not None
        return found


COMPLEX = Complex(("real", "imag"))


class _Of:
    """Arithmetic of parts; None is a part that is not there, of a number."""

    def __init__(self, kernel: Expressions, node: ast.AST) -> None:
        self.kernel, self.node = kernel, node

    def __call__(self, operator: ast.operator, a: Any, b: Any) -> Any:
        with self.kernel.pinned(a), self.kernel.pinned(b):
            return self.kernel.binary(self.node, operator, a, b)

    def select(self, condition: Any, a: Any, b: Any) -> Any:
        with self.kernel.pinned(condition), self.kernel.pinned(a), self.kernel.pinned(b):
            return self.kernel.chosen(
                self.node, self.kernel.truth_of(self.node, condition), a, b, (self.node, self.node)
            )

    def test(self, operator: ast.cmpop, a: Any, b: Any) -> Any:
        with self.kernel.pinned(a), self.kernel.pinned(b):
            return self.kernel.compare(self.node, operator, a, b)

    def both(self, a: Any, b: Any) -> Any:
        with self.kernel.pinned(a), self.kernel.pinned(b):
            return self.kernel.both_hold(a, b)

    def size(self, a: Any) -> Any:
        """|a|."""
        ty = default(a.ty)
        with self.kernel.pinned(a):
            return Value(ty, self.kernel.op("ABS", ty, self.kernel.register(self.node, a, ty), keep=True))

    def typed(self, a: Any, ty: Type) -> Any:
        with self.kernel.pinned(a):
            return a if a.ty is ty else Value(ty, self.kernel.register(self.node, a, ty))

    def negative(self, a: Any) -> Any:
        node = ast.copy_location(ast.UnaryOp(ast.USub(), ast.Constant(0)), self.node)
        with self.kernel.pinned(a):
            return self.kernel.unary(node, a)


def _float(kernel: PartValues, node: ast.AST, value: Value) -> Value:
    """A number as a float."""
    if value.const is not None and isinstance(value.ty, Weak):
        return literal(float(value.const))
    ty = default(float_of(value.ty if value.ty is not Weak.BOOL else Weak.FLOAT))
    return value if value.ty is ty or value.ty is Weak.FLOAT else Value(ty, kernel.register(node, value, ty))


def _pair(kernel: Expressions, node: ast.AST, value: AnyValue) -> tuple[Any, Any]:
    """The parts of a complex number; None for the second one of a number."""
    if isinstance(value, Parts):
        return value.values[0], value.values[1]
    return _float(kernel, node, value), None


def _complex(real: Any, imag: Any) -> Parts:
    return Parts(COMPLEX, (real, imag))


def _sum(of: _Of, a: tuple[Any, Any], b: tuple[Any, Any]) -> Parts:
    imag = of(ast.Add(), a[1], b[1]) if a[1] and b[1] else a[1] or b[1]
    return _complex(of(ast.Add(), a[0], b[0]), imag)


def _difference(of: _Of, a: tuple[Any, Any], b: tuple[Any, Any]) -> Parts:
    imag = of(ast.Sub(), a[1], b[1]) if a[1] and b[1] else a[1] or of.negative(b[1])
    return _complex(of(ast.Sub(), a[0], b[0]), imag)


def _product(of: _Of, a: tuple[Any, Any], b: tuple[Any, Any]) -> Parts:
    if not a[1]:
        a, b = b, a
    if not b[1]:
        return _complex(of(ast.Mult(), a[0], b[0]), of(ast.Mult(), a[1], b[0]))
    real = of(ast.Sub(), of(ast.Mult(), a[0], b[0]), of(ast.Mult(), a[1], b[1]))
    return _complex(real, of(ast.Add(), of(ast.Mult(), a[0], b[1]), of(ast.Mult(), a[1], b[0])))


def _quotient(of: _Of, a: tuple[Any, Any], b: tuple[Any, Any]) -> Parts:
    if not b[1]:
        return _complex(of(ast.Div(), a[0], b[0]), of(ast.Div(), a[1], b[0]))
    a = a[0], a[1] or literal(0.0)
    if all(part.const is not None for part in (*a, *b)) and any(part.const for part in b):
        return complex_literal(complex(a[0].const, a[1].const) / complex(b[0].const, b[1].const))
    kind = reduce(
        join, (part.ty for part in (*a, *b))
    )  # of literals, too: a ratio of F32 would have lost what F64 holds
    a, b = (tuple(of.typed(part, default(kind)) for part in pair) for pair in (a, b))
    larger = of.test(ast.GtE(), of.size(b[0]), of.size(b[1]))
    high, low = of.select(larger, b[0], b[1]), of.select(larger, b[1], b[0])
    u, v = of.select(larger, a[0], a[1]), of.select(larger, a[1], a[0])
    zero = of.both(larger, of.test(ast.Eq(), high, literal(0.0)))
    ratio = of.select(zero, literal(0.0), of(ast.Div(), low, high))
    whole = of.select(zero, of.size(high), of(ast.Add(), high, of(ast.Mult(), low, ratio)))
    scale = of(ast.Div(), literal(1.0), whole)
    along, turned = (of.select(zero, literal(0.0), of(ast.Mult(), part, ratio)) for part in (v, u))
    real = of(ast.Mult(), of(ast.Add(), u, along), scale)
    imag = of.select(larger, of(ast.Sub(), v, turned), of(ast.Sub(), turned, v))
    return _complex(real, of(ast.Mult(), imag, scale))


_OPERATORS = {ast.Add: _sum, ast.Sub: _difference, ast.Mult: _product, ast.Div: _quotient}


def _power(kernel: Expressions, node: ast.AST, a: Parts, b: AnyValue) -> AnyValue:
    exponent = b.const if isinstance(b, Value) else None
    if not isinstance(exponent, int) or isinstance(exponent, bool) or abs(exponent) > _MOST:
        kernel.fail(node, f"** of complex numbers takes a literal whole exponent, at most {_MOST}")
    of, base, left = _Of(kernel, node), a, abs(exponent)
    found: Parts | None = None  # not 1: an infinity times 1 + 0j has NaN
    while left:
        if left & 1:
            found = _times(of, found, base) if found else base
        left >>= 1
        base = _times(of, base, base) if left else base
    found = found or _complex(literal(1.0), literal(0.0))
    return found if exponent >= 0 else _quotient(of, (literal(1.0), literal(0.0)), (found.values[0], found.values[1]))


def _times(of: _Of, a: Parts, b: Parts) -> Parts:
    return _product(of, (a.values[0], a.values[1]), (b.values[0], b.values[1]))


def complex_literal(value: complex) -> Parts:
    """The value of Python's complex number."""
    return _complex(literal(value.real), literal(value.imag))


def complex_of(kernel: Expressions, node: ast.Call, called: Any) -> Parts:
    """`complex(a, b)`, `hg.complex64(a, b)`, `hg.complex64(z)`."""
    if node.keywords or not 1 <= len(node.args) <= 2:
        name = ast.unparse(node.func)
        kernel.fail(node, f"write {name}(real, imag) or {name}(z): arguments are missing or too many")
    if len(node.args) == 2:
        real, imag = (_float(kernel, argument, kernel.value(argument)) for argument in node.args)
        found = _complex(real, imag)
    else:
        one = kernel.any_value(node.args[0])
        if isinstance(one, Parts) and one.form != COMPLEX:
            kernel.no_number(node.args[0], one)
        found = one if isinstance(one, Parts) else COMPLEX.lifted(kernel, node, one)
    if called is complex:
        return found
    ty = called.storage
    return _complex(*(_as(kernel, node, part, ty) for part in found.values))


def _as(kernel: Expressions, node: ast.AST, value: Any, ty: Type) -> Value:
    if value.const is not None:
        return Value(ty, const=ty.from_float(float(value.const)))
    return Value(ty, kernel.register(node, value, ty))


def conjugate(kernel: Expressions, node: ast.AST, value: AnyValue) -> AnyValue:
    """z with the other sign of its imaginary part; a number is its own."""
    if not isinstance(value, Parts) or value.form != COMPLEX:
        if isinstance(value, Parts):
            kernel.no_number(node, value)
        return value
    return _complex(value.values[0], _Of(kernel, node).negative(value.values[1]))


def type_of_complex(element: Element) -> PartsType:
    """What `hg.complex64` means as an annotation of a value."""
    return PartsType(COMPLEX, (element.storage, element.storage))
