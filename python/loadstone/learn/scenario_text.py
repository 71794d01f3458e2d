"""The scenario file that a log makes: to be edited, and good as it is."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, unquote

from loadstone.learn import toml_text
from loadstone.learn.paths import INT, SLUG, TOKEN
from loadstone.learn.paths import Operation as Found
from loadstone.learn.toml_text import Operation, Step
from loadstone.stages.learn import Class, Law, Learned, Pauses
from loadstone.stages.learn import Operation as Told

END = "end"
ENTER = "enter"
_SAFE = "!$&'()*+,;=:@~-._%"
_QUERY = re.compile(r"[A-Za-z0-9_.-]{1,40}")
_MOST_QUERIES = 4
_PAGE_FROM = 0.5
"""Files per visit from which on an operation is a page."""
_LIMIT_S = 2.0
_LOW, _HIGH = -(1 << 53), 1 << 53

_HEAD = """\
What users do, learned from a log by `loadstone learn`. Before you use it, write the address into [target],
and look at each operation: the log knows its path, not its forms, its headers, nor which of the values in its
path exist. `loadstone check` says what is wrong, `loadstone run` whether the site answers rightly."""
_FIRST = """\
No request: sessions begin here, and the mix says with which operation. So a session may begin anywhere, and
each class of users walks in a way of its own. In results it is an operation that takes no time."""
_NO_FORM = (
    "The log has no bodies: write the fields of the form, and extract its hidden ones in a step before."
)
_NO_BODY = "The log has no bodies: write what is sent."


def scenario_text(record: Learned, found: Sequence[Found], name: str, url: str) -> str:
    """The text of a scenario file. found: the paths of the record's operations, in its order."""
    classes = record.classes.classes
    kind = record.pauses.kind if record.pauses else "think"
    starts = [
        (_named(to, number, classes), one.share * share)
        for number, one in enumerate(classes, 1)
        for to, share in one.enter.items()
    ]
    enter = toml_text.free(ENTER, {one.name for one in record.operations}) if len(starts) > 1 else None
    parts = [
        toml_text.comment(_HEAD) + "\n",
        f"format = 1\nname = {toml_text.value(name[:100] or 'learned')}\n"
        f"summary = {toml_text.value(_summary(record))}\n",
        toml_text.table("target", {"url": url}, ["Where the site is."]),
        _load(record),
        toml_text.table("pacing", {kind: _law(record.pauses, record.cutoff.seconds)}, [_of_pauses(record)]),
        toml_text.table("session", {"first": enter or starts[0][0]}),
    ]
    if enter:
        step = Step("get", "/", {"chance": 0})
        parts.append(toml_text.operation(Operation(enter, 1.0, [step], {}, {"think": 0}, [_FIRST])))
    mix: dict[str, Mapping[str, float]] = {enter: dict(starts)} if enter else {}
    for number, one in enumerate(classes, 1):
        for told, path in zip(record.operations, found, strict=True):
            if told.name in one.mix:
                own = _named(told.name, number, classes)
                parts.append(toml_text.operation(_operation(own, told, path, record.cutoff.seconds)))
                mix[own] = {
                    to if to == END else _named(to, number, classes): share
                    for to, share in one.mix[told.name].items()
                }
    parts.append(_mix(mix, classes))
    return toml_text.document(parts)


def _summary(record: Learned) -> str:
    log = record.log
    return f"learned from {log.lines:,} lines of {log.first_at[:10]} to {log.last_at[:10]}"


def _load(record: Learned) -> str:
    arrivals = record.arrivals
    rate = max(1e-3, arrivals.busiest_sessions / 3600)
    words = (
        f"The busiest hour of the log ({arrivals.busiest_hour}) had {arrivals.busiest_sessions:,} sessions, "
        f"so about {arrivals.users_busiest:.3g} users at once. For arrivals that do not wait, write "
        f'`sessions_per_s = {rate:.3g}` and `arrivals = "poisson"` instead of `users`.'
    )
    users = max(1, math.ceil(arrivals.users_busiest))
    return toml_text.table(
        "load", {"users": min(users, 1_000_000), "ramp_up_s": 30, "steady_s": 300}, [words]
    )


def _of_pauses(record: Learned) -> str:
    pauses = record.pauses
    if pauses is None:
        return "The log has no session of more than one operation: write how long users think."
    what = "from the end of an operation to the start of the next one" if pauses.kind == "think" else (
        "from start to start, as the log does not say how long requests took"
    )  # fmt: skip
    best, *others = pauses.laws
    worse = ", ".join(f"{one.kind} {one.aic - best.aic:+.0f}" for one in others)
    return (
        f"{pauses.count:,} pauses {what}, mean {pauses.mean_s:.3g} s: the law with the least AIC ({worse}). "
        f"Pauses over {record.cutoff.seconds:g} s end a session."
    )


