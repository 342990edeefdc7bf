"""Words about the kernels and the plans."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ABOUT", "STORY", "Stage"]


@dataclass(frozen=True)
class Stage:
    """A kernel of the pipeline; `planes` are what it makes, `shows` the one that is shown large."""

    name: str
    title: str
    about: str
    formula: str
    planes: tuple[str, ...]
    shows: str


STORY = (
    Stage(
        "luminance",
        "Luminance",
        "One brightness from red, green and blue, in fixed point: 16 bits, 8 of them after the point.",
        "luma = (19595 R + 38470 G + 7471 B + 128) >> 8",
        ("luma",),
        "luma",
    ),
    Stage(
        "gaussian_rows",
        "Gaussian, along the rows",
        "Nine taps. The block fetches its tile and a halo of four columns into shared memory, waits at a barrier, and "
        "then every lane finds its neighbours close by.",
        "blur_rows(x, y) = (sum of tap(i) * luma(x + i, y) + 32768) >> 16",
        ("blur_rows",),
        "blur_rows",
    ),
    Stage(
        "gaussian_cols",
        "Gaussian, along the columns",
        "The same with the axes exchanged: 9 + 9 products a pixel do the work of 81.",
        "smooth(x, y) = (sum of tap(i) * blur_rows(x, y + i) + 32768) >> 16",
        ("smooth",),
        "smooth",
    ),
    Stage(
        "sobel",
        "Sobel gradient",
        "How fast the brightness changes and in which of eight directions. The square root is a loop that finds one "
        "binary digit a round; the direction needs comparisons of squares only.",
        "magnitude = floor(sqrt(gx * gx + gy * gy))",
        ("gx", "gy", "magnitude", "direction"),
        "direction",
    ),
    Stage(
        "suppress",
        "Non-maximum suppression",
        "Along the gradient only the highest pixel stays, so that edges become one pixel thin.",
        "thin = magnitude if before < magnitude >= after else 0",
        ("thin",),
        "thin",
    ),
    Stage(
        "double_threshold",
        "Double threshold",
        "Pixels above the higher threshold are edges for sure, those above the lower one if they touch such.",
        "mark = strong if thin > high else weak if thin > low else 0",
        ("marks",),
        "marks",
    ),
    Stage(
        "hysteresis_step",
        "Hysteresis, again and again",
        "A weak pixel next to a strong one becomes strong. The plan repeats this step, to and fro between two buffers; "
        "an atomic maximum keeps the number of the last step in which something changed.",
        "mark(p) = strong if mark(p) is weak and one of its eight neighbours is strong",
        ("grown",),
        "grown",
    ),
    Stage(
        "strong_edges",
        "Back to 8 bits",
        "What is strong now is an edge.",
        "edges = 255 if mark is strong else 0",
        ("edges",),
        "edges",
    ),
)

ABOUT = {
    "edges": "edges, in integers",
    "floats": "edges, in floats",
    "histogram": "histogram",
    "mandelbrot": "Mandelbrot set",
}
