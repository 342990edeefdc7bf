"""The conformance suite of the array API standard on our arrays:

    git clone --recurse-submodules https://github.com/data-apis/array-api-tests
    pip install -r array-api-tests/requirements.txt
    python -m tests.array_api --suite array-api-tests --docs

ARRAY_API_TESTS says where the suite is, too, and `--packages` where what it needs is that is not installed. At most 50
tests run in a process, natively those of one file, in two at a time (`--jobs`). What was found is kept in
`--resume FILE`, and taken up from there. A test that fails and is not in `exclusions.py` for its device, or is there
and passes, makes the command fail. `--docs` writes the table of that device into docs/array_api.md.
`--where chromium --packages FOLDER` runs them in Pyodide, in pages of Chromium; `--third` takes every third test.
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
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from .exclusions import EXCLUSIONS
from .suite import QUIET, VERSIONS, arguments, chosen, found_in

__all__ = ["of_file", "table", "together"]

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "array_api.md"
END = "<!-- end of results -->"
OUTCOMES = ("passed", "failed", "excluded", "of later versions")
SHARD = 50


def table(results: Mapping[str, Mapping[str, str]]) -> list[str]:
    """A row for each file, and one for all."""
    lines = [f"| file | {' | '.join(OUTCOMES)} |", f"|---{'|---:' * len(OUTCOMES)}|"]
    whole: Counter[str] = Counter()
    for name, tests in results.items():
        counted = Counter(tests.values())
        whole += counted
        lines.append(f"| {name} | {' | '.join(str(counted[outcome]) for outcome in OUTCOMES)} |")
    return [*lines, f"| **all** | {' | '.join(f'**{whole[outcome]}**' for outcome in OUTCOMES)} |"]


def _pytest(suite: Path, options: argparse.Namespace, *more: str) -> subprocess.CompletedProcess[str]:
    """Runs the suite's pytest on our namespace."""
    beside = options.packages if options.where == "native" else None
    environment = {
        **os.environ,
        **chosen(options.device, options.version, options.math),
        "PYTHONPATH": os.pathsep.join(
            filter(None, (str(ROOT), beside and str(beside.resolve()), os.environ.get("PYTHONPATH")))
        ),
    }
    command = [sys.executable, "-m", "pytest", *more]
    return subprocess.run(command, cwd=suite, env=environment, capture_output=True, text=True, check=False)


def _shards(suite: Path, names: list[str], options: argparse.Namespace) -> Iterator[tuple[str, list[str]]]:
    """The tests of each file, so many together, each time with a name."""
    done = _pytest(suite, options, *QUIET, "--collect-only", *(f"array_api_tests/{name}" for name in names))
    found: dict[str, list[str]] = {name: [] for name in names}
    for line in done.stdout.splitlines():
        if "::" in line:
            found[line.partition("::")[0].rpartition("/")[2]].append(line)
    for name, tests in found.items():
        if done.returncode or not tests:
            raise RuntimeError(f"{name}: {done.stdout[-3000:]}{done.stderr[-3000:]}")
        some = tests[::3] if options.third else tests
        for number, first in enumerate(range(0, len(some), SHARD)):
            yield f"{name}#{number}", some[first : first + SHARD]


_Run = Callable[[list[str]], dict[str, str]]


def _natively(suite: Path, options: argparse.Namespace) -> _Run:
    """What runs some tests of one file in a process of their own."""

    def run(tests: list[str]) -> dict[str, str]:
        report = suite / f"report-{sha256(tests[0].encode()).hexdigest()[:16]}.xml"
        done = _pytest(suite, options, *arguments(tests, options.examples, options.seed, report.name))
        if not report.exists():
            raise RuntimeError(f"{tests[0]}: {done.stdout[-3000:]}{done.stderr[-3000:]}")
        found = dict(found_in(report.read_text(encoding="utf-8")))
        if "failed" in found.values():
            print(done.stdout[-8000:])
        return found

    return run


def _in_chromium(suite: Path, options: argparse.Namespace) -> _Run:
    from .page import InPage

    page = InPage(suite, options.packages)
    how = {name: getattr(options, name) for name in ("device", "version", "math", "examples", "seed")}
    return lambda tests: page(tests, **how)


