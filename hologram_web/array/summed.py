"""Einstein's sums of products: by products of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from string import ascii_letters
from typing import Any

from ..errors import LaunchError
from ..runtime.executor import Buffer
from .array import Array, array_of
from .node import misfit, misshapen, view
from .types import promoted
from .view import View, row_major

__all__ = ["einsum"]


def einsum(text: str, /, *operands: Array) -> Array:
    """NumPy's einsum: letters name axes, `...` those in front or between that have no letters, which are as long in all
    arrays; those that the result has not are summed. Operands are multiplied from left to right, two at a time, as
    products of matrices."""
    if not isinstance(text, str):
        raise LaunchError(f"einsum takes a text first, such as 'ij,jk->ik', not {type(text)}")
    executor = next((each.executor for each in operands if isinstance(each, (Array, Buffer))), None)
    given = [array_of(each, executor) for each in operands]
    inputs, arrow, output = _spelled(text.replace(" ", ""), given).partition("->")
    names, letters = inputs.split(","), inputs.replace(",", "")
    if len(names) != len(given) or not given or not (letters + output + "i").isalpha():
        raise LaunchError(f"{text!r} does not name the axes of {len(given)} arrays by letters")
    if not arrow:
        output = "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))
    sizes: dict[str, int] = {}
    for number, (name, array) in enumerate(zip(names, given, strict=True)):
        if len(name) != array.ndim:
            several = "axis is" if len(name) == 1 else "axes are"
            raise misshapen("einsum", f"operand {number}", array.shape, f"{len(name)} {several} expected, {name!r}")
        for axis, (letter, length) in enumerate(zip(name, array.shape, strict=True)):
            if sizes.setdefault(letter, length) != length:
                wanted = f"{sizes[letter]} is expected, as of {letter!r} before"
                raise misfit("einsum", f"operand {number}", array.shape, axis, wanted)
    if set(output) - set(sizes) or len(set(output)) < len(output):
        raise LaunchError(f"{text!r}: the result has axes of the arrays, each once")
    name, found = _alone(names[0], given[0], set(output).union(*names[1:]))
    for number in range(1, len(given)):
        later = set(output).union(*names[number + 1 :])
        other, right = _alone(names[number], given[number], later | set(name))
        name, found = _pair(name, found, other, right, later, sizes)
    name, found = _alone(name, found, set(output))
    return _arranged(name, found, output)


def _spelled(text: str, given: Sequence[Array]) -> str:
    """The text with letters in place of `...`."""
    inputs, arrow, output = text.partition("->")
    names = inputs.split(",")
    if "..." not in text or len(names) != len(given) or any(name.count("...") > 1 for name in (*names, output)):
        return text
    if not arrow:
        output = "..." + "".join(sorted(each for each in {*inputs} - {*".,"} if inputs.count(each) == 1))
    further = [max(x.ndim - len(name) + 3, 0) if "..." in name else 0 for name, x in zip(names, given, strict=True)]
    spare = "".join(letter for letter in ascii_letters if letter not in text)[: max(further, default=0)]
    if spare and "..." not in output:
        raise LaunchError(f"{text!r}: the result has the axes of ..., too")
    names = [name.replace("...", spare[len(spare) - n :]) for name, n in zip(names, further, strict=True)]
    return f"{','.join(names)}->{output.replace('...', spare)}"


def _arranged(name: str, array: Array, wanted: str) -> Array:
    return array.transpose([name.index(letter) for letter in wanted]) if wanted else array


def _alone(name: str, array: Array, kept: set[str]) -> tuple[str, Array]:
    """An array without the axes that nobody else has, which are summed; of axes of one name the diagonal."""
    if len(set(name)) < len(name):
        strides, letters = row_major(array.shape), "".join(dict.fromkeys(name))
        steps = [sum(s for s, each in zip(strides, name, strict=True) if each == letter) for letter in letters]
        shape = tuple(array.shape[name.index(letter)] for letter in letters)
        name, array = letters, Array(view(array.node, View(shape, tuple(steps))), array.executor)
    gone = [axis for axis, letter in enumerate(name) if letter not in kept]
    return "".join(letter for letter in name if letter in kept), array.sum(axis=gone) if gone else array


def _pair(a: str, left: Array, b: str, right: Array, later: set[str], sizes: dict[str, int]) -> tuple[str, Array]:
    """The product of two arrays, summed along the axes that both have and nobody later."""
    both = [letter for letter in a if letter in b]
    stack = "".join(letter for letter in both if letter in later)
    summed = "".join(letter for letter in both if letter not in later)
    rows, columns = ("".join(letter for letter in name if letter not in both) for name in (a, b))

    def shape(*groups: str) -> list[int]:
        return [prod(sizes[letter] for letter in group) for group in groups]

    ty: Any = promoted(left.dtype, right.dtype)
    x = _arranged(a, left.astype(ty), stack + rows + summed).reshape(shape(stack, rows, summed))
    y = _arranged(b, right.astype(ty), stack + summed + columns).reshape(shape(stack, summed, columns))
    made = (x @ y) if stack else (x.squeeze(0) @ y.squeeze(0))
    name = stack + rows + columns
    return name, made.reshape([sizes[letter] for letter in name])
