"""The memory that plans of operations take beside their operands, and in how many submits a GPU does them."""

# mypy: ignore-errors

from __future__ import annotations

from functools import reduce

import numpy as np

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web.plan.reader import read


def _temporaries(made):
    return [temporary.size.evaluate({}) for temporary in read(made.to_bytes()).plan.temporaries]


def _attending(operation, length):
    """Bytes of all temporaries of a file, those of both backends."""
    text = "".join(f".param {name}: buffer f32\n" for name in "zqkv")
    text += f"{operation}.f32 [z], [q], [k], [v], 1, 1, {length}, {length}, 32\n"
    shapes = {name: (length * 32,) for name in "zqkv"}
    return sum(_temporaries(hg.compile(hg.Program.from_text(text), grid=1, shapes=shapes)))


def test_flash_attention_takes_memory_as_a_sequence_is_long():
    assert _attending("flash_attention", 4096) <= 4 * _attending("flash_attention", 1024) + 4096
    assert _attending("attention", 4096) > 12 * _attending("attention", 1024) > 0  # its scores: the count can tell


def test_temporaries_are_used_again():
    """A chain of products has two results alive at a time, the last one and the next."""
    square = np.ones((64, 64), "f4")

    def of(rounds):
        chain = hg.function(lambda x, w: reduce(lambda y, _: xp.matmul(y, w), range(rounds), x))
        return sum(_temporaries(chain.compile(square, square)))

    assert 0 < of(12) == of(3)


def test_a_gpu_does_a_chain_of_operations_in_one_submit():
    with hg.Executor("webgpu") as ex:
        x, w = (ex.array(np.full((64, 64), 1 / 64, "f4")) for _ in range(2))
        chain = reduce(lambda y, _: hg.ops.softmax(xp.matmul(y, w)), range(6), x)
        ex.sync()
        recorder = ex.device._recorder
        before, launches = recorder.submits, ex.device.stats.launches
        found = chain.realize()
        ex.sync()
        assert ex.device.stats.launches - launches >= 12
        assert recorder.submits - before == 1
        np.testing.assert_allclose(found.numpy().sum(axis=-1), 1, rtol=1e-5)
