"""What a benchmark is asked on its command line."""

from __future__ import annotations

import argparse
from pathlib import Path


def parser(text: str | None) -> argparse.ArgumentParser:
    """One whose help is the benchmark's own text, in its own lines."""
    return argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)


def folder(text: str) -> Path:
    """The type of `--out`: a folder, made if it is not there."""
    path = Path(text)
    path.mkdir(parents=True, exist_ok=True)
    return path


def numbers(text: str | None, **more: int) -> argparse.Namespace:
    """Whole numbers, each by its own option: seconds, rounds and connections of a comparison, and `more`."""
    asks = parser(text)
    for name, value in ({"seconds": 5, "rounds": 5, "connections": 64} | more).items():
        asks.add_argument(f"--{name}", type=int, default=value)
    return asks.parse_args()


def command(script: str, options: argparse.Namespace) -> str:
    """The command that asks for the same, defaults included.

    >>> command("bench/engine.py", argparse.Namespace(seconds=5, rounds=2))
    'python bench/engine.py --seconds 5 --rounds 2'
    """
    words = (f"--{name.replace('_', '-')} {value:g}" for name, value in vars(options).items())
    return " ".join([f"python {script}", *words])
