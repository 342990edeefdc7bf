"""Conway's Game of Life, on a torus. What died glows for a while."""

# mypy: ignore-errors

import numpy as np

import hologram_web as hg

TITLE = "Game of Life"
SUMMARY = "Conway's cells on a torus of 512 × 512, with an afterglow of what died."
SIZE = (512, 512)
KEYS = "Drag to sow cells."
HINT = "Drag over the picture to sow cells."
TOLERANCE = 0
FRAMES = 200

ALIVE = 255  # less is how long ago a cell died


@hg.kernel
def step(cells: hg.Array[hg.u8, 2], after: hg.Array[hg.u8, 2]):
    row, column = hg.global_id(1), hg.global_id(0)
    height, width = cells.shape
    up, down = row - 1 if row > 0 else height - 1, row + 1 if row + 1 < height else 0
    left, right = column - 1 if column > 0 else width - 1, column + 1 if column + 1 < width else 0
    around = 0
    for r in (up, row, down):
        for c in (left, column, right):
            around += 1 if cells[r, c] == ALIVE else 0
    here = cells[row, column]
    lives = around == 3 or (around == 4 and here == ALIVE)  # itself is counted
    after[row, column] = ALIVE if lives else hg.u8(hg.i32(here) * 15 // 16)


@hg.kernel
def sow(cells: hg.Array[hg.u8, 2], x: hg.f32, y: hg.f32, radius: hg.f32, seed: hg.u32):
    """A third of the cells of a circle come to life."""
    row, column = hg.global_id(1), hg.global_id(0)
    near = (column - x) ** 2 + (row - y) ** 2 < radius * radius
    if near and hg.random_uniform(seed, row * cells.shape[1] + column) < 0.33:
        cells[row, column] = ALIVE


def programs():
    size, lanes = ("height", "width"), ("width", "height")
    plan = hg.PlanBuilder("life", shapes={"cells": size})
    plan.scalar("pairs", hg.i32)  # of generations
    plan.temporary("after", size, hg.u8)
    with plan.repeat("pairs"):
        plan.launch(step, lanes)
        plan.launch(step, lanes, args={"cells": "after", "after": "cells"})
    plan.launch(step, lanes)
    plan.launch(step, lanes, args={"cells": "after", "after": "cells"})
    return {"steps": hg.CompiledProgram.from_builder(plan), "sow": hg.compile(sow, lanes=lanes, shapes={"cells": size})}


def examples():
    """Runs, and what NumPy says of them."""
    cells = np.where(np.random.default_rng(2).random((20, 30)) < 0.4, ALIVE, 40).astype(np.uint8)
    after = cells
    for _ in range(6):
        alive = (after == ALIVE).astype(int)
        around = sum(np.roll(alive, (r, c), (0, 1)) for r in (-1, 0, 1) for c in (-1, 0, 1)) - alive
        lives = (around == 3) | ((around == 2) & (alive == 1))
        after = np.where(lives, ALIVE, after.astype(int) * 15 // 16).astype(np.uint8)
    yield "steps", {"cells": cells, "pairs": 2}, {"cells": after}
