"""Complex numbers in kernels beside NumPy and cmath, on every device, natively, by Buffers and from files."""

# mypy: ignore-errors

from __future__ import annotations

import cmath
from operator import mul, truediv
from typing import NamedTuple

import numpy as np
import pytest

import hologram_web as hg

TURN = 1j


class Wave(NamedTuple):
    z: hg.complex64
    size: hg.f32


def squared(z: hg.complex64) -> hg.complex64:
    return z * z


def horner(z, n):
    total = 0
    for k in range(n):
        total = total * z + k
    return total


# By name: an expression of a, b, complex, and r, real, which Python computes, too.
EXPRESSIONS = {
    "sum and difference": "(a + b) - (b - a) * 3",
    "with reals": "(2 * a + r) / 4 - (r - a) + a * r - 1",
    "literals": "a * 2j + (1 - 0.5j) * b - 3j + complex(1, 2) + complex(r)",
    "quotient": "a / b + r / b + 1 / (a * 3j)",
    "quotients by literals": "a / (1 - 0.3j) + (1 + 2j) / (3 - 0.1j) * a + r / (b + 0.1j)",
    "powers": "a ** 2 + b ** 5 - a ** 0 + a ** -3 + b ** 1",
    "signs": "-a + +b - -(a * b)",
    "parts": "a.real * b.imag + a.imag * 1j + abs(b) + abs(a * b)",
    "of constants": "a * abs(3 + 4j) + abs(2j) * b",
    "conjugates": "a.conjugate() * a + b.conj() / 2",
    "equal": "(a == a) * 2 + (a == b) + (a != b) * 4 + (a.real == a) * 8 + (r * 0 == 0j) * 16",
    "from outside": "a * TURN + TURN",
    "choice": "(a if r > 0 else b) + (0 if r > 0.5 else b)",
    "functions": "squared(a) + squared(3.0) + horner(b, 4)",
    "a tuple": "(a, b)[1] * (a, b)[0]",
}
HEAD = """
def squared(z):
    return z * z

def horner(z, n):
    total = 0
    for k in range(n):
        total = total * z + k
    return total

"""


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_as_python_does(device, name):
    text = HEAD + "TURN = 1j\ndef f(x: hg.Array[hg.complex128], y: hg.Array[hg.complex128], s: hg.Array[hg.f64]):\n"
    text += f"    i = hg.global_id()\n    a, b, r = x[i], y[i], s[i]\n    y[i] = {EXPRESSIONS[name]}\n"
    random = np.random.default_rng(5)
    x, y = (random.normal(size=7) + 1j * random.normal(size=7) for _ in "xy")
    s = random.normal(size=7)
    x[3], y[3] = 2 + 0j, 2 + 0j
    numpy = {"squared": lambda z: z * z, "horner": horner, "TURN": TURN}
    expected = []
    for a, b, r in zip(x.tolist(), y.tolist(), s.tolist(), strict=True):
        expression = EXPRESSIONS[name].replace(".conj()", ".conjugate()")
        expected.append(eval(expression, {**numpy, "a": a, "b": b, "r": r}))
    found = y.copy()
    kernel = hg.kernel_from_source(text, name="f")
    kernel.on(device)[7](x, found, s)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    with hg.Executor("wasm") as executor:
        buffers = [executor.array(array) for array in (x, y, s)]
        kernel[7](*buffers)
        np.testing.assert_allclose(buffers[1].numpy(), expected, rtol=1e-12)


@hg.kernel
def mixed(x: hg.Array[hg.complex64, 2], y: hg.Array[hg.complex128], c: hg.complex64, w: Wave):
    i = hg.global_id()
    row = x[i]
    total = 0.0
    for z in row:
        total += hg.exp(z) * c
    y[i] = total / w.z + w.size + squared(row[0]) + hg.complex128(hg.f32(0.1), 2) + hg.conj(row[1])
    row[1] *= 2j
    row[0].imag += 1
    mine = hg.local(hg.complex64, 2)
    mine[1] = row[0]
    tile = hg.shared(hg.complex128, 4)
    tile[i] = mine[1]
    hg.barrier()
    row[2] = hg.complex64(tile[(i + 1) % 3]) + (1 if mine[0] == 0 else 2)


