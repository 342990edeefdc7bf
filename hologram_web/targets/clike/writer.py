"""Lines of a text, indented."""

from __future__ import annotations

__all__ = ["Writer"]


class Writer:
    """Collects the lines of a function, and counts braces: each head of a construct opens one, or `braces` of them."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 1
        self.deepest = 1  # the most braces that were open
        self._open = 1

    def put(self, text: str) -> None:
        """Appends a line."""
        self.lines.append("  " * self.depth + text)

    def begin(self, head: str, braces: int = 1) -> None:
        self.put(head)
        self.depth += 1
        self._open += braces
        self.deepest = max(self.deepest, self._open)

    def then(self, middle: str) -> None:
        """Goes on in another branch of a construct."""
        self.lines.append("  " * (self.depth - 1) + middle)

    def end(self, tail: str = "}", braces: int = 1) -> None:
        self.depth -= 1
        self._open -= braces
        self.put(tail)

    def reserve(self, braces: int) -> None:
        """Counts braces that lines open and close by themselves."""
        self.deepest = max(self.deepest, self._open + braces)
