"""Kernel: what it says of itself, how it is launched, and what is told when that goes wrong."""

# mypy: ignore-errors
# ruff: noqa: E501

from __future__ import annotations

import math
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import hologram_web as hg
from examples.edges import kernels
from hologram_web.isa.operands import Access

FACTOR = 3
SIZES = (1, 2, (3, 4.5))


@hg.kernel
def scale(x: hg.Array[hg.f32], y: hg.Array[hg.f32], a: hg.f32):
    """Multiplies."""
    i = hg.global_id()
    if i < len(x):
        y[i] = a * x[i]


@hg.kernel
def lengths(x: hg.Array[hg.u8, 3], y: hg.Array[hg.i32], z: hg.Array[hg.f64, 2]):
    y[0] = x.shape[2]
    y[1] = x.shape[0]
    y[2] = len(z)
    y[3] = z.shape[1]
    y[4] = len(x.shape)


@hg.kernel
def shift(x: hg.Array[hg.i32]):
    i = hg.global_id()
    value = x[i + 1]
    x[i] = value


def test_what_it_says():
    assert scale.name == scale.__name__ == "scale"
    assert scale.__doc__ == "Multiplies."
    assert list(scale.params) == ["x", "y", "a"]
    assert scale.params["x"] == hg.Array[hg.f32]
    assert scale.params["a"] is hg.f32
    assert scale.hidden == {"x.shape0": ("x", 0)}
    assert [str(param) for param in scale.program.params] == [
        "x: buffer f32 read",
        "y: buffer f32 write",
        "a: f32",
        "x.shape0: i32",
    ]
    assert repr(scale) == "<Kernel scale(x: Array[f32], y: Array[f32], a: f32)>"
    assert repr(lengths) == "<Kernel lengths(x: Array[u8, 3], y: Array[i32], z: Array[f64, 2])>"
    assert len(scale.lines) == len(scale.program)
    assert {file for file, _ in scale.lines} == {__file__}
    assert "@compute" in scale.wgsl()
    assert "(func" in scale.wat(block=(64,))


def test_explain():
    kernel = hg.kernel_from_source(
        "def k(x: hg.Array[hg.i32]):\n    i = hg.global_id()\n    while x[i] > 0:\n        x[i] -= 1\n"
    )
    assert kernel.explain("isa") == (
        "k(x: buffer i32 read_write)\n"
        "    2 | i = hg.global_id()\n"
        "          mad.u32 r2, r253, r254, r252\n"
        "          cvt.i32.u32 r3, r2\n"
        "    3 | while x[i] > 0:\n"
        "      L0:\n"
        "          ldg.i32 r2, [x + r3*4]\n"
        "          mov_imm.i32 r4, 0\n"
        "          set.gt.i32 p0, r2, r4\n"
        "          bra L1, !p0\n"
        "    4 | x[i] -= 1\n"
        "          ldg.i32 r2, [x + r3*4]\n"
        "          mov_imm.i32 r4, 1\n"
        "          sub.i32 r2, r2, r4\n"
        "          stg.i32 [x + r3*4], r2\n"
        "    3 | while x[i] > 0:\n"
        "          bra L0\n"
        "      L1:\n"
    )


