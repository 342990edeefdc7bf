"""Tests of the suite that do not pass, each with its reason. The list only shrinks: what passes has to go from it."""

from __future__ import annotations

__all__ = ["EXCLUSIONS"]

# By device, and by the test's name as pytest has it in the suite's folder.
EXCLUSIONS: dict[str, dict[str, str]] = {
    "webgpu": {
        "array_api_tests/test_dlpack.py::test_dunder_dlpack": (
            "asks for a view on the host without a copy, and a GPU's memory is out of the host's reach: it gets the "
            "BufferError that the standard has for that"
        ),
    },
}
