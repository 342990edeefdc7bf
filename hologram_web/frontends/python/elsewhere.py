"""What to write instead of names that other systems have: tables, which errors alone read."""

from __future__ import annotations

from ...isa.types import Type

__all__ = ["CALLS", "ELSEWHERE", "INSTEAD_OF_TYPES", "METHODS", "MODULES", "ON_THE_HOST"]

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