def test_explain_shows_every_form():
    text = (
        "def k(x: hg.Array[hg.i32], y: hg.Array[hg.i32]):\n"
        "    i = hg.global_id()\n    if i < len(x):\n        y[i] = 2 * x[i]\n"
    )
    kernel = hg.kernel_from_source(text)
    parts = re.split(r"== (\w+) ==\n", kernel.explain(block=(64,)))
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert list(found) == ["isa", "ir", "passes", "wgsl", "wat", "variants"]
    for part, shown in found.items():
        assert shown.rstrip() == kernel.explain(part, block=(64,)).rstrip()
    assert re.findall(r"^-- (\w+) --$", found["ir"], re.M)[:2] == ["start", "fold"]
    assert found["passes"].startswith("passes: fold ")
    assert found["wgsl"].rstrip() == kernel.wgsl((64,)).rstrip()
    assert found["wat"].rstrip() == kernel.wat((64,)).rstrip()
    wasm, webgpu = found["variants"].splitlines()
    assert wasm.startswith("wasm: one module, 8 lanes side by side; 2 of 2 accesses are checked, but for those ")
    assert webgpu == (
        "webgpu: a shader without checks, 8 blocks a workgroup, if min(last_id_x, x.shape0 + -1) * 4 < bytes of buffer x - 3"
        " and min(last_id_x, x.shape0 + -1) * 4 < bytes of buffer y - 3"
        " and last_id_x < x.shape0 and grid_dim_y <= 1 and grid_dim_z <= 1; else the one with checks"
    )
    with pytest.raises(
        ValueError, match=r"^a kernel has no part 'asm' to explain: there are isa, ir, passes, wgsl, wat, v"
    ):
        kernel.explain("asm")


def _webgpu_of(text):
    return hg.kernel_from_source(text).explain("variants", block=(64,)).splitlines()[1]


def test_explain_says_what_is_checked_all_the_same():
    head = "def k(x: hg.Array[hg.f32], index: hg.Array[hg.u32], y: hg.Array[hg.f32]):\n    i = hg.global_id()\n"
    told = _webgpu_of(f"{head}    if i < len(y):\n        y[i] = x[index[i]]\n")
    assert told.startswith("webgpu: a shader with checks of 1 of 3 accesses, 8 blocks a workgroup, if min(last_id_x, ")
    assert told.endswith(" and grid_dim_z <= 1; else the one with all checks")


@pytest.mark.parametrize(
    ("many", "ty", "line", "why"),
    [
        (
            60,
            "i32",
            ("y[i] = ", "x[i + {0}]"),
            "a launch does not compute the 183 conditions that would make them needless",
        ),
        (
            55,
            "u16",
            ("x[", "i * hg.i32({0})"),
            "the conditions that would make them needless are longer than formulas may be",
        ),
        (
            1,
            "i32",
            ("x[y[i % len(y)]] = ", "{0}"),
            "no condition of a launch bounds where lanes reach buffer y, buffer x",
        ),
    ],
)
def test_explain_says_why_no_shader_does_without_checks(many, ty, line, why):
    names = [f"a{number}" for number in range(many)]
    scalars = ", ".join(f"{name}: hg.{ty}" for name in names)
    begin, each = line
    end = "] = 1" if begin == "x[" else ""
    told = _webgpu_of(
        f"def k(x: hg.Array[hg.i32], y: hg.Array[hg.i32], {scalars}):\n    i = hg.global_id()\n"
        f"    {begin}{' + '.join(map(each.format, names))}{end}\n"
    )
    assert told == f"webgpu: one shader, with checks: {why}"


def test_explain_shows_lines_of_helpers_from_elsewhere():
    @hg.kernel
    def k(x: hg.Array[hg.i32]):
        i = hg.global_id()
        x[i] = kernels.clamped(x[i], 9)

    place = kernels.clamped.__code__.co_firstlineno
    found = [line for line in k.explain("isa").splitlines() if line.startswith("kernels.py:")]
    assert found
    assert all(re.match(r"kernels\.py:\d+ \| \S", line) for line in found)
    assert all(0 < int(line.split(":")[1].split(" ")[0]) - place < 10 for line in found)


def test_access_is_inferred():
    text = (
        "def add(a, b):\n    a[0] = b[0]\n"
        "def k(r: hg.Array[hg.f32], w: hg.Array[hg.f32], both: hg.Array[hg.f32], never: hg.Array[hg.f32],\n"
        "      atomic: hg.Array[hg.u32], n: hg.u32):\n"
        "    add(w, r)\n    both[1] += 1\n    hg.atomic_add(atomic, 0, n)\n"
    )
    kernel = hg.kernel_from_source(text, "k")
    access = {param.name: param.access for param in kernel.program.params}
    assert access == {
        "r": Access.READ,
        "w": Access.WRITE,
        "both": Access.READ_WRITE,
        "never": Access.READ,
        "atomic": Access.READ_WRITE,
        "n": None,
    }


