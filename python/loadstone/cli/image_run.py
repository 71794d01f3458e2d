"""`loadstone image run`, `status`, `reload`, `move`, `stop`: images in service."""

from __future__ import annotations

import contextlib
import json
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loadstone import leave
from loadstone.cli import image_machines as machines_
from loadstone.cli.columns import columns
from loadstone.cli.image_machines import Accel, Board
from loadstone.cli.terminal import Lines
from loadstone.errors import SUT_UNREACHABLE, LoadstoneError

if TYPE_CHECKING:
    from loadstone.image import Supervisor

State = Annotated[Path, typer.Argument(metavar="STATE", help="State folder of `image run`.")]


def run(
    what: machines_.What,
    state: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="State folder. Default: NAME.state in the current folder."),
    ] = None,
    machine: machines_.OfBoard = Board.MICROVM,
    memory: machines_.Memory = 16,
    host: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Address of this machine to be reached at; 0.0.0.0 for all."),
    ] = "127.0.0.1",
    port: machines_.Port = 8080,
    disk: machines_.Disks = None,
    instances: machines_.Instances = 1,
    balancer: machines_.BalancerFile = None,
    reload: machines_.BalancerReload = "",
    cmdline: machines_.Cmdline = "",
    dhcp: machines_.Dhcp = False,
    tls_cert: machines_.TlsCert = None,
    tls_key: machines_.TlsKey = None,
    accel: machines_.OfAccel = Accel.AUTO,
    check: Annotated[
        str, typer.Option(metavar="PATH", help="Path that is asked for each second to see that all is well.")
    ] = "/",
    patience: Annotated[
        float,
        typer.Option(
            min=1, max=86400, metavar="SECONDS", help="Restart an instance that has not answered for so long."
        ),
    ] = 60,
    restarts: Annotated[
        int, typer.Option(min=0, max=1000000, help="Restarts in a row after which an instance is given up.")
    ] = 10,
    grace: Annotated[
        float,
        typer.Option(
            min=0,
            max=86400,
            metavar="SECONDS",
            help="Time of an instance to finish its work when it is ended.",
        ),
    ] = 10,
    log_size: Annotated[
        int,
        typer.Option(min=1, max=1 << 20, metavar="KIB", help="Size of a file of a console's log, in KiB."),
    ] = 1024,
) -> None:
    """Keep instances of an image up until SIGTERM or Ctrl-C: start again what ends or no longer answers.

    Consoles, and the reason of each end, are in the state folder. A second signal ends without waiting.

    Exit code: 0 stopped, 130 by a second signal, 2 or 4 every instance was given up, as of `image boot`.

    Example: loadstone image run olio --disk olio.disk --state olio.state
    """
    from loadstone.image import HTTP_PORT, Balancer, Control, Policy, StateFolder, Supervisor, ending

    if not check.startswith("/") or any(ord(one) <= 32 or ord(one) > 126 for one in check):
        raise LoadstoneError("image-options", f"`{check}` is no path of a site", hint="such as /events")
    machines_.check_host(host)
    machines_.check_ports(port, instances)
    tls = machines_.tls_files(tls_cert, tls_key)
    described = machines_.machine(what, machine, memory, cmdline, dhcp, accel, tls=tls)
    described_all = machines_.several(replace(described, host=host), instances, port, disk or [])
    machines_.check_free([one.ports[HTTP_PORT] for one in described_all], host)
    policy = Policy(check, patience, restarts, grace, log_size << 10)
    talk = Lines(sys.stderr)
    place = state or Path(f"{described.kernel.stem}.state")
    with contextlib.closing(StateFolder(place)) as folder:
        words = partial(machines_.own_words, dhcp)
        shown = Balancer(balancer, reload) if balancer else None
        supervisor = Supervisor(folder, described_all, policy, talk.say, words, shown)
        with _told_to_end(supervisor) as signals, supervisor, Control(folder.path / "control", supervisor):
            talk.say(f"{described.kernel} in service, state in {place}; Ctrl-C ends it")
            codes = supervisor.wait()
    if len(signals) > 1:
        raise typer.Exit(leave.INTERRUPTED)
    for code in codes:
        talk.say(ending(code))
    raise typer.Exit(max(map(machines_.exit_code, codes), default=0))


def status(
    state: State, as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False
) -> None:
    """Show the instances: addresses, since when they run, restarts, the last end, health.

    Exit code: 0 all are healthy, 3 some are not, 2 no supervisor runs there.

    Example: loadstone image status olio.state
    """
    from loadstone.image import ask

    found = ask(state, {"do": "status"})
    if as_json:
        print(json.dumps(found, indent=2))
    else:
        print(
            columns(
                ["", "state", "address", "since", "restarts", "last end"], [*map(_row, found)], {"restarts"}
            )
        )
    for one in found:
        if one["why"]:
            print(f"{one['instance']}: {one['why']}", file=sys.stderr)
    if not all(one["healthy"] for one in found):
        raise typer.Exit(SUT_UNREACHABLE)


