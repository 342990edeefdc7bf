"""Trees of arrays as files in the format safetensors: a header in JSON, then elements."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..array.array import Array, array_of
from ..array.creation import default_executor
from ..array.nested import flattened, paths, unflatten
from ..array.node import source
from ..errors import ArtifactError, LaunchError, outermost
from ..runtime import arrays
from ..runtime.executor import Executor
from ..runtime.weights import NAMES, TYPES, Tensor, header_of, read_header

__all__ = ["load", "save"]


@outermost
def save(tree: Any, path: str | os.PathLike[str] | None = None, metadata: Mapping[str, str] | None = None) -> bytes:
    """The file's bytes, written to `path`, if there is one. Arrays are named by the way to them: `layers.0.w`."""
    leaves, form = flattened(tree)
    tensors: dict[str, Tensor] = {}
    parts: list[bytes] = []
    for name, leaf in zip(paths(form), leaves, strict=True):
        found = array_of(leaf, default_executor() if not hasattr(leaf, "executor") else leaf.executor)
        if found.dtype not in NAMES:
            raise LaunchError(f"{name}: the format has no {found.dtype}")
        data = bytes(arrays.raw(found.numpy())) if found.size else b""
        tensors[name or "array"] = Tensor(NAMES[found.dtype], tuple(found.shape), len(data))
        parts.append(data)
    whole = b"".join([header_of(tensors, metadata), *parts])
    if path is not None:
        Path(path).write_bytes(whole)
    return whole


@outermost
def load(file: str | os.PathLike[str] | bytes, like: Any = None, *, device: Executor | None = None) -> Any:
    """The arrays of a file by name; or a tree of the form of `like`, whose leaves have the same shapes and types.
    Raises ArtifactError for a file that is damaged or has others."""
    data = file if isinstance(file, bytes) else Path(file).read_bytes()
    header, start = read_header(data)
    executor = device or default_executor()
    if like is None:
        return {name: _array(each, data, start, executor) for name, each in header.items()}
    leaves, form = flattened(like)
    names = [path or "array" for path in paths(form)]
    if set(names) != set(header):
        other = sorted(set(names) ^ set(header))[0]
        raise ArtifactError(f"{other!r} is {'in the file' if other in header else 'asked for'} only")
    found = []
    for name, leaf in zip(names, leaves, strict=True):
        made = _array(header[name], data, start, executor)
        if made.shape != tuple(leaf.shape) or made.dtype is not leaf.dtype:
            raise ArtifactError(f"{name} is {made.dtype}{list(made.shape)}; {leaf.dtype}{list(leaf.shape)} is expected")
        found.append(made)
    return unflatten(form, iter(found))


def _array(said: Mapping[str, Any], data: bytes, start: int, executor: Executor) -> Array:
    first, last = said["data_offsets"]
    buffer = executor.result(tuple(said["shape"]), TYPES[said["dtype"]])
    if last > first:
        executor.device.copy_to_buffer(buffer.handle, memoryview(data)[start + first : start + last])
    return Array(source(buffer), executor)