def _mixed(x, c, z, size):
    y = (np.exp(x) * np.complex64(c)).sum(1) / z + size + x[:, 0] ** 2 + np.float32(0.1) + 2j + x[:, 1].conj()
    x = x.copy()
    x[:, 1] *= 2j
    x[:, 0] += 1j
    x[:, 2] = np.roll(x[:, 0], -1) + 1
    return x, y


def test_arrays_and_parameters(device):
    random = np.random.default_rng(7)
    x = (random.normal(size=(3, 4)) + 1j * random.normal(size=(3, 4))).astype("c8")
    expected = _mixed(x, 0.5 - 1j, 1 + 2j, 3.0)
    ours, y = x.copy(), np.zeros(3, "c16")
    mixed.on(device)[3, 3](ours, y, 0.5 - 1j, Wave(1 + 2j, 3.0))
    compiled = hg.load(hg.compile(mixed, lanes=3, block=3, shapes={"x": ("n", "m"), "y": ("n",)}).to_bytes())
    assert [str(port) for port in compiled.ports[:2]] == ["x: f32[n, m, 2] read_write", "y: f64[n, 2] write"]
    scalars = {"c.real": 0.5, "c.imag": -1, "w.z.real": 1, "w.z.imag": 2, "w.size": 3}
    found = compiled.run(device, x=x, **scalars)
    for results in ((ours, y), found.values()):
        for one, other in zip(results, expected, strict=True):
            assert one.shape == other.shape
            np.testing.assert_allclose(one, other, rtol=3e-6, atol=1e-6)
    assert found["x"].dtype == "c8"
    assert found["y"].dtype == "c16"
    numbers = compiled.run(device, x=x.view("f4").reshape(3, 4, 2), **scalars)
    assert (numbers["x"] == found["x"]).all()
    with hg.Executor("wasm") as executor:
        there = executor.array(x), executor.zeros(3, hg.complex128)
        compiled.run(executor, x=there[0], y=there[1], **scalars)
        np.testing.assert_allclose(there[1].numpy(), expected[1], rtol=3e-6)
        assert there[0].tolist() == found["x"].tolist()
        assert executor.full(2, 1j, hg.complex64).tolist() == [1j, 1j]
        assert executor.array([1, 2j], hg.complex64).tolist() == [1, 2j]


def test_infinities_nans_and_zeros_follow_numpy(device):
    """Sums, products, quotients and squares of complex numbers: what NumPy's arrays have, signs of zeros included."""
    inf, nan = np.inf, np.nan
    parts = [0.0, -0.0, 1.0, -2.0, inf, -inf, nan, 1e300, 3e-320]
    values = np.array([complex(r, i) for r in parts for i in parts])
    x, y = (grid.ravel() for grid in np.meshgrid(values, values))

    @hg.kernel
    def all_of(x: hg.Array[hg.complex128], y: hg.Array[hg.complex128], z: hg.Array[hg.complex128, 2]):
        i = hg.global_id()
        z[0, i] = x[i] + y[i]
        z[1, i] = x[i] - y[i]
        z[2, i] = x[i] * y[i]
        z[3, i] = x[i] / y[i]
        z[4, i] = x[i] ** 2

    z = np.zeros((5, x.size), "c16")
    all_of.on(type(device)(math="strict"))[x.size](x, y, z)
    with np.errstate(all="ignore"):
        products, quotients = ([op(a, b) for a, b in zip(x, y, strict=True)] for op in (mul, truediv))
        expected = np.array([x + y, x - y, products, quotients, [a * a for a in x]])
    for number, (ours, theirs) in enumerate(zip(z, expected, strict=True)):
        for part in ("real", "imag"):
            a, b = getattr(ours, part), getattr(theirs, part)
            same = (a == b) & (np.signbit(a) == np.signbit(b)) | (np.isnan(a) & np.isnan(b))
            if number == 3:
                same |= np.isclose(a, b, rtol=1e-15, atol=0)
            assert same.all(), (number, part, x[~same][:3], y[~same][:3], ours[~same][:3], theirs[~same][:3])


def test_exp_of_special_numbers(device):
    @hg.kernel
    def exps(x: hg.Array[hg.complex64]):
        i = hg.global_id()
        x[i] = hg.exp(x[i])

    x = np.array([0, 1, -1000, 1e3, -np.inf, np.inf, 1 + 2j, -3 + 0.5j], "c8")
    found = x.copy()
    exps.on(device)[len(x)](found)
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(found, np.exp(x), rtol=1e-6)


