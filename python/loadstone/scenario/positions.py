"""Where each key of a TOML text stands, since `tomllib` does not say.

The text must be valid TOML (`tomllib` has read it): this scan only follows its shape. Paths are
tuples of keys and list indices, as one would index the dictionary that `tomllib` returns.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left

Path = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACES = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"""(?:"{0,2})' + r"|'''.*?'''(?:'{0,2})" + r'|"(?:[^"\\]|\\.)*"' + r"|'[^']*'",
    re.DOTALL,
)
_SCALAR = re.compile(r"[^,\]}#\n]*")


class Positions:
    """Lines of the keys of one TOML text.

    >>> positions = Positions("a = 1\\n[[b]]\\nc = { d = [\\n 1,\\n 2] }\\n")
    >>> positions.line(("b", 0, "c", "d", 1))
    5
    >>> positions.line(("b", 0, "missing"))
    2
    """

    def __init__(self, text: str) -> None:
        """Scans valid TOML; what `tomllib` would refuse gives positions without meaning."""
        self.lines: dict[Path, int] = _Scan(text).document()

    def line(self, path: Path) -> int:
        """Line (from 1) of `path`, or of its nearest ancestor in the text."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


class _Scan:
    """One pass over a text; `at` is the offset of the next character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.newlines = [match.start() for match in re.finditer("\n", text)]
        self.lines: dict[Path, int] = {}
        self.elements: dict[Path, int] = {}

    def document(self) -> dict[Path, int]:
        table: Path = ()
        while self._blank() < len(self.text):
            if self.text.startswith("[[", self.at):
                table = self._header(2)
            elif self.text.startswith("[", self.at):
                table = self._header(1)
            else:
                self._pair(table)
        return self.lines

    def _header(self, brackets: int) -> Path:
        """`[a.b]` or `[[a.b]]`: the path that the pairs below it extend."""
        line = self._line()
        self.at += brackets
        keys = self._keys()
        self.at += brackets
        path: Path = ()
        for number, key in enumerate(keys, start=1):
            path += (key,)
            self.lines.setdefault(path, line)
            if number == len(keys) and brackets == 2:
                self.elements[path] = self.elements.get(path, 0) + 1
            if path in self.elements:
                path += (self.elements[path] - 1,)
                self.lines.setdefault(path, line)
        self.lines[path] = line  # a header of its own is a better place than one of a subtable
        return path

    def _pair(self, table: Path) -> None:
        line = self._line()
        path = table
        for key in self._keys():
            path += (key,)
            self.lines.setdefault(path, line)
        self.at += len("=")
        self._take(_SPACES)
        self._value(path)

    def _value(self, path: Path) -> None:
        opening = self.text[self.at : self.at + 1]
        if opening == "[":
            self._array(path)
        elif opening == "{":
            self.at += 1
            while not self._closed("}"):
                self._pair(path)
        elif not self._take(_STRING):
            self._take(_SCALAR)

    def _array(self, path: Path) -> None:
        self.at += 1
        index = 0
        while not self._closed("]"):
            self.lines[(*path, index)] = self._line()
            self._value((*path, index))
            index += 1

    def _closed(self, bracket: str) -> bool:
        """Skips to the next item; True, behind the bracket, when there is none."""
        if self._blank() < len(self.text) and self.text[self.at] == ",":
            self.at += 1
            self._blank()
        if self.at >= len(self.text) or self.text[self.at] == bracket:
            self.at += 1
            return True
        return False

    def _keys(self) -> list[str]:
        keys = [self._key()]
        while self.text.startswith(".", self.at):
            self.at += 1
            keys.append(self._key())
        return keys

    def _key(self) -> str:
        self._take(_SPACES)
        if self.text[self.at : self.at + 1] in ("'", '"'):
            literal = self._take(_STRING)
            key = str(tomllib.loads(f"key = {literal}")["key"])
        else:
            key = self._take(_BARE_KEY)
        self._take(_SPACES)
        return key

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        if match is None:
            return ""
        self.at = match.end()
        return match.group()

    def _blank(self) -> int:
        self._take(_BLANK)
        return self.at

    def _line(self) -> int:
        return bisect_left(self.newlines, self.at) + 1
