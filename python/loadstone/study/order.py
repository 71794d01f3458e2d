"""What was ordered of a study, and how `study.json` begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from loadstone import record
from loadstone.errors import LoadstoneError
from loadstone.intake import Kind
from loadstone.stages.origin import Machine
from loadstone.study.record import NAME, Definition, Json, StudyRecord

_HINT = "give the folder of a study that was begun"
_KIND = Kind("study-resume", "a study", 64 << 20, _HINT)


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
    topology: Path | None = None
    """Hosts and services of one's own; None for the study's."""
    now: tuple[str, ...] | None = None
    """Parts that this command measures, when it takes a study up; all of the order when None."""
    definition: Definition | None = None
    """By which its rows were measured; None for a new study, and where an old one did not keep it."""


def take_up(folder: Path, name: str, now: tuple[str, ...] | None = None) -> Order:
    """The order of a study of that name that did not end; with `now` these parts are measured only, also such
    that were not ordered before. LoadstoneError `study-resume`.
    """
    begun = StudyRecord.read(folder / NAME, _KIND)
    if begun.name != name:
        message = f"no study to take up in {folder}: it is one of `{begun.name}`"
        raise LoadstoneError("study-resume", message, hint=_HINT)
    only = tuple(dict.fromkeys([*begun.only, *(now or ())])) if begun.only else None
    chosen = tuple(begun.only_variants) if begun.only_variants else None
    return Order(folder, begun.size, only, begun.started_at, chosen, None, now, begun.definition)


def with_others(order: Order) -> Order:
    """The order, and what other commands have ordered of the same folder. LoadstoneError `study-resume`."""
    kept = StudyRecord.read(order.folder / NAME, _KIND).only
    only = tuple(dict.fromkeys([*kept, *order.only])) if kept and order.only else None
    return replace(order, only=only)


def header(order: Order, name: str, summary: str, seed: int, command: Sequence[str]) -> Json:
    """What is known of a study as it begins."""
    begun = StudyRecord(
        name=name,
        summary=summary,
        size="quick" if order.size == "quick" else "full",
        only=list(order.only) if order.only else None,
        only_variants=list(order.variants) if order.variants else None,
        resumed=order.begun_at is not None,
        seed=seed,
        machine=Machine.model_validate(record.machine()),
        versions=record.versions(),
        command=list(command),
        started_at=order.begun_at or record.now(),
    )
    return begun.content()
