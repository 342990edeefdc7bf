"""Warnings, and what to write instead of Python's syntax that kernels do not have: `elsewhere.py` has names."""

from __future__ import annotations

__all__ = [
    "NODES",
    "LaunchWarning",
    "LostWarning",
    "RaceWarning",
    "SignWarning",
    "WrapWarning",
]


class SignWarning(UserWarning):
    """A kernel mixes signed and unsigned integers in a type that does not hold all values of both."""


class LaunchWarning(UserWarning):
    """A launch runs, and may not be what is meant."""


class RaceWarning(UserWarning):
    """Lanes of a kernel may change one element with nothing that orders them: some of what they do is lost."""


class LostWarning(UserWarning):
    """What a kernel computes is lost: nothing reads it."""


class WrapWarning(UserWarning):
    """An operation on integers of 8 or 16 bits may wrap, and its result is used where others promote them first."""


# By the name of the syntax node.
NODES = {
    "AnnAssign": "annotate one name at a time: total: hg.f32 = 0",
    "Assert": "assert is not available: test with if, and return or store a flag",
    "AsyncFor": "async is not available: lanes run side by side already; use for",
    "AsyncFunctionDef": "async is not available: write def",
    "AsyncWith": "async is not available",
    "Await": "await is not available: a launch waits for all lanes",
    "Bytes": "bytes are no number: take one of them, b[0], loop over them, or pass an hg.Array[hg.u8]",
    "ClassDef": "classes are not available in a kernel: use functions and arrays",
    "Delete": "del is not available: registers are freed by themselves",
    "Dict": "dicts are not available: use an array, or a tuple at module level",
    "DictComp": "comprehensions are not available: write a for loop",
    "GeneratorExp": "comprehensions are not available: write a for loop",
    "Global": "global is not available: lanes give results through arrays",
    "Import": "import is not available in a kernel: import at module level",
    "ImportFrom": "import is not available in a kernel: import at module level",
    "JoinedStr": "text is not available: kernels compute with numbers",
    "Lambda": "a lambda is no number: give it a name, f = lambda a: a * 2, and call that, or pass it to a function",
    "List": "lists are not available: use hg.local(type, size), or a tuple at module level",
    "ListComp": "comprehensions are not available: write a for loop",
    "MatMult": "@ is not available in a kernel: write the loops",
    "Match": "match is not available: use if and elif",
    "NamedExpr": ":= is not available: assign in a line of its own",
    "Nonlocal": "nonlocal is not available: lanes give results through arrays",
    "Raise": "raise is not available: store a flag in an array",
    "Set": "sets are not available: use an array",
    "SetComp": "comprehensions are not available: write a for loop",
    "Slice": "a part of an array is no element: give it a name, part = x[1:3], or loop over its elements",
    "Starred": "* is not available here: write the values one by one",
    "Str": "text is no number: ord(c) is that of a character",
    "TemplateStr": "text is not available: kernels compute with numbers",
    "Try": "try is not available: a fault ends the launch and the host gets ExecutionError",
    "TryStar": "try is not available: a fault ends the launch and the host gets ExecutionError",
    "Tuple": "a tuple is no number: assign its elements to names of their own",
    "TypeAlias": "type is not available in a kernel",
    "With": "with is not available in a kernel",
    "Yield": "yield is not available: store results in an array",
    "YieldFrom": "yield is not available: store results in an array",
    "In": "in is not available: compare with ==, or write a loop",
    "NotIn": "not in is not available: compare with !=, or write a loop",
    "Is": "is is not available: compare with ==",
    "IsNot": "is not is not available: compare with !=",
    "None": "None is not available: use a number with a meaning of your choice",
}
