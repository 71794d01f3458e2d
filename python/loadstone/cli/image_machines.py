"""The machines that `loadstone image boot` and `image run` start: their options, checked."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from enum import StrEnum
from ipaddress import IPv4Address, ip_interface
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loadstone.errors import BAD_INPUT, OUR_FAULT, LoadstoneError

if TYPE_CHECKING:
    from loadstone.image import Accelerator, Image, Machine, TlsFiles

_MIB = 1 << 20


class Board(StrEnum):
    """QEMU's machines that images know."""

    MICROVM = "microvm"
    Q35 = "q35"
    VIRT = "virt"


class Accel(StrEnum):
    """What runs the guest's instructions."""

    AUTO = "auto"
    KVM = "kvm"
    TCG = "tcg"


What = Annotated[
    str,
    typer.Argument(
        metavar="APP|DIR|FILE", help="Image file, or an application or crate whose image is built first."
    ),
]
OfBoard = Annotated[Board, typer.Option("--machine", help="QEMU's machine; virt is Arm's (aarch64).")]
Memory = Annotated[int, typer.Option(min=1, max=65536, metavar="MIB", help="Memory of the guest, in MiB.")]
Port = Annotated[
    int,
    typer.Option(min=0, max=65535, help="Port of 127.0.0.1 that leads to the guest. 0 takes a free one."),
]
Disks = Annotated[
    list[Path] | None,
    typer.Option(
        "--disk", metavar="FILE", help="Disk of the guest. Repeat the option to give each instance its own."
    ),
]
Instances = Annotated[
    int, typer.Option(min=1, max=256, help="Number of instances. They get consecutive ports.")
]
BalancerFile = Annotated[
    Path | None,
    typer.Option(
        "--balancer",
        metavar="FILE",
        help="Keep the list of addresses in this file, in a form that nginx can include.",
    ),
]
BalancerReload = Annotated[
    str,
    typer.Option("--reload", metavar="COMMAND", help="Command that makes the balancer read the list again."),
]
Cmdline = Annotated[str, typer.Option(metavar="WORDS", help="Further words for the guest's command line.")]
Dhcp = Annotated[bool, typer.Option("--dhcp", help="Let the guest ask for its address by DHCP.")]
TlsCert = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Serve https with this chain of certificates (PEM). Each start reads it."
    ),
]
TlsKey = Annotated[Path | None, typer.Option(metavar="FILE", help="Private key of the certificate (PEM).")]
OfAccel = Annotated[Accel, typer.Option(help="Run under KVM or emulation. auto takes KVM where it works.")]


def machine(
    what: str,
    board: Board,
    memory_mib: int,
    cmdline: str,
    dhcp: bool,
    accel: Accel,
    monitor: Path | None = None,
    tls: TlsFiles | None = None,
    tap: str | None = None,
) -> Machine:
    """The machine, with its image built if need be. LoadstoneError `image-options`, `image-file`."""
    from loadstone.image import Machine, said_again

    said = cmdline.split()
    if tap:
        _check_tap(tap)
    image = _image(what, board, memory_mib, _beside(said, tls is not None))
    said_again(said, image.fixed)
    words = own_words(dhcp, cmdline)
    if tap:
        words = said
        _check_addresses([*said, *image.fixed], dhcp)
    return Machine(
        image.path,
        board=board.value,
        memory_mib=memory_mib,
        words=words,
        fixed=image.fixed,
        accelerator=_accelerator(accel, board),
        monitor=monitor,
        tls=tls,
        tap=tap,
    )


def _beside(words: Sequence[str], with_tls: bool) -> list[str]:
    """The parts that an image must have, beside the usual ones, for these words."""
    with_ipv6 = any(word.startswith("ip6=") for word in words)
    return [part for part, wanted in (("ipv6", with_ipv6), ("tls", with_tls)) if wanted]


def tls_files(certificate: Path | None, key: Path | None) -> TlsFiles | None:
    """The files for TLS, if it is asked for. LoadstoneError `image-options`, `tls`."""
    from loadstone.image import TlsFiles

    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise LoadstoneError("image-options", "--tls-cert and --tls-key belong together")
    files = TlsFiles(certificate.absolute(), key.absolute())
    files.check()
    return files


def several(described: Machine, count: int, port: int, disks: Sequence[Path]) -> list[Machine]:
    """That machine `count` times. LoadstoneError `image-options`."""
    from loadstone.image import Disk, instances

    return instances(described, count, port, [Disk(one) for one in _one_each(disks, count)])


def check_host(host: str) -> None:
    """LoadstoneError `image-options`."""
    try:
        IPv4Address(host)
    except ValueError:
        raise LoadstoneError(
            "image-options", f"`{host}` is no address of this machine", hint="such as 0.0.0.0: all of them"
        ) from None


def check_ports(port: int, count: int) -> None:
    """LoadstoneError `image-options` where there are not so many ports from `port` on."""
    if port and port + count - 1 > 65535:
        raise LoadstoneError("image-options", f"there are no {count} ports from {port} on")


