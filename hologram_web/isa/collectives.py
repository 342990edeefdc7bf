"""The instruction table, collectives (isa.md section 6): executed once per launch by the whole device.

Signatures follow ONNX: NCHW, OIHW, row-major, interleaved complex; sizes in the order m, n, k. The element type is
`ty`, by default F32; the other types an operand has are named beside it (`load/u32`), or the type operand that says
it: `load/b_ty` is `ty` where that is left out.
"""

from __future__ import annotations

from functools import partial

from .row import Effect, Row, primitive, row

__all__ = ["COLLECTIVE_ROWS"]


_TENSOR = primitive("collective")  # what it is says hologram_web/tensor

_map = partial(row, "Maps and reductions", Effect.COLLECTIVE)
_linear = partial(row, "Linear algebra", Effect.COLLECTIVE)
_conv = partial(row, "Convolution and pooling", Effect.COLLECTIVE)
_norm = partial(row, "Normalisation", Effect.COLLECTIVE)
_attend = partial(row, "Attention", Effect.COLLECTIVE)
_signal = partial(row, "Signal", Effect.COLLECTIVE)
_move = partial(row, "Data arrangement", Effect.COLLECTIVE)
_many = partial(row, "Many devices", Effect.COLLECTIVE)

_MNK = "m:size n:size k:size"
_SCALED = "alpha:scalar~1.0 beta:scalar~0.0 trans_a:bool~false trans_b:bool~false"
_EPILOGUE = "bias:load~ activation:MapOperation~"
_IMAGE = "batch:size in_channels:size out_channels:size height:size width:size kernel_h:size kernel_w:size"
_WINDOW = "stride:ints~(1,1) padding:ints~(0,0,0,0)"
_SHAPE_OUT = "output:store input:load shape:ints"
_HEADS = "batch:size heads:size seq_len:size kv_len:size head_dim:size"
_F = ".ty:SINGLES~f32"
_N = ".ty:NUMBERS~f32"

