"""docs/pyodide.md as it is read: its Python runs natively (tests/test_docs.py) and here."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "pyodide.md"


@pytest.mark.page  # natively tests/test_docs.py runs it
def test_the_page_of_the_documentation(wait: Callable[[Any], Any], capsys: pytest.CaptureFixture[str]) -> None:
    from pyodide.code import eval_code_async  # type: ignore[import-not-found]

    names: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) == 2
    for code, printed in blocks:
        wait(eval_code_async(code, names))
        assert capsys.readouterr().out == printed
