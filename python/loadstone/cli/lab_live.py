"""`loadstone lab` on a lab that is up: its state, commands on its hosts, links and hosts that change."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from loadstone.cli.columns import columns
from loadstone.cli.lab_choice import lab_name, say
from loadstone.cli.options import Commands

if TYPE_CHECKING:
    from loadstone.lab import HostStatus

_UNREACHABLE = 3

link = Commands(no_args_is_help=True, help="Change links of a lab that is up.")
host = Commands(no_args_is_help=True, help="Let hosts of a lab die, start again, be repaired.")

Host = Annotated[str, typer.Argument(metavar="HOST", help="A host of the lab.")]
Hosts = Annotated[list[str], typer.Argument(metavar="HOST...", help="Hosts of the lab.")]
Words = Annotated[list[str] | None, typer.Argument(metavar="-- COMMAND...", help="What to run there.")]
Lab = Annotated[
    str | None,
    typer.Option("--lab", metavar="TOPOLOGY.toml|NAME", help="Which lab; the one there is by default."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def register(lab: typer.Typer) -> None:
    """Adds the commands to `loadstone lab`."""
    lab.command()(status)
    lab.command(name="exec")(exec_)
    lab.command()(ssh)
    lab.add_typer(link, name="link")
    lab.add_typer(host, name="host")


def status(
    topology: Annotated[
        str | None, typer.Argument(metavar="[TOPOLOGY.toml|NAME]", help="Topology file, or a lab's name.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show whether each host can be reached, why not, and where the frames of its link have gone.

    Exit code 3 when a host of the lab cannot be reached.

    Example: loadstone lab status seven-hosts
    """
    from loadstone.lab import lab_status

    name = lab_name(topology)
    state, hosts = lab_status(name)
    if as_json:
        print(json.dumps({"name": name, "state": state, "hosts": [asdict(one) for one in hosts]}, indent=2))
    else:
        print(f"{name}: {state}\n{_table(hosts)}")
        for one in hosts:
            if one.why:
                print(f"{one.host}: {one.why}")
    if state != "up" or any(one.why for one in hosts):
        raise typer.Exit(_UNREACHABLE)


def exec_(host: Host, command: Words = None, lab: Lab = None) -> None:
    """Run a command in a host of a lab without ssh, also when nothing reaches it; a shell without a command.

    Example: loadstone lab exec web1 -- ip -s link
    """
    from loadstone.errors import LoadstoneError
    from loadstone.lab import Folder, require, within

    name = lab_name(lab)
    require(name)
    record = Folder(name).read()
    if record is None:
        raise LoadstoneError("lab-missing", f"the lab `{name}` is not up", hint=f"loadstone lab down {name}")
    words = within(record, record.host(host), command or ["sh"])
    os.execvpe(words[0], words, {**os.environ, "LOADSTONE_LAB": name})


def ssh(host: Host, command: Words = None, lab: Lab = None) -> None:
    """Log in to a host of a lab by ssh, or run a command there.

    Example: loadstone lab ssh web1
    """
    from loadstone.lab import Folder, require

    name = lab_name(lab)
    require(name)
    folder = Folder(name)
    if record := folder.read():
        record.host(host)
    os.execvp("ssh", ["ssh", "-F", str(folder.path / "ssh_config"), host, *(command or [])])


@link.command(name="set")
def set_(
    hosts: Hosts,
    delay: Annotated[float | None, typer.Option(min=0, metavar="MS", help="Mean delay, one way.")] = None,
    jitter: Annotated[float | None, typer.Option(min=0, metavar="MS", help="Its deviation.")] = None,
    law: Annotated[
        Literal["normal", "uniform", "exponential"] | None, typer.Option(help="Law of the delay.")
    ] = None,
    loss: Annotated[
        float | None, typer.Option(min=0, max=1, metavar="SHARE", help="Share of frames lost.")
    ] = None,
    rate: Annotated[float | None, typer.Option(min=0, metavar="MBIT", help="Rate; 0: no limit.")] = None,
    burst: Annotated[float | None, typer.Option(min=0, metavar="KIB", help="Depth of the bucket.")] = None,
    queue: Annotated[float | None, typer.Option(min=0, metavar="MS", help="Longest wait.")] = None,
    cross: Annotated[float | None, typer.Option(min=0, metavar="MBIT", help="Cross-traffic.")] = None,
    only: Annotated[
        Literal["up", "down"] | None, typer.Option(help="Only from the host (up), or to it (down).")
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Start from a link without a shape.")] = False,
    cut: Annotated[bool | None, typer.Option("--cut/--mend", help="Nothing passes / all passes.")] = None,
    lab: Lab = None,
    as_json: Json = False,
) -> None:
    """Change links of hosts of a lab that is up: what is not named stays. Connections stay open.

    Example: loadstone lab link set web1 web2 --delay 20 --loss 0.01
    """
    from loadstone.errors import LoadstoneError
    from loadstone.lab import set_link

    given = {
        "delay_ms": delay,
        "jitter_ms": jitter,
        "law": law,
        "loss": loss,
        "rate_mbit": rate,
        "burst_kib": burst,
        "queue_ms": queue,
        "cross_mbit": cross,
    }
    changes: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    if rate == 0:
        changes["rate_mbit"] = None
    if not changes and not plain and cut is None:
        raise LoadstoneError("lab-link", "nothing to change", hint="say what: --delay 20, --cut, --mend ...")
    name = lab_name(lab)
    told = [set_link(name, one, changes, way=only, plain=plain, cut=cut) for one in hosts]
    if as_json:
        keys = ("name", "link", "carrier", "cut", "shape")
        print(json.dumps([{key: asdict(one)[key] for key in keys} for one in told], indent=2))
        return
    for one in told:
        print(f"{one.name}: {one.link} ({one.carrier}){', cut' if one.cut else ''}")


@host.command()
def kill(host: Host, lab: Lab = None) -> None:
    """End a host with all its processes at once, as a cut of its power would. Its disk stays.

    Example: loadstone lab host kill db
    """
    from loadstone.lab import kill_host

    kill_host(lab_name(lab), host)
    print(f"{host}: down")


@host.command()
def restart(host: Host, lab: Lab = None) -> None:
    """Start a host again, with its disk and its link; its services are not started.

    Example: loadstone lab host restart db
    """
    from loadstone.lab import restart_host

    restart_host(lab_name(lab), host, say)
    print(f"{host}: up")


@host.command()
def repair(host: Host, lab: Lab = None) -> None:
    """Make a host that runs reachable again: its device, address, keys and sshd. Nothing else is touched.

    Example: loadstone lab host repair web1
    """
    from loadstone.lab import repair_host

    repair_host(lab_name(lab), host)
    print(f"{host}: up")


def _table(hosts: list[HostStatus]) -> str:
    rows = []
    for one in hosts:
        row = [one.host, one.state, f"{one.link} ({one.carrier})" if one.carrier else "-"]
        for way in ("up", "down"):
            frames = one.traffic.get(way) or {}
            dropped = [
                f"{count} {cause.replace('_', ' ')}" for cause, count in frames.get("dropped", {}).items()
            ]
            row += [str(frames.get("offered", "-")), ", ".join(dropped) or ("none" if frames else "-")]
        rows.append(row)
    return columns(["host", "state", "link", "frames up", "dropped", "frames down", "dropped"], rows)