def check_free(ports: Sequence[int], host: str = "127.0.0.1") -> None:
    """LoadstoneError `image-options` where somebody listens at one of these ports, or the address is not this
    machine's."""
    for port in ports:
        with socket.socket() as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                one.bind((host, port))
            except OSError as error:
                raise LoadstoneError(
                    "image-options",
                    f"port {port} of {host}: {error.strerror}",
                    hint="choose another one with --port",
                ) from error


def own_words(dhcp: bool, cmdline: str) -> list[str]:
    """The words of the guest's command line: its address, unless it gets one otherwise, and `cmdline`."""
    from loadstone.image import ADDRESS, GATEWAY

    address = [] if dhcp or "ip=" in cmdline else [f"ip={ADDRESS}", f"gw={GATEWAY}"]
    return [*address, *cmdline.split()]


def _check_tap(device: str) -> None:
    """LoadstoneError `image-options`."""
    if device not in (name for _, name in socket.if_nameindex()):
        raise LoadstoneError(
            "image-options",
            f"there is no TAP device {device}",
            hint=f"make one: ip tuntap add {device} mode tap",
        )


def _check_addresses(words: Sequence[str], dhcp: bool) -> None:
    """On a network of one's own addresses are known to nobody else. LoadstoneError `image-options`."""
    if not dhcp and not {"ip", "ip6"} & {word.partition("=")[0] for word in words}:
        raise LoadstoneError(
            "image-options",
            "the guest has no address on that network",
            hint='--cmdline "ip=192.0.2.15/24 gw=192.0.2.1", or "ip6=2001:db8::15/64 gw6=fe80::1", or --dhcp',
        )


def own_addresses(described: Machine) -> list[str]:
    """Where a guest on a network of one's own is reached."""
    told = described.told()
    with_tls = described.tls is not None
    hosts = [str(ip_interface(told[key]).ip) for key in ("ip", "ip6") if key in told]
    return [
        f"{'https' if with_tls else 'http'}://{f'[{host}]' if ':' in host else host}:{told.get('port', '80')}"
        for host in hosts
    ]


def image_file(
    what: str, board: Board | None = None, memory_mib: int | None = None, beside: Sequence[str] = ()
) -> Path:
    """The file, or the image of that name, built for the board, or for PCs, with these parts beside the usual
    ones. Refused if the guest's memory is too small for it, or the board has another processor.
    """
    return _image(what, board, memory_mib, beside).path


def _image(what: str, board: Board | None, memory_mib: int | None, beside: Sequence[str]) -> Image:
    from loadstone.image import arch_of, build_image, read_image

    file = Path(what)
    if not file.exists() and ("/" in what or "." in what):
        raise LoadstoneError("image-file", f"{what} cannot be booted: there is no such file")
    arch = arch_of((board or Board.MICROVM).value)
    image = read_image(file) if file.is_file() else build_image(what, beside=beside, arch=arch.name).stripped
    if board and image.arch is not arch:
        raise LoadstoneError(
            "image-options",
            f"{image.path} is for {image.arch.name}, and {board.value} has {arch.name}",
            hint=f"--machine {next(one.value for one in Board if arch_of(one.value) is image.arch)}",
        )
    least_mib = -(-image.end // _MIB)
    if memory_mib is not None and memory_mib < least_mib:
        raise LoadstoneError(
            "image-options",
            f"out of memory: {image.path} needs at least {least_mib} MiB to be loaded",
            hint=f"--memory {least_mib} or more",
        )
    return image


def exit_code(code: int) -> int:
    """Of a command, for QEMU's."""
    from loadstone.image import CLEAN, REFUSED

    if code in (0, CLEAN):
        return 0
    return BAD_INPUT if code == REFUSED else OUR_FAULT


def checked_disks(disks: Sequence[Path]) -> Sequence[Path]:
    """These disks. LoadstoneError `image-options` where one is not there or is there twice."""
    for one in disks:
        if not one.is_file() and not one.is_block_device():
            raise LoadstoneError(
                "image-options", f"there is no disk {one}", hint="make one: `loadstone image disk`"
            )
    if len({one.resolve() for one in disks}) < len(disks):
        raise LoadstoneError("image-options", "two instances would write to the same disk")
    return disks


def _one_each(disks: Sequence[Path], instances: int) -> Sequence[Path]:
    if disks and len(disks) != instances:
        raise LoadstoneError(
            "image-options",
            f"{len(disks)} disks for {instances} instances",
            hint="every instance needs a disk of its own",
        )
    return checked_disks(disks)


def _accelerator(accel: Accel, board: Board) -> Accelerator:
    from loadstone.image import accelerator

    if board is Board.VIRT:
        if accel is Accel.KVM:
            raise LoadstoneError("image-options", "virt is only emulated here", hint="leave --accel out")
        return "tcg"
    if accel is Accel.AUTO:
        return accelerator()
    return "kvm" if accel is Accel.KVM else "tcg"