def together(keys: list[str], shards: Mapping[str, list[str]]) -> list[list[str]]:
    """Shards of several files for one page, which takes longer to begin than a few tests take."""
    groups: list[list[str]] = []
    count = SHARD
    for key in keys:
        count += len(shards[key])
        if count > SHARD:
            groups.append([])
            count = len(shards[key])
        groups[-1].append(key)
    return groups


def of_file(key: str, results: Mapping[str, str]) -> dict[str, str]:
    """Of what several shards found what belongs to one, whose tests may be in classes."""
    stem = key.partition(".py#")[0]
    return {test: how for test, how in results.items() if stem in test.partition("::")[0].split(".")}


def _results(options: argparse.Namespace) -> dict[str, dict[str, str]]:
    files = sorted(path.name for path in (options.suite / "array_api_tests").glob("test_*.py"))
    files = [name for name in files if options.only in name]
    known: dict[str, dict[str, str]] = {}
    if options.resume is not None and options.resume.exists():
        known = json.loads(options.resume.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as room:
        copy = Path(room) / "suite"
        shutil.copytree(options.suite, copy, copy_function=shutil.copyfile)
        for path in (copy, *copy.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        (copy / "ours.txt").write_text("\n".join([*EXCLUSIONS.get(options.device, ()), ""]), encoding="utf-8")
        run = _in_chromium(copy, options) if options.where == "chromium" else _natively(copy, options)
        shards = dict(_shards(copy, files, options))
        new = [key for key in shards if key not in known]
        groups = together(new, shards) if options.where == "chromium" else [[key] for key in new]
        with ThreadPoolExecutor(options.jobs if options.where == "native" else 1) as pool:
            made = pool.map(lambda keys: run([test for key in keys for test in shards[key]]), groups)
            for keys, results in zip(groups, made, strict=True):
                for key in keys:
                    known[key] = of_file(key, results)
                if options.resume is not None:
                    options.resume.write_text(json.dumps(known), encoding="utf-8")
                print(*keys, dict(Counter(results.values())), flush=True)
    found: dict[str, dict[str, str]] = {name: {} for name in files}
    for key, some in known.items():
        found.get(key.partition("#")[0], {}).update(some)
    return found


def _written(options: argparse.Namespace, lines: Iterable[str]) -> None:
    digest = sha256()
    for path in sorted((options.suite / "array_api_tests").glob("*.py")):
        digest.update(path.read_bytes())
    what = f"{options.device}{' in Chromium' if options.where == 'chromium' else ''}"
    what += "" if options.version == VERSIONS[0] else f", {options.version}"
    what += "" if options.math == "exact" else f", {options.math}"
    begin = f"<!-- results, {what} -->"
    about = (
        f"{datetime.now(UTC):%Y-%m-%d}, {what}, {options.examples} examples, seed {options.seed}, "
        f"{'every third test' if options.third else 'all tests'}, the "
        f"suite's files with SHA-256 `{digest.hexdigest()[:16]}`:"
    )
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(begin)
    after = rest.partition(END)[2] or "\n"
    PAGE.write_text("\n".join([f"{before}{begin}", about, "", *lines, f"{END}{after}"]), "utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    there = os.environ.get("ARRAY_API_TESTS")
    parser.add_argument("--suite", type=Path, required=not there, default=there, help="the folder of array-api-tests")
    parser.add_argument("--device", default="wasm")
    parser.add_argument("--version", choices=VERSIONS, default=VERSIONS[0], help="of the standard")
    parser.add_argument("--math", choices=("exact", "strict"), default="exact", help="of the executor")
    parser.add_argument("--examples", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--resume", type=Path, help="file to keep what was found in, and to take it up from")
    parser.add_argument("--jobs", type=int, default=2, help="processes, natively")
    parser.add_argument("--only", default="", help="of the suite's files those with this in their names")
    parser.add_argument("--where", choices=("native", "chromium"), default="native")
    parser.add_argument("--packages", type=Path, help="a folder with what the suite needs, which Chromium has to have")
    parser.add_argument("--third", action="store_true", help="every third test")
    parser.add_argument("--docs", action="store_true", help="write the table into docs/array_api.md")
    options = parser.parse_args()
    if options.where == "chromium" and options.packages is None:
        parser.error("--where chromium needs --packages FOLDER; docs/array_api.md says how it is made")
    results = _results(options)
    lines = table(results)
    print("\n".join(lines))
    if options.docs:
        _written(options, lines)
    return any("failed" in tests.values() for tests in results.values())


if __name__ == "__main__":
    sys.exit(main())
