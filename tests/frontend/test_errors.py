"""What kernels cannot be: the whole text of every error, with its place."""

# mypy: ignore-errors
# ruff: noqa: E501

from __future__ import annotations

import numpy as np
import pytest

import hologram_web as hg

from .wrong import HEAD, MODULE, WRONG


def _source(text):
    if "def k(" not in text:
        text = MODULE + HEAD + "".join(f"    {line}\n" for line in text.split("\n"))
    before, _, after = text.partition("$")
    return before + after, before.count("\n") + 1, len(before) - before.rfind("\n")


@pytest.mark.parametrize(("text", "message"), WRONG, ids=[text for text, _ in WRONG])
def test_message(text, message):
    source, line, column = _source(text)
    with pytest.raises(hg.TranslateError) as raised:
        hg.kernel_from_source(source, "k" if "@hg.kernel" not in source else None, file="page.py")
    error = raised.value
    assert (error.file, error.line, error.column) == ("page.py", line, column)
    shown = source.split("\n")[line - 1]
    caret = " " * (column - 1 - (len(shown) - len(shown.lstrip()))) + "^"
    assert str(error) == f"page.py:{line}:{column}: {message}\n    {shown.strip()}\n    {caret}"


def test_there_are_many_and_all_differ():
    assert len(dict(WRONG)) == len(WRONG) > 150
    assert len({message for _, message in WRONG}) > 100


def test_a_function_of_a_file():
    with pytest.raises(hg.TranslateError) as raised:

        @hg.kernel
        def broken(x: hg.Array[hg.f32]):
            x[0] = np.exp(x[1])

    error = raised.value
    assert error.file == __file__
    assert error.column == 20
    text = str(error).split(": ", 1)[1]
    assert text == (
        "np.exp is a NumPy function, and kernels do not run Python: write hg.exp(...)\n"
        "    x[0] = np.exp(x[1])\n"
        "           ^"
    )


@pytest.mark.parametrize(
    ("call", "instead"),
    [
        ("np.minimum(n, 1)", "np.minimum is a NumPy function, and kernels do not run Python: write min(a, b)"),
        ("np.zeros(8)", "np.zeros is a NumPy function, and kernels do not run Python: write hg.local(type, size)"),
        ("np.float32(n)", "np.float32 is a NumPy function, and kernels do not run Python: write hg.f32(x)"),
        ("np.cumsum(x)", "np.cumsum is a NumPy function, and kernels do not run Python: write a loop over the elements"),
        ("np.median(x)", "np.median is a NumPy function, and kernels do not run Python: write a loop over the elements"),
        ("np.linalg.norm(x)", "np.linalg.norm is a NumPy function, and kernels do not run Python: write a loop over the elements"),
        ("SIZES", "SIZES is of type ndarray: kernels see ints, floats, bools and tuples of them from outside; pass everything else as an argument"),
        ("other[n](x)", "only functions are called, by their name"),
        ("other(x)", "other is a kernel: the host launches it; make what both need a function without @hg.kernel"),
        ("Thing(n)", "Thing cannot be called in a kernel: only functions made by def and the functions of hg can"),
        ("cached(n)", "cached is wrapped by a decorator, which kernels do not run: take the decorator away"),
    ],
)  # fmt: skip
def test_what_a_module_has(call, instead, tmp_path):
    path = tmp_path / "module.py"
    path.write_text(
        "import functools\nimport numpy as np\nimport hologram_web as hg\n\n\nSIZES = np.zeros(3)\n\n\n"
        "@hg.kernel\ndef other(x: hg.Array[hg.f32]):\n    x[0] = 1\n\n\nclass Thing:\n    pass\n\n\n"
        "def same(f):\n    @functools.wraps(f)\n    def g(n):\n        return f(n)\n    return g\n\n\n@same\ndef cached(n):\n    return n\n\n\n"
        f"@hg.kernel\ndef k(x: hg.Array[hg.f32], n: hg.i32):\n    v = {call}\n"
    )
    with pytest.raises(hg.TranslateError) as raised:
        exec(compile(path.read_text(), str(path), "exec"), {"__name__": "module"})
    assert str(raised.value).split(": ", 1)[1].split("\n")[0] == instead


def test_no_text():
    names = {"hg": hg}
    with pytest.raises(hg.TranslateError, match=r"the text of k cannot be found: .* use hg.kernel_from_source\(text\)"):
        exec("@hg.kernel\ndef k(x: hg.f32):\n    pass\n", names)


