"""A register-tiled matrix product in this language: its numbers, and where its tile is."""

from __future__ import annotations

import ast
import inspect
import re

import numpy as np
import pytest

import hologram_web as hg
from examples import matmul as example

# mypy: ignore-errors


@pytest.mark.parametrize(("rows", "inner", "columns"), [(1, 1, 1), (4, 5, 96), (9, 17, 113), (13, 3, 200), (7, 1, 95)])
def test_it_is_numpys_product(device, rows, inner, columns):
    rng = np.random.default_rng(rows)
    a, b = rng.random((rows, inner), np.float32) - 0.5, rng.random((inner, columns), np.float32)
    np.testing.assert_allclose(example.product(a, b, device), a @ b, rtol=1e-5, atol=1e-6)


def test_other_tiles(device):
    kernel = example.matmul.specialize(ROWS=2, COLUMNS=5).on(device)
    a, b = np.ones((6, 4), np.float32), np.arange(4 * 90, dtype=np.float32).reshape(4, 90)
    c = np.zeros((6, 90), np.float32)
    kernel[(2 * 16, 3), (16, 1)](a, b, c)
    assert (c == a @ b).all()


def test_it_is_short():
    text = inspect.getsource(example)
    (kernel,) = [node for node in ast.parse(text).body if getattr(node, "name", "") == "matmul"]
    assert kernel.end_lineno - kernel.lineno < 60


def test_wgsl_holds_the_tile_in_variables():
    text = example.matmul.specialize().wgsl((example.BLOCK, 1))
    assert not re.findall(r"var<private> \w+: array|var \w+: array", text)
    variables = set(re.findall(r"var (v\d+): f32;", text))
    sums = set(re.findall(r"(v\d+) = [^\n;]*v\d+ \+ [^\n;]*v\d+ \* v\d+", text))
    assert len(sums & variables) >= 12


def test_wat_keeps_twelve_vectors_in_locals():
    text = example.matmul.specialize().wat((example.BLOCK, 1))
    loops = [body for body in _innermost(text) if body.count("f32x4.mul") == body.count("f32x4.add") == 12]
    assert loops
    for loop in loops:
        assert "v128.store" not in loop
        assert len(re.findall(r"v128\.load\b", loop)) <= 3  # those of b, side by side
        sums = re.findall(r"f32x4\.add\n(?:[^\n]*\n){0,3}?\s*local\.set (\$\w+)", loop)
        assert len(set(sums)) == 12
        assert all(f"(local {name} v128)" in text for name in sums)


def test_sums_of_a_step_do_not_wait_for_the_loads_of_the_next():
    @hg.kernel
    def dot(a: hg.Array[hg.f32], b: hg.Array[hg.f32], c: hg.Array[hg.f32], n: hg.i32):
        i, total = hg.global_id(), 0.0
        for some in range(n):
            for step in hg.static_range(4):
                total += a[some * 4 + step] * b[some * 4096 + step * 1024 + i]
        c[i] = total

    loops = [body for body in _innermost(dot.wat((64, 1))) if body.count("f32x4.mul") == 4]
    assert loops
    for loop in loops:
        assert len(re.findall(r"f32x4\.mul\n.*f32x4\.add\n\s*local\.set", loop)) == 4


def _innermost(text):
    """The loops of a module that hold no other one."""
    lines, found, started = text.splitlines(), [], []
    for number, line in enumerate(lines):
        word = line.strip()
        if word.startswith("loop"):
            started.append((len(line) - len(line.lstrip()), number))
        elif started and word.startswith("end") and len(line) - len(line.lstrip()) == started[-1][0]:
            _, first = started.pop()
            body = "\n".join(lines[first + 1 : number + 1])
            if not re.search(r"^\s*loop", body, re.M):
                found.append(body)
    return found
