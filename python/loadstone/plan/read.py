"""Reads a plan file; refuses it with everything that is wrong, each with its line."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from loadstone.availability.cluster import DORMANCY
from loadstone.cost.book import PriceBook, shipped
from loadstone.cost.book import read as read_book
from loadstone.cost.plan import power_of
from loadstone.cost.row import PriceRow
from loadstone.errors import LoadstoneError
from loadstone.nodes.appliance import NAME as APPLIANCE
from loadstone.nodes.appliance import appliance, warnings
from loadstone.nodes.choices import parse_node_type
from loadstone.nodes.integrity import NodeType, ranges
from loadstone.nodes.measured import read_measured
from loadstone.nodes.quantities import parse_duration, parse_rate, parse_target
from loadstone.plan import model
from loadstone.plan.estimate import Estimate, rate_seen
from loadstone.plan.inputs import Inputs, Machine, Tier, Way
from loadstone.plan.limit import Limit, Refused, limit_of
from loadstone.scenario.findings import Finding, Source
from loadstone.scenario.positions import Path as Keys
from loadstone.scenario.table_file import as_table, read_source


def read_plan(path: Path, *, anyway: bool = False) -> Inputs:
    """Reads and checks a plan file; `anyway`: also what was measured and shows nothing is used.

    LoadstoneError `plan-missing`, `toml-syntax`, and those of run folders and price books; ScenarioError with
    everything that is wrong in the file.
    """
    return plan_of(path, read_source(path, "plan-missing"), anyway=anyway)


def plan_of(path: Path, source: Source, sla: str | None = None, *, anyway: bool = False) -> Inputs:
    """The same of a file that was read; `sla` instead of those of its tiers."""
    found = _Reader(path, as_table(source, model.PlanFile), source, sla, anyway)
    inputs = found.inputs()
    if found.findings:
        raise source.errors(found.findings)
    assert inputs is not None
    return inputs


class _Reader:
    """Collects what is wrong instead of stopping at the first."""

    def __init__(
        self, path: Path, file: model.PlanFile, source: Source, sla: str | None, anyway: bool
    ) -> None:
        self.path, self.file, self.source, self.sla, self.anyway = path, file, source, sla, anyway
        self.findings: list[Finding] = []
        self.warnings: list[str] = []
        self.year_s = parse_duration(file.year)

    def inputs(self) -> Inputs | None:
        """The checked file; None when something is wrong."""
        file, failures = self.file, self.file.failures
        users = self._estimate(("load",), file.load.users, file.load.low, file.load.high)
        crash = self._crash(failures.crash, ("failures", "crash"))
        book = self._book()
        tiers = self._tiers(crash, book)
        if file.target.corrupt and not failures.faults:
            hint = 'give `faults = "1/month"`, the transient faults of one node'
            self._wrong("plan-input", "nothing says how often nodes are corrupted", ("failures",), hint)
        if self.findings:
            return None
        assert users
        cause = failures.common_cause
        return Inputs(
            path=self.path,
            name=file.name,
            year_s=float(self.year_s),
            users=users,
            availability=parse_target(file.target.availability),
            corrupt=parse_target(file.target.corrupt) if file.target.corrupt else None,
            crews=failures.crews,
            phases=failures.repair_phases,
            shock=(float(parse_rate(cause.rate, self.year_s)), cause.share) if cause else None,
            load_exponent=failures.load_exponent,
            faults=float(parse_rate(failures.faults, self.year_s)) if failures.faults else None,
            tiers=tuple(tier for tier in tiers if tier),
            warnings=tuple(self.warnings),
            sla=self.sla or min((tier.sla for tier in (file.tier or {}).values()), default="SLA-1"),
            prices=book,
            source=self.source,
        )

    def _tiers(self, crash: Estimate | None, book: PriceBook | None) -> list[Tier | None]:
        """Those of the file, or the one that `[node]` and `[[option]]` describe."""
        file = self.file
        if file.tier is not None:
            for at, given in ((("node",), file.node), (("option",), file.option)):
                if given is not None:
                    self._wrong(
                        "plan-input", f"`{at[0]}` cannot be used with tiers: every tier has its own", at
                    )
            ranks = self._ranks(file.tier)
            return [self._tier(name, one, ranks[name], crash, book) for name, one in file.tier.items()]
        if file.failures.first:
            self._wrong("plan-input", "`first` names tiers, and the file has none", ("failures", "first"))
        if file.node is None or file.option is None:
            hint = "give `[node]` and `[[option]]`, or a `[tier.NAME]` for each tier"
            self._wrong(
                "plan-input", "the file does not say what nodes carry, nor how they are built", (), hint
            )
            return []
        per_node = self._per_node(file.node)
        ways = self._ways(file.option, ("option",), file.failures, crash, book)
        return [Tier("", per_node, curve_of(per_node, file.node.curve), True, 0, ways)] if per_node else []

    def _ranks(self, tiers: dict[str, model.TierTable]) -> dict[str, int]:
        first = self.file.failures.first
        for number, name in enumerate(first):
            if name not in tiers or name in first[:number]:
                hint = f"each at most once, of {', '.join(tiers)}"
                self._wrong(
                    "plan-input", f"`{name}` is not a tier to be mended first", ("failures", "first"), hint
                )
        if first and self.file.failures.crews is None:
            hint = "add `crews = 1`, or remove `first`"
            self._wrong("plan-input", "without `crews` no tier waits", ("failures", "first"), hint)
        return {name: first.index(name) if name in first else len(first) for name in tiers}

    def _tier(
        self, name: str, one: model.TierTable, rank: int, crash: Estimate | None, book: PriceBook | None
    ) -> Tier | None:
        at: Keys = ("tier", name)
        own = self._crash(one.crash, (*at, "crash")) if one.crash else crash
        failures = self.file.failures
        usual = failures.model_copy(
            update={"failover": one.failover or failures.failover, "repair": one.repair or failures.repair}
        )
        ways = self._ways(one.option, (*at, "option"), usual, own, book)
        if one.curve and not one.scales:
            self._wrong("plan-input", "a tier that does not scale has no curve", (*at, "curve"))
        try:
            limit = limit_of(one, at, self.path.parent, self.sla or one.sla, anyway=self.anyway)
        except Refused as error:
            self.findings += error.findings
            return None
        self.warnings += limit.told(name)
        return tier_of(name, limit, one.scales, ways, one.curve, rank)

    def _ways(
        self, options: list[model.Option], at: Keys, usual: model.Failures, crash: Estimate | None,
        book: PriceBook | None,
    ) -> tuple[Way, ...]:  # fmt: skip
        """The options at `at`; what they leave out is as `usual`."""
        names = [one.name for one in options]
        for number, name in enumerate(names):
            if name in names[:number]:
                self._wrong("plan-input", f"two options are named `{name}`", (*at, number, "name"))
        found = [self._way(one, (*at, number), usual, crash, book) for number, one in enumerate(options)]
        return tuple(way for way in found if way)

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

    def _per_node(self, node: model.Node) -> Estimate | None:
        if (node.from_ is None) == (node.users is None):
            hint = "give the run folder of one node, or what it carries"
            self._wrong("plan-input", "`[node]` needs exactly one of `from` and `users`", ("node",), hint)
            return None
        if node.users is not None:
            return self._estimate(("node",), node.users, node.low, node.high)
        assert node.from_ is not None
        try:
            measured = read_measured(self.path.parent / node.from_, anyway=self.anyway)
            at = measured.require(node.sla)
        except LoadstoneError as error:
            self._wrong(error.slug, error.message, ("node", "from"), error.hint or "")
            return None
        self.warnings += measured.warnings
        ends = [None if end is None else float(end) for end in (at.low, at.high)]
        return Estimate(float(at.users), *ends)

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
        self,
        one: model.Option,
        at: Keys,
        usual: model.Failures,
        crash: Estimate | None,
        book: PriceBook | None,
    ) -> Way | None:
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
        repair = one.repair or usual.repair
        if row.rented and one.deployment != "active":
            hint = 'rented nodes are replaced by the provider: `deployment = "active"`'
            self._wrong(
                "plan-input", f"`{one.name}` is rented and has no pool of its own", (*at, "deployment"), hint
            )
            return None
        node = self._node(one, row, at)
        if node is None:
            return None
        failover = parse_duration(one.failover or usual.failover, self.year_s)
        if node.image and one.deployment != "active" and not one.failover:
            failover = node.image.switch_over_s
        return Way(
            name=one.name,
            deployment=one.deployment,
            machine=Machine(row, power_of(row, rows)),
            node=node,
            crash=own,
            failover_s=failover,
            repair_s=None if repair == "none" else parse_duration(repair, self.year_s),
            dormancy=DORMANCY[one.spares],
            endless=row.rented,
            instance=row.sku,
        )

    def _typed(self, wanted: str, at: Keys) -> NodeType | None:
        """By its name, or measured: what was injected says so, and how sure a limit on corruption is."""
        try:
            node = parse_node_type(wanted, self.path.parent)
        except LoadstoneError as error:
            self._wrong(error.slug, error.message, (*at, "node_type"), error.hint or "")
            return None
        told, failures = [], self.file.failures
        if node.spread:
            told.append(f"shares of faults of `{node.name}`: {node.source}")
        if failures.faults and self.file.target.corrupt:
            found = ranges(node, float(parse_rate(failures.faults, self.year_s)))
            most = float(parse_target(self.file.target.corrupt))
            if found and found["corrupt"][0] <= most < found["corrupt"][1]:
                low, high = (100 * end for end in found["corrupt"])
                told.append(
                    f"whether `{node.name}` is corrupt at most {100 * most:g} % of the time is open: "
                    f"{low:.3g}–{high:.3g} % over the interval of its faults"
                )
        self.warnings += [each for each in told if each not in self.warnings]
        return node

    def _node(self, one: model.Option, row: PriceRow, at: Keys) -> NodeType | None:
        """The node type; of an appliance with the throughput of as many images as the machine holds."""
        wanted = one.node_type or (APPLIANCE if one.appliance else "native")
        if (wanted == APPLIANCE) != (one.appliance is not None):
            message, hint = (
                ("nothing says what the appliance carries", "add a table `appliance` with its figures")
                if one.appliance is None
                else (f"figures of an appliance, and `node_type` is `{wanted}`", "remove one of them")
            )
            self._wrong("plan-input", message, (*at, "node_type"), hint)
            return None
        if one.appliance is None:
            return self._typed(wanted, at)
        given = one.appliance.model_dump(by_alias=True, exclude_none=True)
        try:
            node = appliance({key: str(value) for key, value in given.items()}, self.path.parent, "")
            assert node.image
            images = node.image.on(row.sku, row.vcpu, row.memory_gib)
        except LoadstoneError as error:
            self._wrong(error.slug, error.message, (*at, "appliance"), error.hint or "")
            return None
        assert row.vcpu
        self.warnings += [each for each in warnings(node) if each not in self.warnings]
        return replace(node, throughput=node.throughput * images / Fraction(row.vcpu))


def tier_of(
    name: str, limit: Limit, scales: bool, ways: tuple[Way, ...], curve: model.Curve = (), rank: int = 0
) -> Tier:
    """A tier whose native nodes carry `limit`."""
    per_node = limit.estimate
    return Tier(name, per_node, curve_of(per_node, curve), scales, rank, ways, limit)


def curve_of(per_node: Estimate, typed: model.Curve = ()) -> tuple[tuple[float, float], ...]:
    """The points that were typed, behind the first: what one node holds."""
    points = sorted((nodes, users) for nodes, users in typed)
    return ((1.0, per_node.value), *((nodes, users) for nodes, users in points if nodes > 1))
