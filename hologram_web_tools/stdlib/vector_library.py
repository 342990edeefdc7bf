"""Kernels on vectors that are calls of the tensor library, as those in library.py."""

# mypy: ignore-errors

from hologram_web import DeviceArray, f32, tensor, u32


def layer_norm(
    input: DeviceArray[f32],
    gamma: DeviceArray[f32],
    beta: DeviceArray[f32],
    output: DeviceArray[f32],
    num_positions: u32,
    hidden_dim: u32,
    eps: f32,
):
    tensor.layer_norm(output, input, gamma, beta, num_positions, hidden_dim, eps=eps)
