"""Kernel JSON, under the name that users import: see `hologram_web_tools/kernel_json`."""

from .extras import missing

try:
    from hologram_web_tools.kernel_json import *  # noqa: F403
    from hologram_web_tools.kernel_json import __all__ as __all__
except ModuleNotFoundError as error:
    raise missing("kernel_json", error) from None
