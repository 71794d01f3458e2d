"""A scenario from a recording: pages with their files, pauses, values sent back, and no secrets."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urljoin

from loadstone.errors import LoadstoneError
from loadstone.intake import json_of
from loadstone.learn import toml_text
from loadstone.learn.har import Entry, Recording
from loadstone.learn.paths import Operation as Found
from loadstone.learn.paths import folded, named
from loadstone.learn.tokens import PLACEHOLDER, Seen, is_secret
from loadstone.learn.toml_text import Operation, Step

REDIRECTS = (301, 302, 303, 307, 308)
_TOGETHER_S = 1.0
"""A call that comes later after the last answer is not the page's own: somebody clicked."""
_LONGEST_PAUSE_S = 3600.0
_LONGEST_STEP = 60
"""Steps of an operation: a page that goes on calling its server is not waited for."""
_SAFE = "/!$&'()*+,;=:@~-._%"
_KEPT_HEADERS = ("accept", "x-requested-with", "content-language")
_NEVER = re.compile(r"cookie|authorization|^sec-|^:|^x-forwarded|^x-real|host$|content-length|connection")


@dataclass(frozen=True)
class Imported:
    """A scenario file as text, and what a person should know of it."""

    text: str
    notes: list[str]


class _Writer:
    """Makes steps of requests, in their order."""

    def __init__(self, notes: list[str]) -> None:
        self.seen, self.notes = Seen(), notes
        self.steps: list[Step] = []
        self.names: dict[tuple[int, str], str] = {}
        self.replaced: Counter[str] = Counter()

    def step(self, entry: Entry, last: Entry) -> Step:
        """The step of a request; `last` is the end of its redirects."""
        self.seen.hide(entry)
        step = Step(entry.method.lower(), self._target(entry))
        self.steps.append(step)
        if entry.is_page or last.is_page:
            step.keys["page"] = True
        if headers := self._headers(entry):
            step.keys["headers"] = headers
        if entry.method in ("POST", "PUT", "PATCH", "DELETE"):
            self._body(step, entry)
        if last.status not in (0, 200, 304):
            step.keys["expect"] = {"status": last.status}
        self.seen.hide(last)
        self.seen.answer(len(self.steps) - 1, last)
        return step

    def value(self, name: str, value: str) -> str:
        """A template for a value that is sent: extracted where it was given, a placeholder for a secret."""
        source = self.seen.given(value, name)
        if source is not None:
            return f"{{{self._extracted(source)}}}"
        if (value and is_secret(name, value)) or self.seen.holds_secret(value):
            self.replaced[name] += 1
            return PLACEHOLDER
        return toml_text.braces(value)

    def _extracted(self, source: Any) -> str:
        known = self.names.get((source.step, source.hint))
        if known is None:
            stem = re.sub(r"[^A-Za-z0-9]+", "_", source.hint).strip("_")[:40] or "value"
            stem = stem if stem[0].isalpha() else f"v_{stem}"
            known = toml_text.free(
                stem if stem not in ("user", "users") else f"{stem}_value", self.names.values()
            )
            self.names[(source.step, source.hint)] = known
            self.steps[source.step].keys.setdefault("extract", {})[known] = dict(source.extract)
        return known

    def _target(self, entry: Entry) -> str:
        parts = []
        for segment in entry.url.path.split("/"):
            plain = unquote(segment, errors="replace")
            made = self.value("", plain) if len(plain) >= 4 else toml_text.braces(plain)
            is_literal = made == toml_text.braces(plain)
            parts.append(toml_text.braces(quote(segment, safe=_SAFE)) if is_literal else made)
        query = []
        for name, value in parse_qsl(entry.url.query, keep_blank_values=True, errors="replace"):
            made = self.value(name, value)
            is_literal = made == toml_text.braces(value)
            shown = toml_text.braces(quote(value, safe="")) if is_literal else made
            query.append(f"{toml_text.braces(quote(name, safe='[]'))}={shown}")
        return ("/".join(parts) or "/") + (f"?{'&'.join(query)}" if query else "")

    def _headers(self, entry: Entry) -> dict[str, str]:
        found = {}
        for name, value in entry.headers.items():
            if "authorization" in name:
                source = self.seen.given(value.rpartition(" ")[2], "")
                scheme = value.partition(" ")[0] if " " in value else ""
                shown = f"{{{self._extracted(source)}}}" if source else PLACEHOLDER
                found["Authorization"] = f"{scheme[:20]} {shown}".strip()
                self.replaced["Authorization"] += source is None
            elif _NEVER.search(name):
                continue
            elif name in _KEPT_HEADERS and not entry.is_page:
                found[name] = toml_text.braces(value)
            elif name.startswith("x-") and re.fullmatch(r"[a-z0-9-]+", name):
                found[name] = self.value(name, value)
        return {name: " ".join(value.split()) for name, value in found.items()}

    def _body(self, step: Step, entry: Entry) -> None:
        kind, fields = entry.body_type.lower(), entry.fields
        if "urlencoded" in kind:
            given = [(name, value) for name, value, _ in fields] or parse_qsl(
                entry.body, keep_blank_values=True, errors="replace"
            )
            form: dict[str, Any] = {}
            for name, value in given:
                form.setdefault(name, []).append(self.value(name, value))
            step.keys["form"] = {name: of[0] if len(of) == 1 else of for name, of in form.items()}
        elif "multipart" in kind:
            step.keys["multipart"] = {
                name: {"file": toml_text.braces(file), "bytes": max(1, len(value) or 1000)}
                if file is not None
                else self.value(name, value)
                for name, value, file in fields
            }
            if not fields:
                step.comments.append("The recording has no fields of this form: write them.")
        elif entry.body and "json" in kind:
            try:
                step.keys["json"] = self._json(json_of(entry.body), "")
            except ValueError:
                step.keys["body"] = {"type": "application/json", "text": self.value("", entry.body)}
        elif entry.body:
            step.keys["body"] = {
                "type": kind.split(";")[0] or "text/plain",
                "text": self.value("", entry.body),
            }

    def _json(self, content: Any, name: str) -> Any:
        if isinstance(content, dict):
            if nulls := [key for key, one in content.items() if one is None]:
                self.notes.append(f"`{nulls[0][:60]}` of a JSON body was null, which TOML has not: left out")
            return {key: self._json(one, key) for key, one in content.items() if one is not None}
        if isinstance(content, list):
            return [self._json(one, name) for one in content if one is not None]
        if isinstance(content, str):
            return self.value(name, content)
        if isinstance(content, int) and not isinstance(content, bool) and abs(content) >= 1 << 63:
            return str(content)
        return PLACEHOLDER if not isinstance(content, bool) and is_secret(name, "") else content


