"""Arithmetic, products of matrices, convolution: one lane for each element of the result."""

# mypy: ignore-errors

from hologram_web import DeviceArray, f32, get_global_id, u32


def add(A: DeviceArray[f32], B: DeviceArray[f32], C: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        C[i] = A[i] + B[i]


def sub(A: DeviceArray[f32], B: DeviceArray[f32], C: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        C[i] = A[i] - B[i]


def mul(A: DeviceArray[f32], B: DeviceArray[f32], C: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        C[i] = A[i] * B[i]


def div(A: DeviceArray[f32], B: DeviceArray[f32], C: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        C[i] = A[i] / B[i]


def scalar_mul(Input: DeviceArray[f32], Output: DeviceArray[f32], n: u32, scalar: f32):
    i = u32(get_global_id())
    if i < n:
        Output[i] = Input[i] * scalar
