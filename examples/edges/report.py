"""The report: one page with every stage's pictures, times and code, which asks nothing of the network."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.metadata import version
from pathlib import Path
from string import Template

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import hologram_web as hg

from .chromium import Figure
from .code import Code, codes
from .highlight import highlight, highlight_code, highlight_python
from .pictures import COMPASS, MARKS, VIEWS, difference
from .reference import FLOAT_ERRORS, STRONG, WEAK, Planes
from .rows import REFERENCE, Row
from .stages import ABOUT, STORY, Stage
from .tasks import Task

__all__ = ["write_report"]

# The row of pictures on top: plane, what it is called there, and the kernel to jump to.
_STRIP = (
    ("rgb", "photograph", ""),
    ("luma", "luminance", "luminance"),
    ("smooth", "Gaussian", "gaussian_cols"),
    ("direction", "gradient", "sobel"),
    ("marks", "thin, and marked", "double_threshold"),
    ("edges", "edges", "strong_edges"),
)

_FAR = 10  # times the reference's time: the slow reference device would make all other bars a line


class _Pictures:
    """Files of pictures, each once: devices that agree share them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.png"):
            old.unlink()
        self._known: set[str] = set()

    def save(self, picture: NDArray) -> str:
        """Its address in the page."""
        name = hashlib.sha256(repr(picture.shape).encode() + picture.tobytes()).hexdigest()[:16] + ".png"
        if name not in self._known:
            self._known.add(name)
            Image.fromarray(picture).save(self.folder / name)
        return f"{self.folder.name}/{name}"


def write_report(
    folder: Path,
    photo: NDArray,
    tasks: Mapping[str, Task],
    scipy: Row,
    rows: Sequence[Row],
    figures: Sequence[Figure],
    credit: str,
) -> Path:
    """Writes `index.html` and its pictures, and returns the path of the page.

    `rows` are those of the devices, compared with `scipy`; `credit` says where the photograph is from.
    """
    pictures = _Pictures(folder / "pictures")
    ran = [row for row in rows if not row.error]
    height, width = photo.shape[:2]
    kernels = {name: code for task in tasks.values() for name, code in codes(task.plan).items()}
    listings = {name: _listings(code) for name, code in kernels.items()}
    good = all(row.good for row in rows)
    template = Template((Path(__file__).parent / "page" / "report.html").read_text(encoding="utf-8"))
    page = template.substitute(
        title="Edges of a photograph",
        lead=f"A photograph of {width} × {height} pixels goes through {len(STORY)} kernels written in Python, in "
        "integers from the luminance on. The same plan runs natively and in a browser, where Python can compile it, "
        "too. SciPy, scikit-image and NumPy do the same on their own, and every stage is compared pixel by pixel.",
        verdict_class="good" if good else "bad",
        verdict=escape(_verdict(rows)),
        strip="\n".join(_strip_item(pictures, photo, scipy.planes["stages"], *item) for item in _STRIP),
        devices="\n".join(_device(row) for row in rows),
        errors="".join(_error(row) for row in rows if row.error),
        times="\n".join(_times(name, title, [scipy, *ran]) for name, title in ABOUT.items()),
        figures=_figures(figures),
        stages="\n".join(
            _stage(number, stage, kernels[stage.name], listings[stage.name], pictures, scipy, ran)
            for number, stage in enumerate(STORY, 1)
        ),
        bounds=_bounds(ran),
        float_note=escape(_float_note(scipy)),
        float_pictures="\n".join(_planes(name, "floats", pictures, scipy, ran) for name in ("magnitude", "edges")),
        float_code="\n".join(_details(name, listings[name]) for name in kernels if name.endswith("_f32")),
        histogram=_histogram(scipy, ran) + _details("histogram", listings["histogram"]),
        mandelbrot=_planes("rounds", "mandelbrot", pictures, scipy, ran)
        + _details("mandelbrot", listings["mandelbrot"]),
        footer=escape(f"{credit} {_versions()}"),
        ratio=f"{width} / {height}",  # until they have loaded
        rendering="pixelated" if max(width, height) < 256 else "auto",
    )
    path = folder / "index.html"
    path.write_text(page, encoding="utf-8")
    return path


def _verdict(rows: Sequence[Row]) -> str:
    if failed := [row.title for row in rows if row.error]:
        return f"did not run: {', '.join(failed)}"
    if differing := sum(row.differing_integers for row in rows):
        return f"{differing:,} pixels differ from {REFERENCE}'s"
    ulp = max(row.max_ulp for row in rows)
    floats = f"differ by at most {ulp} ULP" if ulp else "are the same to the last bit"
    return f"{len(rows)} device{'s' * (len(rows) != 1)}: no pixel of the integers differs, the floats {floats}"


def _strip_item(pictures: _Pictures, photo: NDArray, planes: Planes, plane: str, caption: str, kernel: str) -> str:
    item = f'<img src="{pictures.save(VIEWS[plane].picture({**planes, "rgb": photo}))}" alt="">{caption}'
    return f'<li><a href="#{kernel}">{item}</a></li>' if kernel else f"<li>{item}</li>"


