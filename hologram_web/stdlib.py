"""The standard library, under the name that users import: see `hologram_web_tools/stdlib`."""

from .extras import missing

try:
    from hologram_web_tools.stdlib import *  # noqa: F403
    from hologram_web_tools.stdlib import __all__ as __all__
    from hologram_web_tools.stdlib import __dir__ as __dir__
    from hologram_web_tools.stdlib import __getattr__ as __getattr__  # the programs
except ModuleNotFoundError as error:
    raise missing("stdlib", error) from None
