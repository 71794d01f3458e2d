"""What in a tier's capacity and demand contradicts itself. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from loadstone.plan.carrier import Capacity, Carrier
from loadstone.scenario.findings import Finding, listed
from loadstone.scenario.positions import Path as Keys

_SOURCES = ("users", "requests_per_s", "cpu_us_per_request", "from")


def findings(tier: Carrier, at: Keys) -> list[Finding]:
    """Everything wrong with the tier at `at`; of its demand only when its capacity is sound."""
    if (tier.from_ is None) == (tier.capacity is None):
        hint = 'either `from = "FOLDER"` or `capacity = { users = 500 }`'
        return [Finding("tier-capacity", "what one node carries must be given once", at, hint)]
    if tier.capacity is None:
        return list(_no_demand(tier, at))
    return list(_capacity(tier.capacity, (*at, "capacity"))) or list(_demand(tier, tier.capacity, at))


def _capacity(capacity: Capacity, at: Keys) -> Iterator[Finding]:
    typed = capacity.model_dump(by_alias=True, exclude_none=True)
    given = [source for source in _SOURCES if source in typed]
    if len(given) != 1:
        message = f"{listed(given)} are given" if given else "nothing says what one node carries"
        yield Finding("tier-capacity", message, at, f"give one of {listed(_SOURCES)}")
        return
    (source,) = given
    if (source == "cpu_us_per_request") > ("cores" in typed) or (
        "cores" in typed and source in ("users", "requests_per_s")
    ):
        yield Finding(
            "tier-capacity", "`cpu_us_per_request` and `cores` go together", at,
            "the bound is cores · 1,000,000 / cpu_us_per_request",
        )  # fmt: skip
    if (source == "from") != ("variant" in typed):
        hint = 'as in { from = "runs/balancers", variant = "haproxy" }'
        yield Finding("tier-capacity", "`from`, a study's folder, and `variant` go together", at, hint)
    for key in ("low", "high"):
        if key in typed:
            yield from _end(key, typed[key], source, typed[source], (*at, key))


def _end(key: str, end: float, source: str, value: float, at: Keys) -> Iterator[Finding]:
    if source == "cpu_us_per_request":
        message = f"`{key}` of an upper bound: how far below it the limit lies is not known"
        yield Finding("tier-capacity", message, at, "remove it, or measure the limit itself")
    elif source == "from":
        yield Finding("tier-capacity", f"`{key}` is the study's own", at, "remove it")
    elif end > value if key == "low" else end < value:
        yield Finding("range-order", f"`{key}` is {end:g}, on the wrong side of {value:g}", at)


def _demand(tier: Carrier, capacity: Capacity, at: Keys) -> Iterator[Finding]:
    demand = tier.demand
    if capacity.users is not None:
        yield from _no_demand(tier, at)
    elif demand is None:
        hint = 'add `demand = { requests_per_s_per_user = 0.9 }`, or `{ from = "FOLDER" }`'
        message = "`demand` is missing: how many requests does a user make?"
        yield Finding("missing-key", message, (*at, "demand"), hint)
    elif (demand.requests_per_s_per_user is None) == (demand.from_ is None):
        hint = "either `requests_per_s_per_user` or `from`"
        yield Finding("tier-capacity", "the demand must be given once", (*at, "demand"), hint)


def _no_demand(tier: Carrier, at: Keys) -> Iterator[Finding]:
    if tier.demand:
        message = "`demand` is for a capacity in requests; this one is in users"
        yield Finding("tier-capacity", message, (*at, "demand"), "remove it")