def test_lengths(device):
    y = np.zeros(5, "i4")
    lengths.on(device)[1](np.zeros((2, 3, 4), "u1"), y, np.zeros((5, 6)))
    assert y.tolist() == [4, 2, 5, 6, 3]


def test_the_same_source_gives_the_same_bytes(tmp_path):
    text = (
        "@hg.kernel\ndef k(x: hg.Array[hg.f32, 2], n: hg.i32):\n    for i in range(n):\n        x[i, 0] = x.shape[0]\n"
    )
    program = hg.kernel_from_source(text).program
    program.validate()
    assert type(program).from_bytes(program.to_bytes()) == program == type(program).from_text(program.to_text())
    for name in ("one", "two"):
        path = tmp_path / f"{name}.py"
        path.write_text("import hologram_web as hg\n" * (len(name) + 1) + text)
        names = {}
        exec(compile(path.read_text(), str(path), "exec"), names)
        assert names["k"].program.to_bytes() == program.to_bytes()
        assert names["k"].program.hash() == program.hash()


def test_launch_forms(device):
    x = np.arange(10, dtype="f4")
    for size in (10, (10, 4), 64, (np.int64(10), 3), hg.LaunchConfig.linear(10)):
        y = np.zeros(10, "f4")
        scale.on(device)[size](x, a=2, y=y)
        assert y.tolist() == (2 * x).tolist()


def test_the_default_device_is_shared_and_leaks_nothing():
    from hologram_web.kernels.launch import default_device

    device = default_device()
    y = np.zeros(10, "f4")
    scale[10](np.ones(10, "f4"), y, np.float32(0.5))
    assert default_device() is device
    assert device.name == "wasm"
    before = len(device._buffers)
    for _ in range(20):
        scale[10](np.ones(10, "f4"), y, 4)
    assert len(device._buffers) == before
    assert y.tolist() == [4.0] * 10
    assert scale.on("cpu")._device.name == "cpu"
    with pytest.raises(hg.BackendUnavailable, match=r"quantum.*there are auto, cpu, wasm"):
        scale.on("quantum")


def test_arrays_that_are_not_contiguous(device):
    x = np.arange(24, dtype="f4")[::2]
    column = np.zeros((12, 3), "f4")
    scale.on(device)[12](x, column[:, 1], 2.0)
    assert column[:, 1].tolist() == (2 * x).tolist()
    assert not column[:, [0, 2]].any()
    backwards = np.zeros(12, "f4")
    scale.on(device)[12](x, backwards[::-1], 2.0)
    assert backwards.tolist() == (2 * x)[::-1].tolist()


def test_the_same_array_twice(device):
    x = np.arange(5, dtype="f4")
    scale.on(device)[5](x, x, 3.0)
    assert x.tolist() == [0, 3, 6, 9, 12]


def test_no_lanes_and_no_elements(device):
    empty, y = np.zeros(0, "f4"), np.ones(3, "f4")
    scale.on(device)[0](y, y.copy(), 1.0)
    scale.on(device)[4](empty, y, 1.0)
    assert y.tolist() == [1, 1, 1]


def test_bf16(device):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    kernel = hg.kernel_from_source("def k(x: hg.Array[hg.bf16]):\n    x[hg.global_id()] *= 1.5\n").on(device)
    x = np.array([1, 2, 3], ml_dtypes.bfloat16)
    kernel[3](x)
    assert x.astype("f4").tolist() == [1.5, 3, 4.5]
    bits = np.array([0x3F80], "u2")
    kernel[1](bits)
    assert bits.tolist() == [0x3FC0]


X, Y = np.ones(4, "f4"), np.ones(4, "f4")


