"""What is said of names, attributes and calls that mean nothing in a kernel. Loaded when there are some."""

from __future__ import annotations

import ast
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

from ...errors import like
from ...isa.row import REQUIRED
from ...isa.table import BY_MNEMONIC
from ...isa.types import Type
from .elsewhere import CALLS, ELSEWHERE, METHODS, MODULES
from .emit import ArrayRef
from .expressions import ArrayShape
from .names import INTRINSICS, KERNEL_NAMES, LIBRARY
from .source import MISSING, OF_TYPES
from .types import Value

if TYPE_CHECKING:
    from .calls import Calls
    from .expressions import Expressions

__all__ = ["unknown_call", "unknown_name"]

_BUILTINS = ("abs", "bool", "divmod", "enumerate", "float", "int", "len", "max", "min", "pow", "range", "round", "zip")
# What else NumPy's functions are called, and how this language says it.
_NUMPY = {"absolute": "abs(...)", "around": "round(...)", "fabs": "abs(...)", "rint": "round(...)"}
# Operations on arrays that collectives have other names for.
_OPERATIONS = {
    "argmax": "arg_max",
    "argmin": "arg_min",
    "argsort": "sort",
    "cumsum": "cum_sum",
    "einsum": "tensor_contract",
}
_OPERATIONS |= {"ifft": "fft", "rfft": "fft", "matmul": "gemm", "topk": "top_k", "upsample2d": "resize2d"}
_OPERATIONS |= {"permute": "transpose", "quantized_matmul": "quantized_gemm", "sparse_matmul": "sparse_gemm"}
_NUMPY |= dict.fromkeys(("array", "empty", "full", "ones"), "hg.local(type, size)")


def unknown_name(kernel: Expressions, node: ast.AST) -> NoReturn:
    """Raises TranslateError for a name or attribute."""
    text = ast.unparse(node)
    instead = _elsewhere(text)
    if not isinstance(node, ast.Attribute):
        if text in MODULES:
            kernel.fail(node, f"the name {text} is not known: write {MODULES[text]} at the top of the file")
        advice = f": write {instead}" if instead else like(text, _names(kernel))
        otherwise = ": assign it before, or make it a parameter or a module constant"
        kernel.fail(node, f"the name {text} is not known{advice or otherwise}")
    name, owner, first = node.attr, kernel.static(node.value), node.value
    while isinstance(first, ast.Attribute):
        first = first.value
    if isinstance(owner, ArrayRef):
        near = like(name, ("shape",)) or ": arrays have shape, len(x) and elements"
        kernel.fail(node, f"arrays have no {name} in a kernel{': ' + METHODS[name] if name in METHODS else near}")
    if isinstance(owner, Type):
        near = like(name, OF_TYPES) or f": there are {', '.join(OF_TYPES)}"
        kernel.fail(node, f"types have no {name} in a kernel{near}")
    if isinstance(owner, ModuleType):
        module, ours = ast.unparse(node.value), owner.__name__ == "hologram_web"
        near = like(name, sorted(KERNEL_NAMES) if ours else dir(owner), f"{module}.")
        otherwise = ": docs/kernel_reference.md has the names that kernels use" if ours else ""
        kernel.fail(node, f"{module} has no {name}{f': write {instead}' if instead else near or otherwise}")
    if instead and isinstance(first, ast.Name) and first.id not in MODULES and kernel.scope_of(first.id) is None:
        kernel.fail(node, f"{text} is not known in a kernel: write {instead}")
    kernel.value(node.value)  # which may be wrong itself
    kernel.fail(node, f"numbers have no attribute {name} in a kernel")


def unknown_call(kernel: Calls, node: ast.Call, called: Any) -> NoReturn:
    """Raises TranslateError for a call of something that kernels do not call."""
    text = ast.unparse(node.func)
    short, first = text.rpartition(".")[2], text.partition(".")[0]
    known = short in INTRINSICS or short in LIBRARY
    if isinstance(called, (Value, int, float, tuple, ArrayRef, ArrayShape)) or kernel.is_local(node.func):
        kernel.fail(node, f"{text} is no function")
    if called is MISSING:
        if not isinstance(node.func, (ast.Name, ast.Attribute)):
            kernel.fail(node, "only functions are called, by their name")
        if isinstance(node.func, ast.Attribute):
            owner = kernel.static(node.func.value)
            if isinstance(owner, (ArrayRef, Value)) or kernel.is_local(node.func.value) or first in MODULES:
                unknown_name(kernel, node.func)
        if short in KERNEL_NAMES:
            kernel.fail(node, f"the function {text} is not known: write hg.{short}(...)")
        if (collective := _collective(short)) is not None:
            kernel.fail(node, f"the function {text} is not known: write {collective}")
        if isinstance(node.func, ast.Name) and short not in ELSEWHERE:
            near = like(short, _names(kernel)) or like(short, sorted(KERNEL_NAMES), "hg.")
            kernel.fail(node, f"the function {text} is not known{near or ': define it above the kernel'}")
        unknown_name(kernel, node.func)
    root = (getattr(called, "__module__", None) or type(called).__module__ or "").partition(".")[0]
    if root in ("numpy", "math", "cmath"):
        instead = f"hg.{short}(...)" if known else _NUMPY.get(short) or _elsewhere(short) or "a loop over the elements"
        library = "NumPy" if root == "numpy" else root
        kernel.fail(node, f"{text} is a {library} function, and kernels do not run Python: write {instead}")
    if text in CALLS:
        kernel.fail(node, f"{text}() is not available in a kernel: {CALLS[text]}")
    if type(called).__name__.endswith("Kernel"):
        kernel.fail(
            node, f"{text} is a kernel: the host launches it; make what both need a function without @hg.kernel"
        )
    if root == "hologram_web":
        other = _collective(short) or _elsewhere(short)
        kernel.fail(node, f"{text} is for the host: {f'write {other}' if other else 'call it outside of kernels'}")
    other = _elsewhere(text)
    advice = f"write {other}" if other else "only functions made by def and the functions of hg can"
    kernel.fail(node, f"{text} cannot be called in a kernel: {advice}")


def _elsewhere(text: str) -> str | None:
    """What a name of another system is here: of cuda.threadIdx.x the last part that says something."""
    return next((ELSEWHERE[part] for part in reversed(text.split(".")) if part in ELSEWHERE), None)


def _collective(name: str) -> str | None:
    """How what the whole launch does is called, by a name that hg.ops may have, too."""
    row = BY_MNEMONIC.get(_OPERATIONS.get(name, name))
    if row is None or not row.collective:
        return None
    given = [each.name for each in row.operands if each.kind != "type" and each.default is REQUIRED]
    return f"hg.tensor.{row.mnemonic}({', '.join(given)})"


def _names(kernel: Expressions) -> list[str]:
    """The names that mean something here."""
    found, scope = [*_BUILTINS, *MODULES], kernel.scope
    while True:
        found += [*scope.bound, *scope.local_names]
        if scope.around is None:
            return found + [name for name in kernel.scope.source.names if not name.startswith("_")]
        scope = scope.around
