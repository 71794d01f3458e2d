"""`loadstone image boot`: instances whose consoles are on the terminal."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loadstone.cli import image_machines as machines_
from loadstone.cli.console import typed_lines
from loadstone.cli.image_machines import Accel, Board
from loadstone.cli.terminal import Lines
from loadstone.errors import LoadstoneError

if TYPE_CHECKING:
    from loadstone.image import Fleet, Machine

_BUSY_PERCENT = 80
"""From here on an instance that may have siblings asks for one."""


def boot(
    what: machines_.What,
    machine: machines_.OfBoard = Board.MICROVM,
    memory: machines_.Memory = 16,
    port: machines_.Port = 8080,
    disk: machines_.Disks = None,
    instances: machines_.Instances = 1,
    grow_to: Annotated[
        int,
        typer.Option(
            min=0, max=256, metavar="N", help="Let busy instances start siblings, up to N instances in all."
        ),
    ] = 0,
    balancer: machines_.BalancerFile = None,
    reload: machines_.BalancerReload = "",
    cmdline: machines_.Cmdline = "",
    dhcp: machines_.Dhcp = False,
    tap: Annotated[
        str | None,
        typer.Option(
            metavar="DEVICE",
            help="TAP device of a network of yours, instead of a port of 127.0.0.1. For one instance.",
        ),
    ] = None,
    tls_cert: machines_.TlsCert = None,
    tls_key: machines_.TlsKey = None,
    accel: machines_.OfAccel = Accel.AUTO,
    monitor: Annotated[
        Path | None,
        typer.Option(
            metavar="SOCKET", help="Socket of QEMU's monitor to make, for `image backup --running`."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Announce the addresses as JSON.")] = False,
) -> None:
    """Boot an image under QEMU and print its console, until it ends or you press Ctrl-C.

    What you type goes to its console: `status`, `shutdown`. With several instances it goes to all, and
    `2: status` to the second. When one ends, the others go on; `image run` starts it again.

    Exit code: 0 ended well or stopped, 2 the guest refused what it was given, 4 it panicked or QEMU failed.

    Example: loadstone image boot surge --instances 2 --port 8080
    """
    from loadstone.image import HTTP_PORT, Balancer, Fleet, Siblings, ending
    from loadstone.measure import Interrupt

    most = max(instances, grow_to)
    if monitor and most > 1:
        raise LoadstoneError("image-options", "--monitor is for one instance")
    if tap and (most > 1 or balancer):
        raise LoadstoneError("image-options", "--tap is for one instance, without a balancer")
    machines_.check_ports(port, most)
    tls = machines_.tls_files(tls_cert, tls_key)
    described = machines_.machine(what, machine, memory, cmdline, dhcp, accel, monitor, tls, tap)
    if most > instances and "scale=" not in cmdline:
        described = replace(described, words=[*described.words, f"scale={_BUSY_PERCENT}"])
    possible = machines_.several(described, most, port, disk or [])
    machines, spare = possible[:instances], possible[instances:]
    if tap:
        addresses = machines_.own_addresses(described)
    else:
        addresses = [one.url(one.ports[HTTP_PORT]) for one in machines]
    _announce(described, addresses, as_json)

    talk = Lines(sys.stderr)
    consoles = talk if as_json else Lines(sys.stdout)
    siblings = Siblings(spare, talk.say, Balancer(balancer, reload) if balancer else None)

    def say(number: int, line: str) -> None:
        before = f"{number}: " if most > 1 else ""
        consoles.say(f"{before}{line}")
        siblings.hear(number, line)

    def ended(number: int, code: int) -> None:
        talk.say(f"{number}: {ending(code)}" if most > 1 else ending(code))
        siblings.miss(number)

    try:
        with (
            Interrupt().between_runs(),
            Fleet(machines, say) as fleet,
            siblings.attend(fleet),
            typed_lines(lambda line: _order(fleet, line, talk)),
        ):
            codes = fleet.wait(ended)
    except KeyboardInterrupt:
        return
    raise typer.Exit(max(map(machines_.exit_code, codes)))


def _order(fleet: Fleet, line: str, talk: Lines) -> None:
    if lacking := fleet.order(line):
        talk.say(lacking)


def _announce(machine: Machine, addresses: list[str], as_json: bool) -> None:
    if machine.accelerator == "tcg":
        print("no KVM: QEMU emulates the processor (TCG), about a tenth as fast", file=sys.stderr)
    if as_json:
        content = {"image": str(machine.kernel), "accelerator": machine.accelerator, "addresses": addresses}
        print(json.dumps(content), flush=True)
    else:
        where = ", ".join(addresses) or machine.tap
        print(f"{machine.kernel} at {where}; Ctrl-C ends it", file=sys.stderr)
