"""Digits of 8 x 8 pixels: a font of 5 x 7, somewhere in the image, more or less dark, with noise."""

from __future__ import annotations

from random import Random

__all__ = ["PIXELS", "drawn"]

PIXELS = 64
# Rows of 5 bits each, as displays of dots have them.
_FONT = (
    "0e 11 13 15 19 11 0e", "04 0c 04 04 04 04 0e", "0e 11 01 02 04 08 1f", "1f 02 04 02 01 11 0e",
    "02 06 0a 12 1f 02 02", "1f 10 1e 01 01 11 0e", "06 08 10 1e 11 11 0e", "1f 01 02 04 08 08 08",
    "0e 11 11 0e 11 11 0e", "0e 11 11 0f 01 02 0c",
)  # fmt: skip


def drawn(count: int, seed: int) -> tuple[list[list[float]], list[int]]:
    """Images, as rows of 64 numbers from 0 to 1, and the digits that they show: the same for a seed everywhere."""
    random = Random(seed)
    images, labels = [], []
    for _ in range(count):
        digit = random.randrange(10)
        left, top, ink = random.randrange(4), random.randrange(2), 0.5 + random.random() / 2
        image = [random.random() * 0.25 for _ in range(PIXELS)]
        for y, row in enumerate(_FONT[digit].split()):
            for x in range(5):
                if int(row, 16) >> (4 - x) & 1 and random.random() > 0.05:  # a dot may be missing
                    place = 8 * (top + y) + left + x
                    image[place] = min(image[place] + ink, 1.0)
        images.append(image)
        labels.append(digit)
    return images, labels
