"""The kernels as plans: a Canny edge detector in integers and in floats, a histogram, the Mandelbrot set.

Imports nothing but hologram_web and the standard library, so that it runs in a page as it is.
"""

from __future__ import annotations

from collections.abc import Callable

import hologram_web as hg

from . import float_kernels, kernels

__all__ = [
    "FLOAT_STAGES",
    "PLANS",
    "STAGES",
    "edges_plan",
    "float_plan",
    "histogram_plan",
    "mandelbrot_plan",
    "stages_plan",
]

STAGES: tuple[hg.Kernel, ...] = (
    kernels.luminance,
    kernels.gaussian_rows,
    kernels.gaussian_cols,
    kernels.sobel,
    kernels.suppress,
    kernels.double_threshold,
    kernels.hysteresis_step,
    kernels.strong_edges,
)
FLOAT_STAGES: tuple[hg.Kernel, ...] = (
    float_kernels.luminance_f32,
    float_kernels.gaussian_rows_f32,
    float_kernels.gaussian_cols_f32,
    float_kernels.sobel_f32,
    float_kernels.suppress_f32,
    float_kernels.double_threshold_f32,
    kernels.hysteresis_step,
    kernels.strong_edges,
)

_SHAPE = ("height", "width")
_LANES = ("width", "height")
_BLOCK = (kernels.TILE, kernels.TILE)


def edges_plan() -> hg.CompiledProgram:
    """`edges` (u8[height, width], 255 on edges, else 0) of `rgb` (u8[height, width, 3]).

    `low` and `high` (u32) are the thresholds in 1/256 grey levels a pixel; `rounds` (u32) says how often weak edges
    grow from strong ones: 1 + 2 * rounds steps of a pixel.
    """
    return _canny("edges", STAGES, hg.u32, shown=False)


def stages_plan() -> hg.CompiledProgram:
    """The same, giving every plane on the way, and `changed` (u32[1]), the last step in which an edge grew.

    Edges have grown as far as they can if that is less than 1 + 2 * rounds.
    """
    return _canny("stages", STAGES, hg.u32, shown=True)


def float_plan() -> hg.CompiledProgram:
    """The same in single precision: `low` and `high` are f32, in grey levels a pixel."""
    return _canny("floats", FLOAT_STAGES, hg.f32, shown=True)


def _canny(name: str, stages: tuple[hg.Kernel, ...], level: hg.Type, *, shown: bool) -> hg.CompiledProgram:
    *before, hysteresis, last = stages
    plan = hg.PlanBuilder(name)
    plan.array("rgb", hg.u8, (*_SHAPE, 3))
    for scalar in ("low", "high"):
        plan.scalar(scalar, level)
    plan.scalar("rounds", hg.u32)
    made: list[tuple[str, hg.Type, tuple[str | int, ...]]] = [
        (name, ty, _SHAPE) for stage in before for name, ty in _written(stage).items()
    ]
    for plane, ty, shape in [*made, ("changed", hg.u32, (1,)), ("grown", hg.u8, _SHAPE)]:
        if shown:
            plan.array(plane, ty, shape, hg.Access.WRITE)
        else:
            plan.temporary(plane, shape, ty)
    plan.temporary("other", _SHAPE, hg.u8)
    plan.array("edges", hg.u8, _SHAPE)
    for stage in before:
        plan.launch(stage, _LANES, _BLOCK)
    plan.launch(hysteresis, _LANES, _BLOCK, {"step": 1})
    with plan.repeat("rounds") as k:
        for source, target, step in (("grown", "other", 2 * k + 2), ("other", "grown", 2 * k + 3)):
            plan.launch(hysteresis, _LANES, _BLOCK, {"marks": source, "grown": target, "step": step})
    plan.launch(last, _LANES, _BLOCK, {"marks": "grown"})
    return hg.CompiledProgram.from_builder(plan)


def _written(stage: hg.Kernel) -> dict[str, hg.Type]:
    """The types of the planes that a kernel makes."""
    params = [param for param in stage.program.params if param.access is not None and param.access.writes]
    return {param.name: param.ty for param in params if param.ty is not None}


def histogram_plan() -> hg.CompiledProgram:
    """`counts` (u32[256]): how many pixels of `rgb` have each brightness. 64 blocks share the picture."""
    plan = hg.PlanBuilder("histogram", shapes={"rgb": (*_SHAPE, 3)})
    plan.temporary("luma", _SHAPE, hg.u16)
    plan.array("counts", hg.u32, (kernels.BINS,), hg.Access.WRITE)  # it may be left out, and is zeroed then
    plan.launch(kernels.luminance, _LANES, _BLOCK)
    plan.launch(kernels.histogram, (128, 128), _BLOCK)
    return hg.CompiledProgram.from_builder(plan)


def mandelbrot_plan() -> hg.CompiledProgram:
    """`rounds` (u16[height, width]): rounds until z leaves, `most` if it stays; pixels are `step` apart from `left`,
    `top` on."""
    return hg.compile(
        [(kernels.mandelbrot, _LANES, _BLOCK)],
        name="mandelbrot",
        shapes={"rounds": _SHAPE},
        scalars={"width": hg.u32, "height": hg.u32},
    )


PLANS: dict[str, Callable[[], hg.CompiledProgram]] = {
    "stages": stages_plan,
    "edges": edges_plan,
    "floats": float_plan,
    "histogram": histogram_plan,
    "mandelbrot": mandelbrot_plan,
}
