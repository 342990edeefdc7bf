"""Arrays, kernels, plans and timelines as a notebook shows them.

`view(value)` is an anywidget: in Jupyter, JupyterLite, marimo and VS Code it has tabs, and `view.value = other` changes
what it shows. Without it, a value at the end of a cell shows the same page with parts that open, by `_repr_html_`.
"""

from .html import html_of
from .widget import view

__all__ = ["html_of", "view"]
