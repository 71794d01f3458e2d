"""Reads a plan file; refuses it with everything that is wrong, each with its line."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from loadstone.cost.book import PriceBook, shipped
from loadstone.cost.book import read as read_book
from loadstone.cost.row import PriceRow
from loadstone.errors import LoadstoneError
from loadstone.nodes.choices import parse_node_type
from loadstone.nodes.cluster.terms import DORMANCY
from loadstone.nodes.integrity import NodeType
from loadstone.nodes.measured import read_measured
from loadstone.nodes.quantities import parse_duration, parse_rate, parse_target
from loadstone.plan import model
from loadstone.plan.estimate import Estimate, rate_seen
from loadstone.scenario.findings import Finding, Source
from loadstone.scenario.positions import Path as Keys
from loadstone.scenario.table_file import read_table_file


@dataclass(frozen=True)
class Way:
    """A checked option: how the service is built, on what, and how its nodes fail."""

    name: str
    deployment: str
    row: PriceRow
    power: PriceRow | None
    node: NodeType
    crash: Estimate
    failover_s: Fraction
    repair_s: Fraction | None
    dormancy: float

    @property
    def endless(self) -> bool:
        """Whether the provider replaces crashed nodes."""
        return self.row.kind == "instance"


@dataclass(frozen=True)
class Inputs:
    """A checked plan file. Rates are per second; `curve` holds (nodes, users), one node first."""

    path: Path
    name: str
    year_s: float
    users: Estimate
    per_node: Estimate
    curve: tuple[tuple[float, float], ...]
    availability: Fraction
    corrupt: Fraction | None
    crews: int | None
    phases: int
    shock: tuple[float, float] | None
    load_exponent: float
    faults: float | None
    ways: tuple[Way, ...]
    warnings: tuple[str, ...]

    @property
    def allowed_s(self) -> float:
        """Seconds of a year that the target allows the service to be down."""
        return float(1 - self.availability) * self.year_s


def read_plan(path: Path) -> Inputs:
    """Reads and checks a plan file.

    LoadstoneError `plan-missing`, `toml-syntax`, and those of run folders and price books; ScenarioError with
    everything that is wrong in the file.
    """
    file, source = read_table_file(path, model.PlanFile, "plan-missing", _known_keys)
    found = _Reader(path, file, source)
    inputs = found.inputs()
    if found.findings:
        raise source.errors(found.findings)
    assert inputs is not None
    return inputs


class _Reader:
    """Collects what is wrong instead of stopping at the first."""

    def __init__(self, path: Path, file: model.PlanFile, source: Source) -> None:
        self.path, self.file, self.source = path, file, source
        self.findings: list[Finding] = []
        self.warnings: list[str] = []
        self.year_s = parse_duration(file.year)

    def inputs(self) -> Inputs | None:
        """The checked file; None when something is wrong."""
        file, failures = self.file, self.file.failures
        users = self._estimate(("load",), file.load.users, file.load.low, file.load.high)
        per_node = self._per_node()
        crash = self._crash(failures.crash, ("failures", "crash"))
        book = self._book()
        ways = [self._way(number, one, crash, book) for number, one in enumerate(file.option)]
        names = [one.name for one in file.option]
        for number, name in enumerate(names):
            if name in names[:number]:
                self._wrong("plan-input", f"two options are named `{name}`", ("option", number, "name"))
        if file.target.corrupt and not failures.faults:
            hint = 'give `faults = "1/month"`, the transient faults of one node'
            self._wrong("plan-input", "nothing says how often nodes are corrupted", ("failures",), hint)
        if self.findings:
            return None
        assert users and per_node and crash
        cause = failures.common_cause
        return Inputs(
            path=self.path,
            name=file.name,
            year_s=float(self.year_s),
            users=users,
            per_node=per_node,
            curve=self._curve(per_node),
            availability=parse_target(file.target.availability),
            corrupt=parse_target(file.target.corrupt) if file.target.corrupt else None,
            crews=failures.crews,
            phases=failures.repair_phases,
            shock=(float(parse_rate(cause.rate, self.year_s)), cause.share) if cause else None,
            load_exponent=failures.load_exponent,
            faults=float(parse_rate(failures.faults, self.year_s)) if failures.faults else None,
            ways=tuple(way for way in ways if way),
            warnings=tuple(self.warnings),
        )

    def _wrong(self, slug: str, message: str, at: Keys, hint: str = "") -> None:
        self.findings.append(Finding(slug, message, at, hint))

    def _estimate(self, at: Keys, value: float, low: float | None, high: float | None) -> Estimate | None:
        for name, end, inside in (
            ("low", low, (low or 0) <= value),
            ("high", high, value <= (high or value)),
        ):
            if end is not None and not inside:
                self._wrong("plan-input", f"`{name}` = {end:g} leaves {value:g} outside", (*at, name))
                return None
        return Estimate(value, low, high)

    def _per_node(self) -> Estimate | None:
        node = self.file.node
        if (node.from_ is None) == (node.users is None):
            hint = "give the run folder of one node, or what it carries"
            self._wrong("plan-input", "`[node]` needs exactly one of `from` and `users`", ("node",), hint)
            return None
        if node.users is not None:
            return self._estimate(("node",), node.users, node.low, node.high)
        assert node.from_ is not None
        try:
            measured = read_measured(self.path.parent / node.from_)
        except LoadstoneError as error:
            self._wrong(error.slug, error.message, ("node", "from"), error.hint or "")
            return None
        at = measured.at.get(node.sla)
        if at is None:
            self._wrong("plan-input", f"no number of users held {node.sla} there", ("node", "from"))
            return None
        self.warnings += measured.warnings
        ends = [None if end is None else float(end) for end in (at.low, at.high)]
        return Estimate(float(at.users), *ends)

    def _curve(self, per_node: Estimate) -> tuple[tuple[float, float], ...]:
        points = sorted((nodes, users) for nodes, users in self.file.node.curve)
        return ((1.0, per_node.value), *((nodes, users) for nodes, users in points if nodes > 1))

    def _crash(self, crash: model.Crash, at: Keys) -> Estimate | None:
        if (crash.rate is None) == (crash.seen is None) or (crash.seen is None) != (crash.node_time is None):
            hint = 'give `rate = "1/year"`, or `seen = 3` and `node_time = "2.5 years"`'
            self._wrong("plan-input", "how often a node crashes is not clear", at, hint)
            return None
        if crash.seen is not None and crash.node_time is not None:
            return rate_seen(crash.seen, parse_duration(crash.node_time, self.year_s))
        rates = [
            None if text is None else float(parse_rate(text, self.year_s))
            for text in (crash.rate, crash.low, crash.high)
        ]
        assert rates[0] is not None
        return self._estimate(at, rates[0], rates[1], rates[2])

    def _book(self) -> PriceBook | None:
        if self.file.prices is None:
            return shipped()
        try:
            return read_book(self.path.parent / self.file.prices)
        except LoadstoneError as error:
            self._wrong(error.slug, error.message, ("prices",), error.hint or "")
            return None

    def _way(
        self, number: int, one: model.Option, crash: Estimate | None, book: PriceBook | None
    ) -> Way | None:
        at: Keys = ("option", number)
        own = self._crash(one.crash, (*at, "crash")) if one.crash else crash
        if book is None or own is None:
            return None
        try:
            rows = book.named(one.book) if one.book else book
            rows = rows.in_region(one.region) if one.region else rows
            row = rows.machine(one.instance, f"`{one.instance}`")
        except LoadstoneError as error:
            self._wrong(error.slug, error.message, (*at, "instance"), error.hint or "")
            return None
        repair = one.repair or self.file.failures.repair
        power = PriceBook(tuple(each for each in rows.rows if each.region == row.region)).of_kind("power")
        if row.kind == "instance" and one.deployment != "active":
            hint = 'rented nodes are replaced by the provider: `deployment = "active"`'
            self._wrong(
                "plan-input", f"`{one.name}` is rented and has no pool of its own", (*at, "deployment"), hint
            )
            return None
        return Way(
            name=one.name,
            deployment=one.deployment,
            row=row,
            power=power[0] if power else None,
            node=parse_node_type(one.node_type),
            crash=own,
            failover_s=parse_duration(one.failover or self.file.failures.failover, self.year_s),
            repair_s=None if repair == "none" else parse_duration(repair, self.year_s),
            dormancy=DORMANCY[one.spares],
        )


def _known_keys(table: Keys) -> list[str]:
    found = model.TABLES.get(tuple(key for key in table if isinstance(key, str)))
    return [field.alias or name for name, field in found.model_fields.items()] if found else []
