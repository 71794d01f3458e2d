"""One pass over the log: every request as a few numbers, on disk, in parts that fit into memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loadstone.errors import LoadstoneError
from loadstone.intake.logs import LONGEST, line_blocks
from loadstone.learn.formats import NAMED, Format, of_format, of_json
from loadstone.learn.hit import Hit
from loadstone.learn.paths import Paths, is_file

EVENT = np.dtype(
    [
        ("address", "u8"),
        ("client", "u8"),
        ("start_us", "i8"),
        ("took_us", "i8"),
        ("leaf", "i4"),
        ("what", "u2"),
    ]
)
"""Hashes of whom it is from, when a request began, what it took, its leaf of the trie (a file: -1)."""
FILE, REDIRECT, REFUSED, PROGRAM, ROBOTS, READS = 1, 2, 4, 8, 16, 32
Events = NDArray[Any]

_PARTS = 256
_BUFFER = 200_000
_MOST_CACHED = 200_000
_TRIED = 1_000
"""Lines on which formats are tried."""
_SHOWN = 5
_METHODS = frozenset({"GET", "POST", "PUT", "DELETE", "PATCH"})
_PROGRAMS = re.compile(
    r"bot\b|bot[/;+ ]|crawl|spider|slurp|scan|monitor|uptime|pingdom|check_http|healthcheck|kube-probe"
    r"|curl|wget|python|java/|okhttp|go-http|libwww|httpclient|axios|headless|lighthouse|feed|rss|fetch",
    re.IGNORECASE,
)


@dataclass
class Named:
    """An operation that the user named: requests whose address matches."""

    name: str
    pattern: re.Pattern[str]
    method: str | None = None
    """Only of this method."""
    example: tuple[str, str] | None = None
    """Method and path of the first one."""

    def names(self, hit: Hit) -> bool:
        """Whether the request is one of it."""
        return self.method in (None, hit.method) and bool(self.pattern.search(hit.target))


@dataclass
class Log:
    """What one pass has seen. `parts` are files of EVENT."""

    format: str
    parts: list[Path]
    paths: Paths
    lines: int = 0
    bad: int = 0
    examples: list[tuple[str, str]] = field(default_factory=list)
    """Place and beginning of the first lines that could not be read."""
    other_methods: int = 0
    requests: int = 0
    files: int = 0
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """Requests by leaf."""
    refused: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """Of them, those answered with 4xx."""
    first_us: int = 1 << 62
    last_us: int = -1
    whole_seconds: bool = True
    """No time has a fraction."""
    times: bool = False
    """Requests say how long they took."""

    def events(self) -> Iterator[Events]:
        """The parts, one after the other; all requests of an address are in one."""
        for part in self.parts:
            if part.exists():
                yield np.fromfile(part, EVENT)


def read(
    sources: Sequence[str],
    folder: Path,
    *,
    format: str | None,
    keys: dict[str, str],
    user: str | None,
    named: Sequence[Named],
    files: re.Pattern[str] | None,
    most_bad: float,
    told: Callable[[int], None],
) -> Log:
    """Reads the logs one after the other into `folder`; `told` gets the numbers of bytes as they are read.

    LoadstoneError `log-format`, `log-file`.
    """
    reader = _Reader(folder, user, named, files)
    for source in sources:
        blocks = line_blocks(source, told)
        head: list[bytes] = []
        for block in blocks:
            head += block
            if len(head) >= _TRIED:
                break
        chosen = reader.format or _choose(head, format, keys, user, source)
        reader.take(chosen, source, head)
        for block in blocks:
            reader.take(chosen, source, block)
    log = reader.done()
    if log.bad > most_bad * log.lines:
        place, text = log.examples[0]
        message = (
            f"{log.bad:,} of {log.lines:,} lines are not of the format `{log.format[:200]}`, the first: "
            f"{text!r}"
        )
        hint = "give the server's own format with --format, or a larger --bad-share"
        raise LoadstoneError("log-format", message, place=place, hint=hint)
    if not log.requests:
        raise LoadstoneError("log-file", "there is no request in the log", place=", ".join(sources)[:300])
    return log


def _choose(
    head: list[bytes], format: str | None, keys: dict[str, str], user: str | None, source: str
) -> Format:
    """The format that was given, or the one that most of the first lines are of."""
    if format == "json" or keys:
        return of_json(keys, user)
    if format:
        return of_format(format, user)
    tried = [line for line in head[:_TRIED] if line.strip() and len(line) <= LONGEST]
    best: tuple[int, Format | None] = (0, None)
    for name in ("json", *NAMED):
        try:
            one = of_json({}, user) if name == "json" else of_format(name, user)
        except LoadstoneError:
            continue  # it has no such user
        good = sum(one.parse(line) is not None for line in tried)
        if good > best[0]:
            best = (good, one)
    if best[1] is None:
        shown = tried[0][:80].decode("utf-8", "replace") if tried else ""
        message = f"the lines are of no format that was tried: json, {', '.join(NAMED)}"
        if shown:
            message += f"; the first is {shown!r}"
        hint = "give the server's own format with --format (nginx `log_format`, Apache `LogFormat`)"
        raise LoadstoneError("log-format", message, place=f"{source}:1", hint=hint)
    return best[1]


class _Reader:
    """Turns lines into events and writes them to their parts."""

    def __init__(
        self, folder: Path, user: str | None, named: Sequence[Named], files: re.Pattern[str] | None
    ) -> None:
        self._by_user, self._named, self._files = user is not None, named, files
        self.format: Format | None = None
        self._log = Log("", [folder / f"{n:03}" for n in range(_PARTS)], Paths())
        self._buffer: list[tuple[int, int, int, int, int, int]] = []
        self._clients: dict[tuple[str, str], tuple[int, int, int]] = {}
        self._targets: dict[tuple[str, str], tuple[int, int]] = {}
        self._source, self._at = "", 0

    def take(self, format: Format, source: str, lines: list[bytes]) -> None:
        """The next lines of a log."""
        if source != self._source:
            self._source, self._at = source, 0
        self.format, log = format, self._log
        log.format, parse, event, add = format.name, format.parse, self._event, self._buffer.append
        for number, line in enumerate(lines, self._at + 1):
            if not line or line == b"\r":
                continue
            hit = parse(line) if len(line) <= LONGEST else None
            if hit is None:
                log.bad += 1
                if len(log.examples) < _SHOWN:
                    log.examples.append((f"{source}:{number}", line[:80].decode("utf-8", "replace")))
            elif found := event(hit, format.at_end):
                add(found)
            log.lines += 1
        self._at += len(lines)
        if len(self._buffer) >= _BUFFER:
            self._flush()

    def done(self) -> Log:
        """What was read."""
        self._flush()
        return self._log

    def _event(self, hit: Hit, at_end: bool) -> tuple[int, int, int, int, int, int] | None:
        if hit.method not in _METHODS:
            self._log.other_methods += 1
            return None
        who = (hit.user, "") if self._by_user and hit.user not in ("", "-") else (hit.address, hit.agent)
        client = self._clients.get(who) or self._client(who, hit)
        asked = self._targets.get((hit.method, hit.target)) or self._target(hit)
        what, status = client[2] | asked[1], hit.status
        if 300 <= status < 400 and status != 304:
            what |= REDIRECT
        elif 400 <= status < 500:
            what |= REFUSED
        took_us = -1
        at_us = round(hit.at_s * 1e6)
        if hit.took_s is not None and 0 <= hit.took_s < 86_400:
            took_us = round(hit.took_s * 1e6)
            if at_end:
                at_us -= took_us
            self._log.times = True
        if self._log.whole_seconds and hit.at_s % 1:
            self._log.whole_seconds = False
        return client[0], client[1], at_us, took_us, asked[0], what

    def _client(self, who: tuple[str, str], hit: Hit) -> tuple[int, int, int]:
        if len(self._clients) >= _MOST_CACHED:
            self._clients.clear()
        client = _hashed("\0".join(who))
        address = client if self._by_user else _hashed(hit.address)
        is_program = bool(_PROGRAMS.search(hit.agent)) or hit.agent == "-"
        found = self._clients[who] = (address, client, PROGRAM if is_program else 0)
        return found

    def _target(self, hit: Hit) -> tuple[int, int]:
        if len(self._targets) >= _MOST_CACHED:
            self._targets.clear()
        what = 0 if hit.method != "GET" else READS
        path = hit.target.partition("?")[0]
        if "://" in path[:10]:
            path = "/" + path.split("://", 1)[1].partition("/")[2]
        named = next((n for n, one in enumerate(self._named) if one.names(hit)), None)
        if named is not None:
            self._named[named].example = self._named[named].example or (hit.method, path)
            found = (-2 - named, what)
        elif is_file(path) or (self._files and self._files.search(hit.target)):
            found = (-1, what | FILE)
        elif path == "/robots.txt":
            found = (-1, what | FILE | ROBOTS)
        else:
            query = hit.target.partition("?")[2]
            found = (self._log.paths.leaf(hit.method, f"{path}?{query}" if query else path), what)
        self._targets[(hit.method, hit.target)] = found
        return found

    def _flush(self) -> None:
        log, events = self._log, np.array(self._buffer, EVENT)
        self._buffer.clear()
        if not len(events):
            return
        log.requests += len(events)
        log.files += int(np.count_nonzero(events["what"] & FILE))
        log.first_us = min(log.first_us, int(events["start_us"].min()))
        log.last_us = max(log.last_us, int(events["start_us"].max()))
        size = log.paths.leaves + len(self._named)
        # Named operations come first; the trie grows behind them.
        leaf = np.where(events["leaf"] <= -2, -2 - events["leaf"], events["leaf"] + len(self._named))
        events["leaf"] = np.where(events["leaf"] == -1, -1, leaf)
        asked = events[events["leaf"] >= 0]
        log.counts = _added(log.counts, np.bincount(asked["leaf"], minlength=size))
        refused = asked[(asked["what"] & REFUSED) > 0]
        log.refused = _added(log.refused, np.bincount(refused["leaf"], minlength=size))
        part = (events["address"] >> np.uint64(56)).astype(np.int64)
        order = np.argsort(part, kind="stable")
        events, part = events[order], part[order]
        starts = np.flatnonzero(np.diff(part, prepend=-1))
        for start, end in zip(starts, [*starts[1:], len(events)], strict=True):
            with log.parts[part[start]].open("ab") as file:
                events[start:end].tofile(file)


def _added(old: NDArray[np.int64], more: NDArray[np.int64]) -> NDArray[np.int64]:
    total = np.zeros(max(len(old), len(more)), np.int64)
    total[: len(old)] += old
    total[: len(more)] += more
    return total


def _hashed(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "big")
