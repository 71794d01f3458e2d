"""The summary a CI job shows: the answer, the verdict, the checks."""

from __future__ import annotations

from loadstone.report.answer import badges, sentence
from loadstone.report.folder import Chapter
from loadstone.report.table import escaped
from loadstone.report.tables import all_tables

SHOWN = ("verdicts", "nodes", "cost", "operations", "checks")
"""The tables a CI job shows; the page and CSV have them all."""

FOLDED = ("steps", "hooks")
"""Long ones, shown when they are asked for."""


def summary(chapter: Chapter) -> str:
    """Markdown for GitHub and the like."""
    blocks = [f"### {escaped(sentence(chapter))}"]
    for badge in badges(chapter):
        sign = {"good": "✅", "bad": "❌"}.get(badge.kind, "⚠️")
        reasons = "".join(f"\n  - {escaped(reason)}" for reason in badge.reasons)
        blocks.append(f"- {sign} **{escaped(badge.words)}**{reasons}")
    blocks[1:] = ["\n".join(blocks[1:])]
    for slug, table in all_tables(chapter).items():
        if slug in SHOWN:
            blocks.append(f"#### {escaped(table.title)}\n\n{table.markdown()}")
        if slug in FOLDED:
            title = escaped(table.title)
            blocks.append(f"<details><summary>{title}</summary>\n\n{table.markdown()}\n\n</details>")
    return "\n\n".join(block for block in blocks if block) + "\n"
