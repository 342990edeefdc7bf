"""What was measured as tables, and as a page with plots: losses as plain as wins; no result decides the order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from typing import Any

from ..__main__ import table
from .cases import PEAKS
from .pages import LOOPS, ONE

__all__ = ["control", "page", "shares", "tables"]

Row = dict[str, Any]
CONTROL = 1.7  # under that other work has the second processor
HEADER = (
    "case|size|by|threads|ms a run|from to|MB|M operations|GB/s|G operations/s|% of the loop|% of mul+add|% of FMA|"
    "times the fastest other's|times the named"
)
START = "by|ms to a first result|from to|KB transferred|KB with gzip|times the fastest other's"
SUMMARY = "case|our fastest, ms|by|the others' fastest, ms|by|times that|times the named|times one thread's"
OLD = "|times the older run's"


def _key(row: Row) -> tuple[str, str, str]:
    return row["where"], row["case"], row["by"]


def shares(rows: Sequence[Row]) -> dict[tuple[str, str, str], list[float | None]]:
    """Of each row the percentages of what the loop by hand beside it moves, and, by the fastest turns of both, of what
    products and sums, as two operations and as one, did by hand on as many threads."""
    loops = {_key(row): row for row in rows if row["by"].startswith(LOOPS)}
    peaks: dict[tuple[str, str, int], float] = {}
    for row in loops.values():
        peaks[row["where"], row["case"], row["threads"]] = row["operations"] / row["fastest"]
    found = {}
    for row in rows:
        rate, (where, case, by) = row["operations"] / row["fastest"], _key(row)
        loop = loops.get((where, case, LOOPS + (ONE if by.endswith(ONE) else "")))
        found[_key(row)] = [100 * loop["median"] / row["median"] if loop and row["bytes"] else None]
        for name in PEAKS:
            peak = peaks.get((row["where"], name, row["threads"]))
            found[_key(row)].append(100 * rate / peak if peak else None)
    return found


def _cells(rows: Sequence[Row], old: Sequence[Row]) -> Iterator[list[str]]:
    before = {_key(row): row["median"] for row in old}
    told = shares(rows)

    def number(value: float | None, form: str = ".2f") -> str:
        return "" if value is None else format(value, form)

    for row in rows:
        ms = row["ms"]
        digits = ".4f" if row["median"] < 0.1 else ".2f"
        spread = f"{min(ms):{digits}} to {max(ms):{digits}}"
        by = f"{row['by']} {row['version']}".rstrip()
        ratio = number(row["of the fastest peer"])
        last = [number(row["median"] / before[_key(row)] if _key(row) in before else None)] if old else []
        if row["where"] == "start":
            sizes = (f"{row[what] / 1000:,.0f}" for what in ("transferred", "gzip"))
            yield [by, number(row["median"]), spread, *sizes, ratio, *last]
            continue
        calls = f" ({row['calls']} calls)" if row["calls"] > 1 else ""
        counts = [number(row[what] / 1e6 or None, ".4g") for what in ("bytes", "operations")]
        rates = [number(row[what] / row["median"] / 1e6 or None) for what in ("bytes", "operations")]
        of_loop, *of_peaks = told[_key(row)]
        twin = number(row.get("of the named"))
        percent = [number(of_loop, ".0f"), *(number(of_peak, ".1f") for of_peak in of_peaks)]
        yield [
            row["case"], row["size"] + calls, by, str(row["threads"] or ""), format(row["median"], digits), spread,
            *counts, *rates, *percent, ratio, twin, *last,
        ]  # fmt: skip


def _heads(run: Row, rows: Sequence[Row], old: Sequence[Row]) -> Iterator[tuple[str, str, list[list[str]]]]:
    """For each place a title, the header of its table and the cells."""
    for where, found in groupby(rows, key=lambda row: str(row["where"])):
        part = list(found)
        place = "outside a browser" if where == "native" else f"Chromium {run.get('chromium')}, {part[0]['ran on']}"
        header = (START if where == "start" else HEADER) + (OLD if old else "")
        yield f"{where}: {place}", header, list(_cells(part, old))


def about(run: Row) -> str:
    load = f"load {run['load'][0]} before and {run['load after'][0]} after"
    seeds = f", seeds {', '.join(map(str, run['seeds']))}" if run["seeds"] else ""
    refused = "".join(f"; not timed: {text}" for text in run["refused"])
    turns = f"medians of {run['rounds']} turns"
    return f"{run['date']}, {run['machine']}, Python {run['python']}, {load}; {turns}{seeds}{refused}"


def summary(rows: Sequence[Row]) -> list[list[str]]:
    """Of each case our fastest code beside the fastest of the others, and of generated ones beside the named."""
    found = []
    for (_, case), group in groupby(rows, key=lambda row: (row["where"], row["case"])):
        part = list(group)
        own = (row for row in part if row["by"].startswith("ours") and not row["by"].endswith(ONE))
        ours = min(own, key=lambda row: row["median"], default=None)
        others = [row for row in part if not row["by"].startswith(("ours", "v128"))]
        if ours is None:
            continue
        line = [case, f"{ours['median']:.4g}", ours["by"], "", "", "", "", ""]
        alone = next((row for row in part if row["by"] == ours["by"] + ONE), None)
        if others:
            best = min(others, key=lambda row: row["median"])
            line[3:6] = [f"{best['median']:.4g}", best["by"], f"{ours['median'] / best['median']:.2f}"]
        if ours.get("of the named"):
            line[6] = f"{ours['of the named']:.2f}"
        if alone:
            line[7] = f"{ours['median'] / alone['median']:.2f}"
        found.append(line)
    return found


def control(rows: Sequence[Row]) -> str:
    """How much more the loops by hand did on all threads than on one, of products and sums, and two native threads of
    hashes: the processors' share. Native threads decide where they were timed."""
    alone = [row for row in rows if row["case"] == "mul_add"]
    rates = {row["threads"]: row["operations"] / row["median"] for row in alone}
    if len(rates) < 2:
        return ""
    ratio = rates[max(rates)] / rates[1]
    native = alone[0].get("native threads")
    hashes = "" if native is None else f", two native threads {native:.2f} times the hashes"
    decides = ratio if native is None else native
    fair = "so that ratios on several threads count" if decides >= CONTROL else "so that no ratio on several counts"
    return (
        f"Control: {max(rates)} threads did {ratio:.2f} times the products and sums of one{hashes}, {fair} "
        f"(from {CONTROL} on)."
    )


