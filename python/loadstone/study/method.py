"""What the pages of all studies show alike: how far the study came, and how it was made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from loadstone.report import format
from loadstone.report.answer import OUTCOMES, Badge
from loadstone.report.folder import Json
from loadstone.report.sections import Section


def badges(study: Json) -> list[Badge]:
    """How much was measured, what failed, and which targets were met."""
    found, tasks = [], study["tasks"]
    if tasks["failed"]:
        reasons = tuple(f"{_case(one)}: {one['error'].splitlines()[0]}" for one in tasks["failed"][:5])
        found.append(Badge("bad", f"{len(tasks['failed'])} measurements failed", reasons))
    if study["outcome"] == "complete":
        # Studies that only compute did not count their tasks at first.
        words = f"{tasks['done']} measurements" if tasks["planned"] else "complete"
        found.append(Badge("good", words))
    else:
        told = OUTCOMES.get(study["outcome"], study["outcome"])
        found.append(Badge("warn", f"{told}; {tasks['done']} of {tasks['planned']} measured"))
    judged = [one["met"] for one in study.get("targets", ()) if one["met"] is not None]
    if judged:
        kind = "good" if all(judged) else "bad"
        found.append(Badge(kind, f"{sum(judged)} of {len(judged)} targets met"))
    if study["size"] == "quick":
        found.append(Badge("warn", "quick: too few repetitions to rely on"))
    return found


def method(study: Json, folder: Path, own: Sequence[tuple[str, str]] = ()) -> Section:
    """The section at the end of the page; `own` facts are those of this study only."""
    machine = study["machine"]
    facts = [
        ("Command", " ".join(study["command"])),
        ("Started", format.moment(study["started_at"])),
        ("Ended", format.moment(study["ended_at"])),
        ("Machine", f"{machine['cores']} cores, {machine['cpu']}, {format.size(machine['memory_bytes'])}"),
        ("System", f"{machine['os']}, {machine['kernel']}"),
        *own,
        ("Seed of the order", format.text(study["seed"])),
        ("Versions", ", ".join(f"{name} {one}" for name, one in study["versions"].items() if one)),
        ("Folder", str(folder)),
        *((f"{name} left out", why) for name, why in study["skipped"].items()),
    ]
    return Section("method", "How it was measured", facts=facts)


def _case(failed: Json) -> str:
    return " ".join([failed["part"], *map(str, failed["case"].values())])
