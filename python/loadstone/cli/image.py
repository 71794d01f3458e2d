"""`loadstone image`: applications as images that boot without an operating system."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loadstone.cli import image_copies
from loadstone.cli.columns import columns
from loadstone.cli.console import typed_lines
from loadstone.cli.image_disk import disk as disk_command
from loadstone.cli.options import Commands
from loadstone.cli.terminal import Lines
from loadstone.errors import BAD_INPUT, OUR_FAULT, LoadstoneError

if TYPE_CHECKING:
    from loadstone.image import Accelerator, Fleet, Image, Machine

image = Commands(
    no_args_is_help=True, help="Build and boot applications as images without an operating system."
)

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
_KIB = 1024
_MIB = 1024 * _KIB
_BUSY_PERCENT = 80
"""From here on an instance that may have siblings asks for one."""


class Board(StrEnum):
    """QEMU's machines that images know."""

    MICROVM = "microvm"
    Q35 = "q35"


class Accel(StrEnum):
    """What runs the guest's instructions."""

    AUTO = "auto"
    KVM = "kvm"
    TCG = "tcg"


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    image.command("disk")(disk_command)
    for one in (image_copies.check, image_copies.export, image_copies.backup, image_copies.restore):
        image.command(one.__name__)(one)
    app.add_typer(image, name="image")