@pytest.mark.parametrize("value", [3, int, hg.f32])
def test_no_function(value):
    with pytest.raises(hg.TranslateError, match=r"@hg\.kernel translates a function, not"):
        hg.kernel(value)
    with pytest.raises(hg.TranslateError, match=r"@hg\.function marks a function, not"):
        hg.function(value)


def test_names_raise_outside_kernels():
    for name in ("global_id", "barrier", "sqrt", "atomic_add", "shared"):
        with pytest.raises(hg.TranslateError, match=f"hg.{name} belongs into a kernel"):
            getattr(hg, name)(1)
    assert hg.get_global_id is hg.global_id
    assert repr(hg.global_id) == "hg.global_id"
    for item in (float, (hg.f32, 9), (hg.f32, True)):
        with pytest.raises(hg.TranslateError, match=r"write hg.Array\[hg.f32"):
            hg.Array[item]


def test_which_kernel_of_a_text():
    text = "def a(x: hg.Array[hg.f32]):\n    x[0] = 1\n\n\ndef b(x: hg.Array[hg.f32]):\n    x[0] = 2\n"
    with pytest.raises(hg.TranslateError, match="one kernel, or say its name; it has a, b"):
        hg.kernel_from_source(text)
    with pytest.raises(hg.TranslateError, match="no function 'c'; it has a, b"):
        hg.kernel_from_source(text, "c")
    assert hg.kernel_from_source(text, "b").name == "b"
    with pytest.raises(hg.TranslateError, match="one kernel, or say its name; it has none"):
        hg.kernel_from_source("N = 3\n")
    with pytest.raises(hg.TranslateError, match=r"the constant 'N' is \[1\]"):
        hg.kernel_from_source(text, "a", {"N": [1]})


def _long(expression):
    return f"def k(x: hg.Array[hg.f32], n: hg.i32):\n    x[0] = {expression}\n"


def test_texts_of_too_many_words():
    """Syntax trees of 1 MB took 482 MB. Words and signs: 14 of the first two lines, 2 of each number."""
    most = 1 << 18
    head = "def k(x: hg.Array[hg.i32]):\n    x[0] = 1\n"
    assert hg.kernel_from_source(head + "T = (" + "1,\n" * ((most - 40) // 2) + ")").name == "k"
    with pytest.raises(hg.TranslateError) as caught:
        hg.kernel_from_source("T = (" + "1,\n" * (most // 2 + 9) + ")\n" + head, file="page.py")
    assert str(caught.value) == f"page.py:{most // 2 - 1}: the text has more than {most} words and signs: divide it"
    assert caught.value.line == most // 2 - 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (_long("-" * 1500 + "x[0]"), "nested too deeply"),
        (_long("+".join(["x[0]"] * 20_000)), "nested too deeply"),  # Python 3.13 reads 5,000
        (_long("(" * 5000 + "1" + ")" * 5000), "this is no Python|nested too deeply"),
        ("def k():\n    pass\n\0", "this is no Python"),
        (
            "def k(x: hg.Array[hg.f32]):\n" + "".join(f"    v{i} = x[{i}]\n" for i in range(300)),
            "the kernel needs more than the 242 registers there are",
        ),
        (
            "def f0(x):\n    x[0] = 1.0\n"
            + "".join(f"def f{i + 1}(x):\n    f{i}(x)\n    f{i}(x)\n" for i in range(40))
            + "def k(x: hg.Array[hg.f32]):\n    f40(x)\n",
            "more than 4096 calls are inlined",
        ),
        (
            "def k(x: hg.Array[hg.f32]):\n    for i in (1, 2):\n"
            + "".join(f"{'    ' * (d + 2)}for j{d} in ({', '.join(['1'] * 90)}):\n" for d in range(2))
            + "".join(f"                x[{d}] = 1.0\n" for d in range(5)),
            "are written out, as at most 16384 instructions, and here are 16390 after 19 of 90 rounds",
        ),
        (
            "def f(x):\n" + "    x[0] = 1.0\n" * 40 + "def k(x: hg.Array[hg.f32]):\n" + "    f(x)\n" * 900,
            "more than 65536 instructions",
        ),
        (_long(f"n + {'(n > 0) + ' * 3}n" + " & n" * 3), None),
    ],
    ids=["signs", "chain", "brackets", "null byte", "registers", "calls", "rounds", "instructions", "fine"],
)
def test_limits(text, message):
    if message is None:
        hg.kernel_from_source(text, "k").program.validate()
        return
    with pytest.raises(hg.TranslateError, match=message):
        hg.kernel_from_source(text, "k")
