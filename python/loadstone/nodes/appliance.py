"""The node type `appliance`: an image a core instead of an operating system, by figures measured or typed.

A node is a machine that runs one image on each core, or as many as its memory holds. An image carries
`throughput` times what the same program carries as a process in a Linux guest: as a native node's core does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.nodes.image import Image
from loadstone.nodes.integrity import NODE_TYPES, NodeType
from loadstone.nodes.measured import exact, read_measured
from loadstone.nodes.quantities import parse_duration
from loadstone.nodes.shown import SLAS, Measured
from loadstone.nodes.study_record import Fields, read_study

NAME = "appliance"
TYPED = ("throughput", "start", "memory_mib")
STUDY = ("from", "app", "page")
SEARCHED = ("from", "against")
OPTIONAL = ("detect",)
FILE = "study.json"

_HINT = (
    "give a study, `from = FOLDER, app = olio, page = olio-home`; a capacity measured on an image, "
    "`from = FOLDER, against = FOLDER`; or `throughput = 1.6, start = 200ms, memory_mib = 16`"
)


def appliance(given: Mapping[str, str], folder: Path, place: str) -> NodeType:
    """The node type by its figures; `from` is taken from `folder`.

    LoadstoneError `nodes-input` for what is missing or no figure, `measured` for what a study does not hold.

    >>> kind = appliance({"throughput": "1.6", "start": "200ms", "memory_mib": "16"}, Path(), "here")
    >>> kind.throughput, kind.image.switch_over_s
    (Fraction(8, 5), Fraction(1, 5))
    """
    known = (*TYPED, *STUDY, *SEARCHED[1:], *OPTIONAL)
    for key in given:
        if key not in known:
            raise LoadstoneError(
                "nodes-input",
                f"an appliance has no `{key}`",
                place=place,
                hint=f"there are {', '.join(known)}",
            )
    measured = [key for key in (*STUDY, *SEARCHED[1:]) if key in given]
    typed = [key for key in TYPED if key in given]
    searched = "against" in given
    wanted = SEARCHED if searched else STUDY if measured else TYPED
    if measured and typed:
        raise LoadstoneError(
            "nodes-input",
            f"`{measured[0]}` and `{typed[0]}`: give measured figures or typed ones, not both",
            place=place,
        )
    if searched and (of_study := [key for key in STUDY[1:] if key in given]):
        raise LoadstoneError(
            "nodes-input", f"`against` and `{of_study[0]}`: give capacities or a study, not both", place=place
        )
    for key in wanted:
        if key not in given:
            raise LoadstoneError(
                "nodes-input", f"the appliance's `{key}` is missing", place=place, hint=_HINT
            )
    detect = parse_duration(given["detect"], place=place) if "detect" in given else Fraction(0)
    if searched:
        return _searched(folder / given["from"], folder / given["against"], detect)
    if measured:
        return _measured(folder / given["from"], given["app"], given["page"], detect)
    image = Image(
        parse_duration(given["start"], place=place), detect, _positive(given["memory_mib"], place), "typed"
    )
    return replace(
        NODE_TYPES["native"], name=NAME, throughput=_positive(given["throughput"], place), image=image
    )


def parse_appliance(text: str, measured: Path | None = None) -> NodeType:
    """`throughput=1.6,start=200ms,memory_mib=16`, as it stands on a command line. Errors as `appliance`.

    `measured`: where the users of a node are from; a capacity of an image is `against` it when nothing is
    said.
    """
    given = {}
    for each in text.split(","):
        key, sign, value = each.partition("=")
        if not sign or not value.strip():
            raise LoadstoneError(
                "nodes-input", f"`{each}` is not `NAME=VALUE`", place="--appliance", hint=_HINT
            )
        given[key.strip()] = value.strip()
    if measured and "from" in given and not {"app", "page", "against"} & set(given):
        given["against"] = str(measured)
    return appliance(given, Path(), "--appliance")


def warnings(node: NodeType) -> list[str]:
    """What the figures leave out."""
    if node.image is None or node.image.detect_s:
        return []
    return ["appliance: its switch-over counts from the crash; add `detect` for the time until it is noticed"]


def _positive(text: str, place: str) -> Fraction:
    try:
        value = Fraction(text) if len(text) < 40 and "e" not in text.lower() else Fraction(0)
    except (ValueError, ZeroDivisionError):
        value = Fraction(0)
    if not 0 < value < 10**9:
        raise LoadstoneError("nodes-input", f"`{text}` is not a number above 0", place=place)
    return value


def is_appliance(measured: Measured) -> bool:
    """Whether an image was measured."""
    return measured.node is not None and measured.node.type == NAME


def _searched(folder: Path, against: Path, detect_s: Fraction) -> NodeType:
    """From two folders of `loadstone capacity`, or of `loadstone run`: users at the first SLA that both
    hold."""
    own, other = read_measured(folder), read_measured(against)
    start = exact(own.node.start_s, "node.start_s", own.file) if own.node else None
    memory = exact(own.node.memory_mib, "node.memory_mib", own.file) if own.node else None
    if not is_appliance(own) or start is None or memory is None:
        raise LoadstoneError(
            "measured", "was not measured on an image", place=str(own.file),
            hint="measure it with `[target.image]` in the scenario",
        )  # fmt: skip
    sla = next((name for name in SLAS if name in own.at and name in other.at), None)
    if sla is None:
        reasons = [
            f"{each.file}, {each_sla}: {known.why}"
            for each in (own, other)
            for each_sla, known in each.withheld.items()
        ]
        raise LoadstoneError(
            "withheld", f"no SLA was held both here and in {other.file}: {'; '.join(reasons)}",
            place=str(own.file), hint="measure again what is not known",
        )  # fmt: skip
    users, others = own.at[sla].users, other.at[sla].users
    source = f"{float(users):,.0f} users at {sla} in {folder}, {float(others):,.0f} in {against}"
    image = Image(start, detect_s, memory, source, alone=own.file.resolve() == other.file.resolve())
    return replace(NODE_TYPES["native"], name=NAME, throughput=users / others, image=image)


def _measured(folder: Path, app: str, page: str, detect_s: Fraction) -> NodeType:
    """From `study.json` of `loadstone study appliance`: medians; on microvm; with the most connections."""
    file = folder if folder.name == FILE else folder / FILE
    if not file.is_file():
        raise LoadstoneError(
            "measured", f"`{folder}` holds no {FILE}", hint="give a folder of `loadstone study appliance`"
        )
    study = read_study(file)
    if study.text("name") != NAME:
        raise LoadstoneError("measured", "is not a study of appliances", place=str(file))
    own = {"app": app, "board": "microvm", "guest": "image"}
    start = _figure(study, "boot", own, "boot_ms") / 1000
    memory = _figure(study, "memory", own, "least_mib")
    asked = [
        case.number("connections")
        for case in _cases(study, "http", {"page": page})
        if case.number("connections")
    ]
    if not asked:
        raise LoadstoneError("measured", f"the study did not load the page `{page}`", place=str(file))
    most = {"page": page, "connections": max(asked, key=lambda count: count or 0)}
    image, linux = (
        _figure(study, "http", most | {"guest": guest}, "requests_per_s") for guest in ("image", "linux")
    )
    rates = f"{float(image):,.0f} requests/s a core, a process in Linux {float(linux):,.0f}"
    source = f"{app}, {page} in {folder}: {rates}"
    return replace(
        NODE_TYPES["native"],
        name=NAME,
        throughput=image / linux,
        image=Image(start, detect_s, memory, source),
    )


def _cases(study: Fields, part: str, wanted: Mapping[str, object]) -> list[Fields]:
    parts = study.table("parts")
    cells = parts.tables(part) if parts else []
    return [case for _, case in _matching(cells, wanted)]


def _matching(cells: list[Fields], wanted: Mapping[str, object]) -> list[tuple[Fields, Fields]]:
    """Cells, and their cases, that have these values."""
    pairs = [(cell, case) for cell in cells if (case := cell.table("case"))]
    return [
        (cell, case)
        for cell, case in pairs
        if all(case.content.get(key) == value for key, value in wanted.items())
    ]


def _figure(study: Fields, part: str, wanted: Mapping[str, object], name: str) -> Fraction:
    parts = study.table("parts")
    for cell, _ in _matching(parts.tables(part) if parts else [], wanted):
        figures = cell.table("figures")
        figure = figures.table(name) if figures else None
        if value := figure.number("value") if figure else None:
            return value
    said = ", ".join(f"{key} {value}" for key, value in wanted.items())
    raise LoadstoneError(
        "measured", f"the study has no `{name}` of its part `{part}` for {said}", place=str(study.file),
        hint="run that part, or type the figures",
    )  # fmt: skip
