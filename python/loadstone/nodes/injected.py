"""A node type by a campaign of `loadstone inject`: its shares of faults by their effect, with intervals.

What corrupts silently is corrupt; what crashes, hangs or stops itself (fail-stop) is down until it is
replaced; what puts itself right retries. A recovery inline takes far less than the retry of a transaction
that the model counts for it, so that the time down is never too small.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind
from loadstone.judge.intervals import wilson
from loadstone.nodes.integrity import NodeType, Spread
from loadstone.scenario.findings import suggest
from loadstone.stages.inject import Inject

PREFIX = "from="
KEYS = ("from", "throughput", "throughput_low", "throughput_high", "name")
_FORM = "from=FOLDER,throughput=0.9 with the folder of `loadstone inject`"
_KIND = Kind("measured", "a record of injections", 64 << 20, "give the folder that `loadstone inject` wrote")
DOWN = ("crash", "hang", "detected")
"""What ends a node until it is replaced: a fail-stop, too. Table I counts it under crash."""


def is_injected(text: str) -> bool:
    """Whether it names a campaign."""
    return text.strip().startswith(PREFIX)


def injected(text: str, folder: Path = Path(), place: str = "--node-type") -> NodeType:
    """The node type of `from=FOLDER[,throughput=0.9][,throughput_low=…,throughput_high=…][,name=tmr]`; the
    folder is taken from `folder`.

    Its name is that of the build, such as `ilr-cmp`. LoadstoneError `nodes-input` for what is missing,
    `measured` for a folder without a campaign or one that is not complete.
    """
    given = _given(text, place)
    origin = folder / given["from"]
    record = campaign(origin)
    throughput = _throughput(given, record, place)
    ends = tuple(_factor(given[key], place) for key in ("throughput_low", "throughput_high") if key in given)
    if len(ends) == 1 or (len(ends) == 2 and not ends[0] <= throughput <= ends[1]):
        message = "the throughput's interval needs both ends, and the throughput between them"
        raise LoadstoneError(
            "nodes-input", message, place=place, hint="throughput_low=0.85,throughput_high=0.93"
        )
    down = sum(record.share(outcome).count for outcome in DOWN)
    corrupt, recovered = record.share("corrupt"), record.share("recovered")
    return NodeType(
        name=given.get("name") or record.variant.replace(" ", "-"),
        throughput=throughput,
        corrupts=corrupt.share,
        crashes=down / record.injected,
        retries=recovered.share,
        source=f"{record.injected:,} faults in {record.name} ({record.variant}), {origin}",
        spread=Spread(
            (corrupt.low, corrupt.high),
            wilson(down / record.injected, record.injected, 0.975),
            (recovered.low, recovered.high),
        ),
        throughput_range=(ends[0], ends[1]) if len(ends) == 2 else None,
    )


def _given(text: str, place: str) -> dict[str, str]:
    given: dict[str, str] = {}
    for each in text.split(","):
        key, sign, value = (part.strip() for part in each.partition("="))
        if not sign or not value or key not in KEYS:
            hint = suggest(key, KEYS, f"write {_FORM}")
            raise LoadstoneError("nodes-input", f"`{each}` is no part of a node type", place=place, hint=hint)
        given[key] = value
    return given


def campaign(folder: Path) -> Inject:
    """The complete campaign of a folder. LoadstoneError `measured` for none, and for one that is not."""
    file = folder / Inject.FILE
    if not file.is_file():
        raise LoadstoneError("measured", f"`{folder}` holds no {Inject.FILE}", hint=_KIND.hint)
    record = Inject.read(file, _KIND)
    if record.status != "complete" or not record.injected:
        message = f"its campaign is {record.status}, with {record.injected} faults"
        raise LoadstoneError("measured", message, place=str(file), hint="the same `loadstone inject` goes on")
    return record


def _throughput(given: dict[str, str], record: Inject, place: str) -> Fraction:
    if "throughput" in given:
        return _factor(given["throughput"], place)
    if record.throughput:
        return Fraction(repr(record.throughput))
    if record.variant == "native":
        return Fraction(1)
    raise LoadstoneError(
        "nodes-input", f"nothing says what a node of `{record.variant}` carries against native", place=place,
        hint=f"write {_FORM}, or `loadstone inject --throughput 0.9`",
    )  # fmt: skip


def _factor(text: str, place: str) -> Fraction:
    try:
        value = Fraction(text) if len(text) < 40 and "e" not in text.lower() else Fraction(0)
    except (ValueError, ZeroDivisionError):
        value = Fraction(0)
    if not 0 < value <= 10:
        raise LoadstoneError(
            "nodes-input", f"`{text}` is not a throughput factor", place=place, hint="such as 0.9"
        )
    return value