def test_abs_does_not_overflow(device):
    @hg.kernel
    def sizes(x: hg.Array[hg.complex64], y: hg.Array[hg.f32]):
        y[hg.global_id()] = abs(x[hg.global_id()])

    x, y = np.array([3e30 + 4e30j, 3e-30 - 4e-30j, -np.inf + 1j, 0], "c8"), np.zeros(4, "f4")
    sizes.on(device)[4](x, y)
    np.testing.assert_allclose(y, np.abs(x), rtol=1e-6)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("y[0] = x[0]", "x[0] is complex: take one part, x[0].real"),
        ("y[0] = x[0] < x[1]", "complex is compared by == and != alone: compare its parts"),
        ("x[0] = x[0] // 2", "// does not work on complex numbers: they have + - * / and **"),
        ("x[0] = x[0] ** y[0]", "** of complex numbers takes a literal whole exponent, at most 64"),
        ("x[0] = ~x[0]", "~ works on integers, not complex numbers: write z.conjugate() for the other sign of z.imag"),
        ("x[0] = hg.sqrt(x[0])", "hg.sqrt is of real numbers: complex ones have abs, hg.exp and z.conjugate()"),
        ("z = x[0]\n    z.real = 1.0", "z is complex, whose parts are not assigned: make a new one"),
        ("z: hg.f32 = 1j", "z is f32 elsewhere and complex here, and a variable has one type: use another name"),
        ("x[0] = x[0].size", "there is no size: x[0] is complex, which has real, imag"),
        ("x[0] = x[0].conj", "conj is a function: call it, x[0].conj()"),
        ("x[0] = complex(1, 2, 3)", "write complex(real, imag) or complex(z): arguments are missing or too many"),
        ("x[0] = (1, 2)", "a tuple of 2 does not become complex: store one, or its parts one by one"),
        ("hg.atomic_add(x, 0, 1)", "x is complex64: atomics work on i32, u32, i64 and u64, atomic_add on f32 too"),
    ],
)
def test_messages(line, message):
    with pytest.raises(hg.TranslateError) as raised:
        hg.kernel_from_source(f"def k(x: hg.Array[hg.complex64], y: hg.Array[hg.f32]):\n    {line}\n")
    assert raised.value.message.partition("\n")[0] == message


def test_what_is_no_complex_array():
    @hg.kernel
    def k(x: hg.Array[hg.complex64], c: hg.complex64):
        x[0] = c

    with pytest.raises(hg.LaunchError, match="x has dtype complex128; complex64 is expected"):
        k[1](np.zeros(1, "c16"), 1)
    with pytest.raises(hg.LaunchError, match="x has 2 axes; 1 axis is expected"):
        k[1](np.zeros((1, 1), "c8"), 1)
    with pytest.raises(hg.LaunchError, match="parameter 'c' is complex: give one, not 'one'"):
        k[1](np.zeros(1, "c8"), "one")
    plan = hg.PlanBuilder()
    plan.array("x", hg.f32, ("n",))
    with pytest.raises(hg.LaunchError, match="takes complex64, and x has elements of numbers"):
        plan.launch(k, 1, args={"c.real": 1, "c.imag": 1})


def test_temporaries_of_complex_numbers(device):
    @hg.kernel
    def double(x: hg.Array[hg.complex64], y: hg.Array[hg.complex64]):
        i = hg.global_id()
        if i < len(x):
            y[i] = 2 * x[i] * TURN

    plan = hg.PlanBuilder("twice", shapes={"x": ("n",), "y": ("n",)})
    plan.temporary("t", "n", hg.complex64)
    plan.launch(double, "n", args={"y": "t"})
    plan.launch(double, "n", args={"x": "t"})
    compiled = hg.load(hg.CompiledProgram.from_builder(plan).to_bytes())
    assert compiled.run(device, np.array([1, 2 + 1j], "c8")).tolist() == [-4, -8 - 4j]


def test_cmath_and_one_array(device):
    @hg.kernel
    def k(x: hg.Array[hg.complex64]):
        x[hg.global_id()] = cmath.exp(x[hg.global_id()])

    x = np.array([1j, 2], "c8")
    k.on(device)[2](x)
    np.testing.assert_allclose(x, np.exp([1j, 2]), rtol=1e-6)
