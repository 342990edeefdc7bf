"""Programs of the tensor library that wheels for pages bring: those that this compiler makes, and no others."""

from __future__ import annotations

import pytest

import hologram_web as hg
from hologram_web.backends import IN_PAGE
from hologram_web.isa.lift import lift
from hologram_web.plan.lowering import lower_plan
from hologram_web.plan.single import launch_plan
from hologram_web.store.store import fingerprint
from hologram_web.tensor import made, programs

TEXT = """
    .param c: buffer f32 read_write
    .param a: buffer f32 read
    {}
"""


def _named(text: str, monkeypatch: pytest.MonkeyPatch, brought: bool) -> dict[tuple[str, ...], bytes]:
    """The library's programs for a launch, by what names them, with and without those that the wheel brings."""
    monkeypatch.setattr(programs, "_PROGRAMS", {})
    monkeypatch.setattr(programs, "NAMED", {})
    monkeypatch.setattr(programs, "PROGRAMS", made.PROGRAMS if brought else {})
    program, _ = lift(hg.Program.from_text(TEXT.format(text)))
    aliases = {param.name: param.name for param in program.params if param.kind == "buffer"}
    plan = launch_plan(program, hg.LaunchConfig(), (True, True, True), aliases)
    lower_plan(plan, [program], (), {}, target="wasm")
    return {names: each.to_bytes() for names, each in programs.NAMED.items()}


@pytest.mark.parametrize("text", ["softmax.f32 [c], [a], 64, 64", "cum_sum.f32 [c], [a], 64, 64"])
def test_what_the_wheel_brings_is_what_this_compiler_makes(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLOGRAM_WEB_CACHE", "off")
    translated = _named(text, monkeypatch, brought=False)
    assert translated
    if IN_PAGE:
        assert fingerprint() == made.CORE
        assert {names: made.PROGRAMS[names] for names in translated} == translated
        monkeypatch.setattr(programs, "_translated", lambda *_: pytest.fail("translated again"))
    else:
        assert (made.CORE, made.PROGRAMS) == (b"", {})  # the cache folder and the library have them
    assert _named(text, monkeypatch, brought=True) == translated


def test_programs_for_another_wheel_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLOGRAM_WEB_CACHE", "off")
    text = "cum_sum.f32 [c], [a], 64, 64"
    translated = _named(text, monkeypatch, brought=False)
    monkeypatch.setattr(made, "PROGRAMS", dict.fromkeys(translated, b"of another one"))
    monkeypatch.setattr(programs, "CORE", b"of another wheel")
    assert _named(text, monkeypatch, brought=True) == translated
    taken: list[bytes] = []
    monkeypatch.setattr(programs, "CORE", fingerprint())
    monkeypatch.setattr(programs, "analysis_of", taken.append)
    with pytest.raises(AttributeError):  # of None, that stands for the analysis
        _named(text, monkeypatch, brought=True)
    assert taken == [b"of another one"]
