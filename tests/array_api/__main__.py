"""The conformance suite of the array API standard on our arrays:

    git clone --recurse-submodules https://github.com/data-apis/array-api-tests
    pip install -r array-api-tests/requirements.txt
    python -m tests.array_api --suite array-api-tests --docs

Each of its files runs in a process of its own. What was found is kept in `--resume FILE`, and taken up from there. A
test that fails and is not in `exclusions.py`, or is there and passes, makes the command fail. `--docs` writes
docs/array_api.md.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree

from .exclusions import EXCLUSIONS

__all__ = ["found_in", "table"]

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "array_api.md"
BEGIN, END = "<!-- results -->", "<!-- end of results -->"
VERSION = "2024.12"
OUTCOMES = ("passed", "failed", "excluded", "of later versions")


def found_in(report: str) -> Iterator[tuple[str, str]]:
    """Each test of a report of pytest in JUnit's format, and what became of it. An excluded one that passes fails."""
    for case in ElementTree.fromstring(report).iter("testcase"):
        name = f"{case.get('classname', '')}::{case.get('name')}"
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            yield name, "failed"
        elif skipped is None:
            yield name, "passed"
        else:
            yield name, "excluded" if skipped.get("type") == "pytest.xfail" else "of later versions"


def table(results: Mapping[str, Mapping[str, str]]) -> list[str]:
    """A row for each file, and one for all."""
    lines = [f"| file | {' | '.join(OUTCOMES)} |", f"|---{'|---:' * len(OUTCOMES)}|"]
    whole: Counter[str] = Counter()
    for name, tests in results.items():
        counted = Counter(tests.values())
        whole += counted
        lines.append(f"| {name} | {' | '.join(str(counted[outcome]) for outcome in OUTCOMES)} |")
    return [*lines, f"| **all** | {' | '.join(f'**{whole[outcome]}**' for outcome in OUTCOMES)} |"]


def _run(suite: Path, name: str, options: argparse.Namespace) -> dict[str, str]:
    """What became of the tests of one file."""
    excluded, report = suite / "ours.txt", suite / "report.xml"
    excluded.write_text("\n".join(EXCLUSIONS) + "\n", encoding="utf-8")
    report.unlink(missing_ok=True)
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "ARRAY_API_DEVICE": options.device,
        "ARRAY_API_TESTS_MODULE": "exec('from tests.array_api.chosen import xp')",
        "ARRAY_API_TESTS_VERSION": VERSION,
    }
    command = [
        sys.executable, "-m", "pytest", f"array_api_tests/{name}", "-q", "--tb=short", "-W", "ignore",
        "-p", "no:cacheprovider", "-o", "xfail_strict=true", f"--max-examples={options.examples}",
        f"--hypothesis-seed={options.seed}", "--disable-deadline", f"--xfails-file={excluded}",
        f"--junitxml={report}",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=suite, env=environment, capture_output=True, text=True, check=False)
    if not report.exists():
        raise RuntimeError(f"{name}: {done.stdout[-3000:]}{done.stderr[-3000:]}")
    found = dict(found_in(report.read_text(encoding="utf-8")))
    if "failed" in found.values():
        print(done.stdout[-8000:])
    return found


def _results(options: argparse.Namespace) -> dict[str, dict[str, str]]:
    files = sorted(path.name for path in (options.suite / "array_api_tests").glob("test_*.py"))
    known: dict[str, dict[str, str]] = {}
    if options.resume is not None and options.resume.exists():
        known = json.loads(options.resume.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as room:
        copy = Path(room) / "suite"
        shutil.copytree(options.suite, copy, copy_function=shutil.copyfile)
        for path in (copy, *copy.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        for name in files:
            if name not in known:
                known[name] = _run(copy, name, options)
                if options.resume is not None:
                    options.resume.write_text(json.dumps(known), encoding="utf-8")
            print(name, dict(Counter(known[name].values())), flush=True)
    return {name: known[name] for name in files}


def _written(options: argparse.Namespace, lines: Iterable[str]) -> None:
    digest = sha256()
    for path in sorted((options.suite / "array_api_tests").glob("*.py")):
        digest.update(path.read_bytes())
    about = (
        f"{datetime.now(UTC):%Y-%m-%d}, {options.device}, {options.examples} examples, seed {options.seed}, the "
        f"suite's files with SHA-256 `{digest.hexdigest()[:16]}`:"
    )
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    PAGE.write_text("\n".join([f"{before}{BEGIN}", about, "", *lines, f"{END}{rest.partition(END)[2]}"]), "utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", type=Path, required=True, help="the folder of array-api-tests")
    parser.add_argument("--device", default="wasm")
    parser.add_argument("--examples", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--resume", type=Path, help="file to keep what was found in, and to take it up from")
    parser.add_argument("--docs", action="store_true", help="write the table into docs/array_api.md")
    options = parser.parse_args()
    results = _results(options)
    lines = table(results)
    print("\n".join(lines))
    if options.docs:
        _written(options, lines)
    return any("failed" in tests.values() for tests in results.values())


if __name__ == "__main__":
    sys.exit(main())
