"""Operators on arrays become as few kernels as it takes: here the
sums, and one map."""

import hologram_web as hg
from hologram_web import array_api as xp

TITLE = "An array program"
SUMMARY = "A function of arrays, traced once and fused. Its result has one axis, so that it is a plot."


@hg.function
def chirp(speed: hg.f32):
    """A tone that rises and fades, with the mean taken away."""
    x = xp.arange(1024, dtype=hg.f32) / 1024
    tone = xp.sin(speed * x * x) * xp.exp(-3 * x)
    return tone - tone.mean()


program = chirp.compile()
inputs = {"speed": 60}
