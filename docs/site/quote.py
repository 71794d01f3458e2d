"""Figures of kept studies in the documentation: blocks between markers, written from the run folders.

    python docs/site/quote.py           # writes every block anew
    python docs/site/quote.py --check   # names files whose blocks say something else, and fails

A block begins with one of

    <!-- kept FOLDER findings [KEY …] -->
    <!-- kept FOLDER table SLUG [COLUMN …] [COLUMN=VALUE …] -->

and ends with `<!-- /kept -->`. FOLDER lies in `bench/runs`; KEY, SLUG and COLUMN are those of the page.
Without keys all findings stand there, without columns the whole table; `COLUMN=VALUE` keeps the rows that
have it.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from loadstone.chaos.page import NAME as CHAOS
from loadstone.chaos.page import chaos_article
from loadstone.report.sections import Article
from loadstone.report.table import Table
from loadstone.study.page import read_study, study_article
from loadstone.study.told import MARKS

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"(<!-- kept (?P<order>[^>]+?) -->\n)(?P<body>.*?)(<!-- /kept -->)", re.S)
WIDTH = 110


def pages() -> list[Path]:
    """Documents that quote kept folders."""
    files = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [file for file in files if BLOCK.search(file.read_text("utf-8"))]


def quoted(text: str) -> str:
    """The document with every block as its folder has it. ValueError for an order that is none."""
    return BLOCK.sub(lambda found: found[1] + said(found["order"]) + "\n" + found[4], text)


def said(order: str) -> str:
    """What a block's marker asks for."""
    folder, kind, *rest = order.split()
    if kind == "findings":
        return "\n".join(findings(ROOT / "bench" / "runs" / folder, rest))
    if kind == "table" and rest:
        return table(article(ROOT / "bench" / "runs" / folder), rest[0], rest[1:])
    raise ValueError(f"no block: `{order}`")


def findings(folder: Path, keys: Sequence[str]) -> Iterator[str]:
    """Each a line of a list, with its status."""
    known = {one["key"]: one for one in read_study(folder)["findings"]}
    if missing := [key for key in keys if key not in known]:
        raise ValueError(f"{folder} has no finding {', '.join(missing)}: there are {', '.join(known)}")
    for key in keys or known:
        line = f"- **{MARKS[known[key]['status']]}**: {known[key]['text']}"
        yield textwrap.fill(line, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


@cache
def article(folder: Path) -> Article:
    """The page of a folder, before it is HTML."""
    return chaos_article(folder) if (folder / CHAOS).is_file() else study_article(folder)


def table(page: Article, slug: str, wanted: Sequence[str]) -> str:
    """A table of the page in Markdown."""
    tables = {one.slug: one for section in page.sections for one in (*section.tables, *section.folded)}
    if slug not in tables:
        raise ValueError(f"{page.name} has no table {slug}: there are {', '.join(tables)}")
    found = tables[slug]
    chosen = [word for word in wanted if "=" not in word]
    columns = [one for key in chosen for one in found.columns if one.key == key] or found.columns
    if len(columns) < len(chosen):
        known = ", ".join(one.key for one in found.columns)
        raise ValueError(f"table {slug} lacks a column of {', '.join(chosen)}: there are {known}")
    rows = found.rows
    for name, _, value in (word.partition("=") for word in wanted if "=" in word):
        rows = [row for row in rows if str(row.get(name)) == value]
    return Table(slug, found.title, columns, rows).markdown()


def main() -> None:
    """Writes, or checks."""
    wrong = [(file, new) for file in pages() if (new := quoted(text := file.read_text("utf-8"))) != text]
    if "--check" in sys.argv[1:]:
        for file, _ in wrong:
            print(f"{file.relative_to(ROOT)}: a block differs from its run folder; run {Path(__file__).name}")
        raise SystemExit(bool(wrong))
    for file, new in wrong:
        file.write_text(new, "utf-8")
        print(file.relative_to(ROOT))


if __name__ == "__main__":
    main()
