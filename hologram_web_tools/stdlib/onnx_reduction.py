"""Normalisation, pooling and sums of rows; images are NCHW."""

# mypy: ignore-errors

from hologram_web import DeviceArray, f32, get_global_id, u32


def averagepool(X: DeviceArray[f32], Y: DeviceArray[f32], N: u32, C: u32, H: u32, W: u32, kernel_size: u32):
    """Means of squares that do not overlap; what is left over at the edges is left out."""
    i = u32(get_global_id())
    height = H // kernel_size
    width = W // kernel_size
    if i < N * C * height * width:
        image = i // (height * width) * H
        first = (image + i // width % height * kernel_size) * W + i % width * kernel_size
        total = 0.0
        for row in range(kernel_size):
            for column in range(kernel_size):
                total += X[first + row * W + column]
        Y[i] = total / (kernel_size * kernel_size)


def global_average_pool(X: DeviceArray[f32], Y: DeviceArray[f32], N: u32, C: u32, H: u32, W: u32):
    i = u32(get_global_id())
    if i < N * C:
        total = 0.0
        for k in range(H * W):
            total += X[i * (H * W) + k]
        Y[i] = total / (H * W)


def reduce_mean(X: DeviceArray[f32], Y: DeviceArray[f32], batch_size: u32, features: u32):
    row = u32(get_global_id())
    if row < batch_size:
        total = 0.0
        for k in range(features):
            total += X[row * features + k]
        Y[row] = total / features


def reduce_sum(X: DeviceArray[f32], Y: DeviceArray[f32], batch_size: u32, features: u32):
    row = u32(get_global_id())
    if row < batch_size:
        total = 0.0
        for k in range(features):
            total += X[row * features + k]
        Y[row] = total
