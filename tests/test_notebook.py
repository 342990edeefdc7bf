"""What notebooks show: pages of values, pictures, and the widget."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from base64 import b64decode

import numpy as np
import pytest
from IPython.core.formatters import DisplayFormatter
from PIL import Image

import hologram_web as hg
from hologram_web import extras
from hologram_web_tools.notebook import html_of, view
from hologram_web_tools.notebook.png import is_picture, png_address


@hg.kernel
def fill(x: hg.Array[hg.f32], value: hg.f32 = 1):
    """Fills."""
    x[hg.global_id()] = value  # with <b> & "quotes"


def picture_in(html: str) -> np.ndarray:
    (data,) = re.findall(r"data:image/png;base64,([^\"]+)", html)
    return np.asarray(Image.open(io.BytesIO(b64decode(data))))


def cells(html: str) -> list[str]:
    return re.findall(r"<td>(.*?)</td>", html)


@pytest.mark.parametrize("shape", [(9, 13), (9, 13, 3), (8, 8, 4)])
def test_bytes_are_pictures_as_they_are(wasm, shape):
    pixels = np.random.default_rng(1).integers(0, 256, shape).astype(np.uint8)
    assert (picture_in(html_of(wasm.array(pixels))) == pixels).all()


@pytest.mark.parametrize("given", [np.asarray, memoryview], ids=["numpy", "without"])
def test_floats_are_pictures_from_their_least_to_their_greatest(given):
    found = np.linspace(-1, 3, 64, dtype=np.float32).reshape(8, 8)
    found[0, 1], found[0, 2], found[0, 3] = np.nan, np.inf, -np.inf
    address, said = png_address(given(found), found.shape, "f32")
    pixels = picture_in(address)
    assert said == "black is -1, white is 3"
    assert [pixels[0, 0], pixels[0, 1], pixels[0, 2], pixels[0, 3], pixels[7, 7]] == [0, 0, 255, 0, 255]
    assert (picture_in(png_address(given(np.full((8, 8), 5.0)), (8, 8), "f64")[0]) == 0).all()


def test_bytes_are_pictures_without_numpy():
    pixels = np.random.default_rng(1).integers(0, 256, (9, 13, 3)).astype(np.uint8)
    assert (picture_in(png_address(pixels.data, pixels.shape, "u8")[0]) == pixels).all()


def test_views_need_nothing_of_the_command_line():
    """A page has neither click nor rich, and their import kept values in notebooks there from showing themselves."""
    hidden = "import sys; sys.modules.update(click=None, rich=None)"
    subprocess.run([sys.executable, "-c", f"{hidden}; import hologram_web_tools.notebook"], check=True)


def test_what_is_no_picture():
    assert not is_picture((7, 9), "u8")
    assert not is_picture((2000, 9), "u8")
    assert not is_picture((9, 9, 2), "u8")
    assert not is_picture((9, 9), "i32")
    assert not is_picture((90,), "f32")


def test_tables_have_the_ends_of_long_axes(wasm):
    html = html_of(wasm.array(np.arange(3 * 20, dtype=np.int64).reshape(20, 3)))
    found = cells(html)
    assert found[:3] == ["0", "1", "2"]
    assert found[-3:] == ["57", "58", "59"]
    assert len(found) == 13 * 3
    assert "i64[20, 3]" in html
    assert "480 bytes" in html
    assert "[0, :, :]" in html_of(wasm.array(np.zeros((2, 2, 2))))


@pytest.mark.parametrize(
    ("data", "dtype", "shown"),
    [
        ([1.5, -0.25], hg.bf16, ["1.5", "-0.25"]),
        ([1 << 200], hg.u256, [str(1 << 200)]),
        ([1 / 3], hg.f64, ["0.33333"]),
        ([2.0], hg.f16, ["2"]),
    ],
)
def test_elements_of_all_kinds(wasm, data, dtype, shown):
    assert cells(html_of(wasm.array(data, dtype))) == shown


def test_arrays_without_elements_and_without_axes(wasm):
    assert "no elements" in html_of(wasm.zeros((0, 3)))
    assert cells(html_of(wasm.array(np.float32(2.5)))) == ["2.5"]


def test_arrays_that_are_too_long_are_not_read(wasm, monkeypatch):
    monkeypatch.setattr("hologram_web_tools.notebook.html._MOST", 15)
    x = wasm.zeros(4)
    monkeypatch.setattr(type(x), "numpy", lambda self: pytest.fail("it was read"))
    assert "more than 15 bytes are not shown" in html_of(x)


def test_lazy_arrays_are_computed(wasm):
    assert cells(html_of(wasm.array([1.0, 2.0]) + 1)) == ["2", "3"]


def test_kernels_show_their_texts_escaped():
    html = html_of(fill)
    assert fill.source.startswith("@hg.kernel\ndef fill(")
    assert "with &lt;b&gt; &amp; &quot;quotes&quot;" in html
    assert re.findall(r"<summary>(\w+)</summary>", html) == ["Python", "ISA", "WGSL", "WAT"]
    for text in ("x: Array[f32], value: f32", "stg.f32", "@compute", "(module"):
        assert text in html


def test_a_kernel_that_needs_types(wasm):
    kernel = hg.kernel_from_source("def k(x: hg.Array[hg.f32], N: hg.Constant[int]):\n    x[0] = N\n")
    html = html_of(kernel)
    assert "k has constants without a value" in html
    assert "def k(x" in html


def test_plans_and_timelines(wasm):
    html = html_of(hg.compile(fill, shapes={"x": ("n",)}))
    assert cells(html)[:4] == ["x", "f32", "n", "write"]
    assert "1 kernel<" in html
    x = wasm.zeros(8)
    with wasm.trace() as timeline:
        fill[8](x, 1.0)
        fill[8](x, 2.0)
    html = html_of(timeline)
    assert "2 spans" in html
    assert cells(html)[:2] == ["fill", "2"]
    with wasm.trace() as nothing:
        pass
    assert "nothing was launched" in html_of(nothing)


def test_a_program_that_plays_a_gpu_is_called_one():
    with hg.Executor("webgpu") as ex:
        x = ex.zeros(1)
        with ex.trace() as timeline:
            fill[1](x, 1.0)
        pages = html_of(x), html_of(timeline), str(timeline), str(ex.backend)
        real = (ex.backend.adapter or {})["real"]
    assert ["a program and no GPU" in page for page in pages] == [not real] * 4


def test_anything_else_is_its_repr():
    assert "&lt;object" in html_of(object())


def test_notebooks_ask_for_it(wasm, monkeypatch):
    x = wasm.array([1.0])
    for value in (x, x + 1, fill, hg.compile(fill, shapes={"x": ("n",)})):
        assert DisplayFormatter().format(value)[0]["text/html"] == html_of(value)
    monkeypatch.setattr(extras, "installed", lambda: False)
    assert "text/html" not in DisplayFormatter().format(x)[0]


def test_the_widget_follows_its_value(wasm):
    x = wasm.zeros(2)
    shown = view(x)
    assert cells(shown.html) == ["0", "0"]
    fill[2](x, 3.0)
    shown.refresh()
    assert cells(shown.html) == ["3", "3"]
    shown.value = fill
    assert shown.value is fill
    assert "def fill" in shown.html


def test_without_anywidget(monkeypatch):
    from hologram_web_tools.notebook import widget

    monkeypatch.setitem(__import__("sys").modules, "anywidget", None)
    widget._widget.cache_clear()
    with pytest.raises(ModuleNotFoundError, match=r"pip install anywidget, or 'hologram-web\[notebook\]'$"):
        view(fill)
    widget._widget.cache_clear()