@pytest.mark.parametrize(
    ("args", "named", "message"),
    [
        ((X, Y), {}, r"parameter 'a' is missing: the kernel takes (x: Array[f32], y: Array[f32], a: f32)"),
        ((X, Y, 1, 2), {}, r"4 arguments are given; 3 are expected: the kernel takes (x: Array[f32], y: Array[f32], a: f32)"),
        ((X, Y, 1), {"a": 1}, r"parameter 'a' is given twice: the kernel takes (x: Array[f32], y: Array[f32], a: f32)"),
        ((X, Y), {"b": 1}, r"there is no parameter 'b': the kernel takes (x: Array[f32], y: Array[f32], a: f32)"),
        ((X, Y, "1"), {}, "a is '1'; f32 is expected, a number"),
        (([1.0], Y, 1), {}, "x is a list; Array[f32] is expected: give a NumPy array or a Buffer"),
        ((X.astype("f8"), Y, 1), {}, "x has dtype float64; f32 is expected: give x.astype('float32')"),
        ((X.reshape(2, 2), Y, 1), {}, "x has 2 axes; 1 axis is expected"),
        ((Y[:3], Y[1:], 1), {}, "'y', which is written, and 'x' share memory in part: give a copy of one"),
        ((X, np.broadcast_to(np.float32(0), 4), 1), {}, "y is read-only, and the kernel writes it: give a copy"),
        (
            (X, as_strided(Y, (4,), (0,)), 1),
            {},
            "several elements of y are the same memory (strides (0,), as a broadcast view has), and the kernel writes it: "
            "give y.copy()",
        ),
    ],
)  # fmt: skip
def test_wrong_arguments(args, named, message):
    with pytest.raises(hg.LaunchError) as raised:
        scale[4](*args, **named)
    assert str(raised.value) == message


@hg.kernel
def first_of_rows(x: hg.Array[hg.i32, 2]):
    i = hg.global_id()
    if i < x.shape[0]:
        x[i, 0] = i + 1


@pytest.mark.parametrize(
    ("shape", "strides", "fine"),
    [
        ((4, 3), (4, 4), False),
        ((4, 3), (8, 12), False),
        ((4, 3), (6, 2), False),
        ((3, 2), (8, 12), True),  # no two are the same, though rows lie between each other
        ((4, 3), (12, 4), True),
        ((4, 3), (24, -8), True),
        ((4, 1), (4, 0), True),
        ((0, 3), (0, 4), True),
    ],
)
def test_elements_that_are_the_same_memory_are_not_written(shape, strides, fine):
    view = as_strided(np.zeros(64, "i4")[16:], shape, strides)
    if not fine:
        with pytest.raises(hg.LaunchError) as raised:
            first_of_rows[4](view)
        assert str(raised.value) == (
            f"several elements of x are the same memory (strides {strides}, as a broadcast view has), and the kernel "
            "writes it: give x.copy()"
        )
        return
    first_of_rows[4](view)
    assert view[:, 0].tolist() == list(range(1, shape[0] + 1))


@pytest.mark.parametrize(
    "size", [(), (4, 4, 4), ((2, 2), 4), ((2, 2),), (4, (2, 2)), ((1, 1, 1, 1), (1, 1, 1, 1)), 1.5, -1, "4"]
)
def test_wrong_launches(size):
    with pytest.raises(hg.LaunchError):
        scale[size](X, Y, 1)


def test_integers_are_checked():
    kernel = hg.kernel_from_source("def k(x: hg.Array[hg.u8], n: hg.u8):\n    x[0] = n\n")
    wanted = {256: "0 to 255", -1: "0 to 255", 1.5: "an integer", True: "a number"}
    for value, what in wanted.items():
        with pytest.raises(hg.LaunchError) as raised:
            kernel[1](np.zeros(1, "u1"), value)
        assert str(raised.value) == f"n is {value!r}; u8 is expected, {what}"
    kernel[1](x := np.zeros(1, "u1"), np.int64(255))
    assert x[0] == 255


def test_a_call_without_brackets():
    y = Y.copy()
    scale(X, y, 1)
    expected = Y.copy()
    scale[len(X)](X, expected, 1)
    np.testing.assert_array_equal(y, expected)