def tables(run: Row, rows: Sequence[Row], old: Sequence[Row]) -> None:
    print(about(run))
    for title, header, cells in _heads(run, rows, old):
        print(f"\n{title}\n")
        table(header, cells)
        if not title.startswith("start"):
            print()
            there = [row for row in rows if row["where"] == title.split(":")[0]]
            table(SUMMARY, summary(there))
            if told := control(there):
                print(f"\n{told}")


_STYLE = """:root { color-scheme: light dark; }
body { font: 15px/1.4 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
td, th { padding: 0.1em 0.5em; text-align: right; vertical-align: bottom; }
td { white-space: nowrap; } th { border-bottom: 1px solid; }
td:nth-child(-n+3), th:nth-child(-n+3) { text-align: left; }
.beside td:nth-child(2), .beside th:nth-child(2) { text-align: right; }
.beside td:nth-child(5), .beside th:nth-child(5) { text-align: left; }
tr.ours { background: light-dark(#fff3c4, #4a3d10); } tr.lost { background: light-dark(#fbdcd5, #5a2a22); }
text { font-size: 12px; fill: currentColor; } .wide { overflow-x: auto; }"""


def _wide(what: str, name: str) -> str:
    """What scrolls where a page is narrower, by keys, too."""
    return f'<div class="wide" tabindex="0" role="group" aria-label="{escape(name)}">{what}</div>'


def _plot(title: str, bars: Sequence[tuple[str, str, float]]) -> str:
    """Bars of percentages, a group for each case; ours are those in colour."""
    lines, y, most = [], 18, max((value for _, _, value in bars), default=0) or 1
    scale = 480 / max(most, 100)
    for case, group in groupby(bars, key=lambda bar: bar[0]):
        lines.append(f'<text x="0" y="{y + 10}" font-weight="bold">{escape(case)}</text>')
        for _, by, value in group:
            colour = "#c07000" if by.startswith("ours") else "#8fa3b5"
            lines.append(f'<rect x="230" y="{y}" width="{value * scale:.1f}" height="11" fill="{colour}"/>')
            lines.append(f'<text x="222" y="{y + 10}" text-anchor="end">{escape(by)}</text>')
            lines.append(f'<text x="{236 + value * scale:.1f}" y="{y + 10}">{value:.1f}</text>')
            y += 15
        y += 8
    mark = f'<path d="M{230 + 100 * scale:.1f} 12V{y}" stroke="#d33" stroke-dasharray="3 3"/>'
    plot = f'<svg width="800" height="{y}" role="img" aria-label="{escape(title)}">{"".join(lines)}{mark}</svg>'
    return f"<h3>{escape(title)}</h3>{_wide(plot, title)}"


def _beside(lines: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in SUMMARY.split("|"))
    body = "".join(
        f"<tr{' class=lost' if line[5] and float(line[5]) > 1 else ''}>"
        + "".join(f"<td>{escape(cell)}</td>" for cell in line)
        + "</tr>"
        for line in lines
    )
    title = "Ours beside the fastest of the others; losses in red"
    return f"<h3>{title}</h3>{_wide(f'<table class=beside><tr>{head}</tr>{body}</table>', title)}"


def page(run: Row, rows: Sequence[Row], old: Sequence[Row]) -> str:
    """One file that needs no other."""
    told, parts = shares(rows), []
    for title, header, cells in _heads(run, rows, old):
        where = title.split(":")[0]
        head = "".join(f"<th>{escape(name)}</th>" for name in header.split("|"))
        name = 0 if where == "start" else 2
        body = "".join(
            f"<tr{' class=ours' if line[name].startswith('ours') else ''}>"
            + "".join(f"<td>{escape(cell)}</td>" for cell in line)
            + "</tr>"
            for line in cells
        )
        parts.append(f"<h2>{escape(title)}</h2>")
        if where != "start":
            there = [row for row in rows if row["where"] == where]
            parts.append(_beside(summary(there)))
            if said := control(there):
                parts.append(f"<p>{escape(said)}</p>")
        for share, what in enumerate(
            (
                "% of what a v128 loop by hand moves",
                "% of the peak of v128 products and sums",
                "% of the peak of fused v128 products and sums",
            )
        ):
            bars = [(row["case"], row["by"], told[_key(row)][share]) for row in rows if row["where"] == where]
            shown = [(case, by, value) for case, by, value in bars if value is not None and not by.startswith("v128")]
            if shown and where != "start":
                parts.append(_plot(what, shown))
        parts.append(_wide(f"<table><tr>{head}</tr>{body}</table>", title))
    text = "\n".join(parts)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>hologram_web: peers</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style>"
        f"<h1>The same work by others</h1><p>{escape(about(run))}</p>{text}</html>\n"
    )
