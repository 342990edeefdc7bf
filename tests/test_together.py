"""Loads of neighbours, at an index that was read, have one check on wasm: the same faults as if each had its own."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.compiler.build import build
from hologram_web.compiler.passes import optimize
from hologram_web.compiler.together import checked_together
from hologram_web.isa.verify import analyze
from hologram_web.targets.wasm import compile_kernel
from hologram_web.targets.wasm import kernel as _kernel

target: Any = _kernel
_ADDED = {2: "v.x + v.y", 3: "v.x + v.y + v.z", 4: "v.x + v.y + v.z + v.w"}


def _loading(ty, size, index="k[i]", head=""):
    return hg.kernel_from_source(
        f"def k(k: hg.Array[hg.i32], x: hg.Array[hg.{ty}], y: hg.Array[hg.{ty}]):\n    i = hg.global_id()\n"
        f"    {head or 'if True:'}\n        v = x.load({index}, {size})\n        y[i] = {_ADDED[size]}\n"
    )


def _function(kernel):
    return optimize(build(analyze(kernel.program), (256, 1, 1)))


@pytest.mark.parametrize("packets", [None, 1])
@pytest.mark.parametrize("head", ["", "if i % 3 != 1:"])
@pytest.mark.parametrize(("ty", "size"), [("f32", 2), ("f32", 4), ("u8", 3), ("i16", 4), ("f64", 2), ("i64", 3)])
def test_the_first_element_of_the_first_lane_faults(monkeypatch, packets, head, ty, size):
    chosen = target.chosen
    monkeypatch.setattr(target, "chosen", lambda function, _: chosen(function, packets))
    monkeypatch.setenv("HOLOGRAM_WEB_CACHE", "off")
    kernel, source, bytes_of = _loading(ty, size, head=head), random.Random(1), getattr(hg, ty).size_bytes
    first = [str(each).startswith(f"ldg.{ty} ") for each in kernel.program.instructions].index(True)
    with hg.Executor("wasm") as ex:
        for length in (0, 1, size, 40):
            for wrong in (0, 1, 2, 5):
                held = [source.randrange(max(length - size + 1, 1)) for _ in range(23)]
                edges = [-1, -size, length, length - 1, length - size + 1, 2**31 - 1, -(2**31)]
                for _ in range(wrong):
                    held[source.randrange(23)] = source.choice(edges)
                on = [lane for lane in range(23) if not head or lane % 3 != 1]
                bad = [(lane, at) for lane in on for at in range(size) if not 0 <= held[lane] + at < length]
                x, y = np.arange(length).astype(getattr(hg, ty).numpy), np.zeros(23, getattr(hg, ty).numpy)
                if not bad:
                    kernel.on(ex)[23](np.array(held, "i4"), x, y)
                    assert y[on].tolist() == [int(x[held[lane] :][:size].sum()) for lane in on]
                    continue
                with pytest.raises(hg.ExecutionError, match="OutOfBounds") as caught:
                    kernel.on(ex)[23](np.array(held, "i4"), x, y)
                lane, at = bad[0]
                assert caught.value.lane == lane
                assert caught.value.offset == (held[lane] + at) * bytes_of
                assert caught.value.instruction == first + at


def test_one_check_where_the_index_was_read():
    function = _function(_loading("f32", 4))
    found = [str(node.attr) for node in checked_together(function).nodes() if node.op == "load"]
    said = ["0", "0 4 together", "4 unchecked", "8 unchecked", "12 unchecked"]
    assert [text.partition("+")[2] for text in found] == said
    assert not any(node.op == "load" and not node.attr.checked for node in function.nodes())  # it stays as it is
    alone = compile_kernel(function, packets=1).code
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(target, "checked_together", lambda function: function)
        assert len(compile_kernel(function, packets=1).code) > len(alone)


@pytest.mark.parametrize("index", ["i", "4 * i", "i + 3"])
def test_others_are_as_they_were(index):
    function = _function(_loading("f32", 4, index))
    assert checked_together(function) is function