def test_a_fault_names_the_line(device):
    x = np.arange(4, dtype="i4")
    with pytest.raises(hg.ExecutionError) as raised:
        shift.on(device)[4](x)
    assert raised.value.kind == "OutOfBounds"
    assert raised.value.buffer == "buffer x"
    line = shift._definition.source.first + 3
    assert raised.value.__notes__ == [f"{__file__}:{line}: value = x[i + 1]"]
    shift.on(device)[3](x)
    assert x.tolist() == [1, 2, 3, 3]


def test_negative_indices_are_out_of_bounds(device):
    kernel = hg.kernel_from_source("def k(x: hg.Array[hg.i32], n: hg.i32):\n    x[0] = x[n]\n    x[n - 1] = 0\n").on(
        device
    )
    for n in (-1, 0, -(2**31), 3):
        with pytest.raises(hg.ExecutionError, match="OutOfBounds"):
            kernel[1](np.zeros(3, "i4"), n)


def test_division_by_zero_faults(device):
    kernel = hg.kernel_from_source("def k(x: hg.Array[hg.i32], n: hg.i32):\n    x[0] = x[1] % n\n").on(device)
    with pytest.raises(hg.ExecutionError, match="DivisionByZero"):
        kernel[1](np.ones(3, "i4"), 0)
    loop = hg.kernel_from_source(
        "def k(x: hg.Array[hg.i32], n: hg.i32):\n    for i in range(0, 9, n):\n        x[0] = i\n"
    )
    with pytest.raises(hg.ExecutionError, match="DivisionByZero"):
        loop.on(device)[1](np.ones(3, "i4"), 0)


def test_the_last_rounds_of_a_range_do_not_wrap(device):
    kernel = hg.kernel_from_source(
        "def k(x: hg.Array[hg.i32], a: hg.i32, b: hg.i32, s: hg.i32):\n    for i in range(a, b, s):\n        x[0] += 1\n"
    ).on(device)
    top, low = 2**31 - 1, -(2**31)
    for args in ((top - 5, top, 4), (low + 5, low, -4), (low, top, 2**30), (top, low, low), (3, 3, 1), (4, 3, 1)):
        x = np.zeros(1, "i4")
        kernel[1](x, *args)
        assert x[0] == len(range(*args)), args


def test_mixed_signs_warn():
    text = "import hologram_web as hg\n\n\ndef k(x: hg.Array[hg.u32], n: hg.i32):\n    x[0] = x[1] + n\n"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kernel = hg.kernel_from_source(text, file="page.py")
    (warning,) = caught
    assert warning.category is hg.SignWarning
    assert (warning.filename, warning.lineno) == ("page.py", 5)
    assert str(warning.message) == "u32 and i32 meet as i32, which does not hold all values of both"
    assert "add.i32" in kernel.program.to_text()


@pytest.mark.parametrize("expression", ["x[0] + 1", "x[0] * hg.u8(3)", "hg.i64(n) + x[0]", "hg.u16(n) + hg.i32(n)"])
def test_what_loses_nothing_does_not_warn(expression):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hg.kernel_from_source(f"def k(x: hg.Array[hg.u32], n: hg.i32):\n    x[1] = {expression}\n")


def test_transcendentals_are_instructions(device):
    kernel = hg.kernel_from_source(
        "def k(x: hg.Array[hg.f32], y: hg.Array[hg.f32]):\n    i = hg.global_id()\n    y[i] = hg.exp(x[i]) + hg.atan2(x[i], 2) + x[i] ** x[0] + hg.gelu(x[i])\n"
    )
    text = kernel.program.to_text()
    assert all(f"{name}.f32" in text for name in ("exp", "atan2", "pow", "gelu"))
    x, y = np.linspace(0.5, 2, 9, dtype="f4"), np.empty(9, "f4")
    kernel.on(device)[9](x, y)
    wide = x.astype("f8")
    gelu = [v / 2 * math.erfc(-v / math.sqrt(2)) for v in wide.tolist()]
    assert np.allclose(y, np.exp(wide) + np.arctan2(wide, 2) + wide ** wide[0] + gelu, rtol=1e-6, atol=0)


