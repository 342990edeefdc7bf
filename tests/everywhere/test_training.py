"""A training run of examples/digits, natively and in the page: to the same bits."""

from __future__ import annotations

import hologram_web as hg
from hologram_web.store.blake3 import blake3

BITS = "1cdbcd943ac306905d65f00cddfcb0a19e71cce66a81f6d38ba1c8a287cbd90c"


def test_weights_have_the_same_bits_everywhere() -> None:
    from examples.digits.data import drawn
    from examples.digits.model import trained
    from hologram_web import nn

    with hg.Executor("wasm") as ex:
        params, losses = trained(ex, *drawn(100, 1), epochs=2)
        assert losses[1] < losses[0]
        assert blake3(nn.save(params)).hex() == BITS
