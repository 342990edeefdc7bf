"""VS Code itself, in a page, shows a saved notebook with our views."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from playwright.sync_api import expect

import hologram_web as hg

from . import vscode_web


@hg.kernel
def double(x: hg.Array[hg.f32, 2]):
    i, j = hg.global_id(0), hg.global_id(1)
    x[j, i] *= 2


def test_a_saved_notebook(tmp_path: Path) -> None:
    with hg.Executor("wasm") as ex:
        x = ex.array(np.arange(120, dtype=np.float32).reshape(10, 12))
        made = vscode_web.notebook(x=x, double=double)
    wrong: list[str] = []
    with vscode_web.opened(tmp_path, made) as page:
        page.on("pageerror", lambda error: wrong.append(str(error)))
        found = vscode_web.outputs(page)
        picture = found.get_by_role("img")
        expect(picture).to_be_visible()
        assert picture.evaluate("async (it) => { await it.decode(); return it.naturalWidth }") > 0
        found.get_by_text("Elements").click()
        expect(found.get_by_role("cell", name="119", exact=True)).to_be_visible()
        expect(found.get_by_text("def double(")).to_be_visible()
    assert wrong == []
