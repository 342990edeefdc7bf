"""One lane of this kernel does one element: y = a * x + y."""

import hologram_web as hg

TITLE = "A first kernel"
SUMMARY = "One lane for each element. Look at what it becomes: ISA, WGSL, WAT."


@hg.kernel
def saxpy(a: hg.f32, x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    i = hg.global_id()
    if i < len(y):
        y[i] = a * x[i] + y[i]


# What runs on the devices is `program`: a lane for each element of y.
program = hg.compile(saxpy)

# What it is given is `inputs`: numbers, lists, arrays, or lengths of
# arrays of zeros.
inputs = {"a": 2, "x": [1, 2, 3, 4, 5], "y": [10, 20, 30, 40, 50]}