def _device(row: Row) -> str:
    numbers = ("-",) * 4
    if not row.error:
        numbers = f"{row.compile_ms:,.1f}", f"{row.ms('edges'):,.1f}", f"{row.differing_integers:,}", str(row.max_ulp)
    cells = "".join(f'<td class="number">{number}</td>' for number in numbers)
    mark = "good" if row.good else "bad"
    return (
        f"<tr><th>{escape(row.title)}</th><td>{escape(row.adapter)}</td>{cells}"
        f'<td class="{mark}">{escape(row.verdict)}</td></tr>'
    )


def _error(row: Row) -> str:
    return f'<p class="bad">{escape(row.title)}</p><pre>{escape(row.error)}</pre>'


def _times(task: str, title: str, rows: Sequence[Row]) -> str:
    """Linear bars, as long as the longest of those that take at most ten times as long as the reference; what takes
    longer is cut off, and marked so. Beside them the ratio to the reference's time."""
    values = [(row.title, row.ms(task)) for row in rows]
    reference = next(ms for name, ms in values if name == REFERENCE)
    longest = max(ms for _, ms in values if ms <= _FAR * reference)
    lines = "".join(
        f'<div class="time"><span>{escape(name)}</span><span class="track"><i class="{_bar(name, ms > longest)}" '
        f'style="width:{min(100, 100 * ms / longest):.1f}%"></i></span><span class="number">{_ms(ms)}</span>'
        f'<span class="number ratio">{_ratio(ms / reference)}</span></div>'
        for name, ms in values
    )
    return f'<div class="chart"><h3>{escape(title)}</h3>{lines}</div>'


def _bar(name: str, is_cut: bool) -> str:
    return "reference" if name == REFERENCE else "cut" if is_cut else ""


def _ratio(ratio: float) -> str:
    return f"{ratio:,.0f} ×" if ratio >= 10 else f"{ratio:.2f} ×"


def _ms(ms: float) -> str:
    return f"{ms:,.0f} ms" if ms >= 100 else f"{ms:.{1 if ms >= 1 else 2}f} ms"


def _figures(figures: Sequence[Figure]) -> str:
    if not figures:
        return ""
    lines = "".join(
        f'<tr><td>{escape(figure.name)}</td><td class="number">{escape(figure.text)}</td>'
        f'<td class="number">{escape(figure.aim)}</td>'
        f'<td class="{"good" if figure.verdict == "met" else "bad"}">{figure.verdict}</td></tr>'
        for figure in figures
    )
    head = '<tr><th>what</th><th class="number">measured</th><th class="number">target</th><td></td></tr>'
    return (
        '<section class="card"><h2>Loading</h2><div class="scroll" tabindex="0"><table>'
        f"<thead>{head}</thead><tbody>{lines}</tbody></table></div></section>"
    )


def _stage(
    number: int, stage: Stage, code: Code, listings: str, pictures: _Pictures, scipy: Row, rows: Sequence[Row]
) -> str:
    facts = [f"{len(code.kernel.program)} instructions", f"{code.wasm_size:,} bytes of WebAssembly"]
    facts.insert(0, "blocks of 16 × 16 lanes")
    if code.shared:
        facts.append(f"{code.shared:,} bytes of shared memory a block")
    chips = "".join(f"<li>{escape(fact)}</li>" for fact in facts)
    large = pictures.save(VIEWS[stage.shows].picture(scipy.planes["stages"]))
    legend = _COMPASS if stage.shows == "direction" else _LEGEND if stage.shows in ("marks", "grown") else ""
    planes = "\n".join(_planes(name, "stages", pictures, scipy, rows) for name in stage.planes)
    return f"""<section class="card" id="{stage.name}">
<div class="intro"><div>
<h2>{number}. {escape(stage.title)}</h2>
<p>{escape(stage.about)}</p>
<code class="formula">{escape(stage.formula)}</code>
<ul class="chips">{chips}</ul>
</div><a href="{large}"><img src="{large}" alt="{escape(VIEWS[stage.shows].caption)}" loading="lazy">{legend}</a></div>
{planes}
{_details(stage.name, listings)}
</section>"""


def _planes(name: str, task: str, pictures: _Pictures, scipy: Row, rows: Sequence[Row]) -> str:
    """A plane by the reference and by every device, with the differences below."""
    expected = scipy.planes[task]
    cells = [_cell(pictures.save(VIEWS[name].picture(expected)), "", REFERENCE, "")]
    for row in rows:
        count = row.differing[task][name]
        found = row.planes[task]
        if found[name].shape != expected[name].shape:
            cells.append(f'<figure class="missing"><figcaption>{escape(row.title)}</figcaption></figure>')
            continue
        picture = pictures.save(VIEWS[name].picture(found))
        differs = pictures.save(difference(found[name], expected[name]))
        cells.append(_cell(picture, differs, row.title, "bad" if count else "good", _pixels(count)))
    return (
        f'<div class="plane"><h3>{escape(VIEWS[name].caption)}</h3>'
        f'<div class="scroll" tabindex="0"><div class="pictures">{"".join(cells)}</div></div></div>'
    )


