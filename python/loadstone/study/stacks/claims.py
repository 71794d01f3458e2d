"""Sentences about the stacks, each made from its figures. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from loadstone.study.finding import Status, beyond, finding
from loadstone.study.stacks.families import caches, compared, growth, machines
from loadstone.study.stacks.hosts import FRONT
from loadstone.study.stacks.words import UNBROKEN, UNNAMED, limit, per_month, users
from loadstone.study.words import interval

Json = dict[str, Any]


def claims(content: Json) -> list[Json]:
    """All findings of what was measured, the main one first."""
    every = list(content["parts"].values())
    if not every:
        return []
    main = compared(every)
    # Side by side are those that have as much processor.
    equal = [one for one in main if _alone(one)] or main
    made = _most(equal, content["cpus"]["compute"], content["prices"]["now"])
    others = (
        _cost(main),
        _beside_paper(content["parts"]),
        growth(every),
        _balancer(main),
        _link(every),
        machines(every, content["cpus"]),
        caches(every),
    )
    made += [one for one in others if one]
    made += [_limits(main), _bodies(every), _rules(every)]
    if shared := _machine(every):
        made.append(shared)
    return made


def _alone(one: Json) -> bool:
    """Whether it is one server with as much processor as the others."""
    return one["servers"] == 1 and one["machine"] == "compute" and not one["balancer"]


def _most(every: Sequence[Json], cpus: float, book: str) -> list[Json]:
    """Who carries the most users, and who the fewest."""
    found = sorted(
        (one for one in every if one.get("SLA-1") and one["SLA-1"]["decided"]),
        key=lambda one: -float(one["SLA-1"]["users"]),
    )
    rest = len(every) - len(found)
    left = f" No number is found for {rest} of {len(every)} configurations." if rest else ""
    if not found:
        text = _seen([one.get("SLA-1") or {} for one in every])
        return [finding("most", text, "undecided", rows=len(every))]
    first = found[0]
    who = f"{first['label']} carries the most users at SLA-1"
    more = [one for one in every if one not in found and _held(one) >= first["SLA-1"]["high"]]
    if more:
        each = _listed([f"{one['label']} (held at {_held(one):g})" for one in more])
        who = (
            f"{each} {'carry' if len(more) > 1 else 'carries'} more users at SLA-1 than any number that is "
            f"found; of these {first['label']} has the most"
        )
    text = (
        f"On {cpus:g} of a core {who}: {users(first['SLA-1'])}, "
        f"{per_month(first['SLA-1'], 'now')} each a month on whole machines ({book}).{left}"
    )
    # A search that found no number may have seen where it breaks; without that it may lie anywhere.
    highs = [(one.get("SLA-1") or {}).get("high") for one in (found if more else every) if one is not first]
    apart = bool(highs) and all(high is not None and high <= first["SLA-1"]["low"] for high in highs)
    most = finding(
        "most", text, "shown" if apart else "undecided", rows=len(every), most=_estimate(first["SLA-1"])
    )
    fewest = _fewest(every, found)
    return [most, fewest] if fewest else [most]


def _fewest(every: Sequence[Json], found: Sequence[Json]) -> Json | None:
    """Of the numbers that are `found`, the most users first, the last; and what broke below all of them."""
    last, rest = found[-1], [one for one in every if one not in found]
    highs = [(one, (one.get("SLA-1") or {}).get("high")) for one in rest]
    below = [one for one, high in highs if high and high <= last["SLA-1"]["low"]]
    if below:
        each = _listed([f"{one['label']} (broken at {one['SLA-1']['high']:g})" for one in below])
        text = f"Fewer users at SLA-1 than any number that is found carry {each}."
        return finding("fewest", text, "shown", rows=len(every))
    if len(found) == 1:
        return None
    text = (
        f"{last['label']} carries the fewest users at SLA-1: {users(last['SLA-1'])}, "
        f"{per_month(last['SLA-1'], 'now')} each a month."
    )
    # Of one without a number it is enough to know that it held more.
    apart = all(_held(one) >= last["SLA-1"]["high"] for one in [*rest, found[-2]])
    status: Status = "shown" if apart else "undecided"
    return finding("fewest", text, status, rows=len(every), fewest=_estimate(last["SLA-1"]))


def _held(one: Json) -> float:
    """Users that were seen to hold SLA-1; 0 where none were."""
    return float((one.get("SLA-1") or {}).get("low") or 0)


def _listed(words: Sequence[str]) -> str:
    """In a sentence.

    >>> _listed(["a"]), _listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *before, last = words
    return f"{', '.join(before)} and {last}" if before else last


