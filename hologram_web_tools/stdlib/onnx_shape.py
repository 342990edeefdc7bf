"""Arrangement: one lane for each element of the result."""

# mypy: ignore-errors

from hologram_web import DeviceArray, f32, get_global_id, u32


def flatten(X: DeviceArray[f32], Y: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        Y[i] = X[i]


def gather(X: DeviceArray[f32], Indices: DeviceArray[u32], Y: DeviceArray[f32], m: u32):
    i = u32(get_global_id())
    if i < m:
        Y[i] = X[Indices[i]]


def reshape(X: DeviceArray[f32], Y: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        Y[i] = X[i]


def slice_1d(X: DeviceArray[f32], Y: DeviceArray[f32], start: u32, end: u32):
    i = u32(get_global_id())
    if start < end and i < end - start:
        Y[i] = X[start + i]


def squeeze(X: DeviceArray[f32], Y: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        Y[i] = X[i]


def transpose(X: DeviceArray[f32], Y: DeviceArray[f32], M: u32, N: u32):
    i = u32(get_global_id())
    if i < M * N:
        Y[i % N * M + i // N] = X[i]


def unsqueeze(X: DeviceArray[f32], Y: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        Y[i] = X[i]


def cast_f32_to_f32(X: DeviceArray[f32], Y: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        Y[i] = X[i]


def constant_fill(Y: DeviceArray[f32], value: f32, n: u32):
    i = u32(get_global_id())
    if i < n:
        Y[i] = value


def range_op(Y: DeviceArray[f32], start: f32, delta: f32, n: u32):
    i = u32(get_global_id())
    if i < n:
        Y[i] = start + i * delta


def shape_to_tensor(Shape: DeviceArray[u32], Y: DeviceArray[u32], rank: u32):
    i = u32(get_global_id())
    if i < rank:
        Y[i] = Shape[i]
