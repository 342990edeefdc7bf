"""The functions of `hg` that are written in the kernel language, and Python's math: beside NumPy, published vectors."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import hologram_web as hg

RANDOM = np.random.default_rng(12)
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, np.inf, -np.inf, np.nan, 100.0, -100.0, 1e-40, -1e-40, 3e38, 20.5, 1e9]
NUMBERS = np.concatenate(
    [
        RANDOM.normal(size=1000) * np.exp2(RANDOM.integers(-30, 30, 1000)),
        RANDOM.uniform(-1, 1, 1000),
        RANDOM.uniform(-4, 4, 1000),
        SPECIAL,
    ]
)

REFERENCES = {
    "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh, "atan": np.arctan,
    "atanh": np.arctanh, "cbrt": np.cbrt, "cosh": np.cosh, "degrees": np.degrees, "exp2": np.exp2, "expm1": np.expm1,
    "isfinite": np.isfinite, "isinf": np.isinf, "isnan": np.isnan, "log1p": np.log1p, "radians": np.radians,
    "sinh": np.sinh,
}  # fmt: skip
BINARY = {"copysign": np.copysign, "fmod": np.fmod, "hypot": np.hypot}


def _kernel(expression, ty):
    return hg.kernel_from_source(
        "import math\n"
        f"def k(x: hg.Array[hg.{ty}], y: hg.Array[hg.{ty}], out: hg.Array[hg.{ty}]):\n"
        "    i = hg.global_id()\n"
        f"    out[i] = hg.{ty}({expression})\n"
    )


def _ulps(found, exact):
    """By how many units of the last place numbers differ; NaN and infinities have to be the same."""
    np.testing.assert_array_equal(np.isnan(found), np.isnan(exact))
    finite = np.isfinite(exact) & np.isfinite(found)
    infinite = ~finite & ~np.isnan(exact)
    np.testing.assert_array_equal(found[infinite], exact[infinite])
    np.testing.assert_array_equal(np.signbit(found[exact == 0]), np.signbit(exact[exact == 0]))
    return np.max(np.abs(found[finite] - exact[finite]) / np.spacing(np.abs(exact[finite])), initial=0)


def _check(device, name, ty):
    """F32 beside NumPy's F64, rounded; F64 beside NumPy's, whose own functions are off by up to one unit."""
    kernel = _kernel(f"hg.{name}(x[i])", ty).on(device)
    with np.errstate(all="ignore"):
        x = NUMBERS.astype(ty.replace("f", "float"))
        exact = REFERENCES[name](x.astype("f8")).astype(x.dtype)
    found = np.zeros_like(x)
    kernel[len(x)](x, x, found)
    with np.errstate(all="ignore"):
        assert _ulps(found, exact) <= (2 if ty == "f32" else 4)


@pytest.mark.parametrize("name", REFERENCES)
def test_functions_of_one_number(device, name):
    _check(device, name, "f32")


@pytest.mark.parametrize("device", ["cpu", "wasm"], indirect=True)
@pytest.mark.parametrize("name", REFERENCES)
def test_functions_of_one_number_in_f64(device, name):
    _check(device, name, "f64")


# Each function of F64 takes shader compilers seconds.
@pytest.mark.parametrize("device", ["webgpu"], indirect=True)
@pytest.mark.parametrize("name", ["log1p", "isnan", "isinf", "isfinite", "degrees"])
def test_functions_of_one_number_in_f64_on_a_gpu(device, name):
    _check(device, name, "f64")


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_numbers(device, name):
    x = np.repeat(NUMBERS[-60:], 60).astype("f4")
    y = np.tile(NUMBERS[-60:], 60).astype("f4")
    found = np.zeros_like(x)
    _kernel(f"hg.{name}(x[i], y[i])", "f32").on(device)[len(x)](x, y, found)
    with np.errstate(all="ignore"):
        exact = BINARY[name](x.astype("f8"), y.astype("f8")).astype("f4")
        assert _ulps(found, exact) <= (0 if name != "hypot" else 2)


MATHS = [
    ("math.sqrt(x[i]) + math.fabs(y[i])", lambda x, y: math.sqrt(x) + abs(y)),
    ("math.pow(x[i], 2.0) + math.exp(y[i])", lambda x, y: x**2 + math.exp(y)),
    ("math.atan2(x[i], y[i]) * math.pi + math.tau", lambda x, y: math.atan2(x, y) * math.pi + math.tau),
    ("math.floor(y[i]) * 10 + math.ceil(x[i])", lambda x, y: math.floor(y) * 10 + math.ceil(x)),
    ("math.trunc(y[i]) // 2", lambda x, y: math.trunc(y) // 2),
    ("math.hypot(x[i], y[i]) + math.isnan(x[i])", lambda x, y: math.hypot(x, y)),
    ("math.log(x[i], 2) + math.log(x[i] + 1, 10.0)", lambda x, y: math.log2(x) + math.log10(x + 1)),
    ("math.log1p(x[i]) + math.sinh(y[i]) + math.degrees(x[i])",
     lambda x, y: math.log1p(x) + math.sinh(y) + math.degrees(x)),
    ("int(y[i]) * 2 + int(7)", lambda x, y: int(y) * 2 + 7),

    ("bool(int(x[i])) + bool(0)", lambda x, y: bool(int(x))),

]  # fmt: skip


@pytest.mark.parametrize(("expression", "python"), MATHS)
def test_pythons_own_functions(device, expression, python):
    x, y = RANDOM.uniform(0, 4, 50).astype("f4"), RANDOM.uniform(-5, 5, 50).astype("f4")
    found = np.zeros_like(x)
    _kernel(expression, "f32").on(device)[50](x, y, found)
    np.testing.assert_allclose(found, [python(float(a), float(b)) for a, b in zip(x, y, strict=True)], rtol=3e-6)


def test_divmod_and_casts():
    kernel = hg.kernel_from_source(
        "def k(x: hg.Array[hg.i32], q: hg.Array[hg.i32], r: hg.Array[hg.i32], f: hg.Array[hg.f64]):\n"
        "    i = hg.global_id()\n"
        "    q[i], r[i] = divmod(x[i], 3)\n"
        "    f[i] = float(hg.i64(x[i])) / 3\n"
    )
    x = np.arange(-9, 9, dtype=np.int32)
    q, r, f = np.zeros_like(x), np.zeros_like(x), np.zeros(len(x))
    kernel(x, q, r, f)
    np.testing.assert_array_equal([q, r], np.divmod(x, 3))
    np.testing.assert_array_equal(f, x / 3)


@pytest.mark.parametrize("name", ["acosh", "asinh", "cbrt", "expm1", "sinh"])
def test_functions_of_f16(name):
    """They compare with numbers that F16 does not hold."""
    kernel = hg.kernel_from_source(
        "import hologram_web as hg\ndef k(x: hg.Array[hg.f16], y: hg.Array[hg.f32]):\n"
        f"    i = hg.global_id()\n    y[i] = hg.{name}(x[i])\n"
    )
    x, y = np.array([1, 2.5, 9], np.float16), np.zeros(3, np.float32)
    kernel(x, y)
    of_numpy = {"acosh": np.arccosh, "asinh": np.arcsinh}.get(name) or getattr(np, name)
    np.testing.assert_allclose(y, of_numpy(x.astype(np.float64)), rtol=1e-2)


def test_what_is_not_there_is_said():
    for name in ("gamma", "lgamma", "comb"):
        with pytest.raises(hg.TranslateError, match=rf"math\.{name} is not available in a kernel: compute it on the"):
            _kernel(f"math.{name}(x[i])", "f32")


def test_they_work_on_the_host_where_they_need_nothing_else():
    assert hg.isnan(float("nan"))
    assert hg.isinf(-math.inf)
    assert not hg.isfinite(math.inf)
    assert hg.degrees(math.pi) == 180
    with pytest.raises(hg.TranslateError, match="belongs into a kernel"):
        hg.expm1(1.0)


# Random numbers. Known answers of Random123 (kat_vectors of its distribution, philox4x32 10): counter, key, result

KNOWN = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


@pytest.mark.parametrize(("counter", "key", "result"), KNOWN)
def test_random_is_philox(device, counter, key, result):
    kernel = hg.kernel_from_source(
        "def k(seed: hg.u64, i: hg.u64, stream: hg.u64, out: hg.Array[hg.u32]):\n"
        "    out[0], out[1], out[2], out[3] = hg.random(seed, i, stream)\n"
    )
    found = np.zeros(4, np.uint32)
    words = key[0] | key[1] << 32, counter[0] | counter[1] << 32, counter[2] | counter[3] << 32
    kernel.on(device)[1](*words, found)
    assert tuple(found.tolist()) == result


def _drawn(device, expression, dtype, count=20_000):
    ty = {"f4": "f32", "i4": "i32"}[dtype]
    kernel = hg.kernel_from_source(
        f"def k(seed: hg.i32, out: hg.Array[hg.{ty}]):\n    i = hg.global_id()\n    out[i] = {expression}\n"
    )
    out = np.zeros(count, dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel.on(device)[count](5, out)
    return out


def test_uniform_normal_and_integers(device):
    uniform = _drawn(device, "hg.random_uniform(seed, i)", "f4")
    assert 0 <= uniform.min() < 1e-3
    assert 0.999 < uniform.max() < 1
    assert abs(uniform.mean() - 0.5) < 0.01
    other = _drawn(device, "hg.random_uniform(seed, i, 1)", "f4")
    assert abs(np.corrcoef(uniform, other)[0, 1]) < 0.03
    normal = _drawn(device, "hg.random_normal(seed, i)", "f4")
    assert abs(normal.mean()) < 0.03
    assert abs(normal.std() - 1) < 0.02
    whole = _drawn(device, "hg.random_integers(seed, i, -3, 4)", "i4")
    assert sorted(set(whole.tolist())) == [-3, -2, -1, 0, 1, 2, 3]
    assert np.bincount(whole + 3).min() > 2600
    widest = _drawn(device, "hg.random_integers(seed, i, -2147483648, 2147483647)", "i4")
    assert widest.min() < -2_000_000_000
    assert widest.max() > 2_000_000_000


@pytest.mark.parametrize("expression", ["hg.random_uniform(seed, i)", "hg.random_normal(seed, i)"])
def test_random_numbers_are_the_same_everywhere(device, expression):
    here = _drawn(device, expression, "f4", 500)
    there = _drawn(hg.backends.CpuBackend(), expression, "f4", 500)
    assert here.tobytes() == there.tobytes()
