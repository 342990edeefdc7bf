"""The names of the source documents and of the interfaces people use: each is there, says what to take instead, or has
another name here."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import hologram_web as hg
from hologram_web.errors import BackendUnavailable

_OPS = """add sub mul div mod pow min max abs neg sign exp log log2 log10 sqrt rsqrt sin cos tan atan2 tanh sigmoid relu
leaky_relu elu selu gelu silu softplus clip where lerp floor ceil round trunc sum prod mean var argmin argmax any all
cumsum softmax log_softmax layer_norm rms_norm batch_norm group_norm instance_norm mse_loss cross_entropy_loss
binary_cross_entropy_loss gemm matmul matvec dot einsum tensordot conv2d conv_transpose2d max_pool2d avg_pool2d
upsample2d attention flash_attention rope kv_cache_update fft ifft rfft sparse_matmul quantized_matmul copy fill reshape
transpose permute concat stack split slice gather scatter pad one_hot embedding sort topk random unique histogram
vector_add vector_sub vector_mul vector_div vector_min vector_max vector_abs vector_neg vector_relu vector_clip
scalar_add scalar_mul reduce_sum reduce_min reduce_max math reduce activation loss linalg memory"""

# By what has them: `hg` and what it gives, and one of each class.
THERE = {
    "hg": """Type f32 Register Predicate Label Immediate Condition MemoryScope BufferHandle PoolHandle ProgramMetadata r
        p Instruction ProgramBuilder Program Address LaunchConfig GridDim BlockDim ExecutionParams Backend CircuitToIsa
        JsonToIsa Pool ProgramCache ProgramOptimizer BackendError HologramError ExecutionFailed ExecutionError
        AllocationFailed InvalidBuffer BackendUnavailable IsaError TranslateError ArtifactError TypedBuffer
        TypedBufferHandle GenericExecutor Executor Buffer is_metal_available is_cuda_available get_default_backend
        is_available backends stream compile load CompiledProgram kernel Array DeviceArray get_global_id global_id
        local_id block_id block_dim grid_dim shared barrier local atomic_add atomic_min atomic_max atomic_and atomic_or
        atomic_xor atomic_exch atomic_cas fma select u32 bitcast rotl popcount clz exp log sqrt sin function grad
        value_and_grad vmap cond while_loop scan nn ops zeros""",
    "hg.Type.F32": "size_bytes is_float is_integer is_signed is_unsigned zero one from_float to_float id numpy",
    "hg.Address": "Buffer BufferOffset Pool Shared Class Register Phi",
    "hg.LaunchConfig": "linear grid_2d grid_3d total_threads",
    "hg.circuit": "compile",
    "hg.kernel_json": "compile",
    "hg.CircuitToIsa()": "translate",
    "hg.JsonToIsa()": "translate",
    "hg.Pool(8)": "write read consume __len__ capacity dropped",
    "hg.ProgramCache()": "get insert get_or_create",
    "hg.ProgramOptimizer()": "optimize",
    "hg.ProgramBuilder()": """add label place loop param_buffer param_scalar param_pool build add_add add_fma
        add_mov_imm add_set add_bar_sync add_mem_fence add_cls_get add_nbr_load add_parallel_map_binary
        add_batched_gemm add_conv2d
        add_kv_cache_update""",
    "hg.Program": "add __len__ optimize validate to_bytes from_bytes save load hash",
    "hg.Instruction": "ADD",
    "hg.TypedBuffer": "allocate copy_to copy_from count raw type",
    "hg.GenericExecutor": "execute_unary execute_binary execute_reduce",
    "hg.testing": "assert_buffer_eq assert_typed_buffer_eq",
    "hg.backends": "CpuBackend WasmBackend WebGpuBackend",
    "hg.backends.WasmBackend": "compile_to_wasm compile_to_wat",
    "hg.backends.WebGpuBackend": "compile_to_wgsl",
    "hg.stdlib": "VECTOR_ADD",
    "hg.ops": _OPS,
    "ex": """array empty zeros full allocate allocate_pool run submit stats trace close device backend allocate_boundary
        get_buffer_handle default_launch_config bind_class buffer_for_class""",
    "ex.backend": "requested selected reason adapter",
    "ex.device": """execute_program execute_program_with_params allocate_buffer free_buffer copy_to_buffer
        copy_from_buffer buffer_size allocate_pool free_pool copy_to_pool copy_from_pool pool_size pool_load pool_store
        execute_async
        read_async native""",
    "ex.zeros(3)": """shape dtype nbytes from_numpy to_numpy numpy view fill copy_from free __enter__ __exit__ __array__
        __dlpack__ read""",
    "kernel": "program wgsl wat explain",
}
# What has another name here: pytest takes what begins with "test" for tests.
ELSEWHERE = {"test_program!": "hg.testing.run_program", "backend_test!": "hg.testing.backend_fixture"}
NOT_BUILT = ["CudaBackend", "MetalBackend", "OpenClBackend", "TpuBackend", "VulkanBackend"]


@hg.kernel
def doubled(x: hg.Array[hg.f32]):
    i = hg.global_id()
    x[i] = 2.0 * x[i]


@pytest.fixture(scope="module")
def known() -> Iterator[dict[str, Any]]:
    with hg.Executor("wasm") as ex:
        yield {"hg": hg, "ex": ex, "kernel": doubled}


@pytest.mark.parametrize("owner", THERE)
def test_names_are_there(known: dict[str, Any], owner: str) -> None:
    found = eval(owner, known)
    assert [name for name in THERE[owner].split() if not hasattr(found, name)] == []


@pytest.mark.parametrize("name", ELSEWHERE)
def test_names_that_are_others_here(known: dict[str, Any], name: str) -> None:
    assert callable(eval(ELSEWHERE[name], known))


@pytest.mark.parametrize("name", NOT_BUILT)
def test_devices_that_are_not_built_say_what_to_take(name: str) -> None:
    device = name.removesuffix("Backend").lower()
    with pytest.raises(
        BackendUnavailable, match="this release has no such device: WebGpuBackend runs on GPUs"
    ) as raised:
        getattr(hg.backends, name)("anything", of=1)
    assert raised.value.backend == device
    with pytest.raises(
        BackendUnavailable, match=f"backend '{device}' is not available: this release has no such device"
    ):
        hg.Executor(device)
    assert not hg.is_available(device)


def test_short_names_and_aliases() -> None:
    assert hg.f32 is hg.Type.F32
    assert hg.TypedBufferHandle is hg.TypedBuffer
    assert hg.BackendError is hg.HologramError
    assert hg.ExecutionFailed is hg.ExecutionError
    assert hg.Instruction.ADD(hg.f32, hg.r(1), src1=hg.r(2), src2=hg.r(3)) == hg.Instruction.ADD(
        hg.f32, dst=hg.r(1), lhs=hg.r(2), rhs=hg.r(3)
    )


def test_there_is_no_torch() -> None:
    with pytest.raises(AttributeError, match=r"hologram_web has no 'torch': write torch.from_dlpack\(x\)"):
        getattr(hg, "torch")  # noqa: B009
    with pytest.raises(AttributeError, match="has no attribute 'RocmBackend'"):
        getattr(hg.backends, "RocmBackend")  # noqa: B009
