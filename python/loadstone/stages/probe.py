"""`probe.json`: what lies between hosts, and what follows from it (docs/reference/probe.md)."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, TypeVar

from pydantic import Field

from loadstone.intake.shapes import Count, Figure, Known, Seconds, Text, Word, Yes
from loadstone.stages.base import Piece
from loadstone.stages.origin import Origin
from loadstone.stages.probe_before import from_format_1

Of = TypeVar("Of")


class Estimate(Piece):
    """A mean over repeats with its 95 % interval (Student's t)."""

    value: Figure
    low: Known
    """None with fewer than two repeats: nothing is known of the spread."""
    high: Known
    repeats: Count


class Ways(Piece, Generic[Of]):
    """To the target and back; None what was not measured."""

    to: Of | None
    back: Of | None

    def named(self) -> dict[str, Of | None]:
        """Both by name."""
        return {"to": self.to, "back": self.back}


class Loss(Piece):
    """A share of packets with its 95 % interval (Wilson)."""

    sent: Count
    lost: int
    """Below 0 where more arrived than was sent: the network made copies."""
    loss: Known
    loss_low: Figure
    loss_high: Figure


class Trips(Loss):
    """Round trips; quantiles are None where nothing came back."""

    rounds: Count
    mean_ms: Estimate | None
    min_ms: Known = None
    q1_ms: Known = None
    median_ms: Known = None
    q3_ms: Known = None
    p95_ms: Known = None
    p99_ms: Known = None
    max_ms: Known = None
    median_by_round_ms: dict[str, Figure] = Field(default_factory=dict)
    rounds_differ_p: Known = None
    """Kruskal-Wallis."""


class IcmpTrips(Trips):
    """By `ping`."""

    duplicates: Count


class TcpTrips(Trips):
    """By `connect`."""

    ports: list[Count]
    accepted: Count
    refused: Count


class Jitter(Piece):
    """Differences of consecutive round trips, by their size."""

    differences: Count
    mean_ms: Estimate | None
    median_ms: Figure
    p95_ms: Figure
    p99_ms: Figure
    rfc3550_ms: Figure


class Flows(Piece):
    """Tests of bandwidth; rates are of payload, Mbit/s."""

    tests: Count
    mbit_per_s: Estimate
    mbit_per_s_by_round: list[Figure]
    busy: Known
    """Share of a processor that the busier iperf3 used."""


class Burst(Piece):
    """What came above the steady rate at the start of a test."""

    ratio: Figure
    kib: Figure
    tests: Count


class TcpFlows(Flows):
    """TCP; `steady` is the second half of a test."""

    steady_mbit_per_s: Estimate | None
    variation: Known
    """Between rounds: the deviation as a share of the mean."""
    burst: Burst | None
    congestion_control: list[Word]
    retransmits: Count
    mss: Count | None
    """Bytes."""


class UdpFlows(Flows, Loss):
    """UDP, all over or all beneath what fits."""

    offered_mbit_per_s: Figure
    jitter_ms: Estimate | None


class Described(Piece):
    """The quantities of one pair or group; None what was not measured."""

    icmp: IcmpTrips | None
    tcp: TcpTrips | None
    jitter: Jitter | None
    under_load: Ways[IcmpTrips]
    bandwidth: Ways[TcpFlows]
    udp: Ways[UdpFlows]
    udp_beneath: Ways[UdpFlows]


class Group(Described):
    """All pairs of the same kinds of hosts."""

    name: Word
    pairs: list[Word]


class Path(Piece):
    """The routers on the way; None one that keeps silent. The last hop is the target where it was reached."""

    hops: list[Word | None]
    reached: Yes
    mtu: Count | None
    """Bytes of the largest packet that passes whole."""


class Pair(Described):
    """A source and a target."""

    name: Word
    source: Word = Field(validation_alias="from", serialization_alias="from")
    target: Word = Field(validation_alias="to", serialization_alias="to")
    group: Word
    rounds_planned: Count
    path: Path | None


class Together(Piece):
    """Pairs at once beside each alone in the same rounds; sums of rates."""

    set: Word
    pairs: list[Word]
    rounds: Count
    alone_mbit_per_s: Estimate
    fastest_alone_mbit_per_s: Estimate
    at_once_mbit_per_s: Estimate
    ratio: Estimate | None
    busy: Figure


class Sentence(Piece):
    """What the evidence says, or that it does not suffice."""

    about: Word
    """`link`, `congestion`, `load`, `path`, `distance`, `shared` or `groups`."""
    where: Word
    """The pair, the set of pairs, or nothing of all."""
    said: Yes
    """False: the evidence does not suffice, and the text says why."""
    text: Text
    evidence: dict[str, Any] = Field(default_factory=dict)
    """Figures of the groups and pairs, by their names there."""


class Failure(Piece):
    """A measurement that gave no figure."""

    round: Count
    source: Word | None = Field(default=None, validation_alias="from", serialization_alias="from")
    target: Word | None = Field(default=None, validation_alias="to", serialization_alias="to")
    set: Word | None = None
    """Of pairs at once."""
    what: Word
    words: Text


class LostHost(Piece):
    """A host that went away."""

    round: Count
    words: Text


class Host(Piece):
    """A host that was measured."""

    kind: Word | None = None
    address: Word


class Asked(Piece):
    """The options."""

    repeats: Count
    packets: Count
    interval_s: Seconds
    seconds: Count
    """Of each bandwidth test."""
    streams: Count


class Axis(Piece):
    """The axis that all groups of a picture share."""

    log: Yes
    low_ms: Figure
    high_ms: Figure


class Box(Piece):
    """Tukey's box, milliseconds."""

    low: Figure
    q1: Figure
    median: Figure
    q3: Figure
    high: Figure


class Drawn(Piece):
    """A sample as it is drawn."""

    values: Count
    box_ms: Box
    outside: Count
    """Beyond the whiskers."""
    beyond_axis: Count
    points_ms: list[Figure]
    at_ms: list[Figure]
    density: list[Figure]


class Picture(Piece):
    """Samples by group, then by way of measuring; no axis without any."""

    axis: Axis | None
    groups: dict[str, dict[str, Drawn]]


class Steps(Piece):
    """The density of a group's differences."""

    high_ms: Figure
    at_ms: list[Figure]
    density: list[Figure]
    beyond: Count
    values: Count


class Pictures(Piece):
    """What the charts show."""

    round_trips: Picture
    steps: dict[str, Steps | None]
    load: Picture


class Findings(Piece):
    """All that follows from the measurements."""

    sentences: list[Sentence]
    lost: dict[str, LostHost]
    failed: list[Failure]
    groups: list[Group]
    pairs: list[Pair]
    together: list[Together]
    pictures: Pictures


class Probe(Findings, Origin):
    """The whole record."""

    FILE: ClassVar[str] = "probe.json"
    KIND: ClassVar[str] = "probe"
    FORMAT: ClassVar[int] = 2
    BEFORE: ClassVar[Any] = {1: from_format_1}

    hosts: dict[str, Host]
    options: Asked
