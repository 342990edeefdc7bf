"""Networks on arrays: layers that say which parameters they have, losses, optimizers, and files of parameters.

Parameters and states are plain trees of arrays (dicts and lists): a layer makes them with `init(key)` and takes them
when it is called, so that gradients, optimizers and files need nothing else.
"""

from .layers import (
    BatchNorm,
    Conv2d,
    Dropout,
    Embedding,
    GroupNorm,
    LayerNorm,
    Linear,
    MultiHeadAttention,
    RMSNorm,
    Sequential,
)
from .losses import binary_cross_entropy, cross_entropy, huber, l1, mse
from .optimizers import SGD, Adam, AdamW, clip_by_norm, cosine, exponential, linear, norm_of, warmed_up
from .randoms import fold_in, normal, split, uniform
from .safetensors import load, save

__all__ = [
    "SGD",
    "Adam",
    "AdamW",
    "BatchNorm",
    "Conv2d",
    "Dropout",
    "Embedding",
    "GroupNorm",
    "LayerNorm",
    "Linear",
    "MultiHeadAttention",
    "RMSNorm",
    "Sequential",
    "binary_cross_entropy",
    "clip_by_norm",
    "cosine",
    "cross_entropy",
    "exponential",
    "fold_in",
    "huber",
    "l1",
    "linear",
    "load",
    "mse",
    "norm_of",
    "normal",
    "save",
    "split",
    "uniform",
    "warmed_up",
]
