"""Activations: one lane for each element."""

# mypy: ignore-errors

from hologram_web import DeviceArray, exp, f32, get_global_id, tanh, u32


def relu(a: DeviceArray[f32], b: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        b[i] = a[i] if a[i] > 0.0 else 0.0


def sigmoid(a: DeviceArray[f32], c: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        c[i] = 1.0 / (1.0 + exp(-a[i]))


def tanh_activation(a: DeviceArray[f32], c: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        c[i] = tanh(a[i])
