"""The standard library: kernels by name, translated when they are first asked for.

`stdlib.VECTOR_ADD` is a Program, `stdlib.kernel("vector_add")` the Kernel, which is launched with as many lanes as
`stdlib.lanes("vector_add")` says, and `stdlib.compiled("vector_add")` the plan that `hologram-web build-stdlib` writes.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from typing import TYPE_CHECKING

from hologram_web.frontends.python.source import Definition, from_text
from hologram_web.isa.operands import Access
from hologram_web.isa.program import Program
from hologram_web.kernels.kernel import Kernel, make

if TYPE_CHECKING:
    from hologram_web.runtime.compiled import CompiledProgram

__all__ = ["CALLS", "NAMES", "compiled", "kernel", "lanes", "source"]

# The names of the kernels in each file, in the order of its functions, which may be called otherwise. Those that are
# calls of the tensor library are in files of their own.
_FILES = {
    "vector": "vector_add vector_sub vector_mul vector_div vector_min vector_max vector_pow vector_abs vector_neg "
    "vector_sqrt vector_rsqrt vector_exp vector_log vector_sin vector_cos vector_dot vector_sum vector_layer_norm",
    "matrix": "matrix_gemm matrix_gemv",
    "activation": "activation_relu activation_sigmoid activation_tanh",
    "onnx_activation": "attention bias_gelu gelu leakyrelu relu sigmoid skip_layer_norm softmax tanh",
    "onnx_core": "conv add sub mul div scalar_mul matmul gemm",
    "onnx_reduction": "batch_normalization instance_normalization layer_norm averagepool global_average_pool "
    "reduce_mean reduce_sum",
    "onnx_shape": "concat flatten gather reshape slice squeeze transpose unsqueeze argmax cast constant range shape",
}
_CALLS = {
    "library": "vector_sum matrix_gemm attention conv matmul gemm batch_normalization concat softmax "
    "instance_normalization layer_norm argmax",
    "vector_library": "vector_layer_norm",
}
CALLS = [name for names in _CALLS.values() for name in names.split()]
NAMES = tuple(name for names in _FILES.values() for name in names.split())
_OWN = {file: [name for name in names.split() if name not in CALLS] for file, names in _FILES.items()}
_PLACES = {
    name: (file, place)
    for files in (_OWN, {file: names.split() for file, names in _CALLS.items()})
    for file, names in files.items()
    for place, name in enumerate(names)
}

# Lanes that a launch needs, if they are not n.
_LANES = {
    "vector_sum": "min(n, 1)",
    "vector_layer_norm": "num_positions",
    "matrix_gemm": "m * n",
    "matrix_gemv": "m",
    "attention": "seq_len * seq_len",
    "skip_layer_norm": "n // hidden",
    "conv": "max(H_in - K_h + 1, 0) * max(W_in - K_w + 1, 0)",
    "matmul": "M * N",
    "gemm": "M * N",
    "batch_normalization": "N * C * H * W",
    "instance_normalization": "N * C",
    "layer_norm": "batch_size",
    "averagepool": "N * C * (H // kernel_size) * (W // kernel_size)",
    "global_average_pool": "N * C",
    "reduce_mean": "batch_size",
    "reduce_sum": "batch_size",
    "concat": "(M + N) * K",
    "gather": "m",
    "slice": "max(end - start, 0)",
    "transpose": "M * N",
    "argmax": "1",
    "shape": "rank",
}

# How many elements the result has, if it is not one for each lane.
_ELEMENTS = {
    "vector_layer_norm": "num_positions * hidden_dim",
    "matrix_gemm": "m * ldc",
    "skip_layer_norm": "n",
    "instance_normalization": "N * C * H * W",
    "layer_norm": "batch_size * features",
}
_CHANGES = ("vector_dot", "vector_sum")  # what was in their result matters: they add to it


def _place(name: str) -> tuple[str, int]:
    if name not in _PLACES:
        raise KeyError(f"the standard library has no {name!r}: stdlib.NAMES lists what there is")
    return _PLACES[name]


def source(name: str) -> str:
    """The text of the file that the kernel is in. Raises KeyError."""
    data = pkgutil.get_data(__name__, f"{_place(name)[0]}.py")
    assert data is not None
    return data.decode()


@cache
def _definitions(file: str) -> tuple[Definition, ...]:
    text = source(next(name for name, (found, _) in _PLACES.items() if found == file))
    return tuple(from_text(text, f"hologram_web_tools/stdlib/{file}.py", {})[1].values())


@cache
def kernel(name: str) -> Kernel:
    """A kernel, to launch and to look at. Raises KeyError."""
    file, place = _place(name)
    return make(_definitions(file)[place])


def lanes(name: str) -> str:
    """How many lanes a launch needs, as a formula of the kernel's scalars. Raises KeyError."""
    _place(name)
    return _LANES.get(name, "n")


def compiled(name: str) -> CompiledProgram:
    """The kernel as a plan of one launch, whose ports are its parameters. Arrays that it only writes have as many
    elements as it writes, and a run need not give them. Raises KeyError."""
    from hologram_web.plan.builder import PlanBuilder
    from hologram_web.runtime.compiled import CompiledProgram

    made, builder = kernel(name), PlanBuilder(name)
    for param in made.program.params:
        assert param.ty is not None
        if param.access is None:
            builder.scalar(param.name, param.ty)
        elif param.access.writes and name not in _CHANGES:
            elements = "1" if param.name == "MaxVal" else _ELEMENTS.get(name, lanes(name))
            builder.array(param.name, param.ty, (elements,), Access.WRITE)
        else:
            builder.array(param.name, param.ty, (f"{param.name}.len",), param.access)
    builder.launch(made, lanes(name))
    return CompiledProgram.from_builder(builder)


def __getattr__(name: str) -> Program:
    if name.isupper() and name.lower() in _PLACES:
        return kernel(name.lower()).program
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *map(str.upper, NAMES)})
