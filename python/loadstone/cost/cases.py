"""Which machines serve how many users at each SLA: typed, measured, or planned by `loadstone nodes`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from loadstone.cost.book import PriceBook
from loadstone.cost.elastic import shares
from loadstone.cost.plan import Case, Machines, Traffic
from loadstone.cost.row import PriceRow
from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, as_written
from loadstone.nodes.image import Image
from loadstone.nodes.shown import AtSla, ElasticRun, Measured, Shown

if TYPE_CHECKING:
    from loadstone.stages.nodes import Nodes, Option
    from loadstone.stages.run_elasticity import Elasticity

FILE = "nodes.json"
UNKNOWN = Traffic(None, None)
_HINT = "run `loadstone nodes --from` again, or count the machines, as in --instance c1.xlarge:2"
_KIND = Kind("cost-input", "a nodes.json", 64 << 20, _HINT)
_INSTANCE = re.compile(r"([^:\s]+)(?::([0-9]{1,6}))?")


@dataclass(frozen=True)
class Wanted:
    """A machine of the command line; `count` None: as many as nodes.json says."""

    row: PriceRow
    count: int | None


def parse_instance(text: str, book: PriceBook) -> Wanted:
    """`c1.xlarge:2`, or `c1.xlarge` for as many as planned. Raises `cost-input` and `price-sku`."""
    match = _INSTANCE.fullmatch(text.strip())
    count = int(match[2]) if match and match[2] else None
    if match is None or count == 0:
        raise LoadstoneError(
            "cost-input",
            f"`{text}` is not a machine",
            place="--instance",
            hint="write SKU:COUNT, such as c1.xlarge:2",
        )
    row = book.machine(match[1])
    # A balancer or a database is one, whatever the load needs.
    return Wanted(row, count or (1 if row.kind in ("balancer", "database") else None))


def typed_cases(users: dict[str, float | None], wanted: list[Wanted]) -> dict[str, Case]:
    """Users typed for each SLA, on machines counted by hand. Raises `cost-input`."""
    machines = _counted(wanted)
    cases = {}
    for sla, number in users.items():
        if number is None:
            continue
        if not 0 < number < 1e12:
            raise LoadstoneError(
                "cost-input", f"`{number:g}` is not a number of users", place=f"users at {sla}"
            )
        cases[sla] = Case(Decimal(repr(number)), machines, UNKNOWN)
    return cases


def measured_cases(measured: Measured, wanted: list[Wanted]) -> dict[str, Case]:
    """The capacity, on the machines it was measured on; or the load planned, on the nodes planned."""
    if not measured.at:
        raise withheld(measured)
    if all(machine.count is not None for machine in wanted):
        return {sla: _at_capacity(at, _counted(wanted)) for sla, at in measured.at.items()}
    plan = _read_plan(measured.file.parent)
    slas = [sla for sla in measured.at if sla in plan.per_sla]
    file = measured.file.parent / FILE
    if not slas:
        message = "it plans for no SLA that the measurement has"
        raise LoadstoneError("cost-input", message, place=str(file), hint=_HINT)
    with as_written("cost-input", file, _HINT):
        return {sla: _planned(sla, measured.at[sla], plan, wanted) for sla in slas}


def elastic_cases(ran: ElasticRun, wanted: list[Wanted]) -> dict[str, Case]:
    """A run's users, on the servers that came and went in it."""
    if not ran.at:
        raise withheld(ran)
    machines = _ran(wanted, ran.servers)
    return {sla: _at_capacity(at, machines) for sla, at in ran.at.items()}


def withheld(measured: Shown) -> LoadstoneError:
    """That no SLA has a number of users that dollars could rest on, and what to do."""
    why = "; ".join(dict.fromkeys(known.why for known in measured.withheld.values()))
    hints = "; ".join(dict.fromkeys(known.hint for known in measured.withheld.values()))
    return LoadstoneError(
        "withheld", f"no dollars can rest on this measurement: {why}", place=str(measured.file), hint=hints
    )


def _at_capacity(at: AtSla, machines: tuple[Machines, ...]) -> Case:
    case = Case(_decimal(at.users), machines, _traffic(at))
    # More users on the same machines is the cheap end of the interval.
    cheap, dear = (replace(case, users=_decimal(end)) if end else None for end in (at.high, at.low))
    return replace(case, cheap=cheap, dear=dear)


def _planned(sla: str, at: AtSla, plan: Nodes, wanted: list[Wanted]) -> Case:
    inputs = plan.inputs
    if inputs.load_users:
        users = Decimal(repr(inputs.load_users))
    elif at.ops_per_s:
        # A load in operations a second is that many users at the capacity's own pace.
        users = Decimal(repr(inputs.load_ops_per_s)) / _decimal(at.ops_per_s / at.users)
    else:
        raise LoadstoneError("cost-input", f"the load of nodes.json cannot be turned into users at {sla}")

    def machines(end: int | None) -> tuple[Machines, ...] | None:
        """With the option's own counts (None), or those of the interval's end 0 or 1."""
        each = [
            Machines(machine.row, machine.count, machine.count)
            if machine.count is not None
            else _planned_machines(plan, _option(sla, plan, machine.row), machine.row, end)
            for machine in wanted
        ]
        known = tuple(machine for machine in each if machine is not None)
        return known if len(known) == len(each) else None

    value, fewest, most = machines(None), machines(0), machines(1)
    assert value is not None
    case = Case(users, value, _traffic(at))
    return replace(
        case,
        cheap=replace(case, machines=fewest) if fewest else None,
        dear=replace(case, machines=most) if most else None,
    )


