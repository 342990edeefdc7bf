"""The twelve kernels with what they take, and what NumPy says comes out."""

# mypy: ignore-errors

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import kernels


@dataclass
class Case:
    """A launch. `wanted` are the arrays that it writes; they may differ by `tolerance` of the largest element."""

    kernel: Any
    lanes: Any
    block: Any
    args: dict[str, Any]
    wanted: dict[str, Any]
    tolerance: float = 0.0

    def launched(self, kernel: Any) -> dict[str, Any]:
        """The arrays after a launch."""
        args = {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in self.args.items()}
        kernel[self.lanes, self.block](**args)
        return {name: args[name] for name in self.wanted}

    def check(self, found: dict[str, Any]) -> None:
        for name, wanted in self.wanted.items():
            most = self.tolerance * np.abs(wanted).max()
            np.testing.assert_allclose(found[name].reshape(wanted.shape), wanted, rtol=0, atol=most, err_msg=name)


def cases() -> Iterator[Case]:
    """All twelve."""
    random = np.random.default_rng(17)
    f32, u32, u8 = np.float32, np.uint32, np.uint8
    wide, tiles = (16, 16), (16, 16)

    photo = random.integers(0, 256, (20, 30, 3), dtype=u8)
    mix = np.array([[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]], f32)
    old = np.minimum(sum(mix[:, c] * photo[..., c, None].astype(f32) for c in range(3)), 255).astype(u8)
    args = {"photo": photo, "old": np.zeros_like(photo)}
    yield Case(kernels.sepia, (32, 32), wide, args, {"old": old}, tolerance=0.004)  # the last digit, cut off

    x = random.integers(0, 1000, 512, dtype=u32)
    sums = x.reshape(2, 256).cumsum(axis=1, dtype=u32).ravel()
    yield Case(kernels.scan, 512, 256, {"x": x, "y": np.zeros_like(x)}, {"y": sums})

    a, b = random.random((20, 40), f32), random.random((40, 30), f32)
    args = {"a": a, "b": b, "c": np.zeros((20, 30), f32)}
    yield Case(kernels.matmul, (32, 32), tiles, args, {"c": a.astype("f8") @ b}, tolerance=1e-6)

    place, mass = random.random((50, 3), f32), random.random(50, f32)
    d = (place[None] - place[:, None]).astype("f8")
    pull = (d * (mass * ((d**2).sum(-1) + 0.01) ** -1.5)[..., None]).sum(1)
    args = {"place": place, "speed": np.zeros((50, 3), f32), "mass": mass, "dt": 0.5}
    yield Case(kernels.nbody, 50, 64, args, {"speed": 0.5 * pull}, tolerance=1e-5)

    args = {"inside": np.zeros(1, u32), "seed": 7, "rounds": 40}
    yield Case(kernels.monte_carlo, 500, 64, args, {"inside": np.array([20000 * np.pi / 4])}, tolerance=0.02)

    text = random.choice(np.frombuffer(b"ACGT", u8), 2000)
    for at in (0, 700, 1993):
        text[at : at + 7] = np.frombuffer(kernels.NEEDLE, u8)
    found = np.array([bytes(text[k : k + 7]) == kernels.NEEDLE for k in range(2000)], u32)
    yield Case(kernels.search, 2000, 256, {"text": text, "found": np.zeros(2000, u32)}, {"found": found})

    x = random.random(512, f32)
    yield Case(kernels.sort, 512, 256, {"x": x}, {"x": np.sort(x.reshape(2, 256)).ravel()})

    x = random.integers(0, 256, 1000, dtype=u8)
    args = {"x": x, "counts": np.zeros(256, u32)}
    yield Case(kernels.histogram, 1024, 256, args, {"counts": np.bincount(x, minlength=256)})

    x, weights = random.random((2, 3, 10, 12), f32), random.random((4, 3, 3, 3), f32)
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (2, 3))
    wanted = np.einsum("pcyxij,ocij->poyx", windows, weights, dtype="f8")
    args = {"x": x, "weights": weights, "y": np.zeros((2, 4, 8, 10), f32)}
    yield Case(kernels.convolve, (10, 8, 8), (8, 8, 1), args, {"y": wanted}, tolerance=1e-6)

    letters = np.frombuffer(b"abc", u8)
    word, words = random.choice(letters, 12), random.choice(letters, (100, 16))
    args = {"word": word, "words": words, "distance": np.zeros(100, np.int32)}
    wanted = np.array([_distance(word, other) for other in words], np.int32)
    yield Case(kernels.edit_distance, 100, 32, args, {"distance": wanted})

    u, v = random.random((20, 24), f32), random.random((20, 24), f32)
    reaction, feed, kill = u * v * v, f32(0.055), f32(0.062)
    next_u = u + f32(0.16) * _around(u) - reaction + feed * (1 - u)
    next_v = v + f32(0.08) * _around(v) + reaction - (feed + kill) * v
    args = {"u": u, "v": v, "next_u": np.zeros_like(u), "next_v": np.zeros_like(v), "feed": 0.055, "kill": 0.062}
    yield Case(kernels.gray_scott, (24, 20), (8, 4), args, {"next_u": next_u, "next_v": next_v}, tolerance=1e-6)

    x = random.random((512, 2), f32).view("c8").ravel()
    turned = np.fft.fft(x.astype("c16").reshape(2, 256)).ravel()
    yield Case(kernels.fft, 512, 256, {"x": x, "y": np.zeros_like(x)}, {"y": turned}, tolerance=2e-6)


def _around(m: Any) -> Any:
    return sum(np.roll(m, by, axis) for axis in (0, 1) for by in (1, -1)) - 4 * m


def _distance(a: Any, b: Any) -> int:
    row = np.arange(len(b) + 1)
    for k, letter in enumerate(a, 1):
        before, row = row, np.full(len(b) + 1, k)
        for j in range(len(b)):
            row[j + 1] = min(before[j] + (b[j] != letter), row[j] + 1, before[j + 1] + 1)
    return int(row[-1])
