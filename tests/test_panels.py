"""Products that pack each panel just before they use it, which files and pages have: the bits of what runs here."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.tensor import matmul

# Rows, columns, k, batch, type, transposes, what becomes of c: columns at an edge and fewer than a panel, strips,
# rounds that leave some, several matrices, both turned, halves and short integers, which are converted, a bias, longer
# elements.
CASES = [
    (33, 47, 51, 1, "f32", (False, False), ""),
    (40, 5, 9, 1, "f32", (False, True), ", beta=2.0"),
    (23, 600, 13, 1, "f32", (True, False), ", alpha=0.5"),
    (18, 20, 30, 3, "f32", (True, True), ""),
    (300, 8, 1000, 2, "f32", (False, False), ", beta=1.0"),
    (19, 24, 40, 1, "f16", (False, False), ""),
    (35, 77, 21, 1, "i32", (False, True), ""),
    (33, 47, 51, 1, "f64", (True, False), ", beta=2.0"),
    (27, 3, 9, 2, "f64", (False, True), ""),
    (35, 78, 21, 1, "i64", (True, True), ""),
    (23, 45, 13, 3, "i8", (True, False), ", alpha=3.0, beta=2.0"),
    (24, 40, 33, 1, "u16", (False, False), ", beta=1.0"),
]


@pytest.mark.parametrize(("m", "n", "k", "batch", "ty", "turned", "more"), CASES)
def test_bits_are_those_of_panels(
    monkeypatch: pytest.MonkeyPatch, m: int, n: int, k: int, batch: int, ty: str, turned: tuple[bool, bool], more: str
) -> None:
    chance, dtype = np.random.default_rng(m), np.dtype(f"{ty[0]}{int(ty[1:]) // 8}")
    least, lengths = 0 if ty[0] == "u" else -99, (batch * m * k, batch * k * n, batch * m * n)
    a, b, c = (chance.integers(least, 99, size).astype(dtype) for size in lengths)
    if ty in ("f32", "f64"):
        a, b = (each * chance.standard_normal(each.size).astype(dtype) for each in (a, b))
    if not ty.startswith("f"):
        more = more.replace(".0", "")
    sizes = f"{m}, {n}, {k}, trans_a={str(turned[0]).lower()}, trans_b={str(turned[1]).lower()}{more}"
    line = f"gemm.{ty} [z], [x], [y], {sizes}"
    if batch > 1:
        line = f"batched_gemm.{ty} [z], [x], [y], {batch}, {sizes}"
    product, found = matmul._product, []
    texts: list[list[str]] = []

    def as_pages(o: Any, traits: Any, *given: Any, **named: Any) -> Any:
        launches = product(o, replace(traits, native=False) if way else traits, *given, **named)
        texts.append([each.program.metadata.name for each in launches])
        return launches

    monkeypatch.setattr(matmul, "_product", as_pages)
    for way in (0, 1):
        params = "".join(f".param {name}: buffer {ty} {use}\n" for name, use in (("x", "read"), ("y", "read")))
        text = f"{params}.param z: buffer {ty} read_write\n    mov_imm.u32 r9, {way}\n    {line}\n"
        with hg.Executor("wasm", threads=2) as ex:
            z = ex.array(c.copy())
            ex.run(hg.Program.from_text(text), 1, x=ex.array(a), y=ex.array(b), z=z)
            found.append(z.numpy().tobytes())
    assert found[0] == found[1]
    assert [any("gemm_fresh" in name for name in names) for names in texts] == [False, True]
