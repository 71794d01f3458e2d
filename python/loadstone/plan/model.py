"""The plan file, table by table. Every key, default and limit of the format stands here."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from loadstone.availability.cluster import DORMANCY, MOST_PHASES
from loadstone.nodes.appliance import NAME as APPLIANCE
from loadstone.nodes.choices import parse_node_type
from loadstone.nodes.fields import Length, LengthOrNone, Rate, Target, parsed
from loadstone.nodes.injected import is_injected
from loadstone.plan.carrier import Amount, Carrier, TierName, few
from loadstone.scenario.fields import Count, NonNegative, Share, Table

MOST_OPTIONS = 16


def _node_type(value: str) -> str:
    # A folder is looked for from the file's own, when the file is read.
    return value if value == APPLIANCE or is_injected(value) else parsed(parse_node_type)(value)


def _rate_table(value: Any) -> Any:
    """A bare rate is one without an interval."""
    return {"rate": value} if isinstance(value, str) else value


Curve = Annotated[
    tuple[Annotated[tuple[Amount, Amount], Field(strict=False)], ...],
    Field(strict=False, description="users measured with several nodes: [[2, 980], [4, 1900]]"),
]
Sla = Literal["SLA-1", "SLA-2"]
NodeType = Annotated[str, AfterValidator(_node_type)]


class Load(Table):
    """What the service must carry."""

    users: Amount
    low: Amount | None = None
    high: Amount | None = None


class Targets(Table):
    """What the service must hold."""

    availability: Target
    corrupt: Annotated[
        Target | None, Field(description="most of the time that a node may be silently corrupt")
    ] = None


class Node(Table):
    """What one native node carries at the SLA: measured `from` a run folder, or typed."""

    from_: Annotated[str | None, Field(alias="from", description="run folder, from the file's own")] = None
    sla: Sla = "SLA-1"
    users: Amount | None = None
    low: Amount | None = None
    high: Amount | None = None
    curve: Curve = ()


class Crash(Table):
    """How often a node that is up crashes: a rate, with its interval, or what was seen."""

    rate: Rate | None = None
    low: Rate | None = None
    high: Rate | None = None
    seen: Annotated[int | None, Field(ge=0, le=1_000_000, description="crashes that were seen")] = None
    node_time: Annotated[Length | None, Field(description="of all nodes together, while they were seen")] = (
        None
    )


class CommonCause(Table):
    """Shocks that crash several nodes at once, each with probability `share`."""

    rate: Rate
    share: Annotated[Share, Field(gt=0)]


class Failures(Table):
    """What goes wrong, and how it is mended."""

    crash: Annotated[Crash, BeforeValidator(_rate_table)]
    failover: Length = "15s"
    repair: LengthOrNone = "1h"
    crews: Count | None = None
    first: Annotated[
        tuple[TierName, ...],
        Field(strict=False, description="tiers whose nodes are mended before those of the others, in order"),
    ] = ()
    repair_phases: Annotated[int, Field(ge=1, le=MOST_PHASES)] = 1
    common_cause: CommonCause | None = None
    load_exponent: Annotated[NonNegative, Field(le=8)] = 0
    faults: Annotated[Rate | None, Field(description="transient faults of one node")] = None


class Appliance(Table):
    """Figures of an image: of a study, `from`, `app`, `page`; of capacities, `from`, `against`; or typed,
    `throughput` to `memory_mib`."""

    from_: Annotated[
        str | None, Field(alias="from", description="folder of a study or a capacity, from the file's own")
    ] = None
    app: str | None = None
    page: str | None = None
    against: Annotated[str | None, Field(description="of what a node's users are from")] = None
    throughput: Annotated[Amount | None, Field(description="of a core, against native")] = None
    start: Length | None = None
    memory_mib: Amount | None = None
    detect: Length | None = None


class Option(Table):
    """A way to build the service."""

    name: Annotated[str, Field(min_length=1, max_length=40)]
    deployment: Annotated[
        Literal["active", "passive", "mixed"],
        Field(description="extra nodes active, spares in a pool, or both"),
    ]
    instance: str
    book: str | None = None
    region: str | None = None
    node_type: Annotated[
        NodeType | None,
        Field(description="`native` unless it is an appliance; or `from=FOLDER,throughput=0.9` of `inject`"),
    ] = None
    appliance: Appliance | None = None
    spares: Literal[tuple(DORMANCY)] = "cold"  # type: ignore[valid-type]
    crash: Annotated[
        Crash | None, BeforeValidator(lambda value: value if value is None else _rate_table(value))
    ] = None
    failover: Length | None = None
    repair: LengthOrNone | None = None


Options = Annotated[list[Option], Field(min_length=1, max_length=MOST_OPTIONS)]


class TierTable(Carrier):
    """One tier of several in series; what is absent is that of `[failures]`."""

    sla: Sla = "SLA-1"
    curve: Curve = ()
    crash: Annotated[
        Crash | None, BeforeValidator(lambda value: value if value is None else _rate_table(value))
    ] = None
    failover: Length | None = None
    repair: LengthOrNone | None = None
    option: Options


class PlanFile(Table):
    """The whole file: a service of one tier, `node` and `option`, or of several, `tier`."""

    format: int
    name: Annotated[str, Field(min_length=1, max_length=80)]
    year: Length = "365.25d"
    prices: Annotated[str | None, Field(description="price books of your own, beside the file")] = None
    load: Load
    target: Targets
    node: Node | None = None
    failures: Failures
    option: Options | None = None
    tier: Annotated[dict[TierName, TierTable] | None, AfterValidator(lambda value: value and few(value))] = (
        None
    )