# fmt: off
COLLECTIVE_ROWS: tuple[Row, ...] = (
    _map(0x100, "ParallelMap", "parallel_map", f".operation:MapOperation dst_array:store src_array:load count:size {_N}", "dst[i] = operation(src[i]) for i < count.", reference=primitive("parallel_map")),
    _map(0x101, "ParallelMapBinary", "parallel_map_binary", f".operation:BinaryMapOperation dst_array:store src_a:load src_b:load count:size {_N}", "dst[i] = operation(a[i], b[i]) for i < count.", reference=primitive("parallel_map_binary")),
    _map(0x102, "ParallelReduce", "parallel_reduce", f".operation:ReduceOperation dst:result src_array:load count:size {_N}", "dst = the reduction of src[0..count) in canonical order; a register is broadcast to the lane code that follows.", reference=primitive("parallel_reduce")),

    _linear(0x110, "GEMM", "gemm", f"c:store a:load b:load {_MNK} {_SCALED} {_EPILOGUE} {_N}", "c[m,n] = activation(alpha * op(a)[m,k] @ op(b)[k,n] + beta * c + bias[n]).", reference=primitive("gemm")),
    _linear(0x111, "BatchedGEMM", "batched_gemm", f"c:store a:load b:load batch:size {_MNK} strides:ints~() {_SCALED} {_EPILOGUE} {_N}", "GEMM for each of batch matrices; strides of a, b and c in elements, by default dense.", reference=_TENSOR),
    _linear(0x112, "MixedPrecisionGEMM", "mixed_precision_gemm", f"c:store/f32 a:load b:load {_MNK} {_SCALED} bias:load/f32~ activation:MapOperation~ .ty:HALVES~f16", "GEMM of F16 or BF16 matrices with F32 accumulation and result.", reference=_TENSOR),
    _linear(0x113, "QuantizedGEMM", "quantized_gemm", f"c:store/f32 a:load b:load/b_ty {_MNK} a_scale:load/f32 b_scale:load/f32 a_zero:load/i32~ b_zero:load/i32~ bits:u8~8 per_channel:bool~false bias:load/f32~ activation:MapOperation~ .ty:BYTES~i8 +b_ty:BYTES~", "GEMM of int8 (or packed int4) matrices, accumulated exactly in I32, then scaled; b may have a type of its own.", reference=_TENSOR),
    _linear(0x114, "SparseGEMM", "sparse_gemm", f"c:store a_values:load a_indices:load/u32 a_ptr:load/u32 b:load {_MNK} alpha:scalar~1.0 beta:scalar~0.0 {_N}", "c = alpha * a @ b + beta * c, a in compressed sparse rows.", reference=_TENSOR),
    _linear(0x115, "TensorContract", "tensor_contract", f"output:store a:load b:load shape_a:ints shape_b:ints contract_dims:pairs batch_dims:pairs~() {_N}", "Contracts pairs of dimensions; what is left is ordered batch, a, b.", reference=_TENSOR),

    _conv(0x120, "Conv2D", "conv2d", f"output:store input:load kernel:load {_IMAGE} {_WINDOW} dilation:ints~(1,1) groups:u16~1 {_EPILOGUE} {_N}", "2-D convolution (cross-correlation), NCHW and OIHW.", reference=_TENSOR),
    _conv(0x121, "ConvTranspose2D", "conv_transpose2d", f"output:store input:load kernel:load {_IMAGE} {_WINDOW} output_padding:ints~(0,0) dilation:ints~(1,1) groups:u16~1 {_EPILOGUE} {_N}", "Transposed 2-D convolution.", reference=_TENSOR),
    _conv(0x122, "MaxPool2D", "max_pool2d", f"output:store input:load batch:size channels:size height:size width:size kernel_h:size kernel_w:size {_WINDOW} dilation:ints~(1,1) ceil_mode:bool~false {_N}", "The greatest of each window.", reference=_TENSOR),
    _conv(0x123, "AvgPool2D", "avg_pool2d", f"output:store input:load batch:size channels:size height:size width:size kernel_h:size kernel_w:size {_WINDOW} count_include_pad:bool~false ceil_mode:bool~false {_F}", "The mean of each window.", reference=_TENSOR),
    _conv(0x124, "Resize2D", "resize2d", f"output:store input:load batch:size channels:size height:size width:size out_height:size out_width:size linear:bool~true align_corners:bool~false {_N}", "Resizes images, bilinear (of floats) or nearest.", reference=_TENSOR),

    _norm(0x130, "LayerNorm", "layer_norm", f"output:store input:load gamma:load beta:load rows:size n:size eps:scalar~1e-5 {_F}", "Normalises each row of n elements to mean 0 and variance 1, then scales and shifts.", reference=_TENSOR),
    _norm(0x131, "RMSNorm", "rms_norm", f"output:store input:load gamma:load rows:size n:size eps:scalar~1e-5 {_F}", "Divides each row by its root mean square, then scales.", reference=_TENSOR),
    _norm(0x132, "BatchNorm", "batch_norm", f"output:store input:load gamma:load beta:load mean:load variance:load batch:size channels:size spatial:size eps:scalar~1e-5 {_F}", "Normalises each channel with given mean and variance.", reference=_TENSOR),
    _norm(0x133, "GroupNorm", "group_norm", f"output:store input:load gamma:load beta:load batch:size channels:size groups:size spatial:size eps:scalar~1e-5 {_F}", "Normalises groups of channels.", reference=_TENSOR),
    _norm(0x134, "InstanceNorm", "instance_norm", f"output:store input:load gamma:load beta:load batch:size channels:size spatial:size eps:scalar~1e-5 {_F}", "Normalises each channel of each image.", reference=_TENSOR),
    _norm(0x135, "Softmax", "softmax", f"output:store input:load outer:size n:size inner:size~1 {_F}", "exp(x - max) / sum along the axis of n elements.", reference=_TENSOR),
    _norm(0x136, "LogSoftmax", "log_softmax", f"output:store input:load outer:size n:size inner:size~1 {_F}", "The logarithm of Softmax.", reference=_TENSOR),
    _norm(0x137, "LayerScale", "layer_scale", f"output:store input:load scale:load rows:size n:size {_F}", "Multiplies each row by a vector.", reference=_TENSOR),

    _attend(0x140, "Attention", "attention", f"output:store query:load key:load value:load {_HEADS} mask:load~ causal:bool~false scale:scalar~ {_F}", "softmax(q @ k^T * scale + mask) @ v; scale is 1/sqrt(head_dim) by default.", reference=_TENSOR),
    _attend(0x141, "FlashAttention", "flash_attention", f"output:store query:load key:load value:load {_HEADS} mask:load~ causal:bool~false scale:scalar~ block_size:u16~64 {_F}", "Attention in memory linear in the sequence length.", reference=_TENSOR),
    _attend(0x142, "RoPE", "rope", f"output:store input:load freqs:load batch:size seq_len:size heads:size head_dim:size interleaved:bool~false {_F}", "Rotary position embedding.", reference=_TENSOR),
    _attend(0x143, "KVCacheUpdate", "kv_cache_update", f"cache:store new_kv:load position:size batch:size heads:size head_dim:size max_len:size {_N}", "Writes new keys or values at a position of the cache.", reference=_TENSOR),

    _signal(0x150, "FFT", "fft", "output:store input:load n:size batch:size~1 inverse:bool~false real:bool~false .ty:SINGLES~f32", "Discrete Fourier transform of any length; interleaved complex, or real input.", reference=_TENSOR),
    _signal(0x151, "Random", "random", f"output:store count:size seed:size offset:size~0 normal:bool~false {_N}", "Philox random numbers, the same bits everywhere.", reference=_TENSOR),

    _move(0x160, "Gather", "gather", f"output:store input:load indices:load/i32 outer:size axis_len:size inner:size count:size {_N}", "output[o, j, i] = input[o, indices[j], i].", reference=_TENSOR),
    _move(0x161, "Scatter", "scatter", f"output:store input:load indices:load/i32 outer:size axis_len:size inner:size count:size accumulate:bool~false {_N}", "output[o, indices[j], i] = input[o, j, i].", reference=_TENSOR),
    _move(0x162, "CumSum", "cum_sum", f"output:store input:load outer:size n:size inner:size~1 exclusive:bool~false reverse:bool~false {_N}", "Running sums along an axis.", reference=_TENSOR),
    _move(0x163, "Sort", "sort", f"output:store input:load outer:size n:size descending:bool~false indices:store/i32~ {_N}", "Sorts each row, stable.", reference=_TENSOR),
    _move(0x164, "TopK", "top_k", f"output:store indices:store/i32 input:load outer:size n:size k:size largest:bool~true {_N}", "The k greatest (or least) of each row and where they are.", reference=_TENSOR),
    _move(0x165, "ArgMin", "arg_min", f"output:store/i32 input:load outer:size n:size inner:size~1 {_N}", "Where the least is along an axis; the first of equals.", reference=_TENSOR),
    _move(0x166, "ArgMax", "arg_max", f"output:store/i32 input:load outer:size n:size inner:size~1 {_N}", "Where the greatest is along an axis; the first of equals.", reference=_TENSOR),
    _move(0x167, "Copy", "copy", f"output:store input:load count:size {_N}", "Copies count elements.", reference=_TENSOR),
    _move(0x168, "Fill", "fill", f"output:store count:size value:scalar {_N}", "Sets count elements to a value.", reference=_TENSOR),
    _move(0x169, "Transpose", "transpose", f"{_SHAPE_OUT} permutation:ints {_N}", "Permutes dimensions.", reference=_TENSOR),
    _move(0x16A, "Concat", "concat", f"output:store a:load b:load outer:size a_len:size b_len:size inner:size {_N}", "Joins two arrays along an axis.", reference=_TENSOR),
    _move(0x16B, "Slice", "slice", f"{_SHAPE_OUT} start:ints stop:ints step:ints {_N}", "Takes a strided part of an array.", reference=_TENSOR),
    _move(0x16C, "Pad", "pad", f"{_SHAPE_OUT} before:ints after:ints value:scalar~0.0 {_N}", "Surrounds an array with a value.", reference=_TENSOR),
    _move(0x16D, "GatherElements", "gather_elements", f"output:store input:load indices:load/i32 outer:size axis_len:size inner:size count:size {_N}", "output[o, j, i] = input[o, indices[o, j, i], i].", reference=_TENSOR),

    _many(0x170, "AllReduce", "all_reduce", f".operation:ReduceOperation buffer:rmw n:size devices:ints~(0) {_N}", "Combines a buffer over devices; on one device it changes nothing.", reference=_TENSOR),
    _many(0x171, "AllGather", "all_gather", f"output:store input:load n:size devices:ints~(0) {_N}", "Joins the buffers of devices; on one device it copies.", reference=_TENSOR),
)
# fmt: on
