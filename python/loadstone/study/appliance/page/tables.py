"""Tables of the study of appliances."""

from __future__ import annotations

from loadstone.report import format
from loadstone.report.folder import Json
from loadstone.report.table import Column, Row, Table, words
from loadstone.study.words import interval

_MARKS = {"met": "✓ met", "missed": "✗ missed", "open": "? open", None: "not measured"}
_CLASSES = {"met": "good", "missed": "bad", "open": "", None: ""}
_FIGURES = {
    "image_kb": ("image for microvm, KB", 1),
    "all_parts_kb": ("with every part, KB", 1),
    "memory_kib": ("image loaded, KiB", 0),
    "linux_kb": ("Linux in all, KB", 0),
    "kernel_kb": ("kernel, KB", 0),
    "initramfs_kb": ("initramfs, KB", 0),
    "boot_ms": ("ms to the first answer", 0),
    "least_mib": ("least memory, MiB", 0),
    "touched_mib": ("memory written to, MiB", 1),
    "cpu_share": ("share of a core", 3),
    "commits_per_s": ("commits/s", 0),
    "iteration_us": ("µs an iteration, with checks", 0),
    "insert_us": ("µs an insert", 0),
    "update_us": ("µs an update", 0),
    "delete_us": ("µs a delete", 0),
    "inserted_per_s": ("rows/s inserted", 0),
    "scanned_per_s": ("rows/s scanned", 0),
    "ns_each": ("instructions", 0),
    "commit_ns_each": ("instructions a commit", 0),
    "bulk_ns_each": ("instructions a row inserted", 0),
    "scan_ns_each": ("instructions a row scanned", 0),
    "requests_per_s": ("requests/s", 0),
    "response_us_p50": ("p50 µs", 0),
    "response_us_p99": ("p99 µs", 0),
    "host_cpu_s": ("QEMU’s processor time, s", 1),
    "generator_share": ("load’s share of its core", 2),
}
_WORST = (
    "Of several cells the worst counts. Intervals are those of the ratios within each repetition (95 %; of "
    "fewer than six repetitions the least and the greatest). Missed: the figure itself misses the bound. "
    "Open: it does not, but its interval reaches beyond."
)


def targets(study: Json) -> Table:
    """What must be shown, with what was measured."""
    rows: list[Row] = [
        {
            "what": one["what"],
            "bound": f"≤ {one['most']:g}" if one["least"] is None else f"≥ {one['least']:g}",
            "measured": interval(one["measured"], 2),
            "where": _case(study, one["case"]) if one["case"] else "–",
            "cells": one["cells"],
            "verdict": _MARKS[one["verdict"]],
            "class": _CLASSES[one["verdict"]],
        }
        for one in study["targets"]
    ]
    columns = [
        words("what", "what"),
        Column("bound", "bound", format.text),
        Column("measured", "measured", format.text),
        words("where", "worst where"),
        Column("cells", "cells"),
        words("verdict", "verdict"),
    ]
    return Table(
        "targets", "What must be shown", columns, rows, note=_WORST, highlight=lambda row: str(row["class"])
    )


def paper(study: Json) -> Table:
    """The paper's findings beside ours."""
    rows: list[Row] = []
    for one in study["paper"]:
        title, digits = _FIGURES[one["figure"]]
        if one["against"]:
            digits = 2
            title = f"{title}, against {', '.join(_named(study, value) for value in one['against'].values())}"
        ours = "; ".join(
            f"{_case(study, {k: v for k, v in cell['case'].items() if k not in one['of']})}:"
            f" {interval(cell['value'], digits)}"
            for cell in one["ours"]
        )
        rows.append(
            {"place": one["place"], "says": one["says"], "figure": title, "ours": ours or "not measured"}
        )
    return Table(
        "paper",
        "The paper’s findings and ours",
        [
            words("place", "place"),
            words("says", "the paper"),
            words("figure", "figure"),
            words("ours", "ours"),
        ],
        rows,
        note="The paper’s figures 3 and 4 are drawings without numbers: its words stand here. It measured "
        "under Xen on ext2, without emulation.",
    )


def cells(study: Json, name: str) -> Table:
    """Every cell of a part."""
    found = study["parts"][name]
    keys, figures = list(found[0]["case"]), list(found[0]["figures"])
    rows: list[Row] = [
        {key: _named(study, cell["case"][key]) for key in keys}
        | {"repetitions": cell["repetitions"]}
        | {figure: interval(cell["figures"].get(figure), _FIGURES[figure][1]) for figure in figures}
        for cell in sorted(found, key=lambda cell: [_sortable(cell["case"][key]) for key in keys])
    ]
    return Table(
        f"cells-{name}",
        "Every cell: medians with ranges",
        [
            *(words(key, key) for key in keys),
            Column("repetitions", "repetitions"),
            *(Column(figure, _FIGURES[figure][0], format.text) for figure in figures),
        ],
        rows,
    )


def _case(study: Json, case: Json) -> str:
    return ", ".join(_named(study, value) for value in case.values()) or "–"


def _named(study: Json, value: object) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return str(study["labels"].get(value, value))


def _sortable(value: object) -> tuple[float, str]:
    return (float(value), "") if isinstance(value, int) else (0.0, str(value))