def _seen(every: Sequence[Json]) -> str:
    """How much is known where no search found its number; the table has each of them."""
    ends = [(bool(held.get("low")), bool(held.get("high"))) for held in every]
    said = {
        "held and broken": (True, True),
        "only held": (True, False),
        "only broken": (False, True),
        "neither": (False, False),
    }
    # The verb stands once, with the first of them.
    seen = [f"{count} {words}" for words, both in said.items() if (count := ends.count(both))]
    seen[0] = seen[0].replace(" ", " saw it ", 1)
    return f"None of {len(every)} searches found its users at SLA-1: {', '.join(seen)}."


def _estimate(held: Json) -> Json:
    return {"value": held["users"], "low": held["low"], "high": held["high"], "count": 1}


def _cost(every: Sequence[Json]) -> Json | None:
    """Processor time of an operation, the cheapest first."""
    known = [one for one in every if {"app", "database"} <= one["cpu_ms_per_op"].keys()]
    if not known:
        return None
    ranked = sorted(known, key=lambda one: float(one["cpu_ms_per_op"]["app"]["value"]))
    each = "; ".join(
        f"{one['label']} {interval(one['cpu_ms_per_op']['app'], 1)} and "
        f"{interval(one['cpu_ms_per_op']['database'], 1)}"
        for one in ranked
    )
    text = f"Processor time of an operation, application and database, ms: {each}."
    return finding("cpu", text, "shown", rows=sum(len(one["runs"]) for one in known))


def _balancer(every: Sequence[Json]) -> Json | None:
    """Where a balancer has a host of its own: whether that was the limit."""
    apart = [one for one in every if one["front"]]
    if not apart:
        return None
    each = "; ".join(f"{one['label']} {users(one.get('SLA-1'))}, {limit(one)}" for one in apart)
    text = (
        "Users at SLA-1 with the balancer on a host of its own, and the limit that the record names: "
        f"{each}. The paper: mod_proxy_balancer was the limit at 135 users."
    )
    hosts = [((one.get("SLA-1") or {}).get("limit") or {}).get("host") for one in apart]
    return finding("balancer", text, "shown" if FRONT in hosts else "undecided", rows=len(apart))


def _link(every: Sequence[Json]) -> Json | None:
    """Where the link of a server has a rate: whether that was the limit."""
    narrow = [one for one in every if one["link_mbit"]]
    if not narrow:
        return None
    each = "; ".join(
        f"{one['label']} ({one['link_mbit']:g} Mbit/s) {users(one.get('SLA-1'))}, {limit(one)}"
        for one in narrow
    )
    text = (
        f"Users at SLA-1 where the link of a server has a rate, and the limit that the record names: {each}."
    )
    named = {((one.get("SLA-1") or {}).get("limit") or {}).get("resource") for one in narrow}
    return finding("link", text, "shown" if named == {"network"} else "undecided", rows=len(narrow))


