"""Vectors: one lane for each element; `vector_dot` and `vector_sum` add to `result[0]`."""

# mypy: ignore-errors

from hologram_web import DeviceArray, atomic_add, f32, get_global_id, rsqrt, sqrt, u32
from hologram_web import cos as cosf
from hologram_web import exp as expf
from hologram_web import log as logf
from hologram_web import sin as sinf


def vector_add(a: DeviceArray[f32], b: DeviceArray[f32], c: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        c[i] = a[i] + b[i]


def vector_sub(a: DeviceArray[f32], b: DeviceArray[f32], c: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        c[i] = a[i] - b[i]


def vector_mul(a: DeviceArray[f32], b: DeviceArray[f32], c: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        c[i] = a[i] * b[i]


def vector_div(a: DeviceArray[f32], b: DeviceArray[f32], c: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        c[i] = a[i] / b[i]


def vector_min(a: DeviceArray[f32], b: DeviceArray[f32], c: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        c[i] = min(a[i], b[i])


def vector_max(a: DeviceArray[f32], b: DeviceArray[f32], c: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        c[i] = max(a[i], b[i])


def vector_pow(a: DeviceArray[f32], b: DeviceArray[f32], c: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        c[i] = a[i] ** b[i]


def vector_abs(a: DeviceArray[f32], c: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        c[i] = abs(a[i])


def vector_neg(a: DeviceArray[f32], c: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        c[i] = -a[i]


def vector_sqrt(a: DeviceArray[f32], c: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        c[i] = sqrt(a[i])


def vector_rsqrt(a: DeviceArray[f32], c: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        c[i] = rsqrt(a[i])


def exp(a: DeviceArray[f32], b: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        b[i] = expf(a[i])


def log(a: DeviceArray[f32], b: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        b[i] = logf(a[i])


def sin(a: DeviceArray[f32], b: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        b[i] = sinf(a[i])


def cos(a: DeviceArray[f32], b: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        b[i] = cosf(a[i])


def vector_dot(a: DeviceArray[f32], b: DeviceArray[f32], result: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        atomic_add(result, 0, a[i] * b[i])
