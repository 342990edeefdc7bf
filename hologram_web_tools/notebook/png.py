"""PNG files of arrays, by the standard library: notebooks need no package for pictures."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from math import inf, isfinite
from typing import Any

__all__ = ["is_picture", "png_address"]

_COLOURS = {1: 0, 3: 2, 4: 6}  # PNG's types by channels: grey, red-green-blue, with transparency
_FORMATS: dict[str, Any] = {"u8": "B", "f16": "e", "f32": "f", "f64": "d"}
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_LEAST, _MOST = 8, 1024  # pixels of a side


def is_picture(shape: tuple[int, ...], dtype: str) -> bool:
    """Whether an array can be a picture: [height, width], or with 3 or 4 channels behind them, of bytes or floats."""
    if len(shape) not in (2, 3) or (len(shape) == 3 and shape[2] not in _COLOURS):
        return False
    return min(shape[:2]) >= _LEAST and max(shape[:2]) <= _MOST and dtype in _FORMATS


def png_address(found: Any, shape: tuple[int, ...], dtype: str) -> tuple[str, str]:
    """The picture as a data: address, and what black and white are: floats go from their least to their greatest.

    `found` is a NumPy array, or a memoryview where there is no NumPy, such as in Pyodide.
    """
    channels = (*shape, 1)[2]
    flat = found.reshape(-1) if hasattr(found, "reshape") else memoryview(found).cast("B").cast(_FORMATS[dtype])
    pixels, said = (bytes(flat), "") if dtype == "u8" else _grey(flat)
    width = shape[1] * channels
    rows = b"".join(b"\0" + pixels[at : at + width] for at in range(0, len(pixels), width))  # 0 is: not filtered
    header = struct.pack(">IIBBBBB", shape[1], shape[0], 8, _COLOURS[channels], 0, 0, 0)
    parts = (_chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(rows, 6)), _chunk(b"IEND", b""))
    return f"data:image/png;base64,{b64encode(_SIGNATURE + b''.join(parts)).decode()}", said


def _grey(flat: Any) -> tuple[bytes, str]:
    """Floats as bytes. NaN is black."""
    values = flat.tolist()
    finite = [value for value in values if isfinite(value)] or [0.0, 1.0]
    least, most = min(finite), max(finite)
    scale = 255 / ((most - least) or 1)
    ends = {inf: 255, -inf: 0}
    pixels = bytes(round((value - least) * scale) if isfinite(value) else ends.get(value, 0) for value in values)
    return pixels, f"black is {least:.5g}, white is {most:.5g}"


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
