"""The lanes of a block share memory, and wait for one another at
barriers."""

import hologram_web as hg

TITLE = "Blocks that share memory"
SUMMARY = "Sums of all elements so far, in each block of 256: eight steps, with barriers in between."


@hg.kernel
def scan(x: hg.Array[hg.u32], y: hg.Array[hg.u32]):
    sums = hg.shared(hg.u32, 256)
    i, lane = hg.global_id(), hg.local_id()
    sums[lane] = x[i]
    hg.barrier()
    step = 1
    while step < 256:
        before = 0
        if lane >= step:
            before = sums[lane - step]
        hg.barrier()
        sums[lane] += before
        hg.barrier()
        step *= 2
    y[i] = sums[lane]


program = hg.compile(
    scan,
    lanes="n",
    block=256,
    shapes={"x": ("n",), "y": ("n",)},
)
inputs = {"x": [1 + k % 7 for k in range(1024)]}
