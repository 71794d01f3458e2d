"""Our own measurements as the benches keep them, read and checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import Field, ValidationError

from loadstone.cost.book import shipped
from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, read_object
from loadstone.intake.files import read_bytes
from loadstone.intake.records import json_lines
from loadstone.intake.shapes import Count, Figure, Text, Word, misshapen
from loadstone.nodes.injected import campaign
from loadstone.scenario.findings import Finding, listed, suggest
from loadstone.scenario.positions import Path as Keys
from loadstone.stages.base import Piece
from loadstone.stages.inject import OUTCOMES, Share
from loadstone.study.nodes.asked import Measured

NAME = "summary.json"
ROWS = "rows.ndjson"
_SLUG = "measured"
_INJECTION = Kind(_SLUG, "a summary of injections", 64 << 20, "make one with bench/injection.py")
_KERNELS = Kind(_SLUG, "a summary of hardened kernels", 64 << 20, "make one with bench/hardened_kernels.py")
_SERVERS = Kind(_SLUG, "rows of hardened servers", 64 << 20, "make them with bench/hardened_servers.py")


class Campaign(Piece):
    """A kernel in a build."""

    kernel: Word
    build: Word
    injected: Count
    shares: list[Share]

    def count(self, outcome: str) -> int:
        """Faults of one class."""
        return sum(one.count for one in self.shares if one.outcome == outcome)


class Injection(Piece):
    """What `bench/injection.py` writes."""

    command: list[Text] = Field(default_factory=list)
    started_at: Word = ""
    machine: dict[str, Any] = Field(default_factory=dict)
    kernels: list[Campaign]

    def of(self, build: str) -> list[Campaign]:
        """The kernels of one build."""
        return [one for one in self.kernels if one.build == build]


class Kernels(Piece):
    """What `bench/hardened_kernels.py` writes: CPU time against native, by kernel and variant."""

    rounds: Count
    ratio: dict[Word, dict[Word, Figure]]


class Served(Piece):
    """A line of `bench/hardened_servers.py`."""

    variant: Word
    load: Word
    round: Count
    requests_per_s: Figure
    response_ms: Figure
    cpu_us: Figure
    user_us: Figure


Read = TypeVar("Read", bound=Piece)


def injection(folder: Path) -> Injection:
    """The injections of a folder. LoadstoneError `measured`."""
    return _read(Injection, folder, _INJECTION)


def kernels(folder: Path) -> Kernels:
    """The kernels of a folder. LoadstoneError `measured`."""
    return _read(Kernels, folder, _KERNELS)


def servers(folder: Path) -> list[Served]:
    """The rows of a folder. LoadstoneError `measured`."""
    path = folder / ROWS
    if not path.is_file():
        raise LoadstoneError(_SLUG, f"`{folder}` holds no {ROWS}", hint=_SERVERS.hint)
    return [
        _shaped(Served, line, _SERVERS, f"{path}:{number}")
        for number, line in enumerate(json_lines(path, _SERVERS, read_bytes(path, _SERVERS)), 1)
    ]


def wrong(measured: Measured | None, folder: Path) -> list[Finding]:
    """What the file says of our measurements and its records do not have; folders are from `folder` on."""
    if measured is None:
        return []
    return [*_wrong_builds(measured, folder), *_wrong_servers(measured, folder), *_wrong_money(measured)]


def _wrong_builds(measured: Measured, folder: Path) -> Iterator[Finding]:
    if measured.build[0].beside != "native":
        yield Finding(
            _SLUG, "the first build is not native", ("measured", "build", 0), "others compare with it"
        )
    try:
        found = injection(folder / measured.injection)
        known = list(dict.fromkeys(one.build for one in found.kernels if one.injected))
        for number, build in enumerate(measured.build):
            if build.name not in known:
                keys: Keys = ("measured", "build", number, "name")
                message = f"no injections into the build `{build.name}`"
                yield Finding(_SLUG, message, keys, suggest(build.name, known, f"there are {listed(known)}"))
    except LoadstoneError as error:
        yield _finding(error, ("measured", "injection"))
    if measured.kernels is None:
        return
    try:
        timed = kernels(folder / measured.kernels)
    except LoadstoneError as error:
        yield _finding(error, ("measured", "kernels"))
        return
    names = sorted(set.intersection(*(set(row) for row in timed.ratio.values())))
    for number, build in enumerate(measured.build):
        if build.kernels is not None and build.kernels not in names:
            keys = ("measured", "build", number, "kernels")
            message = f"no kernels of the variant `{build.kernels}`"
            yield Finding(_SLUG, message, keys, suggest(build.kernels, names, f"there are {listed(names)}"))


def _wrong_servers(measured: Measured, folder: Path) -> Iterator[Finding]:
    for number, server in enumerate(measured.server):
        try:
            known = list(dict.fromkeys(row.variant for row in servers(folder / server.rows)))
        except LoadstoneError as error:
            yield _finding(error, ("measured", "server", number, "rows"))
            continue
        for build in measured.build:
            variant = f"{server.name}-{build.servers}"
            if build.servers and variant not in known:
                message, keys = f"no rows of `{variant}`", ("measured", "server", number, "rows")
                yield Finding(_SLUG, message, keys, suggest(variant, known, f"there are {listed(known)}"))
            elif build.servers and server.faults:
                try:
                    campaign(folder / server.faults / variant)
                except LoadstoneError as error:
                    yield _finding(error, ("measured", "server", number, "faults"))


def _wrong_money(measured: Measured) -> Iterator[Finding]:
    if measured.cost is None:
        return
    try:
        row = shipped().named(measured.cost.book).machine(measured.cost.instance, "instance")
        if not row.rented:
            yield Finding(_SLUG, f"`{row.sku}` is not rented by the hour", ("measured", "cost", "instance"))
    except LoadstoneError as error:
        key = "book" if error.place == "--book" else "instance"
        yield _finding(error, ("measured", "cost", key), told=False)


def _finding(error: LoadstoneError, keys: Keys, *, told: bool = True) -> Finding:
    place = f", {error.place}" if told and error.place else ""
    return Finding(error.slug, f"{error.message}{place}", keys, error.hint or "")


def _read(model: type[Read], folder: Path, kind: Kind) -> Read:
    path = folder / NAME
    if not path.is_file():
        raise LoadstoneError(_SLUG, f"`{folder}` holds no {NAME}", hint=kind.hint)
    found = _shaped(model, read_object(path, kind), kind, str(path))
    if isinstance(found, Injection):
        _require_sums(found, path)
    elif isinstance(found, Kernels) and not (found.ratio and all(map(_positive, found.ratio.values()))):
        raise LoadstoneError(_SLUG, "it has no ratios above zero", place=str(path), hint=kind.hint)
    return found


def _positive(ratios: Mapping[str, float]) -> bool:
    return bool(ratios) and min(ratios.values()) > 0


def _require_sums(found: Injection, path: Path) -> None:
    for one in found.kernels:
        if sum(one.count(outcome) for outcome in OUTCOMES) != one.injected:
            message = f"the classes of {one.kernel} ({one.build}) do not sum to its {one.injected:,} faults"
            raise LoadstoneError(_SLUG, message, place=str(path), hint=_INJECTION.hint)


def _shaped(model: type[Read], content: Mapping[str, Any], kind: Kind, place: str) -> Read:
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise misshapen(error, kind.slug, place, kind.hint) from error