def reload(
    state: State,
    image: Annotated[
        str | None, typer.Argument(metavar="APP|FILE", help="New image. Without it the one that runs.")
    ] = None,
    cmdline: Annotated[
        str | None,
        typer.Option(metavar="WORDS", help="New words for the guest, instead of those that `run` gave it."),
    ] = None,
    pause: Annotated[
        float,
        typer.Option(
            min=0, max=86400, metavar="SECONDS", help="Wait between two instances, for a balancer's checks."
        ),
    ] = 3,
) -> None:
    """Bring a new image or new words to one instance after another; each is well before the next begins.

    With TLS each reads its certificate anew, also when nothing else is.

    One that does not get well is taken back: what ran before serves on, and the command ends with an error.

    Example: loadstone image reload olio.state olio.elf
    """
    from loadstone.image import ask

    with_tls = any(one["address"].startswith("https:") for one in ask(state, {"do": "status"}))
    if image is None and cmdline is None and not with_tls:
        raise LoadstoneError("image-options", "nothing new to reload", hint="give an image, or --cmdline")
    file = machines_.image_file(image, beside=["tls"] if with_tls else []) if image else None
    order = {"do": "reload", "image": file and str(file.absolute()), "cmdline": cmdline, "pause_s": pause}
    ask(state, order, lambda sentence: print(sentence, file=sys.stderr))


def scale(
    state: State,
    instances: Annotated[int, typer.Argument(min=1, max=256, metavar="N", help="Number of instances.")],
    disk: machines_.Disks = None,
) -> None:
    """Have N instances: start more behind the last one, or end the last ones in good order.

    If the instances have disks, each new one needs one: --disk, once for each.

    Example: loadstone image scale surge.state 4
    """
    from loadstone.image import ask

    disks = [str(one.absolute()) for one in machines_.checked_disks(disk or [])]
    order = {"do": "scale", "instances": instances, "disks": disks}
    ask(state, order, lambda sentence: print(sentence, file=sys.stderr))


def move(
    state: State,
    instance: Annotated[int, typer.Argument(min=1, metavar="N", help="Number of the instance.")],
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Port of 127.0.0.1 to be reached at from now on.")
    ] = None,
    disk: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File to bring its disk to, while it serves.")
    ] = None,
    live: Annotated[
        bool,
        typer.Option(
            "--live", help="Go on in a new process of QEMU, with its memory, when its connections are done."
        ),
    ] = False,
    to: Annotated[
        str | None,
        typer.Option(metavar="HOST", help="Host to bring it to, as ssh knows it. It stops for that."),
    ] = None,
    there: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="With --to: folder to make there for image, disk and state."),
    ] = None,
    address: Annotated[
        str, typer.Option(metavar="ADDRESS", help="With --to: address of that host to be reached at.")
    ] = "0.0.0.0",
    ssh_config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="With --to: configuration for ssh, such as a lab's.")
    ] = None,
    python: Annotated[
        str | None, typer.Option(metavar="FILE", help="With --to: Python there, with Loadstone.")
    ] = None,
) -> None:
    """Move an instance: to another port, its disk to another file, itself to another process, while it runs.

    With --to it goes to another host: it ends in good order, its disk is copied, and it is started there.

    Example: loadstone image move olio.state 1 --disk /mnt/new/olio.disk
    """
    from loadstone.image import ask

    if to is not None:
        if disk is not None or live:
            raise LoadstoneError(
                "image-options", "--to takes the instance with its disk", hint="leave the rest out"
            )
        if there is None or not there.startswith("/") or to.startswith("-"):
            raise LoadstoneError(
                "image-options", "--to needs a host and --there", hint="such as --there /srv/olio"
            )
        machines_.check_host(address)
        now = next((one for one in ask(state, {"do": "status"}) if one["instance"] == instance), None)
        known = int(now["address"].rpartition(":")[2]) if now else 0
        place: dict[str, Any] = {
            "host": to,
            "folder": there.rstrip("/"),
            "python": python or sys.executable,
            "address": address,
        }
        place |= {"port": port or known, "config": ssh_config and str(ssh_config.absolute())}
        print(ask(state, {"do": "move away", "instance": instance, "to": place}), file=sys.stderr)
        return
    if port is None and disk is None and not live:
        raise LoadstoneError("image-options", "nowhere to move to", hint="--port, --disk, --live or --to")
    if port is not None:
        machines_.check_free([port])
    where = disk and str(disk.absolute())
    order = {"do": "move", "instance": instance, "port": port, "disk": where, "live": live}
    for sentence in ask(state, order):
        print(sentence, file=sys.stderr)


def stop(state: State) -> None:
    """Have all instances finish their work and end, and the supervisor with them.

    Example: loadstone image stop olio.state
    """
    from loadstone.image import ask, await_end

    ask(state, {"do": "stop"})
    await_end(state)


def _row(one: dict[str, Any]) -> list[str]:
    last = one["last_end"]
    next_start = f" {one['next_start_s']:g} s" if one["next_start_s"] is not None else ""
    return [
        str(one["instance"]),
        one["state"] + next_start,
        one["address"],
        one["since"] or "–",
        str(one["restarts"]),
        f"{last['at']} {last['reason']}" if last else "–",
    ]


@contextlib.contextmanager
def _told_to_end(supervisor: Supervisor) -> Iterator[list[int]]:
    """The signals so far: the first has it stop, the second at once."""
    told: list[int] = []

    def handle(number: int, _frame: FrameType | None) -> None:
        told.append(number)
        if len(told) > 1:
            supervisor.hurry()
        supervisor.stop()

    numbers = [signal.SIGINT, signal.SIGTERM]
    # A terminal that is closed; `nohup` has it ignored.
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    with leave.handling(numbers, handle):
        yield told
