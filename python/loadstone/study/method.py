"""What the pages of all studies show alike: how far the study came, and how it was made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from loadstone.report import format
from loadstone.report.answer import OUTCOMES
from loadstone.report.badge import Badge
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
        found.append(Badge("warn", f"{told}; {tasks['done']} of {tasks['planned']} measurements complete"))
    found += _target_badges(study.get("targets", ()))
    if study["size"] == "quick":
        found.append(Badge("warn", "quick: too few repetitions to rely on"))
    return found


def _target_badges(targets: Sequence[Json]) -> list[Badge]:
    """Targets as they were asked, and apart from them those of a later definition."""
    made = []
    for later, words in ((False, "targets met"), (True, "targets of a later definition met")):
        judged = [one for one in targets if one["verdict"] and bool(one.get("replaces")) is later]
        if not judged:
            continue
        count = {name: sum(one["verdict"] == name for one in judged) for name in ("met", "missed", "open")}
        rest = [f"{number} {name}" for name, number in count.items() if number and name != "met"]
        told = f"{count['met']} of {len(judged)} {words}" + (f" ({', '.join(rest)})" if rest else "")
        kind = "bad" if count["missed"] else "warn" if count["open"] else "good"
        made.append(Badge(kind, told))
    changed = [one for one in targets if one["verdict"] and one.get("today") != one.get("definition")]
    if changed:
        reasons = tuple(f"{one['what']}: {change}" for one in changed for change in one["changed"])
        words = f"{len(changed)} targets are judged by the definition they were measured under, not today’s"
        made.append(Badge("warn", words, tuple(dict.fromkeys(reasons))[:8]))
    return made


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
        *_drawn_anew(study),
        ("Folder", str(folder)),
        *((f"{name} left out", why) for name, why in study["skipped"].items()),
    ]
    return Section("method", "How it was measured", facts=facts)


def _drawn_anew(study: Json) -> list[tuple[str, str]]:
    """By what file it was measured, and when its findings were drawn anew."""
    facts = []
    if definition := study.get("definition"):
        source = f", {definition['source']}" if definition.get("source") else ""
        facts.append(("Definition", f"SHA-256 {definition['sha256']}{source}"))
    if again := study["recomputed"]:
        words = f"{format.moment(again['at'])}, by version {again['version']}, from the rows measured then"
        facts.append(("Findings drawn anew", words))
    return facts


def _case(failed: Json) -> str:
    return " ".join([failed["part"], *map(str, failed["case"].values())])