def _law(pauses: Pauses | None, cutoff_s: float) -> Mapping[str, Any]:
    if pauses is None or not pauses.laws:
        return {"kind": "neg-exp", "mean_s": 5}
    return _written(pauses.laws[0], cutoff_s)


def _written(law: Law, cutoff_s: float) -> Mapping[str, Any]:
    content: dict[str, Any] = {"kind": law.kind}
    for name, number in law.parameters.items():
        content[name] = float(f"{number:.5g}")
    longest = cutoff_s
    if law.kind in ("neg-exp", "pareto"):
        longest = max(longest, 1.01 * content.get("mean_s", content.get("k_s", 0.0)))
    return content | {"max_s": longest}


def _operation(name: str, told: Told, path: Found, cutoff_s: float) -> Operation:
    draws: dict[str, Any] = {}
    comments = [
        f"{told.method} {told.path}: {told.count:,} times, {100 * told.share:.3g} % of all operations."
    ]
    written = []
    for number, segment in enumerate(path.path):
        if segment not in (INT, TOKEN, SLUG):
            written.append(toml_text.braces(quote(segment, safe=_SAFE)))
            continue
        draw = _draw_name(path, number, draws)
        draws[draw] = _draw(segment, path, number)
        comments.append(_about(segment, draw))
        written.append(f"{{{draw}}}")
    target = "/" + "/".join(written)
    asked = [one for one, _ in path.queries.most_common(_MOST_QUERIES) if _QUERY.fullmatch(one)]
    if asked:
        pairs = []
        for one in asked:
            draw = toml_text.free("q_" + re.sub(r"\W", "_", one, flags=re.ASCII), draws)
            draws[draw] = {"kind": "words", "low": 4, "high": 12}
            pairs.append(f"{one}={{{draw}}}")
        target += "?" + "&".join(pairs)
        comments.append(
            "The log's query strings have these names; the words are ours. Write what people ask for."
        )
    step = Step(told.method.lower(), target)
    if told.method == "GET" and told.files_per_visit >= _PAGE_FROM:
        step.keys["page"] = True
    elif told.method == "POST":
        step.keys["form"] = {}
        step.comments.append(_NO_FORM)
    elif told.method in ("PUT", "PATCH"):
        step.comments.append(_NO_BODY)
    limit = _LIMIT_S
    if told.p95_s is not None:
        limit = max(1.0, float(f"{2 * told.p95_s:.1g}"))
        comments.append(f"95 % of its requests took at most {told.p95_s:.2g} s; the limit is a proposal.")
    pacing = None
    if told.pauses and told.pauses.laws:
        pacing = {told.pauses.kind: _written(told.pauses.laws[0], cutoff_s)}
        comments.append(f"{told.pauses.count:,} pauses before it have a law of their own.")
    return Operation(name, limit, [step], draws, pacing, comments)


def _draw_name(path: Found, number: int, taken: Mapping[str, Any]) -> str:
    before = [one for one in path.path[:number] if one not in (INT, TOKEN, SLUG)]
    stem = re.sub(r"[^A-Za-z0-9]+", "_", before[-1]).strip("_")[:40] if before else "page"
    stem = stem if stem[:1].isalpha() else f"n{stem}"
    return toml_text.free(f"{stem}_{ {INT: 'id', TOKEN: 'token', SLUG: 'item'}[path.path[number]] }", taken)


def _draw(segment: str, path: Found, number: int) -> Mapping[str, Any]:
    if segment == INT:
        low, high = path.bounds.get(number, (1, 1))
        return {"kind": "int", "low": max(low, _LOW), "high": min(max(low, high), _HIGH)}
    examples = [unquote(one, errors="replace") for one in path.examples.get(number, [])]
    if segment == SLUG and examples:
        return {"kind": "pick", "from": [toml_text.braces(one) for one in examples]}
    return {"kind": "text", "text": "REPLACE-ME"}


def _about(segment: str, draw: str) -> str:
    if segment == INT:
        return f"`{draw}`: between the least and the greatest number of the log; not all of them need exist."
    if segment == SLUG:
        return f"`{draw}`: names that the log has. To follow the page's own links, extract them and `choose`."
    return f"`{draw}`: a token, which is not copied from the log. Extract it from the page before."


def _mix(mix: Mapping[str, Mapping[str, float]], classes: Sequence[Class]) -> str:
    words = "What follows what; the numbers of a row are weights."
    if len(classes) > 1:
        shares = ", ".join(f"c{n} {100 * one.share:.3g} %" for n, one in enumerate(classes, 1))
        words += f" The names end with the class of users ({shares} of the sessions)."
    rows = {row: {to: float(f"{share:.5g}") for to, share in cells.items()} for row, cells in mix.items()}
    return toml_text.table("mix", {"normalize": True} | rows, [words])


def _named(name: str, number: int, classes: Sequence[Class]) -> str:
    return name if len(classes) == 1 else f"{name}-c{number}"