def test_constants_are_captured_when_decorated():
    scale_by = 7

    def make():
        def k(x: hg.Array[hg.i32]):
            x[0] = scale_by * FACTOR + SIZES[0] + SIZES[2][0] + hg.i32(SIZES[2][1] * 2)

        return hg.kernel(k)

    kernel = make()
    scale_by = 0
    kernel[1](x := np.zeros(1, "i4"))
    assert x[0] == 7 * FACTOR + 1 + 3 + 9


def test_text_with_constants_and_functions(device):
    text = (
        '"""A page."""\n'
        "from __future__ import annotations\n"
        "import math\nimport hologram_web as web\nfrom hologram_web import i32, kernel, Array\n"
        "N = 2 ** 4 - 1\nT = (1, N, -3)\n\n\n"
        "def twice(v):\n    return 2 * v\n\n\n"
        "@kernel\ndef k(x: Array[i32], y: Array[web.f32]):\n"
        "    for t in T:\n        x[0] += twice(t) * M\n    y[0] = math.pi * web.f32(2)\n"
    )
    kernel = hg.kernel_from_source(text, constants={"M": np.int64(10)}).on(device)
    x, y = np.zeros(1, "i4"), np.zeros(1, "f4")
    kernel[1](x, y)
    assert x[0] == 260
    assert y[0] == np.float32(np.pi) * np.float32(2)


def test_nothing_of_a_text_is_executed():
    for text in ("__import__('os').getcwd()", "print(1)", "x = open('f')", "class A:\n    print(1)"):
        with pytest.raises(hg.TranslateError):
            hg.kernel_from_source(f"{text}\ndef k(x: hg.Array[hg.f32]):\n    x[0] = 1\n", "k")
    with pytest.raises(hg.TranslateError):
        hg.kernel_from_source("def k(x: hg.Array[__import__('os')]):\n    x[0] = 1\n")


def test_barrier_in_a_branch_that_not_all_take(device):
    kernel = hg.kernel_from_source(
        "def k(x: hg.Array[hg.i32]):\n    if hg.local_id() < 2:\n        hg.barrier()\n    else:\n        hg.barrier()\n"
    ).on(device)
    with pytest.raises(hg.ExecutionError, match="DivergentBarrier"):
        kernel[4, 4](np.zeros(1, "i4"))