def _option(sla: str, plan: Nodes, row: PriceRow) -> Option:
    """The smallest option that such a machine can serve: the cloud's for a rented one, on-premises for an
    owned one.
    """
    place = "cloud" if row.rented else "on-prem"
    fitting = [
        option
        for option in plan.per_sla[sla].options
        if place in option.deployment and option.num is not None and option.total is not None
    ]
    if not fitting:
        raise LoadstoneError(
            "cost-input", f"nodes.json has no {place} deployment that meets its target at {sla}",
            hint=f"plan again with `loadstone nodes`, or count the machines: {row.sku}:2",
        )  # fmt: skip
    return min(fitting, key=lambda option: int(option.total or 0))


def _planned_machines(plan: Nodes, option: Option, row: PriceRow, end: int | None) -> Machines | None:
    if end is None:
        num, total = option.num, option.total
    else:
        interval = option.interval
        ends = (interval.num, interval.total) if interval else (None, None)
        num, total = (each[end] if each else None for each in ends)
    if num is None or total is None:
        return None
    # The pool of passive failover is cold: bought, and switched off.
    powered = int(num if option.deployment.startswith("PF") else total)
    return Machines(
        row, int(total), powered, images=_images(plan, option, row), needed=min(int(num), int(total))
    )


def _images(plan: Nodes, option: Option, row: PriceRow) -> int:
    """Images on each machine, 0 when the nodes are none: the plan took it that there is one a core, or one
    in all."""
    figures = plan.inputs.images.get(option.node_type)
    if figures is None or figures.memory_mib is None:
        return 0
    image = Image(Fraction(0), Fraction(0), Fraction(figures.memory_mib), "")
    count = image.on(row.sku, row.vcpu, row.memory_gib)
    if figures.alone:
        return 1
    if row.vcpu is not None and count < int(row.vcpu):
        raise LoadstoneError(
            "cost-input", f"`{row.sku}` holds {count} images, fewer than its {row.vcpu} cores",
            place="--instance", hint="choose a machine with more memory, or plan it with `loadstone plan`",
        )  # fmt: skip
    return count


def _counted(wanted: list[Wanted]) -> tuple[Machines, ...]:
    for machine in wanted:
        if machine.count is None:
            raise LoadstoneError(
                "cost-input", f"how many `{machine.row.sku}` is not known", place="--instance",
                hint=f"write {machine.row.sku}:2, or give --from a folder with nodes.json",
            )  # fmt: skip
    return tuple(Machines(machine.row, machine.count or 0, machine.count or 0) for machine in wanted)


def _ran(wanted: list[Wanted], elasticity: Elasticity) -> tuple[Machines, ...]:
    """A machine without a count is a server of the run. Raises `cost-input`."""
    servers = [machine for machine in wanted if machine.count is None]
    if len(servers) != 1 or not servers[0].row.rented:
        what = "the machine of the servers that came and went is one that is rented, without a count"
        raise LoadstoneError(
            "cost-input", what, place="--instance",
            hint=f"write --instance SKU for those of `{elasticity.service}`, SKU:COUNT for all else",
        )  # fmt: skip
    most = elasticity.most
    return tuple(
        Machines(machine.row, most, most, needed=most, ran=shares(elasticity))
        if machine.count is None
        else Machines(machine.row, machine.count, machine.count)
        for machine in wanted
    )


def _read_plan(folder: Path) -> Nodes:
    file = folder / FILE
    if not file.is_file():
        raise LoadstoneError(
            "cost-input", f"how many machines is not known: there is no {file}",
            hint="count them, as in --instance c1.xlarge:2, or run `loadstone nodes --from` first",
        )  # fmt: skip
    # Imported here: machines counted by hand need not wait for the record's model.
    from loadstone.stages.nodes import Nodes

    plan = Nodes.read(file, _KIND)
    if plan.service:
        raise LoadstoneError(
            "cost-input",
            "is a plan in tiers",
            place=str(file),
            hint="price it with `loadstone cost --tiers`",
        )
    if not (plan.inputs.load_users or plan.inputs.load_ops_per_s) or not plan.per_sla:
        raise LoadstoneError("cost-input", "is not a nodes.json with a load", place=str(file))
    return plan


def _traffic(at: AtSla) -> Traffic:
    """Bytes a second per user. What the generator received left the service: egress."""
    if at.ops_per_s is None:
        return UNKNOWN
    pace = at.ops_per_s / at.users
    egress, ingress = (
        None if per_op is None else _decimal(per_op * pace)
        for per_op in (at.bytes_in_per_op, at.bytes_out_per_op)
    )
    return Traffic(egress, ingress)


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)
