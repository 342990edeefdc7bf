"""The commonest mistakes of people who come from NumPy, Numba, CUDA, Taichi, Warp and Triton, or make their first kernel:
what they type, and the whole of what they are told. `$` stands where the caret points.
"""

# ruff: noqa: E501

from __future__ import annotations

HEAD = """import hologram_web as hg

@hg.kernel
def k(x: hg.Array[hg.f32], y: hg.Array[hg.f32], h: hg.Array[hg.i32], m: hg.Array[hg.f32, 2], n: hg.i32):
    i = hg.global_id(0)
"""

# In a kernel: lines below those of HEAD, or a whole text.
WRITTEN: list[tuple[str, str]] = [
    # NumPy's and Python's ways
    ("y[i] = $np.sqrt(x[i])", "the function np.sqrt is not known: write hg.sqrt(...)"),
    ("y[i] = $np.where(x[i] > 0, 1, 2)", "np.where is not known in a kernel: write hg.select(condition, a, b)"),
    ("t = $np.zeros(8)", "np.zeros is not known in a kernel: write hg.local(type, size)"),
    ("t = $[0] * 8", "lists are not available: use hg.local(type, size), or a tuple at module level"),
    ("y[i] = $x.sum()", "arrays have no sum in a kernel: write sum(x), of one axis"),
    ("y[i] = max($m)", "m is 2-D, and max is of the numbers along one axis: write a loop"),
    ("y[i] = $round(x[i], 2)", "round takes no digits in a kernel: write round(x[i] * 10 ** 2) / 10 ** 2"),
    ("y[i] = (1, 2, 4)[$n]", "the index into a tuple is known while translating: write a number, or the variable of a for loop over a literal range; a table for indices that are computed is an hg.Array parameter"),
    ("y[i] = hg.sqrt($x)", "x is an array: read an element of it, x[i]"),
    ("x = $x + 1", "x is an array: read an element of it, x[i]"),
    ("y[i] = x[$-1]", "the index -1 is negative: indices count from 0; from the end, write len(x) - 1"),
    ("y[i] = x[$i, 0]", "x is 1-D, and here are 2 indices: write x[i]"),
    ("y[i] = m[$i]", "m is 2-D, and here are 1 indices: write m[i, j]"),
    ("y[i] = x[$i / 2]", "an index is an integer, not f32: convert with hg.i32(x), which rounds toward zero"),
    ("h[i] = $x[i] / 2", "f32 does not become i32 by itself: round it, and convert with hg.i32(x)"),
    ("if x[i] > $0 & n > 0:\n        y[i] = 1", "& binds closer than a comparison: write a > 0 and b > 0"),
    ("if $x[i] and n > 0:\n        y[i] = 1", "and joins conditions, and this is f32: compare it, as in x != 0"),
    ("for j in $n:\n        y[j] = 0", "n is one number: write range(n)"),
    ("for j in $x.shape[0]:\n        y[j] = 0", "x.shape[0] is one number: write range(x.shape[0])"),
    ("for j in range($n / 2):\n        y[j] = 0", "range counts integers, not f32: convert with hg.i32(x)"),
    ("return $y[i]", "a kernel returns nothing: store the result in an array"),
    ("if n > 0:\n        v = 1\n    y[i] = $v", "v is used before it is assigned on some path: assign it before, on all paths"),
    ("total = 0.0\n    $totl += x[i]\n    y[i] = total", "totl is used before it is assigned: did you mean total?"),
    ("y[i] = $random.random()", "the function random.random is not known: write hg.random(...)"),
    ("y[i] = $hg.inf", "hg has no inf: write math.inf"),
    ("$try:\n        y[i] = 1\n    except IndexError:\n        pass", "try is not available: a fault ends the launch and the host gets ExecutionError"),
    ("y[i] = $m @ m", "@ is not available in a kernel: write the loops"),
    # Numba's and CUDA's
    ("i = $cuda.grid(1)", "cuda.grid is not known in a kernel: write hg.global_id(axis)"),
    ("i = $cuda.threadIdx.x", "cuda.threadIdx.x is not known in a kernel: write hg.local_id(axis)"),
    ("$cuda.syncthreads()", "cuda.syncthreads is not known in a kernel: write hg.barrier()"),
    ("t = $cuda.shared.array(256, float32)", "cuda.shared.array is not known in a kernel: write hg.shared(type, size)"),
    ("$cuda.atomic.add(h, i, 1)", "cuda.atomic.add is not known in a kernel: write hg.atomic_add(array, i, value) and its kin"),
    ("$hg.atomicAdd(h, i, 1)", "hg has no atomicAdd: did you mean hg.atomic_add?"),
    ("$hg.atomic_add(h[i], 1)", "hg.atomic_add is given 2 arguments; 3 are expected: write hg.atomic_add(array, i, value)"),
    ("y[i] = $float32(x[i])", "the name float32 is not known: write hg.f32(x)"),
    # Taichi's, Warp's, Triton's
    ("i = $ti.thread_idx()", "ti.thread_idx is not known in a kernel: write hg.global_id(axis)"),
    ("i = $wp.tid()", "wp.tid is not known in a kernel: write hg.global_id(axis)"),
    ("i = $tl.program_id(0)", "tl.program_id is not known in a kernel: write hg.block_id(axis)"),
    # Of a first kernel
    ("i = $hg.gloabl_id(0)", "hg has no gloabl_id: did you mean hg.global_id?"),
    ("i = $hg.global_id('x')", "write hg.global_id(axis): the axis is 0, 1 or 2, known while translating"),
    ("y[i] = $lenn(x)", "the function lenn is not known: did you mean len?"),
    ("y[i] = $x.shap[0]", "arrays have no shap in a kernel: did you mean shape?"),
    ("y[i] = x[$index]", "the name index is not known: assign it before, or make it a parameter or a module constant"),
    ("y[i] = $hg.max(x[i], 1)", "hg has no max: write max(a, b)"),
    ("y[i] = $hg.clamp(x[i])", "hg.clamp is given 1 argument; 3 are expected: write hg.clamp(src, min, max)"),
    ("t = $hg.shared(256)", "hg.shared is given 1 argument; 2 are expected: write hg.shared(hg.f32, size)"),
    ("t = hg.shared(hg.f32, $n)", "the size of shared memory is known while translating: 1 to 8 positive integers"),
    ("$hg.barrier", "this line has no effect: assign the value, or store it in an array"),
    ("y[i] = $k(x, y, h, m, n)", "k calls itself: recursion is not available, write a loop"),
    # Found later
    ("acc = $(0.0,) * 4", "a tuple is not repeated: take hg.registers(size, type), whose elements are assigned, too"),
    ("acc = 0.0, 0.0\n    $acc[0] = x[i]", "acc is a tuple of 2, whose parts are not assigned: make a new one, or take hg.registers(size, type)"),
    ("y[i] = $1e40", "1e+40 is beyond what f32 holds: write math.inf, or compute in hg.f64"),
    ("print($'%d' % n)", "texts are not put together in a kernel: write print(a, b), or print(f'{a} {b:.3f}')"),
    ("print($'{}'.format(n))", "texts are not put together in a kernel: write print(a, b), or print(f'{a} {b:.3f}')"),
    ("$hg.print(x[i])", "hg has no print: write print(x)"),
    ("import math\nimport hologram_web as hg\ndef k(x: hg.Array[hg.f32]):\n    x[0] = $math.erfc(x[0])", "math.erfc is not available in a kernel: write 1 - hg.erf(x)"),
    ("import math\nimport hologram_web as hg\ndef k(x: hg.Array[hg.f32]):\n    x[0] = $math.gamma(x[0])", "math.gamma is not available in a kernel: compute it on the host, and give an hg.Array"),
    ("import hologram_web as hg\ndef k($x):\n    x[0] = 1", "x has no type: write x: hg.f32, or hg.Array[hg.f32]"),
    ("import hologram_web as hg\ndef k(x: $float):\n    pass", "float is no type of a parameter: write hg.f32"),
    ("import hologram_web as hg\ndef k(x: $np.ndarray):\n    pass", "np.ndarray is no type of a parameter: write hg.Array[hg.f32]"),
    ("import hologram_web as hg\ndef k(x: $hg.Array):\n    pass", "hg.Array is no type of a parameter: write hg.Array[hg.f32]"),
]  # fmt: skip