def imported(found: Recording, name: str, url: str | None) -> Imported:
    """The scenario of a recording."""
    notes = list(found.notes)
    origin = next((one for one in found.entries if one.is_page), found.entries[0]).url
    own = [
        one for one in found.entries if one.url.netloc.rpartition("@")[2] == origin.netloc.rpartition("@")[2]
    ]
    others = Counter(one.url.hostname or "" for one in found.entries if one not in own)
    for host, count in others.most_common(20):
        notes.append(f"left out: {count} requests to {host}, another host than {origin.hostname}")
    if len(others) > 20:
        notes.append(f"left out: requests to {len(others) - 20} more hosts")
    if not any(one.answer for one in own):
        notes.append("the recording has no bodies of answers: saved with content, it shows values sent back")
    writer = _Writer(notes)
    operations = _operations(own, writer)
    if not operations:
        message = f"the recording has neither a page nor a call of {origin.hostname}, only files of pages"
        raise LoadstoneError("import-file", message)
    address = url or f"{origin.scheme}://{origin.netloc.rpartition('@')[2]}"
    for field, count in writer.replaced.items():
        notes.append(
            f"`{field[:60] or 'a value'}` is secret or a token ({count} times): {PLACEHOLDER} stands there"
        )
    return Imported(_text(operations, name, address, notes), notes)


def _operations(entries: list[Entry], writer: _Writer) -> list[Operation]:
    operations: list[Operation] = []
    end_s, index, taken = -math.inf, 0, list[str]()
    files = sum(one.is_file for one in entries)
    asked = [one for one in entries if not one.is_file]
    while index < len(asked):
        first = last = asked[index]
        index += 1
        while index < len(asked) and _redirected(last, asked[index]):
            last = asked[index]
            index += 1
        quiet_s = first.start_s - end_s
        begins = not operations or first.is_page or last.is_page or quiet_s > _TOGETHER_S
        step = writer.step(first, last)
        if begins:
            path = tuple(folded(part) for part in first.url.path.split("/") if part)
            own = named(Found(first.method, path, []), taken)
            taken.append(own)
            limit = max(1.0, float(f"{2 * (last.end_s - first.start_s):.1g}"))
            pause = min(max(0.0, quiet_s), _LONGEST_PAUSE_S) if operations else None
            pacing = {"think": round(pause, 3)} if pause is not None else None
            operations.append(Operation(own, limit, [step], {}, pacing))
        elif len(operations[-1].steps) < _LONGEST_STEP:
            operations[-1].steps.append(step)
        end_s = max(end_s, last.end_s)
    if files:
        writer.notes.append(
            f"{files} files of pages are not written: `page = true` fetches what answers refer to"
        )
    return operations


def _redirected(before: Entry, after: Entry) -> bool:
    """Whether the browser asked for `after` because `before` told it to."""
    to = before.answer_headers.get("location")
    if before.status not in REDIRECTS or not to:
        return False
    try:
        return urljoin(before.url.geturl(), to).partition("#")[0] == after.url.geturl().partition("#")[0]
    except ValueError:
        return False


def _text(operations: list[Operation], name: str, url: str, notes: list[str]) -> str:
    pauses = [one.pacing["think"] for one in operations if one.pacing]
    mean = sum(pauses) / len(pauses) if pauses else 5.0
    names = [one.name for one in operations]
    mix: dict[str, Mapping[str, float]] = {
        one: {after: 1} for one, after in zip(names, [*names[1:], "end"], strict=True)
    }
    head = (
        "One session as it was recorded, by `loadstone import`: each operation follows the one before, after "
        "the pause that was recorded. Let other operations follow in [mix], and other pauses, before many "
        "users do this."
    )
    told = ["What is not as it was recorded:", *(f"- {note}" for note in notes)] if notes else []
    return toml_text.document(
        [
            "\n".join(map(toml_text.comment, [head, *told])) + "\n",
            f"format = 1\nname = {toml_text.value(name[:100] or 'recorded')}\n",
            toml_text.table("target", {"url": url}),
            toml_text.table("load", {"users": 10, "ramp_up_s": 30, "steady_s": 300}),
            toml_text.table(
                "pacing", {"think": {"kind": "neg-exp", "mean_s": max(0.1, round(mean, 3))}},
                ["Before the first operation of a session; the others have the pause that was recorded."],
            ),
            *map(toml_text.operation, operations),
            toml_text.table("mix", mix),
        ]
    )  # fmt: skip
