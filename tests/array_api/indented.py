"""A plugin of pytest: since Python 3.13 docstrings come without their indentation, by which the suite tells special
cases in them. They get it back before it reads them."""

from __future__ import annotations

import sys
from textwrap import indent

from array_api_tests import stubs  # type: ignore[import-not-found]

if sys.version_info >= (3, 13):
    for function in {id(each): each for each in stubs.all_funcs}.values():
        first, _, rest = (function.__doc__ or "").partition("\n")
        function.__doc__ = f"{first}\n{indent(rest, '    ')}"
