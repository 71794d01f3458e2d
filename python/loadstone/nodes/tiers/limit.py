"""What one node of a tier carries, in users: typed, measured as users, or requests against their demand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.nodes.measured import read_measured, read_requests_per_user
from loadstone.nodes.sizing import PerNode
from loadstone.nodes.tiers.model import Capacity, Demand, Tier
from loadstone.scenario.findings import Finding
from loadstone.scenario.positions import Path as Keys

MICROSECONDS = 1_000_000


@dataclass(frozen=True)
class Traffic:
    """Mean bytes a second that one user causes, as the client saw them; None: not known."""

    received: Fraction | None
    sent: Fraction | None


@dataclass(frozen=True)
class Limit:
    """What one node carries. `upper_bound`: it carries at most this, and maybe less."""

    users: PerNode
    source: str
    upper_bound: bool = False
    requests_per_s: Fraction | None = None
    """Requests a second of one node, when that is what was measured."""
    requests_per_s_per_user: Fraction | None = None
    traffic: Traffic | None = None
    warnings: tuple[str, ...] = ()


class Refused(Exception):
    """What is wrong with a tier: findings on their way out, shown with those of the other tiers."""

    def __init__(self, *findings: Finding) -> None:
        """At least one finding."""
        super().__init__(findings)
        self.findings = findings


def limit_of(tier: Tier, at: Keys, folder: Path, sla: str) -> Limit:
    """The limit of the tier at `at` of the file in `folder`. Raises `Refused`."""
    if (tier.from_ is None) == (tier.capacity is None):
        hint = 'either `from = "FOLDER"` or `capacity = { users = 500 }`'
        raise Refused(Finding("tier-capacity", "what one node carries must be given once", at, hint))
    if tier.from_ is not None:
        if tier.demand:
            message = "`demand` is for a capacity in requests; this one is in users"
            raise Refused(Finding("tier-capacity", message, (*at, "demand"), "remove it"))
        return _measured(tier.from_, (*at, "from"), folder, sla)
    assert tier.capacity is not None
    findings = list(_capacity(tier.capacity, (*at, "capacity"))) or list(_demand(tier, at))
    if findings:
        raise Refused(*findings)
    return _typed(tier.capacity, tier.demand, at, folder, sla)


def _capacity(capacity: Capacity, at: Keys) -> Iterator[Finding]:
    """What in a typed capacity contradicts itself."""
    kinds = ("users", "requests_per_s", "cpu_us_per_request")
    given = [kind for kind in kinds if getattr(capacity, kind) is not None]
    if len(given) != 1:
        known = ", ".join(f"`{kind}`" for kind in given or kinds)
        message = f"{known} are given" if given else "nothing says what one node carries"
        yield Finding(
            "tier-capacity", message, at, "give one of `users`, `requests_per_s`, `cpu_us_per_request`"
        )
        return
    if (given[0] == "cpu_us_per_request") != (capacity.cores is not None):
        yield Finding(
            "tier-capacity", "`cpu_us_per_request` and `cores` go together", at,
            "the bound is cores · 1,000,000 / cpu_us_per_request",
        )  # fmt: skip
    for key in ("low", "high"):
        end, value = getattr(capacity, key), getattr(capacity, given[0])
        if end is None:
            continue
        if given[0] == "cpu_us_per_request":
            message = f"`{key}` of an upper bound: how far below it the limit lies is not known"
            yield Finding("tier-capacity", message, (*at, key), "remove it, or measure the limit itself")
        elif end > value if key == "low" else end < value:
            yield Finding("range-order", f"`{key}` is {end:g}, on the wrong side of {value:g}", (*at, key))


def _demand(tier: Tier, at: Keys) -> Iterator[Finding]:
    capacity, demand = tier.capacity, tier.demand
    assert capacity is not None
    if capacity.users is not None:
        if demand:
            message = "`demand` is for a capacity in requests; this one is in users"
            yield Finding("tier-capacity", message, (*at, "demand"), "remove it")
    elif demand is None:
        hint = 'add `demand = { requests_per_s_per_user = 0.9 }`, or `{ from = "FOLDER" }`'
        yield Finding(
            "missing-key", "`demand` is missing: how many requests does a user make?", (*at, "demand"), hint
        )
    elif (demand.requests_per_s_per_user is None) == (demand.from_ is None):
        hint = "either `requests_per_s_per_user` or `from`"
        yield Finding("tier-capacity", "the demand must be given once", (*at, "demand"), hint)


def _typed(capacity: Capacity, demand: Demand | None, at: Keys, folder: Path, sla: str) -> Limit:
    low, high = _exact(capacity.low), _exact(capacity.high)
    if low is None and high is None:
        # A number typed alone is meant as it stands; of an interval typed in part the other end is unknown.
        low = high = _exact(capacity.users or capacity.requests_per_s)
    if users := _exact(capacity.users):
        return Limit(PerNode("users", users, low, high), "typed")
    assert demand is not None
    per_user = _exact(demand.requests_per_s_per_user)
    if per_user is None:
        assert demand.from_ is not None
        try:
            per_user = read_requests_per_user(folder / demand.from_, sla)
        except LoadstoneError as error:
            raise Refused(_in_folder(error, (*at, "demand", "from"))) from error
    if requests := _exact(capacity.requests_per_s):
        ends = [end / per_user if end else None for end in (low, high)]
        return Limit(PerNode("users", requests / per_user, *ends), "typed", False, requests, per_user)
    cost, cores = _exact(capacity.cpu_us_per_request), _exact(capacity.cores)
    assert cost is not None and cores is not None
    most = cores * MICROSECONDS / cost
    return Limit(PerNode("users", most / per_user, None, most / per_user), "CPU", True, most, per_user)


def _measured(text: str, at: Keys, folder: Path, sla: str) -> Limit:
    try:
        measured = read_measured(folder / text)
    except LoadstoneError as error:
        raise Refused(_in_folder(error, at)) from error
    found = measured.at.get(sla)
    if found is None:
        hint = "plan for the other SLA with --sla, or type a `capacity`"
        raise Refused(Finding("measured", f"no number of users held {sla} in `{text}`", at, hint))
    pace = found.ops_per_s / found.users if found.ops_per_s else None
    received, sent = (
        per_op * pace if per_op and pace else None
        for per_op in (found.bytes_in_per_op, found.bytes_out_per_op)
    )
    return Limit(
        PerNode("users", found.users, found.low, found.high),
        text,
        traffic=Traffic(received, sent),
        warnings=tuple(measured.warnings),
    )


def _in_folder(error: LoadstoneError, at: Keys) -> Finding:
    """An error about a folder, at the line that names it."""
    where = f"{error.place}: " if error.place else ""
    return Finding(error.slug, f"{where}{error.message}", at, error.hint or "")


def _exact(number: float | None) -> Fraction | None:
    """As typed: 40.2 is 201/5 and not the double next to it."""
    return None if number is None else Fraction(repr(number))
