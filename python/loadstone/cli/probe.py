"""`loadstone probe`: what lies between hosts."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loadstone.cli.columns import columns
from loadstone.errors import SUT_UNREACHABLE, LoadstoneError
from loadstone.intake import Kind, read_text

if TYPE_CHECKING:
    from loadstone.lab import Topology
    from loadstone.probe import Options, Pair
    from loadstone.probe.hosts import Hosts
    from loadstone.stages.probe import Probe

EXAMPLES = """
Measure round trips, jitter, loss, bandwidth and path between hosts, and infer what lies between.

With a topology: one pair of hosts for any two kinds, and the first two hosts of a kind that has two.
Without one: from this machine to the addresses. Bandwidth then needs `iperf3 -s` there and --iperf3-port.

Examples:

  loadstone probe topology.toml --from client --to web1,web2 --repeats 5 --seconds 3

  loadstone probe db.example:5432 198.18.0.7
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("probe", help=EXAMPLES, no_args_is_help=True)(probe)


def probe(
    targets: Annotated[
        list[str],
        typer.Argument(metavar="TOPOLOGY.toml | HOST[:PORT]...", help="A topology file, or addresses."),
    ],
    sources: Annotated[
        str | None, typer.Option("--from", metavar="A,B", help="Hosts to measure from.")
    ] = None,
    to: Annotated[str | None, typer.Option("--to", metavar="C,D", help="Hosts to measure to.")] = None,
    pairs: Annotated[
        str, typer.Option(help="`kinds`: one pair for two kinds; `all`: any two hosts.")
    ] = "kinds",
    only: Annotated[
        str,
        typer.Option(metavar="A,B", help="What to measure: icmp, tcp, bandwidth, udp, path. Default: all."),
    ] = "",
    repeats: Annotated[int, typer.Option(help="Number of rounds. Each round measures every pair once.")] = 10,
    packets: Annotated[
        int, typer.Option(help="Round trips by ICMP, and as many by TCP, for each pair and round.")
    ] = 30,
    interval: Annotated[float, typer.Option(help="Seconds between two round trips.")] = 0.02,
    seconds: Annotated[int, typer.Option(help="Seconds of each bandwidth test.")] = 2,
    streams: Annotated[int, typer.Option(help="Parallel streams of a bandwidth test.")] = 1,
    port: Annotated[int, typer.Option(help="Port of the iperf3 servers that the probe starts.")] = 45_201,
    tcp_port: Annotated[
        int | None,
        typer.Option(help="Port for TCP round trips. A closed port answers, too. Default: --port."),
    ] = None,
    udp_mbit: Annotated[
        float | None, typer.Option(help="Rate of the UDP test. Default: 1.2 times what TCP carried.")
    ] = None,
    together: Annotated[
        bool, typer.Option(help="Also load several pairs at once and compare with each pair alone.")
    ] = False,
    iperf3_port: Annotated[
        int | None, typer.Option(help="Without a topology: port at which `iperf3 -s` listens on the targets.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder. Default: runs/TIME-probe.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print probe.json instead of the tables.")] = False,
) -> None:
    """Parses, checks, measures, reports; the help text is `EXAMPLES`."""
    from datetime import UTC, datetime

    from loadstone.probe.options import Options, check, measures_of

    topology = _topology(targets)
    if topology and iperf3_port is not None:
        raise LoadstoneError(
            "probe-options",
            "with a topology, Loadstone starts the iperf3 servers itself",
            place="--iperf3-port",
        )
    measures = measures_of(_split(only))
    if not topology and iperf3_port is None:
        asked = {"bandwidth", "udp"} & set(_split(only))
        if asked or together:
            hint = "start `iperf3 -s` at the targets and give --iperf3-port, or use a topology"
            raise LoadstoneError(
                "probe-options", "without a topology, Loadstone cannot start iperf3 at the targets", hint=hint
            )
        measures = tuple(one for one in measures if one not in ("bandwidth", "udp"))
    own = iperf3_port if iperf3_port is not None else port
    trips = tcp_port if tcp_port is not None else port
    options = check(
        Options(
            repeats, packets, interval, seconds, streams, own, trips, udp_mbit, measures, together,
            serve=topology is not None,
        )
    )  # fmt: skip
    chosen = _pairs(topology, targets, _split(sources or ""), _split(to or ""), pairs, options)
    folder = out or Path("runs") / f"{datetime.now(UTC):%Y%m%d-%H%M%S}-probe"
    record = _measure(folder, topology, chosen, options)
    typer.echo(json.dumps(record.content(), indent=2, ensure_ascii=False) if as_json else _text(record))
    print(f"wrote {folder / 'report.html'}", file=sys.stderr)
    if record.lost:
        for host, about in record.lost.items():
            print(f"warning: lost `{host}` in round {about.round}: {about.words}", file=sys.stderr)
        raise typer.Exit(SUT_UNREACHABLE)


