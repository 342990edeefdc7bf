"""Activations and what attention is made of."""

# mypy: ignore-errors

from hologram_web import DeviceArray, exp, f32, get_global_id, rsqrt, tanh, u32


def bias_gelu(X: DeviceArray[f32], Bias: DeviceArray[f32], Y: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        x = X[i] + Bias[i]
        Y[i] = 0.5 * x * (1.0 + tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def gelu(X: DeviceArray[f32], Y: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        x = X[i]
        Y[i] = 0.5 * x * (1.0 + tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def leakyrelu(X: DeviceArray[f32], Y: DeviceArray[f32], n: u32, alpha: f32):
    i = u32(get_global_id())
    if i < n:
        Y[i] = X[i] if X[i] >= 0.0 else alpha * X[i]


def relu(X: DeviceArray[f32], Y: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        Y[i] = max(0.0, X[i])


def sigmoid(X: DeviceArray[f32], Y: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        Y[i] = 1.0 / (1.0 + exp(-X[i]))


def skip_layer_norm(
    X: DeviceArray[f32],
    Skip: DeviceArray[f32],
    Gamma: DeviceArray[f32],
    Beta: DeviceArray[f32],
    Y: DeviceArray[f32],
    n: u32,
    hidden: u32,
):
    """Normalises the rows of X + Skip, n elements in rows of `hidden`; one lane for each row."""
    row = u32(get_global_id())
    if row < n // hidden:
        first = row * hidden
        mean = 0.0
        for k in range(first, first + hidden):
            Y[k] = X[k] + Skip[k]
            mean += Y[k]
        mean /= hidden
        variance = 0.0
        for k in range(first, first + hidden):
            apart = Y[k] - mean
            variance += apart * apart
        scale = rsqrt(variance / hidden + 1e-5)
        for k in range(hidden):
            Y[first + k] = Gamma[k] * (Y[first + k] - mean) * scale + Beta[k]


def tanh_activation(X: DeviceArray[f32], Y: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        Y[i] = tanh(X[i])
