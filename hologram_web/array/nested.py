"""Trees: dicts, lists, tuples and named tuples with arrays and numbers as leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..errors import LaunchError, outermost

__all__ = ["KNOWN", "LEAF", "flatten", "flattened", "paths", "tree_leaves", "tree_map", "unflatten"]

LEAF = None  # the form of a leaf
KNOWN: set[type] = {str, bool, bytes, type(None)}  # leaves that are part of the form: their value is known


def flatten(tree: Any, leaves: list[Any]) -> Any:
    """Adds the leaves of a tree to a list, dicts in the order of their keys; gives its form, which can be hashed."""
    kind = type(tree)
    if kind is dict:
        keys = tuple(sorted(tree))
        return dict, keys, tuple([flatten(tree[key], leaves) for key in keys])
    if kind in KNOWN:
        return "known", tree, ()
    if kind is tuple or kind is list or hasattr(tree, "_fields"):
        return kind, None, tuple([flatten(each, leaves) for each in tree])
    leaves.append(tree)
    return LEAF


def flattened(tree: Any) -> tuple[list[Any], Any]:
    """The leaves of a tree, and its form."""
    leaves: list[Any] = []
    form = flatten(tree, leaves)
    return leaves, form


def unflatten(form: Any, leaves: Iterator[Any]) -> Any:
    """The tree of a form with these leaves."""
    if form is LEAF:
        return next(leaves)
    kind, keys, inner = form
    if kind == "known":
        return keys
    parts = [unflatten(each, leaves) for each in inner]
    if kind is dict:
        return dict(zip(keys, parts, strict=True))
    if kind is list:
        return parts
    return tuple(parts) if kind is tuple else kind(*parts)


def paths(form: Any, prefix: str = "") -> Iterator[str]:
    """A name for each leaf: keys and numbers on the way to it, with dots between."""
    if form is LEAF:
        yield prefix
        return
    kind, keys, inner = form
    names: Iterable[Any] = keys if kind is dict else getattr(kind, "_fields", range(len(inner)))
    for name, each in zip(names, inner, strict=False):
        yield from paths(each, f"{prefix}.{name}" if prefix else str(name))


def tree_leaves(tree: Any) -> list[Any]:
    """The leaves of a tree in their order: dicts by their keys, sorted."""
    return flattened(tree)[0]


@outermost
def tree_map(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """A tree of what a function gives for the leaves of trees of one form. Raises LaunchError."""
    leaves, form = flattened(tree)
    rows = [leaves]
    for other in others:
        more, found = flattened(other)
        if found != form:
            raise LaunchError(
                f"trees of one form go together: one has the leaves {named(form)}, another {named(found)}"
            )
        rows.append(more)
    return unflatten(form, iter([function(*each) for each in zip(*rows, strict=True)]))


def named(form: Any) -> str:
    """The leaves of a form, as messages show them."""
    return ", ".join(path or "one alone" for path in paths(form)) or "none"
