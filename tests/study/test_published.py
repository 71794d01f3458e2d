"""Every kept study read back from its rows: its record, its page, and the documents that quote it."""

from __future__ import annotations

import html
import json
import re
import sys
from pathlib import Path

import pytest

from loadstone.chaos.page import chaos_article
from loadstone.study.recompute import recomputed
from loadstone.study.record import NAME
from loadstone.study.results import NAME as ROWS

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "site"))
import quote  # noqa: E402

KEPT = sorted(
    path.parent for path in (ROOT / "bench" / "runs").glob(f"*/*/{ROWS}") if (path.parent / NAME).is_file()
)
QUOTING = quote.pages()


@pytest.mark.parametrize("folder", KEPT, ids=lambda folder: folder.name)
def test_what_a_kept_study_says_follows_from_its_rows(folder: Path) -> None:
    kept = json.loads((folder / NAME).read_text("utf-8"))
    again = json.loads(json.dumps(recomputed(folder)))
    assert kept.keys() | {"recomputed"} == again.keys()
    for name in again.keys() - {"recomputed"}:
        assert kept[name] == again[name], f"`loadstone study recompute {folder.relative_to(ROOT)}`: {name}"


@pytest.mark.parametrize("folder", KEPT, ids=lambda folder: folder.name)
def test_its_page_says_the_same(folder: Path) -> None:
    kept = json.loads((folder / NAME).read_text("utf-8"))
    # Words of the glossary are explained where they stand: their marks are no part of the text.
    marked = re.sub(r"</?abbr[^>]*>", "", (folder / "report.html").read_text("utf-8"))
    page = " ".join(html.unescape(marked).split())
    assert kept["findings"]
    for one in kept["findings"]:
        assert one["text"] in page, one["key"]
    (headline,) = re.findall(r"<h1[^>]*>(.*?)</h1>", page)
    assert headline.startswith(kept["findings"][0]["text"])


def test_the_page_of_chaos_leads_with_what_its_record_says() -> None:
    for record in (ROOT / "bench" / "runs").glob("*/*/chaos.json"):
        page = (record.parent / "report.html").read_text("utf-8")
        assert f"<h1>{html.escape(chaos_article(record.parent).sentence)}</h1>" in page


@pytest.mark.parametrize("file", QUOTING, ids=lambda file: file.name)
def test_documents_quote_what_is_kept(file: Path) -> None:
    text = file.read_text("utf-8")
    assert quote.quoted(text) == text, "write it anew: python docs/site/quote.py"


@pytest.mark.parametrize("file", QUOTING, ids=lambda file: file.name)
def test_sections_that_quote_type_no_figure_of_their_own(file: Path) -> None:
    """Outside its blocks such a section has numbers only in code, links and dates."""
    for section in re.split(r"^(?=## )", file.read_text("utf-8"), flags=re.M):
        if quote.BLOCK.search(section):
            typed = quote.BLOCK.sub("", section)
            typed = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)|<!--.*?-->|\d{4}-\d\d-\d\d", "", typed, flags=re.S)
            assert not re.search(r"\d", typed), re.search(r".{0,60}\d.{0,40}", typed)


def test_a_claim_that_is_not_in_the_data_is_found() -> None:
    """What the checks above would say of a figure that somebody typed."""
    text = (ROOT / "docs" / "background" / "balancers.md").read_text("utf-8")
    typed = text.replace("held at 150, broken at 600", "150 users")
    assert typed != text and quote.quoted(typed) == text
    with pytest.raises(ValueError, match="has no finding"):
        quote.said("2026-11-21-x86_64-2core/balancers findings site-capacity")
    with pytest.raises(ValueError, match="lacks a column"):
        quote.said("2026-11-21-x86_64-2core/balancers table site servers capacity")
