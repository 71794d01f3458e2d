"""The summary of a probe, from its plan and its lines: pairs, groups of kinds, pictures, sentences. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from loadstone.probe import infer
from loadstone.probe.flows import at_once, tcp_flows, udp_flows
from loadstone.probe.pictures import round_trips, steps
from loadstone.probe.trips import Entry, all_differences, icmp_trips, jitter, tcp_trips
from loadstone.stages.probe import (
    Described,
    Failure,
    Findings,
    Group,
    IcmpTrips,
    LostHost,
    Pair,
    Path,
    Pictures,
    TcpFlows,
    UdpFlows,
    Ways,
)

WAYS = ("to", "back")


def summary(plan: Mapping[str, Any], entries: Sequence[Entry]) -> Findings:
    """Everything of `probe.json` that comes from measurements."""
    planned = plan["options"]["repeats"]
    pairs, groups = [], []
    by_group: dict[str, list[Entry]] = {}
    for pair in plan["pairs"]:
        lines = [
            one for one in entries if (one.get("from"), one.get("to")) == (pair["source"], pair["target"])
        ]
        by_group.setdefault(pair["group"], []).extend(lines)
        pairs.append(
            Pair(
                **dict(described(lines)),
                name=f"{pair['source']} → {pair['target']}",
                source=pair["source"],
                target=pair["target"],
                group=pair["group"],
                rounds_planned=planned,
                path=_path(lines),
            )
        )
    for group, lines in by_group.items():
        members = [pair.name for pair in pairs if pair.group == group]
        groups.append(Group(**dict(described(lines)), name=group, pairs=members))
    together = at_once(_of(entries, "together"), _of(entries, "bandwidth"))
    return Findings(
        sentences=[
            *infer.of_groups(groups),
            *(infer.shared(one) for one in together),
            *(one for pair in pairs for one in infer.of_pair(pair)),
        ],
        lost={one["host"]: LostHost(**_without(one, "kind", "host")) for one in _of(entries, "lost")},
        failed=[Failure(**_without(one, "kind")) for one in _of(entries, "failed")],
        groups=groups,
        pairs=pairs,
        together=together,
        pictures=Pictures(
            round_trips=round_trips({group: _samples(lines) for group, lines in by_group.items()}),
            steps={group: steps(all_differences(_of(lines, "icmp"))) for group, lines in by_group.items()},
            load=round_trips({group: _loaded(lines) for group, lines in by_group.items()}),
        ),
    )


def described(lines: Sequence[Entry]) -> Described:
    """The quantities of one pair or group; None for what was not measured."""
    flows, udp = _of(lines, "bandwidth"), _of(lines, "udp")
    over, beneath = [one for one in udp if one["over"]], [one for one in udp if not one["over"]]
    return Described(
        icmp=icmp_trips(_of(lines, "icmp")),
        tcp=tcp_trips(_of(lines, "tcp")),
        jitter=jitter(_of(lines, "icmp")),
        under_load=Ways[IcmpTrips](**{way: icmp_trips(_under_load(_going(flows, way))) for way in WAYS}),
        bandwidth=Ways[TcpFlows](**{way: tcp_flows(_going(flows, way)) for way in WAYS}),
        udp=Ways[UdpFlows](**{way: udp_flows(_going(over, way)) for way in WAYS}),
        udp_beneath=Ways[UdpFlows](**{way: udp_flows(_going(beneath, way)) for way in WAYS}),
    )


def _samples(lines: Sequence[Entry]) -> dict[str, list[float]]:
    tcp = (ms for one in _of(lines, "tcp") for ms in one["times_ms"] if ms is not None)
    return {"icmp": _replies(_of(lines, "icmp")), "tcp": list(tcp)}


def _loaded(lines: Sequence[Entry]) -> dict[str, list[float]]:
    """Idle beside loaded round trips; nothing where there was no load."""
    flows = _of(lines, "bandwidth")
    samples = {way: _replies(_under_load(_going(flows, way))) for way in WAYS}
    return {"idle": _replies(_of(lines, "icmp"))} | samples if flows else {}


def _under_load(flows: Iterable[Entry]) -> list[Entry]:
    """The pings of bandwidth tests, as lines of their own."""
    return [one["under_load"] | {key: one[key] for key in ("round", "from", "to")} for one in flows]


def _replies(lines: Iterable[Entry]) -> list[float]:
    return [reply[1] for one in lines for reply in one["replies"]]


def _path(lines: Sequence[Entry]) -> Path | None:
    found = _of(lines, "path")
    return Path(**{key: found[0][key] for key in ("hops", "reached", "mtu")}) if found else None


def _going(lines: Iterable[Entry], way: str) -> list[Entry]:
    return [one for one in lines if one["way"] == way]


def _of(entries: Iterable[Entry], kind: str) -> list[Entry]:
    return [one for one in entries if one["kind"] == kind]


def _without(entry: Entry, *keys: str) -> Entry:
    return {key: value for key, value in entry.items() if key not in keys}
