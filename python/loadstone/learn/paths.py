"""Operations from paths: a trie whose ids and slugs are folded into placeholders."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

INT, TOKEN, SLUG = "{int}", "{token}", "{slug}"
_PLACEHOLDERS = {INT: "id", TOKEN: "token", SLUG: "item"}
_WIDE = 20
"""Different names below one place from which on they are taken for names of things."""
_OWN = 0.1
"""Share of a wide place's requests with which a name stays an operation of its own."""
_MOST_CHILDREN = 2_000
_MOST_NODES = 100_000
_DEEPEST = 24
"""Segments of a path; what lies deeper counts as the last of them."""
_LONGEST = 200
_EXAMPLES = 20
_DIGITS = re.compile(r"[0-9]{1,18}")
_LONG_DIGITS = re.compile(r"[0-9]{19,}")
_HEX = re.compile(r"(?=.*[0-9])[0-9A-Fa-f]{8,}(?:-[0-9A-Fa-f]{4,})*")
_DIGIT_RICH = re.compile(r"(?:[^0-9]*[0-9]){4}")
_FILES = re.compile(
    r"\.(?:css|js|mjs|map|png|jpe?g|gif|svg|webp|avif|ico|bmp|woff2?|ttf|otf|eot|mp[34]|webm|ogg|wasm"
    r"|webmanifest)$",
    re.IGNORECASE,
)
_UNNAMED = re.compile(r"[^A-Za-z0-9_]+")


def is_file(path: str) -> bool:
    """Whether a page's file is meant, by its ending: style sheets, scripts, images, fonts, sounds.

    >>> is_file("/static/site.css"), is_file("/reports/2026.pdf")
    (True, False)
    """
    return bool(_FILES.search(path))


def folded(segment: str) -> str:
    """A placeholder for what is an id by its looks, else the segment.

    >>> [folded(one) for one in ("42", "v2", "9f86d081884c7d65", "post-2024-11", "events")]
    ['{int}', 'v2', '{token}', '{slug}', 'events']
    """
    if _DIGITS.fullmatch(segment):
        return INT
    if _LONG_DIGITS.fullmatch(segment) or _HEX.fullmatch(segment):
        return TOKEN
    if _DIGIT_RICH.match(segment):
        return SLUG if "-" in segment or "_" in segment or "." in segment else TOKEN
    return segment[:_LONGEST].replace("{", "(").replace("}", ")")


@dataclass
class _Node:
    children: dict[str, _Node] = field(default_factory=dict)
    leaf: int | None = None
    examples: list[str] = field(default_factory=list)
    low: int = 1 << 62
    high: int = -1
    queries: Counter[str] = field(default_factory=Counter)


