"""Where each key of a TOML text stands, since `tomllib` does not say."""

from __future__ import annotations

from loadstone._core import toml_lines

Path = tuple[str | int, ...]
"""Keys and list indices, as one would index the dictionary that `tomllib` returns."""


class Positions:
    """Lines of the keys of one TOML text.

    >>> positions = Positions("a = 1\\n[[b]]\\nc = { d = [\\n 1,\\n 2] }\\n")
    >>> positions.line(("b", 0, "c", "d", 1))
    5
    >>> positions.line(("b", 0, "missing"))
    2
    """

    def __init__(self, text: str) -> None:
        """Of a text that `tomllib` has read; of others as far as it is TOML."""
        self.lines: dict[Path, int] = toml_lines(text)

    def line(self, path: Path) -> int:
        """Line (from 1) of `path`, or of its nearest ancestor in the text."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    def where(self, path: Path, file: str) -> str:
        """`file:line` of `path` in the text of that file."""
        return f"{file}:{self.line(path)}"
