"""`loadstone lab`: hosts on this machine, each reached by ssh as a real one would be."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loadstone.cli import lab_live
from loadstone.cli.columns import columns
from loadstone.cli.lab_choice import lab_name, say
from loadstone.cli.options import Commands

if TYPE_CHECKING:
    from loadstone.lab import Measured, RoundTrip, Topology

lab = Commands(
    no_args_is_help=True, help="Run hosts on this machine that are reached by ssh, like real ones."
)

TopologyPath = Annotated[Path, typer.Argument(metavar="TOPOLOGY.toml", help="Topology file.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    lab_live.register(lab)
    app.add_typer(lab, name="lab")


@lab.command()
def up(topology: TopologyPath, as_json: Json = False) -> None:
    """Bring up the hosts and links of a topology. Real machines in it are left alone.

    Example: loadstone lab up examples/lab/seven-hosts.toml
    """
    from loadstone.lab import Folder, labs
    from loadstone.lab import up as bring_up

    wanted = _load(topology)
    started = time.monotonic()
    record = bring_up(wanted, say)
    took_s = time.monotonic() - started
    for note in record.notes:
        print(f"warning: {note}", file=sys.stderr)
    if as_json:
        print(json.dumps(labs(record.name)[0] | {"took_s": round(took_s, 3)}, indent=2))
        return
    print(f"{record.name}: {len(wanted.hosts)} hosts ready in {took_s:.1f} s")
    print(f"  ssh -F {Folder(record.name).path / 'ssh_config'} {record.hosts[0].name}")


@lab.command()
def down(
    topology: Annotated[
        str, typer.Argument(metavar="TOPOLOGY.toml|NAME", help="Topology file, or a lab's name.")
    ],
    as_json: Json = False,
) -> None:
    """Take a lab down and remove everything of it, even what a killed command has left.

    Example: loadstone lab down seven-hosts
    """
    from loadstone.lab import down as take_down

    removed = take_down(lab_name(topology))
    if as_json:
        print(json.dumps(asdict(removed), indent=2))
    elif removed.there:
        print(f"{removed.name}: removed, {removed.processes} processes ended")
    else:
        print(f"{removed.name}: nothing to remove")


@lab.command(name="list")
def list_(
    topology: Annotated[
        str | None, typer.Argument(metavar="[TOPOLOGY.toml|NAME]", help="Topology file, or a lab's name.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show labs, their hosts, addresses and links.

    Example: loadstone lab list
    """
    from loadstone.lab import labs, require

    name = lab_name(topology) if topology else None
    if name:
        require(name)
    found = labs(name)
    if as_json:
        print(json.dumps(found, indent=2))
    else:
        print("\n\n".join(_lab_table(one) for one in found) or "no lab")


@lab.command()
def calibrate(
    topology: TopologyPath,
    seconds: Annotated[float, typer.Option(min=0.5, help="Seconds of each measurement.")] = 3.0,
    as_json: Json = False,
) -> None:
    """Measure the links of a lab that is up, by ping and iperf3, and compare them with what was asked for.

    Example: loadstone lab calibrate examples/lab/seven-hosts.toml
    """
    from loadstone.lab import Folder, calibrate_links, current, lateness

    wanted = _load(topology)
    record = current(wanted)
    measured = list(calibrate_links(wanted, record, seconds, say))
    late = lateness(Folder(wanted.name))
    if as_json:
        results = [asdict(one) | {"late_us": late.get(one.host)} for one in measured]
        print(json.dumps(results, indent=2))
    else:
        print(_calibration_table(measured, late))


def _load(path: Path) -> Topology:
    from loadstone.lab import load_topology

    return load_topology(path)


def _lab_table(one: dict[str, Any]) -> str:
    if not one["hosts"]:
        return f"{one['name']}: {one['state']}"
    rows = []
    for host in one["hosts"]:
        size = [
            f"{host['cpus']:g} CPU" if host["cpus"] else "",
            f"{host['memory_mib']} MiB" if host["memory_mib"] else "",
        ]
        link = f"{host['link']} ({host['carrier']})" if host["carrier"] else "-"
        rows.append(
            [
                host["name"],
                host["kind"],
                host["address"],
                host["state"],
                ", ".join(filter(None, size)) or "-",
                link,
            ]
        )
    head = ["host", "kind", "address", "state", "size", "link"]
    notes = "".join(f"\nwarning: {note}" for note in one["notes"])
    return f"{one['name']}: {one['state']}, {one['subnet']}\n{columns(head, rows)}{notes}"


def _calibration_table(measured: list[Measured], late: dict[str, dict[str, int]]) -> str:
    head = [
        "host",
        "carrier",
        "RTT asked ms",
        "measured",
        "loss asked %",
        "measured",
        "Mbit/s up",
        "measured",
    ]
    head += ["down", "measured", "late µs p50/p99"]
    rows = []
    for one in measured:
        low, high = one.loss_interval
        row = [one.host, one.carrier, _times(one.asked), _times(one.found), f"{100 * one.asked.loss:.2f}"]
        row.append(f"{100 * one.found.loss:.2f} ({100 * low:.2f}–{100 * high:.2f})")
        for way in ("up", "down"):
            expected, found = one.rates.get(way, (None, None))
            row += [f"{expected:.1f}" if expected else "-", f"{found:.1f}" if found is not None else "-"]
        late_us = late.get(one.host)
        rows.append([*row, f"{late_us['p50']} / {late_us['p99']}" if late_us else "-"])
    return columns(head, rows)


def _times(trip: RoundTrip) -> str:
    return "-" if trip.mean_ms is None else f"{trip.mean_ms:.3f} ± {trip.sd_ms:.3f}"
