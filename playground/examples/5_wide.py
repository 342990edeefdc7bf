"""Integers of up to 4,096 bits are types like all others, on every
device."""

import hologram_web as hg

TITLE = "Integers of 256 bits"
SUMMARY = "x to the power of 65,537, modulo 2 to the 256: wide integers, alike bit by bit on every device."


@hg.kernel
def power(x: hg.Array[hg.u256], y: hg.Array[hg.u256]):
    i = hg.global_id()
    if i < len(y):
        found = x[i]
        for _ in range(16):
            found = found * found
        y[i] = found * x[i]


program = hg.compile(power, shapes={"x": ("n",), "y": ("n",)})
inputs = {"x": [3**k for k in range(1, 65)]}
