"""Words that a reader may not know: explained where they first stand on the page, and wherever they recur."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markupsafe import Markup, escape

from loadstone.report.sections import Article, Section

TERMS = {
    "SLA-1": "in every window of the steady state, 90 % of each operation are answered within its limit",
    "SLA-2": "in every window of the steady state, 99 % of each operation are answered within its limit",
    "SLA": "service level agreement: the share of answers that must come within their limit",
    "SUT": "system under test: everything on the far side of the socket",
    "p50": "half of the answers came within this time",
    "p90": "90 % of the answers came within this time",
    "p99": "99 % of the answers came within this time",
    "Num": "the nodes that the load needs",
    "ARA": "active route anywhere: all nodes serve, the extra ones too",
    "PF": "passive failover: a spare takes the place of a crashed node",
    "OP": "over-provisioning: extra nodes that are active",
    "ilr": "a node whose program is built to stop when it finds a fault",
    "tx": "a node whose program is built to recover from a fault that it finds",
    "littles law": "users = operations a second × mean cycle of a user; else users or answers are missing",
    "egress": "traffic from the provider to the users",
}
"""As the glossary of the documentation has them, in a sentence each."""

_WORD = re.compile(
    r"(?<![\w/.-])(" + "|".join(map(re.escape, sorted(TERMS, key=len, reverse=True))) + r")(?![\w/-])"
)

Gloss = list[tuple[str, str]]
"""Terms with their meanings."""


def explained(article: Article) -> dict[str, Gloss]:
    """The terms that first stand in each part of the page, by the section's slug; `""` is its head."""
    known: set[str] = set()
    parts = {"": _head(article)} | {section.slug: _words(section) for section in article.sections}
    found = {}
    for slug, texts in parts.items():
        fresh = dict.fromkeys(term for text in texts for term in _WORD.findall(text) if term not in known)
        known |= fresh.keys()
        found[slug] = [(term, TERMS[term]) for term in fresh]
    return found


def glossed(text: str) -> Markup:
    """The text with its terms marked; pointing at one shows what it means.

    >>> str(glossed("Num < 3"))
    '<abbr title="the nodes that the load needs">Num</abbr> &lt; 3'
    """
    pieces = _WORD.split(text)
    # Every second piece is a term.
    return Markup("").join(
        Markup('<abbr title="{}">{}</abbr>').format(TERMS[piece], piece) if index % 2 else escape(piece)
        for index, piece in enumerate(pieces)
    )


def _head(article: Article) -> Iterator[str]:
    yield from (article.sentence, article.rest)
    for tile in article.tiles:
        yield f"{tile.label} {tile.unit} {tile.note}"


def _words(section: Section) -> Iterator[str]:
    yield from (section.title, section.intro, section.small_title)
    for figure in (section.wide | section.small).values():
        yield from (figure.title, "" if figure.quiet else figure.note)
        yield from (str(trace.get("name", "")) for trace in figure.traces)
        yield from (str(one["text"]) for one in figure.layout.get("annotations", ()))
    for table in (*section.tables, *section.folded):
        yield from (table.title, table.note, *(column.label for column in table.columns))
        for row in table.rows:
            yield from (words for column, words in table.cells(row) if not column.numeric)
    yield from (text for fact in section.facts for text in fact)
