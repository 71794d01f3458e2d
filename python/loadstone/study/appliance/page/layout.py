"""The page of the study `appliance`."""

from __future__ import annotations

from pathlib import Path

from loadstone.report.badge import Badge
from loadstone.report.folder import Json
from loadstone.report.sections import Article, Section, Tile, anchored, numbered
from loadstone.study.appliance.page import charts, tables
from loadstone.study.method import badges, method
from loadstone.study.told import found, headline
from loadstone.study.words import interval

_SECTIONS = {
    "size": (
        "Size",
        "What has to be stored and moved: the image alone, or Debian’s kernel and an initramfs. The image "
        "for microvm has only the parts that this board needs (--link mmio). The other sections boot an "
        "image with all parts.",
    ),
    "boot": ("Boot", "From the start of QEMU to the first byte of an answer."),
    "memory": ("Memory", "The least memory in which the application answers."),
    "idle": (
        "At rest",
        "Memory written to since the start, and processor time, of a guest that gets no requests.",
    ),
    "sql": (
        "Storage",
        "Figure 3. Records are inserted, updated and deleted, each in a transaction of its own, and every "
        "value is read again and compared. One host forgets flushes, the other one makes them real.",
    ),
    "bulk": ("Bulk insert and scan", "Rows inserted in one transaction, then all read and compared."),
    "alloc": ("Allocation", "Figure 4, in instructions, because time on an emulated processor says little."),
    "counted": (
        "Instructions of storage",
        "In memory, without a disk, so that only the processor’s work is left.",
    ),
    "http": ("HTTP", "The load is made on the other core."),
}


def article(study: Json, folder: Path) -> Article:
    """Lays the study out."""
    drawn = {"sql": charts.sql(study), "alloc": charts.allocations(study), "http": charts.http(study)}
    sections = [
        *filter(None, [found(study)]),
        Section("targets", "What was to be shown", tables=[tables.targets(study), tables.paper(study)]),
        *(
            Section(
                name,
                *_SECTIONS[name],
                wide=numbered("w", drawn.get(name, [])),
                tables=[tables.cells(study, name)],
            )
            for name in study["parts"]
        ),
        method(study, folder, _guests(study)),
    ]
    return Article(
        key="f1",
        name="Appliance",
        sentence=headline(study),
        badges=_badges(study),
        tiles=_tiles(study),
        sections=[anchored(section, "f1") for section in sections],
        absent=[],
    )


def _badges(study: Json) -> list[Badge]:
    emulated = study["guests"]["accelerator"] == "tcg"
    warning = Badge("warn", "emulated processor: ratios do not carry over to KVM")
    return badges(study) + ([warning] if emulated else [])


def _tiles(study: Json) -> list[Tile]:
    """The figures that a reader of the paper looks for."""
    wanted = (
        ("size", {"app": "olio"}, "image_kb", "Olio’s image", "KB"),
        ("boot", {"app": "olio", "board": "microvm", "guest": "image"}, "boot_ms", "boot, image", "ms"),
        ("boot", {"app": "olio", "board": "microvm", "guest": "linux"}, "boot_ms", "boot, Linux guest", "ms"),
    )
    tiles = []
    for name, case, figure, title, unit in wanted:
        cell = next((one for one in study["parts"].get(name, ()) if one["case"] == case), None)
        if cell:
            tiles.append(Tile(title, interval(cell["figures"][figure]), unit, ""))
    return tiles


def _guests(study: Json) -> list[tuple[str, str]]:
    guests = study["guests"]
    emulated = " (emulation)" if guests["accelerator"] == "tcg" else ""
    return [
        ("Guests", f"one core by {guests['accelerator']}{emulated}, {guests['memory_mib']} MiB"),
        ("Linux guest", guests["kernel"]),
    ]