def test_translating_needs_no_numpy():
    code = (
        "import sys\n"
        "sys.modules['numpy'] = None\n"
        "import hologram_web as hg\n"
        "k = hg.kernel_from_source('def k(x: hg.Array[hg.f32]):\\n    x[hg.global_id()] *= 2\\n')\n"
        "assert '@compute' in k.wgsl() and '(func' in k.wat() and k.explain()\n"
        "assert not [name for name in sys.modules if name.startswith(('numpy', 'wasmtime')) and sys.modules[name]]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_registers_are_used_again():
    terms = " + ".join(f"x[i + {k}] * {k}" for k in range(150))
    lines = "".join(f"    a{k} = x[{k}] + 1\n" for k in range(200))
    kernel = hg.kernel_from_source(f"def k(x: hg.Array[hg.i32], i: hg.i32):\n{lines}    x[0] = {terms}\n")
    assert max(register.index for register in kernel.program.registers()) < 215
    x = np.arange(500, dtype="i4")
    kernel[1](x, 3)
    assert x[0] == sum((k + 3) * k for k in range(150))


def test_predicates_run_out():
    nested = "x[0] > 1"
    for k in range(17):
        nested = f"(x[{k}] > {k}) & ({nested})"
    with pytest.raises(hg.TranslateError, match="the condition needs more than the 16 predicates there are: split it"):
        hg.kernel_from_source(f"def k(x: hg.Array[hg.i32]):\n    if {nested}:\n        x[0] = 1\n")


def test_long_conditions(device):
    some = " or ".join(f"x[{k}] > {k + 5}" for k in range(40))
    every = " and ".join(f"x[{k}] >= {k}" for k in range(40))
    chain = " <= ".join(f"x[{k}]" for k in range(40))
    text = f"def k(x: hg.Array[hg.i32]):\n    a, b, c = {some}, {every}, {chain}\n    x[40] = a + 2 * b + 4 * c\n"
    kernel = hg.kernel_from_source(text).on(device)
    for change, expected in ((0, 6), (20, 3), (-20, 4)):
        x = np.arange(41, dtype="i4")
        x[:20] += min(change, 0)
        x[0] += max(change, 0)
        kernel[1](x)
        assert x[40] == expected


def test_float_division_is_numpys_to_the_bit():
    kernel = hg.kernel_from_source(
        "def k(a: hg.Array[hg.f32], b: hg.Array[hg.f32], y: hg.Array[hg.f32], z: hg.Array[hg.f32]):\n"
        "    i = hg.global_id()\n    y[i] = a[i] // b[i]\n    z[i] = a[i] % b[i]\n"
    )
    special = [0, 0.3, 1, 2.5, 7, 100, np.inf, np.nan, 1e-40, 3e38, 1e-38, 21.178387, 2.941325e-06]
    random = np.random.default_rng(1)
    values = np.array([*special, *(random.normal(size=30) * 10.0 ** random.integers(-5, 6, 30))], "f4")
    a, b = (each.ravel().copy() for each in np.meshgrid(*[np.concatenate([values, -values])] * 2))
    y, z = np.zeros_like(a), np.zeros_like(a)
    kernel[len(a)](a, b, y, z)
    with np.errstate(all="ignore"):
        for found, expected in ((y, np.floor_divide(a, b)), (z, np.mod(a, b))):
            same = (found == expected) & (np.signbit(found) == np.signbit(expected))
            assert (same | (np.isnan(found) & np.isnan(expected))).all()


def test_collectives(device):
    @hg.kernel
    def normalised(x: hg.Array[hg.f32], top: hg.Array[hg.f32], m: hg.i32, n: hg.u8):
        hg.parallel_reduce(x, top, "max", m * n)
        i = hg.global_id()
        if i < m * n:
            x[i] /= top[0]
        hg.parallel_map_unary(x, x, "abs", m + 1)
        i = hg.global_id()
        x[i] += 1

    x, top = np.array([-8, 4, 2, -1], np.float32), np.zeros(1, np.float32)
    normalised.on(device)[4](x, top, 1, 3)
    assert x.tolist() == [3.0, 2.0, 1.5, 0.0]
    assert top.tolist() == [4.0]
    with pytest.raises(hg.UnsupportedInstruction, match=r"hg\.compile\(kernel\)\.artifact has all of it"):
        normalised.wat()


LONG = """
def k(x: hg.Array[hg.i64], s: hg.Array[hg.i64]):
    i = hg.global_id()
    hg.atomic_add(s, 0, x[i])
    hg.atomic_xor(s, 1, x[i])
"""


def test_sums_of_64_bits_are_exact_by_atomics(device):
    x = np.random.default_rng(5).integers(-(2**62), 2**62, 3000)
    s = np.zeros(2, np.int64)
    hg.kernel_from_source(LONG).on(device)[3000](x, s)
    assert s.tolist() == [x.sum(), np.bitwise_xor.reduce(x)]


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ("x[i] = hg.atomic_add(s, 0, 1)", "atomic add of i64 whose old element is used"),
        ("hg.atomic_max(s, 1, x[i])", "atomic max of i64"),
        ("hg.atomic_cas(s, 1, 0, 5)", "atomic cas of i64"),
    ],
)
def test_atomics_of_64_bits_that_two_words_do_not_make(more, what):
    kernel = hg.kernel_from_source(f"{LONG}    {more}\n")
    with pytest.raises(
        hg.UnsupportedType, match=f"{what} is two words on WebGPU, which change one by one: run on wasm"
    ):
        kernel.wgsl()
    x, s = np.arange(40), np.zeros(2, np.int64)
    kernel.on("wasm")[40](x, s)