@dataclass
class Operation:
    """A kind of request: a method and a path with placeholders."""

    method: str
    path: tuple[str, ...]
    leaves: list[int]
    examples: dict[int, list[str]] = field(default_factory=dict)
    """By the number of the segment, for slugs."""
    bounds: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Least and greatest of a segment of digits."""
    queries: Counter[str] = field(default_factory=Counter)
    """Names in query strings, by how many different addresses had them."""
    name: str = ""

    @property
    def template(self) -> str:
        """The path as people read it."""
        return "/" + "/".join(self.path)


class Paths:
    """The trie: bounded, whatever the paths are."""

    def __init__(self) -> None:
        """Empty."""
        self._roots: dict[str, _Node] = {}
        self._nodes = 0
        self.leaves = 0

    def leaf(self, method: str, target: str) -> int:
        """The number of the method and path; new ones are added."""
        path, _, query = target.partition("?")
        node = self._roots.setdefault(method, _Node())
        for segment in path.strip("/").split("/", _DEEPEST)[:_DEEPEST]:
            if not segment:
                continue
            node = self._child(node, segment)
        if node.leaf is None:
            node.leaf = self.leaves
            self.leaves += 1
        if query and len(node.queries) < _EXAMPLES:
            node.queries.update({part.partition("=")[0][:_LONGEST] for part in query.split("&")[:_EXAMPLES]})
        return node.leaf

    def _child(self, node: _Node, segment: str) -> _Node:
        name = folded(segment)
        child = node.children.get(name)
        if child is None:
            if len(node.children) >= _MOST_CHILDREN or self._nodes >= _MOST_NODES:
                name = SLUG
            child = node.children.get(name)
            if child is None:
                child = node.children[name] = _Node()
                self._nodes += 1
        if name == INT:
            child.low, child.high = min(child.low, int(segment)), max(child.high, int(segment))
        elif name == SLUG and len(child.examples) < _EXAMPLES:
            child.examples.append(segment[:_LONGEST])
        return child

    def operations(self, counts: Sequence[int]) -> list[Operation]:
        """The kinds of requests, the most frequent first; counts: requests by leaf."""
        found: list[Operation] = []
        for method, root in self._roots.items():
            self._fold(method, [root], (), {}, {}, counts, found)
        found.sort(key=lambda one: -sum(counts[leaf] for leaf in one.leaves))
        for one in found:
            one.name = named(one, {other.name for other in found})
        return found

    def _fold(
        self,
        method: str,
        nodes: list[_Node],
        path: tuple[str, ...],
        examples: dict[int, list[str]],
        bounds: dict[int, tuple[int, int]],
        counts: Sequence[int],
        found: list[Operation],
    ) -> None:
        leaves = [node.leaf for node in nodes if node.leaf is not None]
        if leaves:
            queries: Counter[str] = Counter()
            for node in nodes:
                queries.update(node.queries)
            found.append(Operation(method, path, leaves, dict(examples), dict(bounds), queries))
        for name, below in _groups(nodes, counts).items():
            at = len(path)
            seen = {at: _examples(nodes, name)} if name == SLUG else {}
            ends = (
                {at: (min(one.low for one in below), max(one.high for one in below))} if name == INT else {}
            )
            self._fold(method, below, (*path, name), examples | seen, bounds | ends, counts, found)


def _groups(nodes: list[_Node], counts: Sequence[int]) -> dict[str, list[_Node]]:
    """Children of all nodes by name, those of a wide place that are rare together as slugs."""
    named: dict[str, list[_Node]] = {}
    for node in nodes:
        for name, child in node.children.items():
            named.setdefault(name, []).append(child)
    literal = [name for name in named if name not in _PLACEHOLDERS]
    if len(literal) < _WIDE:
        return named
    weight = {name: sum(_requests(child, counts) for child in named[name]) for name in named}
    total = sum(weight.values())
    for name in literal:
        if weight[name] < _OWN * total:
            named.setdefault(SLUG, []).extend(named.pop(name))
    return named


def _requests(node: _Node, counts: Sequence[int]) -> int:
    own = counts[node.leaf] if node.leaf is not None else 0
    return int(own) + sum(_requests(child, counts) for child in node.children.values())


def _examples(nodes: list[_Node], name: str) -> list[str]:
    seen: list[str] = []
    for node in nodes:
        seen += node.children[name].examples if name in node.children else []
        seen += [child for child in node.children if child not in _PLACEHOLDERS]
    return list(dict.fromkeys(seen))[:_EXAMPLES]


def named(operation: Operation, taken: Iterable[str]) -> str:
    """A name for the scenario: of letters, digits, `-` and `_`, and nobody else's.

    >>> named(Operation("GET", ("events", "{int}"), []), ()), named(Operation("POST", (), []), ())
    ('events-id', 'post-home')
    """
    parts = [_PLACEHOLDERS.get(one) or _UNNAMED.sub("_", one).strip("_") for one in operation.path]
    words = [] if operation.method == "GET" else [operation.method.lower()]
    name = "-".join([*words, *filter(None, parts or ["home"])])[:60] or "page"
    if not name[0].isalpha():
        name = f"page-{name}"
    if name in ("end", "back"):
        name = f"{name}-page"
    number, first = 1, name
    while name in taken:
        number += 1
        name = f"{first}-{number}"
    return name
