"""A slice of the mutants of `python -m tests.artifact.mutants`: the same ones every time."""

from __future__ import annotations

from .mutants import bases, mutant, run, section
from .seal import SECTIONS, files_sections, joined


def test_a_slice():
    report = run(1000, 120, seed=1_000_000)
    assert report.failures == []
    assert report.mutants == 1000
    assert report.runs == 120
    assert 200 < report.read < 700  # neither all nor nothing
    assert report.answers["a result"] > 50


def test_the_files_that_mutants_are_made_of_are_put_together_again():
    for raw in bases():
        head = int.from_bytes(raw[12:16], "little")
        assert joined(files_sections(raw), raw[head:]) == raw


def test_mutants_are_the_same_every_time_and_of_every_section():
    pool = bases()
    own = {tag: {files_sections(raw)[tag] for raw in pool} for tag in SECTIONS}
    changed = set()
    for seed in range(300):
        raw = mutant(seed, pool)
        assert raw == mutant(seed, pool)
        changed |= {tag for tag in SECTIONS if (part := section(raw, tag)) is not None and part not in own[tag]}
    assert changed == set(SECTIONS)


def test_a_reader_that_lets_something_pass_is_seen(monkeypatch):
    """The oracle: with a reader in Python that looks at no module, what TypeScript refuses is a failure."""
    monkeypatch.setattr("hologram_web.plan.artifact.check_modules", lambda modules: None)
    report = run(400, 0, seed=1_000_000)
    assert any("Python reads it, TypeScript does not: module 0 of the artifact" in each for each in report.failures)