def _beside_paper(parts: Json) -> Json | None:
    """The paper: Rails is less hardware-efficient than PHP by a factor of 2 to 3."""
    ours = [parts.get(name) for name in ("rails", "php-fpm")]
    if not all(one and "app" in one["cpu_ms_per_op"] for one in ours):
        return None
    rails, php = (one["cpu_ms_per_op"]["app"] for one in ours if one)
    ratio: Json = {"value": rails["value"] / php["value"], "low": None, "high": None, "count": 1}
    if None not in (rails["low"], php["low"]):
        # Wider than it need be: both ends at once.
        ratio |= {"low": rails["low"] / php["high"], "high": rails["high"] / php["low"]}
    text = (
        f"An operation takes Rails {interval(ratio, 1)} times the processor time of PHP in the application, "
        "without caches. The paper: Rails is less hardware-efficient than PHP by a factor of 2 to 3."
    )
    return finding("rails-php", text, beyond(ratio, 2.0), rows=2, ratio=ratio)


def _limits(every: Sequence[Json]) -> Json:
    """What the records name, and nothing else."""
    named: dict[str, list[str]] = {}
    for one in every:
        named.setdefault(limit(one), []).append(one["label"])
    each = "; ".join(f"{said}: {', '.join(labels)}" for said, labels in named.items())
    status: Status = "undecided" if {UNNAMED, UNBROKEN} & named.keys() else "shown"
    return finding(
        "limits", f"When SLA-1 broke, the record names as the limit: {each}.", status, rows=len(every)
    )


def _bodies(every: Sequence[Json]) -> Json:
    wrong, operations = (sum(one[name] for one in every) for name in ("wrong_bodies", "operations"))
    failed: dict[str, int] = {}
    for one in every:
        for cause, count in one["failed"].items():
            failed[cause] = failed.get(cause, 0) + count
    others = ", ".join(f"{count:,} by {cause}" for cause, count in failed.items() if cause != "marker")
    text = (
        f"{wrong:,} wrong bodies in {operations:,} operations of the steady states. Checked is every answer: "
        f"its status, the page's own key and its end. Failed otherwise: {others or 'none'}."
    )
    return finding("bodies", text, "not shown" if wrong else "shown", rows=len(every))


def _rules(every: Sequence[Json]) -> Json:
    asked = [one for one in every if not one["trial"]]
    short = [one["label"] for one in asked if not one["compliant"]]
    said = []
    if asked:
        by = f"{len(asked) - len(short)} of {len(asked)} configurations were searched by the rules"
        held = [one.get("SLA-1") for one in asked if one["compliant"]]
        ended = sum(bool(one and one["decided"]) for one in held)
        said.append(f"{by} (ramp-up, window, accounts), {ended} of them to their number at SLA-1")
    if short:
        said.append(f"trials are {', '.join(short)}")
    if windows := sorted({one["window_s"] for one in every if one["trial"]}):
        seconds = " and ".join(f"{window:g}" for window in windows)
        count, more = len(every) - len(asked), "more" if asked else "configurations"
        are = "is a trial" if count == 1 and asked else "are trials"
        said.append(f"{count} {more} {are}, in windows of {seconds} s")
    status: Status = "not shown" if short or not asked else "shown"
    return finding("rules", f"{'; '.join(said)}.", status, rows=len(every))


def _machine(every: Sequence[Json]) -> Json | None:
    """How shared the machine was."""
    busy = [end for one in every for end in one["machine_load"].get("busy_cores", ())]
    own = [end for one in every for end in one["machine_load"].get("lab_cores", ())]
    if not busy or not own:
        return None
    text = (
        f"In the runs' steady states {min(busy):.1f} to {max(busy):.1f} cores of the machine were busy, and "
        f"{min(own):.2f} to {max(own):.2f} of them with the hosts of the configuration that was measured."
    )
    said = [
        f"{min(known):.0f} to {max(known):.0f} µs for {work}"
        for name, work in (("compute_us", "arithmetic"), ("memory_us", "reads of memory"))
        if (known := [end for one in every for end in one["machine_load"].get(name, ())])
    ]
    if said:
        text += f" The same piece of work took it {' and '.join(said)}."
    return finding("machine", text, "shown", rows=len(every))
