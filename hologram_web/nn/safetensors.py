"""Trees of arrays as files in the format safetensors: a header in JSON, then elements."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

from ..array.array import Array, array_of
from ..array.creation import default_executor
from ..array.nested import flattened, paths, unflatten
from ..array.node import source
from ..errors import ArtifactError, LaunchError, outermost
from ..isa.elements import ElementType, bool_
from ..isa.types import Type
from ..runtime import arrays
from ..runtime.executor import Executor

__all__ = ["load", "save"]

_MOST = 100_000_000  # bytes of a header, as the format says
_NUMBERS = ("F16", "BF16", "F32", "F64", "I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64")
_TYPES: dict[str, ElementType] = {**{name: Type[name] for name in _NUMBERS}, "BOOL": bool_}
_NAMES = {ty: name for name, ty in _TYPES.items()}


@outermost
def save(tree: Any, path: str | os.PathLike[str] | None = None, metadata: Mapping[str, str] | None = None) -> bytes:
    """The file's bytes, written to `path`, if there is one. Arrays are named by the way to them: `layers.0.w`."""
    leaves, form = flattened(tree)
    header: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    parts: list[bytes] = []
    offset = 0
    for name, leaf in zip(paths(form), leaves, strict=True):
        found = array_of(leaf, default_executor() if not hasattr(leaf, "executor") else leaf.executor)
        if found.dtype not in _NAMES:
            raise LaunchError(f"{name}: the format has no {found.dtype}")
        data = bytes(arrays.raw(found.numpy())) if found.size else b""
        ends = [offset, offset + len(data)]
        header[name or "array"] = {"dtype": _NAMES[found.dtype], "shape": list(found.shape), "data_offsets": ends}
        parts.append(data)
        offset += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    whole = b"".join([len(text).to_bytes(8, "little"), text, *parts])
    if path is not None:
        Path(path).write_bytes(whole)
    return whole


@outermost
def load(file: str | os.PathLike[str] | bytes, like: Any = None, *, device: Executor | None = None) -> Any:
    """The arrays of a file by name; or a tree of the form of `like`, whose leaves have the same shapes and types.
    Raises ArtifactError for a file that is damaged or has others."""
    data = file if isinstance(file, bytes) else Path(file).read_bytes()
    header, start = _header(data)
    executor = device or default_executor()
    if like is None:
        return {name: _array(name, each, data, start, executor) for name, each in header.items()}
    leaves, form = flattened(like)
    names = [path or "array" for path in paths(form)]
    if set(names) != set(header):
        other = sorted(set(names) ^ set(header))[0]
        raise ArtifactError(f"{other!r} is {'in the file' if other in header else 'asked for'} only")
    found = []
    for name, leaf in zip(names, leaves, strict=True):
        made = _array(name, header[name], data, start, executor)
        if made.shape != tuple(leaf.shape) or made.dtype is not leaf.dtype:
            raise ArtifactError(f"{name} is {made.dtype}{list(made.shape)}; {leaf.dtype}{list(leaf.shape)} is expected")
        found.append(made)
    return unflatten(form, iter(found))


def _header(data: bytes) -> tuple[dict[str, Any], int]:
    """The header, checked, and where elements begin."""
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length > min(_MOST, len(data) - 8):
        raise ArtifactError("damaged safetensors: it is shorter than its header")
    try:
        header = json.loads(data[8 : 8 + length])
        header.pop("__metadata__", None)
        ends = sorted((*map(int, each["data_offsets"]), name) for name, each in header.items())
        at = 0
        for first, last, name in ends:
            shape, ty = header[name]["shape"], _TYPES[header[name]["dtype"]]
            wanted = prod(shape) * ty.size_bytes if all(type(n) is int and n >= 0 for n in shape) else -1
            if first != at or last - first != wanted:
                raise ValueError(f"{name} is not where the one before it ends")
            at = last
        if at != len(data) - 8 - length:
            raise ValueError("elements are missing or too many")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ArtifactError(f"damaged safetensors: its header does not say what follows ({error!r})") from None
    return header, 8 + length


def _array(name: str, said: Mapping[str, Any], data: bytes, start: int, executor: Executor) -> Array:
    first, last = said["data_offsets"]
    buffer = executor.result(tuple(said["shape"]), _TYPES[said["dtype"]])
    if last > first:
        executor.device.copy_to_buffer(buffer.handle, memoryview(data)[start + first : start + last])
    return Array(source(buffer), executor)
