"""Buffers longer than the least that adapters bind, 128 MiB, on WebGPU in a page: the runtime's own device binds what
the adapter does, and a page's own what was asked for; what is longer is a LaunchError. (Native launches bind in parts.)
"""

from __future__ import annotations

import base64

import pytest

import hologram_web as hg

from .browser import Browser

pytestmark = pytest.mark.timeout(300)

_LENGTH, _PLACE = 40_000_000, 39_999_000  # 160 MB; behind 128 MiB
_KERNEL = f"""def after(x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    i = hg.global_id(0)
    x[i + {_PLACE}] = i * 2
    y[i] = x[i + {_PLACE}] + 1
"""
_RUN = """async ([holo, length, own]) => {
  const { Runtime } = await import("/web/dist/index.js");
  const adapter = await navigator.gpu.requestAdapter();
  const device = own ? undefined : await adapter.requestDevice();
  const bound = (own ? adapter : device).limits.maxStorageBufferBindingSize;
  const runtime = await Runtime.create(own ? { backend: "webgpu" } : { device });
  const program = await runtime.load(Uint8Array.from(atob(holo), (letter) => letter.charCodeAt(0)));
  const [x, y] = [length, 1000].map((size) => runtime.buffer("f32", { shape: [size] }));
  try {
    await program.run({ x, y });
    return [bound, Array.from(await y.read())];
  } catch (error) {
    return [bound, `${error.name}: ${error.message}`];
  }
}"""


@pytest.mark.parametrize("own", [True, False], ids=["the runtime's device", "a page's device"])
def test_a_long_buffer_is_bound_or_an_error_tells_the_limit(browser: Browser, own: bool) -> None:
    compiled = hg.compile(hg.kernel_from_source(_KERNEL), lanes=1000)
    page = browser.page("/e2e/page.html")
    try:
        given = [base64.b64encode(compiled.to_bytes()).decode(), _LENGTH, own]
        bound, found = page.evaluate(_RUN, given)
    finally:
        page.close()
    if own:
        assert bound >= 4 * _LENGTH  # the adapter of the tests
        assert found == [2.0 * i + 1 for i in range(1000)]
    else:
        assert bound == 1 << 27
        assert found.startswith("LaunchError: ")
        assert f"needs {4 * _LENGTH}, and maxStorageBufferBindingSize is {bound} on this adapter" in found
