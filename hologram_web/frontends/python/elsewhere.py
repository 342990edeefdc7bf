"""What to write instead of names that other systems have, and of syntax that kernels do not have: tables, which errors
alone read."""

from __future__ import annotations

from ...isa.types import Type

__all__ = ["CALLS", "ELSEWHERE", "INSTEAD_OF_TYPES", "METHODS", "MODULES", "NODES", "ON_THE_HOST"]

# By the name of what is called.
CALLS = {
    "dict": "use an array",
    "isinstance": "types are known from the annotations",
    "list": "use hg.local(type, size)",
    "map": "write a for loop",
    "open": "pass data as arrays",
    "range": "range stands only in for i in range(...)",
    "sorted": "sort on the host",
    "str": "kernels compute with numbers",
    "tuple": "write the values one by one",
    "type": "types are known from the annotations",
}

# By a name that other systems have.
ELSEWHERE = {
    "abs": "abs(x)",
    "atomic": "hg.atomic_add(array, i, value) and its kin",
    "atomic_sub": "hg.atomic_add with the number negated",
    "blockDim": "hg.block_dim(axis)",
    "blockIdx": "hg.block_id(axis)",
    "cuda": "hg.global_id(axis), hg.barrier() and their kin",
    "dist": "hg.length(a - b)",
    "distance": "hg.length(a - b)",
    "double": "hg.f64(x)",
    "e": "math.e",
    "erfc": "1 - hg.erf(x)",
    "fabs": "abs(x)",
    "float": "float(x), or hg.f32(x)",
    "fsum": "sum(x)",
    "grid": "hg.global_id(axis)",
    "gridDim": "hg.grid_dim(axis)",
    "inf": "math.inf",
    "integers": "hg.random_integers(seed, i, low, high)",
    "local": "hg.local(type, size)",
    "int": "int(x), or hg.i32(x)",
    "isclose": "abs(a - b) <= tolerance",
    "ldexp": "x * hg.exp2(n)",
    "max": "max(a, b)",
    "maximum": "max(a, b)",
    "min": "min(a, b)",
    "minimum": "min(a, b)",
    "mix": "hg.lerp(a, b, t)",
    "modf": "x - hg.trunc(x), and hg.trunc(x)",
    "nan": "math.nan",
    "normal": "hg.random_normal(seed, i)",
    "num_programs": "hg.grid_dim(axis)",
    "pi": "math.pi",
    "print": "print(x)",
    "printf": "print(x)",
    "private": "hg.local(type, size)",
    "program_id": "hg.block_id(axis)",
    "reflect": "v - n * (2 * hg.dot(v, n))",
    "remainder": "x - round(x / y) * y",
    "round": "round(x)",
    "shared": "hg.shared(type, size)",
    "syncthreads": "hg.barrier()",
    "thread_id": "hg.local_id(axis)",
    "thread_idx": "hg.global_id(axis)",
    "threadIdx": "hg.local_id(axis)",
    "tid": "hg.global_id(axis)",
    "uniform": "hg.random_uniform(seed, i)",
    "where": "hg.select(condition, a, b)",
    "zeros": "hg.local(type, size)",
}
_NUMPY = {f"{dict(f='float', i='int', u='uint')[ty.kind]}{ty.bits}": f"hg.{ty}" for ty in Type if ty is not Type.BF16}
ELSEWHERE |= {name: f"{ty}(x)" for name, ty in _NUMPY.items()}

# By a name that other systems have for what the host does.
_ARRAYS = ("empty", "from_numpy", "to_device")
ON_THE_HOST = dict.fromkeys(_ARRAYS, "NumPy arrays, or hg.Executor().array(x), which stays on the device")
ON_THE_HOST |= dict.fromkeys(("func", "jit", "program"), "@hg.kernel")
ON_THE_HOST |= dict.fromkeys(("init", "init_backend", "set_device"), "kernel.on(device)[n](...): nothing is set up")
ON_THE_HOST["torch"] = "torch.from_dlpack(x), or hg.asarray(tensor)"
ON_THE_HOST |= dict.fromkeys(("launch", "run"), "kernel[n](...), with n lanes")
ON_THE_HOST |= dict.fromkeys(("sync", "synchronize"), "x.numpy() of a Buffer: NumPy arrays are there after a launch")

# By the last name of an annotation.
INSTEAD_OF_TYPES = {"float": "hg.f32", "int": "hg.i32", "bool": "hg.u8", **_NUMPY}
INSTEAD_OF_TYPES |= dict.fromkeys(("Array", "array", "list", "ndarray", "NDArray"), "hg.Array[hg.f32]")

# Modules that are used without an import.
MODULES = {"hg": "import hologram_web as hg", "math": "import math", "typing": "import typing"}

# By the name of an attribute of an array.
METHODS = {
    "T": "exchange the indices: x[j, i]",
    "copy": "copy element by element",
    "dtype": "types are known from the annotations",
    "fill": "store element by element",
    "max": "write max(x), of one axis",
    "mean": "write sum(x) / len(x), of one axis",
    "min": "write min(x), of one axis",
    "ndim": "it is in the annotation",
    "size": "multiply the entries of x.shape",
    "sum": "write sum(x), of one axis",
}

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
