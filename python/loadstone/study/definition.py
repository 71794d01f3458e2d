"""What the targets of a study meant when it was measured, kept in its record, beside what they mean today."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.stages.verdict import Verdict
from loadstone.study.record import Definition

Json = dict[str, Any]
Means = Callable[[str, Json], Json]
"""What a target (by its id) means by a file's content: everything that its figure depends on. {} if the file
has no such target."""

HASH = 12
"""Digits of a hash that are kept: enough to tell a study's few definitions apart."""


def digest(content: Json) -> str:
    """The same for the same content.

    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:HASH]


def defined(content: Json, source: str = "") -> Definition:
    """A study's file as its record keeps it."""
    return Definition(sha256=digest(content), file=content, source=source)


def judged(measured: Mapping[str, Any] | None, least: float | None, most: float | None) -> Verdict | None:
    """A target's verdict; None where nothing was measured.

    The claim has the burden of proof: missed when the figure itself misses, open when the figure holds but
    its interval reaches beyond the bound or there is none.

    >>> judged({"value": 1.6, "low": 1.55, "high": 1.7}, 1.5, None)
    'met'
    >>> judged({"value": 1.6, "low": 1.4, "high": 1.7}, 1.5, None)
    'open'
    >>> judged({"value": 1.4, "low": 1.3, "high": 1.6}, 1.5, None)
    'missed'
    """
    if measured is None:
        return None

    def holds(value: float) -> bool:
        return (least is None or value >= least) and (most is None or value <= most)

    if not holds(measured["value"]):
        return "missed"
    low, high = measured["low"], measured["high"]
    return "met" if low is not None and high is not None and holds(low) and holds(high) else "open"


def dated(targets: Sequence[Json], means: Means, then: Json, now: Json) -> list[Json]:
    """Verdicts with the hash of the definition that they were made by, that of today's, and what differs.

    `today` is None where today's file has no such target.
    """
    found = []
    for one in targets:
        before, today = means(one["id"], then), means(one["id"], now)
        found.append(
            one
            | {
                "definition": digest(before),
                "today": digest(today) if today else None,
                "changed": _changed(before, today) if today else [],
            }
        )
    return found


def require_same(begun: Definition | None, content: Json) -> None:
    """Refuses to go on with a study by another definition. LoadstoneError `study-resume`.

    A study may have got more parts since: what was measured means the same with them.
    """
    if begun is not None and begun.sha256 != digest(content) and not extends(begun.file, content):
        message = (
            f"the study's file has changed since it was begun ({begun.sha256} then, {digest(content)} now)"
        )
        hint = "begin a new study; `loadstone study recompute` tells anew what this one measured"
        raise LoadstoneError("study-resume", message, hint=hint)


def extends(begun: Any, today: Any) -> bool:
    """Whether all that stood there stands there still, and new is only what bears a name of its own: a part,
    a section, and what says nothing of the old ones.

    >>> extends({"part": [{"name": "a", "size": 1}]}, {"part": [{"name": "a", "size": 1}, {"name": "b"}]})
    True
    >>> extends({"part": [{"name": "a", "size": 1}]}, {"part": [{"name": "a", "size": 2}, {"name": "b"}]})
    False
    """
    if isinstance(begun, dict) and isinstance(today, dict):
        new = [today[key] for key in today.keys() - begun.keys()]
        kept = all(key in today and extends(begun[key], today[key]) for key in begun)
        return kept and all(not one or isinstance(one, dict) for one in new)
    if isinstance(begun, list) and isinstance(today, list) and _named(begun) and _named(today):
        later = {one["name"]: one for one in today}
        return all(one["name"] in later and extends(one, later[one["name"]]) for one in begun)
    return bool(begun == today)


def _named(tables: Sequence[Any]) -> bool:
    return bool(tables) and all(isinstance(one, dict) and "name" in one for one in tables)


def _changed(before: Json, today: Json) -> list[str]:
    """Each value that differs, then and now."""
    return [
        f"{name}: {_short(before.get(name))}, today {_short(today.get(name))}"
        for name in dict.fromkeys([*before, *today])
        if before.get(name) != today.get(name)
    ]


def _short(value: Any) -> str:
    if value in (None, {}, []):
        return "none"
    if isinstance(value, dict):
        return ", ".join(f"{name} = {one}" for name, one in value.items())
    text = str(value)
    return text if len(text) <= 80 else f"{digest({'text': text})} (hash)"
