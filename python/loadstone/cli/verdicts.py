"""Verdicts in colour, on a terminal only: the word says it, the colour only helps to find it."""

from __future__ import annotations

import sys

from loadstone.cli.terminal import plain

_STYLES = {
    "green": "met|valid|good|faster|better",
    "red": "missed|INVALID|FAILED|slower|worse",
    "yellow": "open|INCONCLUSIVE|no evidence",
}


def show(text: str) -> None:
    """Prints the text to standard output. `NO_COLOR` and a dumb terminal are respected, as Rich does."""
    if not sys.stdout.isatty():
        print(text)
        return
    # Imported here: a file or a pipe need not wait for it.
    from rich.console import Console
    from rich.text import Text

    shown = Text(plain(text))
    for style, words in _STYLES.items():
        shown.highlight_regex(rf"(?<![\w-])({words})(?![\w-])", style)
    Console(highlight=False, soft_wrap=True).print(shown)
