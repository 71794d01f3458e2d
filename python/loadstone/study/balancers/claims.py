"""Sentences about the balancers' study, each made from its figures. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from loadstone.study.balancers.behaviour import DECIDED, SATURATED
from loadstone.study.balancers.site import DIRECT
from loadstone.study.finding import Status, beyond, finding, weakest
from loadstone.study.words import interval

Json = dict[str, Any]
Labels = Mapping[str, str]

FAULTS = {
    "server-killed": "a server’s processes were killed",
    "server-cut": "a server’s network was cut",
    "lossy-link": "a link lost packets",
    "drained": "a server was drained",
    "balancer-killed": "the balancer itself was killed",
}
ALIKE = 1.25
"""Generators that agree within this factor count as alike."""
ENDS = {
    "complete": "found its answer",
    "max-runs": "ran out of runs",
    "noisy": "was stopped by noise",
    "too-few": "had too few operations to be certain",
    "ceiling": "found no end",
}
"""How the search of a capacity ended."""


def claims(content: Json) -> list[Json]:
    """All findings of the parts that were measured, the main one first."""
    labels = {one["name"]: one["label"] for one in content["variants"]}
    found = content["parts"]
    made: list[Json] = []
    if "throughput" in found:
        made += _throughput(found["throughput"], labels, content["page_bytes"])
    for part, told in _TOLD.items():
        if found.get(part):
            made += told(found[part], labels)
    return made


def users(one: Json, sla: str) -> str:
    """The number that a search found; of one that did not come to its end, the span that is left."""
    held = one[sla]
    if not held["users"] or one["outcome"] != DECIDED:
        return f"undecided: {_span(held)}"
    return f"{held['users']:,} (< {held['high']:,})" if held["high"] else f"{held['users']:,} or more"


def _span(held: Json) -> str:
    """What was seen to hold and to break."""
    low = f"held at {held['low']:,}" if held["low"] else "never seen to hold"
    high = f"broken at {held['high']:,}" if held["high"] else "never seen to break"
    return f"{low}, {high}"


def _throughput(found: Json, labels: Labels, page_bytes: int) -> list[Json]:
    own = [one for one in found["pooled"] if one["generators"] == 1 and one["balancer"] != DIRECT]
    ranked = sorted(own, key=lambda one: -float(one["pooled"]["value"]))
    if not ranked:
        return []
    pairs = found["comparisons"].get("1", [])
    made = [_most(ranked, pairs, labels, page_bytes)]
    if pairs:
        made.append(_pairs(pairs, labels, sum(one["pooled"]["count"] for one in own)))
    if found.get("more_generators"):
        made.append(_generators(found["more_generators"], labels))
    costs = [one for one in found["costs"] if one["added_us"]]
    if costs:
        made.append(_costs(costs, labels))
    return made


def _most(ranked: Sequence[Json], pairs: Sequence[Json], labels: Labels, page_bytes: int) -> Json:
    first, last = ranked[0], ranked[-1]
    text = (
        f"Of {len(ranked)} balancers on this machine {labels[first['balancer']]} carries the most: "
        f"{interval(first['pooled'])} requests/s of {page_bytes} bytes"
    )
    status: Status = "undecided"
    ahead = None
    if len(ranked) > 1:
        names = {first["balancer"], ranked[1]["balancer"]}
        next_pair = next((one for one in pairs if {one["first"], one["second"]} == names), None)
        if next_pair:
            ahead = _turned(next_pair, first["balancer"])
            status = "shown" if next_pair["significant"] and ahead["value"] > 1 else "undecided"
            text += f", {interval(ahead, 2)} × {labels[ranked[1]['balancer']]}"
        text += f"; {labels[last['balancer']]} carries the least: {interval(last['pooled'])}"
    rows = sum(one["pooled"]["count"] for one in ranked)
    figures = {"most": first["pooled"], "least": last["pooled"], "ahead": ahead}
    return finding("most", f"{text}.", status, "throughput", rows, **figures)


def _turned(pair: Json, first: str) -> Json:
    """The ratio of a pair, that variant over the other."""
    ratio: Json = pair["ratio"]
    if pair["first"] == first:
        return ratio
    return ratio | {"value": 1 / ratio["value"], "low": 1 / ratio["high"], "high": 1 / ratio["low"]}


def _pairs(pairs: Sequence[Json], labels: Labels, rows: int) -> Json:
    differ = [one for one in pairs if one["significant"]]
    text = f"{len(differ)} of {len(pairs)} pairs of variants differ significantly."
    closest = min(pairs, key=lambda one: max(one["ratio"]["value"], 1 / one["ratio"]["value"]))
    larger = closest["first"] if closest["ratio"]["value"] >= 1 else closest["second"]
    smaller = closest["second"] if larger == closest["first"] else closest["first"]
    ratio = _turned(closest, larger)
    text += f" The closest are {labels[larger]} and {labels[smaller]}: {interval(ratio, 2)} ×."
    status: Status = "shown" if len(differ) == len(pairs) else "undecided"
    return finding("pairs", text, status, "throughput", rows, closest=ratio)


def _generators(compared: Sequence[Json], labels: Labels) -> Json:
    """Whether several generators get more through than one, at the same concurrencies."""
    groups: dict[Status, list[str]] = {"shown": [], "undecided": [], "not shown": []}
    for one in compared:
        # Shown here: it carries less than with one generator.
        told = f"{labels[one['balancer']]} {interval(one['ratio'], 2)}"
        groups[beyond(one["ratio"], 1.0, below=True)].append(told)
    count = compared[0]["generators"]
    words = {"shown": "less", "undecided": "no difference shown", "not shown": "more"}
    told = "; ".join(f"{words[name]}: {', '.join(those)}" for name, those in groups.items() if those)
    more = bool(groups["not shown"])
    text = f"{count} generators beside one, requests/s at the same concurrencies: {told}."
    status: Status = "not shown" if more else "undecided" if groups["undecided"] else "shown"
    rows = sum(one["ratio"]["count"] for one in compared)
    return finding("generators", text, status, "throughput", rows)


def _costs(costs: Sequence[Json], labels: Labels) -> Json:
    ranked = sorted(costs, key=lambda one: float(one["added_us"]["value"]))
    told = ", ".join(f"{labels[one['balancer']]} {interval(one['added_us'])}" for one in ranked)
    status = weakest(*(beyond(one["added_us"], 0.0) for one in ranked))
    rows = sum(one["added_us"]["count"] for one in ranked)
    return finding("added", f"Processor time added to a request, µs: {told}.", status, "throughput", rows)


def _segments(found: Sequence[Json], labels: Labels) -> list[Json]:
    behind = [one for one in found if one["balancer"] != DIRECT and one.get("intervals")]
    if not behind:
        return []
    told = []
    for place in ("network", "balancer"):
        ranked = sorted(behind, key=lambda one: float(one["intervals"][place]["value"]))
        least, most = ranked[0], ranked[-1]
        told.append(
            f"the {place} {_percent(least['intervals'][place])} ({labels[least['balancer']]}) to "
            f"{_percent(most['intervals'][place])} ({labels[most['balancer']]})"
        )
    text = f"Of a request’s time through a balancer, {' and '.join(told)}; the rest is generator and server."
    status = weakest(*(beyond(one["intervals"]["network"], 0.5, below=True) for one in behind))
    text += " The network is less than half of it with each."
    rows = sum(one["intervals"]["network"]["count"] for one in behind)
    return [finding("network", text, status, "segments", rows)]


def _percent(one: Json) -> str:
    return f"{interval({name: one[name] and 100 * one[name] for name in ('value', 'low', 'high')}, 0)} %"


def _ratios(
    key: str, part: str, what: str, rows: Sequence[Json], labels: Labels, judge: Callable[[Json], Status]
) -> Json:
    """A ratio of every variant in one sentence."""
    told = ", ".join(f"{labels[one['balancer']]} {interval(one['ratio'], 2)}" for one in rows)
    status = weakest(*(judge(one["ratio"]) for one in rows))
    count = sum(one["ratio"]["count"] for one in rows)
    return finding(key, f"{what}: {told}.", status, part, count)


def _peer(found: Sequence[Json], labels: Labels) -> list[Json]:
    def alike(ratio: Json) -> Status:
        low, high = ratio["low"], ratio["high"]
        if low is None:
            return "undecided"
        if low > ALIKE or high < 1 / ALIKE:
            return "not shown"
        return "shown" if low >= 1 / ALIKE and high <= ALIKE else "undecided"

    rows = [one for one in found if one["ratio"]]
    if not rows:
        return []
    same = sum(alike(one["ratio"]) == "shown" for one in rows)
    what = (
        f"Requests/s by our agents beside ab: {same} of {len(rows)} intervals of the ratio lie within "
        f"{1 / ALIKE:.2f} to {ALIKE:.2f}"
    )
    return [_ratios("peer", "peer", what, rows, labels, alike)]


def _reuse(found: Sequence[Json], labels: Labels) -> list[Json]:
    rows = [one for one in found if one["ratio"]]
    what = "Connections to the servers kept instead of opened for each request, times the requests/s"
    return [_ratios("reuse", "reuse", what, rows, labels, lambda one: beyond(one, 1.0))] if rows else []


def _uneven(found: Sequence[Json], labels: Labels) -> list[Json]:
    rows = [one for one in found if one.get("times_rotation")]
    if not rows:
        return []
    told = ", ".join(
        f"{labels[one['balancer']]} {'weighted' if one['weighted'] else 'by ' + one['algorithm']} "
        f"{interval(one['times_rotation'], 1)}"
        for one in rows
    )
    status = weakest(*(beyond(one["times_rotation"], 1.0) for one in rows))
    text = f"With one slow server among several, times the requests/s of plain rotation: {told}."
    count = sum(one["requests_per_s"]["count"] for one in found)
    return [finding("uneven", text, status, "uneven", count)]


def _faults(found: Sequence[Json], labels: Labels) -> list[Json]:
    made = []
    for kind, words in FAULTS.items():
        own = [one for one in found if one["fault"] == kind]
        if own:
            made.append(_fault(kind, words, own, labels))
    return made


def _fault(kind: str, words: str, own: Sequence[Json], labels: Labels) -> Json:
    """What was lost; that none is lost is undecided where it was tried once."""
    none = [labels[one["balancer"]] for one in own if not one["lost"]]
    lost = [
        f"{labels[one['balancer']]} {one['lost']:,} of {one['answered'] + one['lost']:,}"
        for one in sorted(own, key=lambda one: int(one["lost"]))
        if one["lost"]
    ]
    told = [f"none with {', '.join(none)}"] if none else []
    repetitions = min(one["repetitions"] for one in own)
    tries = "once each" if repetitions == 1 else f"{repetitions} times each"
    slow = ""
    if kind == "lossy-link":
        times = [one["during_p99_ms"] for one in own if one["during_p99_ms"] is not None]
        slow = f"; p99 was {min(times):,.0f} to {max(times):,.0f} ms meanwhile" if times else ""
    text = f"When {words} ({tries}), requests lost: {'; '.join([*told, *lost])}{slow}."
    status: Status = "undecided" if none and repetitions == 1 else "shown"
    return finding(f"fault-{kind}", text, status, "faults", sum(one["repetitions"] for one in own))


def _growth(found: Sequence[Json], labels: Labels) -> list[Json]:
    by_name: dict[str, dict[int, Json]] = {}
    for one in found:
        by_name.setdefault(one["balancer"], {})[one["servers"]] = one["requests_per_s"]
    told = []
    for name, counts in by_name.items():
        least, most = min(counts), max(counts)
        if most > least:
            told.append(f"{labels[name]} {counts[most]['value'] / counts[least]['value']:.2f}")
    if not told:
        return []
    servers = sorted({one["servers"] for one in found})
    once = max(one["requests_per_s"]["count"] for one in found) == 1
    text = f"{servers[-1]} small servers beside {servers[0]}, times the requests/s: {', '.join(told)}"
    text += " (measured once each)." if once else "."
    return [finding("growth", text, "undecided", "growth", len(found))]


def _site(found: Sequence[Json], _: Labels) -> list[Json]:
    """The users of a whole site, where the searches found them, and the tier at its limit, where one was."""
    open_ = [one for one in found if one["outcome"] != DECIDED or not one["SLA-1"]["users"]]
    told = "; ".join(
        f"{one['servers']}: {_span(one['SLA-1']) if one in open_ else users(one, 'SLA-1')}" for one in found
    )
    text = f"Users of the whole site at SLA-1 by number of application servers: {told}."
    if open_:
        ended = ", ".join(dict.fromkeys(ENDS.get(str(one["outcome"]), str(one["outcome"])) for one in open_))
        text += f" No number is found for {len(open_)} of {len(found)}: the search {ended}."
    status: Status = "undecided" if open_ else "shown"
    made = [finding("site-users", text, status, "site", sum(one.get("runs", 0) for one in found))]
    at = [one["at"] for one in found if one["at"]]
    if at:
        shares = [one["server_share"] for one in at]
        used = f"{100 * min(shares):.0f} to {100 * max(shares):.0f} %"
        full = sum(one["limit"] == "servers" for one in at)
        text = (
            f"When SLA-1 broke, the application servers had used {used} of their quota: "
            f"{full} of {len(at)} times they were at their limit ({100 * SATURATED:.0f} % and more)."
        )
        status = "shown" if full == len(at) else "undecided" if full else "not shown"
        made.append(finding("site-limit", text, status, "site", len(at)))
    return made


_TOLD: Mapping[str, Callable[[Sequence[Json], Labels], list[Json]]] = {
    "segments": _segments,
    "peer": _peer,
    "reuse": _reuse,
    "uneven": _uneven,
    "growth": _growth,
    "faults": _faults,
    "site": _site,
}
