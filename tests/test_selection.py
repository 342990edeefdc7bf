"""Which device is chosen, and what the record of it says."""

from __future__ import annotations

import pytest

import hologram_web as hg
from hologram_web import BackendUnavailable, Limits
from hologram_web.backends import CpuBackend, WasmBackend, WebGpuBackend, selection
from hologram_web.backends.selection import Selection, device_named, look, open_backend
from hologram_web.backends.webgpu import gpu


@pytest.fixture(autouse=True)
def _may_have_gpu(monkeypatch):
    monkeypatch.setattr(selection, "_may_have_gpu", lambda: True)


def test_auto_asks_no_driver_where_there_is_no_gpu(monkeypatch):
    monkeypatch.setattr(selection, "_may_have_gpu", lambda: False)
    monkeypatch.setattr(gpu, "adapter_info", lambda: pytest.fail("it was asked"))
    _, found = open_backend()
    assert str(found) == "wasm (the fast device of processors; webgpu: there is no GPU in /dev)"


@pytest.mark.parametrize(
    ("platform", "files", "expected"),
    [
        ("linux", (), False),
        ("linux", ("dri/renderD128",), True),
        ("linux", ("nvidia0",), True),
        ("darwin", (), True),
    ],
)
def test_where_there_may_be_a_gpu(monkeypatch, tmp_path, platform, files, expected):
    for name in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.undo()
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setattr(selection, "Path", lambda _: tmp_path)
    assert selection._may_have_gpu() is expected


@pytest.mark.parametrize(("name", "cls"), [("cpu", CpuBackend), ("wasm", WasmBackend), ("webgpu", WebGpuBackend)])
def test_by_name(name, cls):
    """Whoever asks for webgpu gets any adapter."""
    backend, found = open_backend(name, limits=Limits(steps=77))
    assert type(backend) is cls
    assert backend.limits.steps == 77
    assert (found.requested, found.selected, found.reason) == (name, name, "it was asked for")
    assert (found.adapter is not None) is (name == "webgpu")


def test_auto_takes_no_processor_that_plays_a_gpu(monkeypatch):
    llvmpipe = {"device": "llvmpipe (LLVM 15.0.6, 256 bits)", "vendor": "llvmpipe", "adapter_type": "CPU"}
    monkeypatch.setattr(gpu, "adapter_info", lambda: (llvmpipe, gpu._is_real(llvmpipe)))
    backend, found = open_backend()
    assert isinstance(backend, WasmBackend)
    assert found == Selection(
        "auto",
        "wasm",
        "the fast device of processors; webgpu: the adapter llvmpipe (LLVM 15.0.6, 256 bits) is no GPU",
    )
    assert str(found) == f"wasm ({found.reason})"


def test_auto_takes_a_gpu(monkeypatch):
    real = {"device": "NVIDIA H200", "vendor": "NVIDIA", "adapter_type": "DiscreteGPU"}
    monkeypatch.setattr(gpu, "adapter_info", lambda: (real, gpu._is_real(real)))
    backend, found = open_backend()
    assert isinstance(backend, WebGpuBackend)
    assert (found.selected, found.reason) == ("webgpu", "a GPU")
    assert found.adapter == backend.adapter


@pytest.mark.parametrize("name", ["llvmpipe (LLVM 15)", "SwiftShader (Subzero)", "Microsoft Basic Render Driver"])
def test_software_is_known_by_name(name):
    assert not gpu._is_real({"device": name, "adapter_type": "DiscreteGPU"})


def test_auto_without_an_adapter(monkeypatch):
    def none():
        raise BackendUnavailable("webgpu", "no adapter was found")

    monkeypatch.setattr(gpu, "adapter_info", none)
    _, found = open_backend()
    assert found.reason == "the fast device of processors; webgpu: no adapter was found"


def test_what_there_is_not():
    with pytest.raises(BackendUnavailable, match="backend 'rocm' is not available: there are auto, cpu, wasm, webgpu"):
        open_backend("rocm")


def test_every_device_with_its_adapter_or_the_reason(monkeypatch):
    """`backends` is a module with the devices, and can be called."""
    assert hg.backends.WasmBackend is WasmBackend
    found = {entry.name: entry for entry in hg.backends()}  # type: ignore[operator]  # a module
    assert list(found) == list(hg.backends.DEVICES)
    assert all(found.values())
    assert found["webgpu"].adapter == WebGpuBackend().adapter
    assert str(found["webgpu"]) == f"{device_named('webgpu', found['webgpu'].adapter)}: available"
    assert (found["cpu"].adapter, found["cpu"].reason, str(found["cpu"])) == (None, "", "cpu: available")

    def none(*_, **__):
        raise BackendUnavailable("webgpu", "no adapter was found")

    monkeypatch.setattr(WebGpuBackend, "__init__", none)
    *_, last = hg.backends()  # type: ignore[operator]
    assert (last.available, last.adapter, bool(last)) == (False, None, False)
    assert str(last) == "webgpu: not available, no adapter was found"
    assert not hg.is_available("webgpu")


def test_whether_a_device_is_there():
    assert hg.is_available("cpu")
    assert hg.is_available("wasm")
    assert not hg.is_available("vulkan")
    assert not hg.is_cuda_available()
    assert not hg.is_metal_available()
    assert (
        look("cuda").reason
        == "this release has no such device: WebGpuBackend runs on GPUs, by Vulkan, Metal or Direct3D 12"
    )
    with pytest.raises(BackendUnavailable) as caught:
        hg.is_available("wgpu")
    assert str(caught.value) == "backend 'wgpu' is not available: there are cpu, wasm, webgpu"


def test_the_default_is_what_auto_takes():
    assert hg.get_default_backend() == open_backend()[1].selected


def test_an_adapter_without_a_devices_name_has_its_other_names():
    """Pages are told no device, and of SwiftShader no description."""
    page = {"vendor": "google", "architecture": "swiftshader", "device": "", "description": "", "real": False}
    assert device_named("webgpu", page) == "webgpu on google swiftshader, a program and no GPU"
    assert device_named("webgpu", {**page, "device": "llvmpipe", "real": True}) == "webgpu on llvmpipe"
    assert device_named("webgpu", {"vendor": "", "real": True}) == "webgpu on an adapter without a name"