def _measure(folder: Path, topology: Topology | None, pairs: list[Pair], options: Options) -> Probe:
    """Measures into `folder`, to the end or to Ctrl-C, and reports."""
    from loadstone.measure.interrupt import Interrupt
    from loadstone.probe import Prober, append, begin, check_hosts, conclude
    from loadstone.record import write_text
    from loadstone.report.probe import probe_page

    name = topology.name if topology else ", ".join(dict.fromkeys(pair.target for pair in pairs))
    text = read_text(topology.path, Kind("topology-missing", "a topology")) if topology else None
    interrupt = Interrupt()
    with _reached(topology) as hosts:
        _say("looking at the hosts")
        check_hosts(hosts, pairs, options)
        begin(folder, name, sys.argv, _about(topology, hosts, pairs), pairs, options, text)
        minutes = options.repeats * len(pairs) * options.pair_s() / 60
        _say(f"{len(pairs)} pairs, {options.repeats} rounds, about {minutes:.1f} min, into {folder}")
        prober = Prober(
            hosts, options, lambda entry: append(folder, entry), lambda: interrupt.requested, _say
        )
        with interrupt:
            prober.run(pairs)
    record = conclude(folder, "interrupted" if interrupt.requested else "complete")
    write_text(folder / "report.html", probe_page([(folder, record)]))
    return record


def _topology(targets: list[str]) -> Topology | None:
    """The topology, if the only argument is the name of a file."""
    if not any("/" in one or one.endswith(".toml") for one in targets):
        return None
    if len(targets) > 1:
        raise LoadstoneError("probe-options", "give one topology, or addresses alone")
    from loadstone.lab import load_topology

    return load_topology(Path(targets[0]))


def _pairs(
    topology: Topology | None,
    targets: list[str],
    sources: list[str],
    to: list[str],
    which: str,
    options: Options,
) -> list[Pair]:
    from loadstone.probe import pairs as choosing
    from loadstone.probe.hosts import HERE
    from loadstone.probe.options import port_of

    if which not in ("kinds", "all"):
        raise LoadstoneError("probe-options", f"`{which}` is neither `kinds` nor `all`", place="--pairs")
    if topology is None:
        if sources or to or which == "all":
            message = "without a topology every pair goes from this machine"
            raise LoadstoneError("probe-options", message, place="--from, --to, --pairs")
        found = [
            choosing.Pair(HERE, host, f"{HERE} → {host}", port)
            for host, port in map(port_of, dict.fromkeys(targets))
        ]
        if len({pair.target for pair in found}) < len(found):
            raise LoadstoneError("probe-options", "an address is given with two ports", hint="give it once")
    else:
        kinds = {host.name: host.kind for host in topology.file.host}
        if sources or to:
            found = choosing.chosen_pairs(kinds, sources, to)
        else:
            found = choosing.all_pairs(kinds) if which == "all" else choosing.default_pairs(kinds)
        if not found:
            raise LoadstoneError("probe-host", "the topology has no two hosts to measure between")
    if options.together and not choosing.together_sets(found):
        hint = "choose pairs with a common target, or with no host in common, by --from and --to"
        message = "no two pairs have a common target, or no host in common"
        raise LoadstoneError("probe-options", message, place="--together", hint=hint)
    return found


@contextlib.contextmanager
def _reached(topology: Topology | None) -> Iterator[Hosts]:
    from loadstone.probe.hosts import Here

    if topology is None:
        yield Here()
        return
    from loadstone.ssh import ssh

    with ssh(topology) as hosts:
        yield hosts


def _about(topology: Topology | None, hosts: Hosts, pairs: list[Pair]) -> dict[str, dict[str, Any]]:
    """Kind and address of every host measured."""
    kinds = {host.name: host.kind for host in topology.file.host} if topology else {}
    names = dict.fromkeys(host for pair in pairs for host in (pair.source, pair.target))
    return {name: {"kind": kinds.get(name), "address": hosts.address(name)} for name in names}


def _text(record: Probe) -> str:
    """The tables of pairs, and the sentences."""
    from loadstone.report.probe import pair_table

    table = pair_table(record)
    rows = [[words for _, words in table.cells(row)] for row in table.rows]
    head = [column.label for column in table.columns]
    right = {column.label for column in table.columns if column.numeric}
    parts = [columns(head, rows, right), ""]
    parts += [f"{one.where or 'All'}: {one.text}" for one in record.sentences]
    if record.failed:
        parts += ["", f"{len(record.failed)} measurements failed, such as: {record.failed[0].words}"]
    return "\n".join(parts)


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _say(words: str) -> None:
    print(f"  {words}", file=sys.stderr, flush=True)
