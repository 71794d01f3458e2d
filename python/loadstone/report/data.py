"""Everything the folder says, merged, for programs."""

from __future__ import annotations

from loadstone.report.answer import badges, sentence
from loadstone.report.folder import FORMAT, Chapter, Json


def as_json(chapter: Chapter) -> Json:
    """The answer and the JSON of every stage and run of the folder."""
    return {
        "format": FORMAT,
        "kind": "report",
        "folder": str(chapter.folder),
        "sentence": sentence(chapter),
        "badges": [
            {"kind": badge.kind, "words": badge.words, "reasons": list(badge.reasons)}
            for badge in badges(chapter)
        ],
        "withheld": list(chapter.withheld),
        "capacity": chapter.capacity.content() if chapter.capacity else None,
        "nodes": chapter.nodes.content() if chapter.nodes else None,
        "cost": chapter.cost.content() if chapter.cost else None,
        "runs": {name: run.summary.content() for name, run in chapter.runs.items()},
    }
