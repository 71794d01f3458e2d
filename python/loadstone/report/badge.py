"""A label beside an answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Badge:
    """A label beside the answer. `kind` is good, bad or warn."""

    kind: str
    words: str
    reasons: tuple[str, ...] = ()