def _cell(picture: str, differs: str, title: str, mark: str, count: str = "") -> str:
    image = _linked(picture, f"picture by {title}") + f"<figcaption>{escape(title)}</figcaption>"
    below = '<p class="faint">difference</p>'
    if differs:
        below = _linked(differs, f"where {title} differs", ' class="difference"')
        below += f'<p class="{mark}">{count}</p>'
    return f"<figure>{image}{below}</figure>"


def _linked(picture: str, told: str, attributes: str = "") -> str:
    return f'<a{attributes} href="{picture}"><img src="{picture}" alt="{escape(told)}" loading="lazy"></a>'


def _pixels(count: int) -> str:
    return "none differ" if count == 0 else f"{count:,} differ{'s' if count == 1 else ''}"


def _bounds(rows: Sequence[Row]) -> str:
    heads = "".join(f'<th class="number">{escape(row.title)}</th>' for row in rows)
    lines = []
    for name, bound in FLOAT_ERRORS.items():
        errors = [row.float_errors[name] for row in rows]
        cells = "".join(
            f'<td class="number {"good" if error <= bound else "bad"}">{error:.2e}</td>' for error in errors
        )
        lines.append(f'<tr><td>{escape(VIEWS[name].caption)}</td><td class="number">{bound:.2e}</td>{cells}</tr>')
    ulp = "".join(f'<td class="number">{row.max_ulp}</td>' for row in rows)
    lines.append(f'<tr class="total"><td>ULP to NumPy in single precision</td><td class="number"></td>{ulp}</tr>')
    pixels = "".join(f'<td class="number">{row.differing["floats"]["edges"]:,}</td>' for row in rows)
    lines.append(f'<tr class="total"><td>pixels of edges that differ from it</td><td class="number"></td>{pixels}</tr>')
    head = f'<tr><th>stage</th><th class="number">stated</th>{heads}</tr>'
    return f"<table><thead>{head}</thead><tbody>{''.join(lines)}</tbody></table>"


def _float_note(scipy: Row) -> str:
    other = int(np.count_nonzero(scipy.planes["floats"]["edges"] != scipy.planes["stages"]["edges"]))
    return f"Fixed point and floats find the same edges but for {other:,} pixels."


def _histogram(scipy: Row, rows: Sequence[Row]) -> str:
    """The counts as a drawing: SciPy's, and whether the devices have the same."""
    counts = scipy.planes["histogram"]["counts"]
    heights = 100 * np.sqrt(counts / max(int(counts.max()), 1))
    bars = "".join(
        f'<rect x="{k}" y="{100 - height:.2f}" width="0.9" height="{height:.2f}"/>' for k, height in enumerate(heights)
    )
    equal = [row for row in rows if not row.differing["histogram"]["counts"]]
    mark = "good" if len(equal) == len(rows) else "bad"
    return (
        f'<svg class="histogram" viewBox="0 0 256 100" preserveAspectRatio="none" role="img" '
        f'aria-label="pixels of each brightness">{bars}</svg>'
        f'<p class="axis"><span>black</span><span>white</span></p>'
        f'<p class="{mark}">{len(equal)} of {len(rows)} devices count what np.bincount counts, in all 256 bins.</p>'
    )


def _listings(code: Code) -> str:
    """The four forms of a kernel as tabs that need no script: a radio button before each text."""
    program = code.kernel.program
    name = code.kernel.name
    texts = {
        "Python": highlight_python(code.python),
        "ISA": highlight(program.to_text(), program),
        "WGSL": highlight_code(code.wgsl),
        "WAT": highlight_code(code.wat),
    }
    tabs = "".join(
        f'<input type="radio" name="code-{name}" id="code-{name}-{number}"{"" if number else " checked"}>'
        f'<label for="code-{name}-{number}">{escape(title)}</label>'
        for number, title in enumerate(texts)
    )
    listings = "".join(f'<pre tabindex="0">{text}</pre>' for text in texts.values())
    return f'<div class="tabs">{tabs}{listings}</div>'


def _details(name: str, listings: str) -> str:
    return f"<details><summary>code of {escape(name)}</summary>{listings}</details>"


def _versions() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "scikit-image"))
    return f"Made with hologram_web {hg.__version__}, Python {platform.python_version()}, {packages}."


def _compass() -> str:
    places = (5, 6, 7, 4, None, 0, 3, 2, 1)  # directions, row by row: 0 is to the right, and on clockwise
    cells = (f'<i style="background:{COMPASS[place]}"></i>' if place is not None else "<i></i>" for place in places)
    return f'<span class="compass" title="colours of the directions">{"".join(cells)}</span>'


def _legend(entries: Iterable[tuple[str, str]]) -> str:
    return "".join(
        f'<span class="key"><i style="background:{colour}"></i>{escape(name)}</span>' for name, colour in entries
    )


_COMPASS = _compass()
_LEGEND = _legend([("strong", MARKS[STRONG]), ("weak", MARKS[WEAK])])
