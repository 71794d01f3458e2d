"""What one node of a tier carries, in users: typed, measured as users, or requests against their demand."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.nodes.measured import read_measured, read_requests_per_user
from loadstone.nodes.sizing import PerNode
from loadstone.nodes.studied import read_carried, read_cpu_us_per_request
from loadstone.plan.carrier import Capacity, Carrier, Demand
from loadstone.plan.checks import findings
from loadstone.plan.estimate import Estimate
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

    @property
    def estimate(self) -> Estimate:
        """The users with their interval. A number typed alone has ends equal to it: no uncertainty."""
        value, *ends = (
            None if end is None else float(end) for end in (self.users.value, self.users.low, self.users.high)
        )
        assert value is not None
        return Estimate(value, *(None if end == value else end for end in ends))

    def told(self, tier: str) -> list[str]:
        """What the measurement said about itself, and whether the limit is only a bound."""
        bound = f"{tier}: its limit is an upper bound, from CPU alone; it may need more nodes than this"
        return [*(f"{tier}: {warning}" for warning in self.warnings), *([bound] if self.upper_bound else [])]


class Refused(Exception):
    """What is wrong with a tier: findings on their way out, shown with those of the other tiers."""

    def __init__(self, *findings: Finding) -> None:
        """At least one finding."""
        super().__init__(findings)
        self.findings = findings


@dataclass(frozen=True)
class _Requests:
    """Requests a second of one node; an end that is not known is None."""

    value: Fraction
    low: Fraction | None
    high: Fraction | None
    source: str
    upper_bound: bool = False
    warnings: tuple[str, ...] = ()


def limit_of(tier: Carrier, at: Keys, folder: Path, sla: str, *, anyway: bool = False) -> Limit:
    """The limit of the tier at `at` of the file in `folder`; `anyway`: also of what shows nothing.

    Raises `Refused`.
    """
    wrong = findings(tier, at)
    if wrong:
        raise Refused(*wrong)
    if tier.from_ is not None:
        return _measured(tier.from_, (*at, "from"), folder, sla, anyway)
    capacity = tier.capacity
    assert capacity is not None
    if users := _exact(capacity.users):
        return Limit(PerNode("users", users, *_ends(capacity, users)), "typed")
    assert tier.demand is not None
    per_user = _per_user(tier.demand, (*at, "demand", "from"), folder, sla)
    requests = _requests(capacity, (*at, "capacity"), folder)
    low, high = (end / per_user if end else None for end in (requests.low, requests.high))
    return Limit(
        PerNode("users", requests.value / per_user, low, high),
        requests.source,
        requests.upper_bound,
        requests.value,
        per_user,
        warnings=requests.warnings,
    )


def _ends(capacity: Capacity, value: Fraction) -> tuple[Fraction | None, Fraction | None]:
    """A number typed alone is meant as it stands; of an interval typed in part the other end is unknown."""
    if capacity.low is None and capacity.high is None:
        return value, value
    return _exact(capacity.low), _exact(capacity.high)


def _per_user(demand: Demand, at: Keys, folder: Path, sla: str) -> Fraction:
    if typed := _exact(demand.requests_per_s_per_user):
        return typed
    assert demand.from_ is not None
    try:
        return read_requests_per_user(folder / demand.from_, sla)
    except LoadstoneError as error:
        raise Refused(_in_folder(error, at)) from error


def _requests(capacity: Capacity, at: Keys, folder: Path) -> _Requests:
    if typed := _exact(capacity.requests_per_s):
        return _Requests(typed, *_ends(capacity, typed), "typed")
    cores = _exact(capacity.cores)
    if (cost := _exact(capacity.cpu_us_per_request)) and cores:
        return _bound(cores, cost, "CPU")
    assert capacity.from_ is not None and capacity.variant is not None
    source = f"{capacity.variant} in {capacity.from_}"
    try:
        if cores:
            return _bound(cores, read_cpu_us_per_request(folder / capacity.from_, capacity.variant), source)
        found = read_carried(folder / capacity.from_, capacity.variant)
    except LoadstoneError as error:
        raise Refused(_in_folder(error, (*at, "from"))) from error
    warning = (f"limited by {found.limited_by} when measured: it may carry more",) if found.limited_by else ()
    return _Requests(found.requests_per_s, found.low, found.high, source, warnings=warning)


def _bound(cores: Fraction, cpu_us_per_request: Fraction, source: str) -> _Requests:
    most = cores * MICROSECONDS / cpu_us_per_request
    return _Requests(most, None, most, source, upper_bound=True)


def _measured(text: str, at: Keys, folder: Path, sla: str, anyway: bool) -> Limit:
    try:
        measured = read_measured(folder / text, anyway=anyway)
    except LoadstoneError as error:
        raise Refused(_in_folder(error, at)) from error
    try:
        found = measured.require(sla)
    except LoadstoneError as error:
        raise Refused(_in_folder(error, at)) from error
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
