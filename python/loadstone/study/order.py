"""What was ordered of a study, and what every `study.json` begins with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone import record
from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, read_object

FORMAT = 1
NAME = "study.json"
_HINT = "give the folder of a study that was begun"


@dataclass(frozen=True)
class Order:
    """What is to be done; what an interrupted study is taken up with."""

    folder: Path
    size: str
    """`full` or `quick`."""
    only: tuple[str, ...] | None
    """Parts; all when None."""
    begun_at: str | None = None
    """When it was begun; None for a new one."""
    variants: tuple[str, ...] | None = None
    """All when None."""


def take_up(folder: Path, name: str) -> Order:
    """The order of a study of that name that did not end. LoadstoneError `study-resume`."""
    try:
        begun = read_object(folder / NAME, Kind("study-resume", "a study", 64 << 20, _HINT))
        if begun.get("name", name) != name:
            raise ValueError(f"it is one of `{begun['name']}`")
        only, variants = begun["only"], begun.get("only_variants")
        chosen = tuple(variants) if variants else None
        return Order(folder, begun["size"], tuple(only) if only else None, str(begun["started_at"]), chosen)
    except (ValueError, KeyError, TypeError) as error:
        raise LoadstoneError(
            "study-resume", f"no study to take up in {folder}: {error}", hint=_HINT
        ) from error


def header(order: Order, name: str, summary: str, seed: int, command: Sequence[str]) -> dict[str, Any]:
    """What is known of a study as it begins."""
    return {
        "format": FORMAT,
        "kind": "study",
        "name": name,
        "summary": summary,
        "outcome": "begun",
        "size": order.size,
        "only": list(order.only) if order.only else None,
        "only_variants": list(order.variants) if order.variants else None,
        "resumed": order.begun_at is not None,
        "seed": seed,
        "machine": record.machine(),
        "versions": record.versions(),
        "command": list(command),
        "started_at": order.begun_at or record.now(),
        "ended_at": None,
    }