@image.command()
def build(
    app: Annotated[str, typer.Argument(help="Application to build: files, surge, olio, rubis, …")],
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder that the image `files` serves. Its files become part of the image."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File to write. Default: APP.elf in the current folder."),
    ] = None,
    link: Annotated[
        str | None,
        typer.Option(
            metavar="PARTS",
            help="Parts to link in: mmio, pci, dhcp, metrics, guard. The others are left out.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Build an image from the checkout's sources, with the stable Rust compiler alone.

    FILE.symbols beside the image gets its symbols, for `inspect`.

    Example: loadstone image build files --folder public --out site.elf
    """
    from loadstone.image import build_image, symbols_beside

    parts = None if link is None else [part.strip() for part in link.split(",") if part.strip()]
    made = build_image(app, out or Path(f"{app}.elf"), folder, parts)
    if as_json:
        print(json.dumps(_content(made.stripped, made.symbols) | {"features": made.features}, indent=2))
        return
    print(_told(made.stripped, made.symbols))
    print(f"linked of the library OS: {', '.join(made.features)}")
    print(f"wrote {made.stripped.path} and {symbols_beside(made.stripped.path).name}", file=sys.stderr)


@image.command()
def inspect(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Image to look into.")],
    address: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS", help="Address from a backtrace: print where it lies in the source. Repeatable."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Look into an image: what a hypervisor loads, bytes by crate and section, drivers, source of addresses.

    Example: loadstone image inspect olio.elf --address 0x11f3a2
    """
    from loadstone.image import places, read_image, symbols_beside

    found = read_image(file)
    beside = symbols_beside(file)
    symbols = found if found.symbols or not beside.is_file() else read_image(beside)
    if address:
        lines = places(symbols, [_number(word) for word in address])
        print(json.dumps(lines, indent=2) if as_json else "\n".join(lines))
        return
    print(json.dumps(_content(found, symbols), indent=2) if as_json else _told(found, symbols))
    for warning in found.warnings:
        print(f"warning: {warning}", file=sys.stderr)


@image.command()
def boot(
    what: Annotated[
        str,
        typer.Argument(metavar="APP|FILE", help="Image file, or an application whose image is built first."),
    ],
    machine: Annotated[Board, typer.Option(help="QEMU's machine.")] = Board.MICROVM,
    memory: Annotated[
        int, typer.Option(min=1, max=65536, metavar="MIB", help="Memory of the guest, in MiB.")
    ] = 16,
    port: Annotated[
        int,
        typer.Option(min=0, max=65535, help="Port of 127.0.0.1 that leads to the guest. 0 takes a free one."),
    ] = 8080,
    disk: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Disk of the guest. Repeat the option to give each instance its own."
        ),
    ] = None,
    instances: Annotated[
        int, typer.Option(min=1, max=256, help="Number of instances. They get consecutive ports.")
    ] = 1,
    grow_to: Annotated[
        int,
        typer.Option(
            min=0, max=256, metavar="N", help="Let busy instances start siblings, up to N instances in all."
        ),
    ] = 0,
    balancer: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Keep the list of addresses in this file, in a form that nginx can include."
        ),
    ] = None,
    reload: Annotated[
        str, typer.Option(metavar="COMMAND", help="Command that makes the balancer read the list again.")
    ] = "",
    cmdline: Annotated[
        str, typer.Option(metavar="WORDS", help="Further words for the guest's command line.")
    ] = "",
    dhcp: Annotated[bool, typer.Option("--dhcp", help="Let the guest ask for its address by DHCP.")] = False,
    accel: Annotated[
        Accel, typer.Option(help="Run under KVM or emulation. auto takes KVM where it works.")
    ] = Accel.AUTO,
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
    `2: status` to the second.

    Exit code: 0 ended well or stopped, 2 the guest refused what it was given, 4 it panicked or QEMU failed.

    Example: loadstone image boot surge --instances 2 --port 8080
    """
    from loadstone.image import ADDRESS, GATEWAY, HTTP_PORT, Balancer, Disk, Fleet, Machine, Siblings, ending
    from loadstone.image import instances as several
    from loadstone.measure import Interrupt

    most = max(instances, grow_to)
    disks = _disks(disk or [], most)
    if monitor and most > 1:
        raise LoadstoneError("image-options", "--monitor is for one instance")
    if port and port + most - 1 > 65535:
        raise LoadstoneError("image-options", f"there are no {most} ports from {port} on")
    own = [] if dhcp or "ip=" in cmdline else [f"ip={ADDRESS}", f"gw={GATEWAY}"]
    if most > instances and "scale=" not in cmdline:
        own.append(f"scale={_BUSY_PERCENT}")
    described = Machine(
        _image(what, memory),
        board=machine.value,
        memory_mib=memory,
        words=[*own, *cmdline.split()],
        accelerator=_accelerator(accel),
        monitor=monitor,
    )
    possible = several(described, most, port, [Disk(one) for one in disks])
    machines, spare = possible[:instances], possible[instances:]
    addresses = [f"http://127.0.0.1:{one.ports[HTTP_PORT]}" for one in machines]
    _announce(described, addresses, as_json)

    talk = Lines(sys.stderr)
    consoles = talk if as_json else Lines(sys.stdout)
    siblings = Siblings(spare, talk.say, Balancer(balancer, reload) if balancer else None)

    def say(number: int, line: str) -> None:
        before = f"{number}: " if most > 1 else ""
        consoles.say(f"{before}{line}")
        siblings.hear(number, line)

    try:
        with (
            Interrupt().between_runs(),
            Fleet(machines, say) as fleet,
            siblings.attend(fleet),
            typed_lines(lambda line: _order(fleet, line, talk)),
        ):
            codes = fleet.wait()
    except KeyboardInterrupt:
        return
    for code in codes:
        print(ending(code), file=sys.stderr)
    raise typer.Exit(max(map(_exit_code, codes)))


def _image(what: str, memory_mib: int) -> Path:
    """The file, or the image of that name, built. Refused if the guest's memory is too small for it."""
    from loadstone.image import build_image, read_image

    file = Path(what)
    if not file.is_file() and ("/" in what or "." in what):
        raise LoadstoneError("image-file", f"{what} cannot be booted: there is no such file")
    image = read_image(file) if file.is_file() else build_image(what).stripped
    least_mib = -(-image.end // _MIB)
    if memory_mib < least_mib:
        raise LoadstoneError(
            "image-options",
            f"out of memory: {image.path} needs at least {least_mib} MiB to be loaded",
            hint=f"--memory {least_mib} or more",
        )
    return image.path


def _order(fleet: Fleet, line: str, talk: Lines) -> None:
    if lacking := fleet.order(line):
        talk.say(lacking)


def _disks(disks: list[Path], instances: int) -> list[Path]:
    for one in disks:
        if not one.is_file() and not one.is_block_device():
            raise LoadstoneError(
                "image-options", f"there is no disk {one}", hint="make one: `loadstone image disk`"
            )
    if disks and len(disks) != instances:
        raise LoadstoneError(
            "image-options",
            f"{len(disks)} disks for {instances} instances",
            hint="every instance needs a disk of its own",
        )
    if len({one.resolve() for one in disks}) < len(disks):
        raise LoadstoneError("image-options", "two instances would write to the same disk")
    return disks


def _accelerator(accel: Accel) -> Accelerator:
    from loadstone.image import accelerator

    if accel is Accel.AUTO:
        return accelerator()
    return "kvm" if accel is Accel.KVM else "tcg"


def _announce(machine: Machine, addresses: list[str], as_json: bool) -> None:
    if machine.accelerator == "tcg":
        print("no KVM: QEMU emulates the processor (TCG), about a tenth as fast", file=sys.stderr)
    if as_json:
        content = {"image": str(machine.kernel), "accelerator": machine.accelerator, "addresses": addresses}
        print(json.dumps(content), flush=True)
    else:
        print(f"{machine.kernel} at {', '.join(addresses)}; Ctrl-C ends it", file=sys.stderr)


def _exit_code(code: int) -> int:
    from loadstone.image import CLEAN, REFUSED

    if code in (0, CLEAN):
        return 0
    return BAD_INPUT if code == REFUSED else OUR_FAULT


def _number(word: str) -> int:
    try:
        return int(word, 0)
    except ValueError:
        raise LoadstoneError(
            "image-options", f"`{word}` is not an address", hint="a number such as 0x11f3a2"
        ) from None


def _content(found: Image, symbols: Image) -> dict[str, Any]:
    from loadstone.image import by_crate, drivers, loaded_sections

    return {
        "file": str(found.path),
        "bytes": found.bytes,
        "memory_bytes": found.memory_bytes,
        "entry": found.entry,
        "segments": [vars(one) for one in found.segments],
        "sections": [
            {"name": one.name, "bytes": one.bytes, "in_file": one.in_file} for one in loaded_sections(found)
        ],
        "crates": by_crate(symbols),
        "drivers": drivers(symbols),
        "warnings": found.warnings,
    }


def _told(found: Image, symbols: Image) -> str:
    content = _content(found, symbols)
    blocks = [
        f"{found.path}: {found.bytes:,} bytes, {content['memory_bytes'] / _KIB:,.0f} KiB in memory,"
        f" PVH entry {found.entry:#x}",
        columns(
            ["segment", "rights", "file", "memory"],
            [
                [f"{one.address:#x}", one.rights, f"{one.file_bytes:,}", f"{one.memory_bytes:,}"]
                for one in found.segments
            ],
            {"file", "memory"},
        ),
        columns(
            ["section", "bytes"],
            [[one["name"], f"{one['bytes']:,}"] for one in content["sections"]],
            {"bytes"},
        ),
    ]
    if content["crates"]:
        rows = [[name, f"{size:,}"] for name, size in content["crates"].items()]
        blocks += [columns(["crate", "bytes"], rows, {"bytes"}), f"drivers: {', '.join(content['drivers'])}"]
    else:
        blocks.append("without symbols: no sizes by crate")
    return "\n\n".join(blocks)
