"""QEMU's command line for a machine: the same devices for an image and for the Linux guest beside it."""

from __future__ import annotations

import contextlib
import ipaddress
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

from loadstone.image.arch import AARCH64, X86_64, Arch
from loadstone.image.sources import tool
from loadstone.image.tls import WORD, TlsFiles

PcBoard = Literal["microvm", "q35"]
Board = Literal["microvm", "q35", "virt"]
Accelerator = Literal["tcg", "kvm"]
HostCache = Literal["unsafe", "writeback"]

BOARDS: tuple[PcBoard, ...] = ("microvm", "q35")
ADDRESS = "10.0.2.15/24"
GATEWAY = "10.0.2.2"
"""QEMU's own network: the guest's usual address in it, and the host's."""
HTTP_PORT = 80
LOOPBACK, EVERY = "127.0.0.1", "0.0.0.0"

_KVM = Path("/dev/kvm")
_QBOOT = "/usr/share/qemu/qboot.rom"


@dataclass(frozen=True)
class Disk:
    """A file as the machine's block device."""

    file: Path
    cache: HostCache = "writeback"
    """`writeback` makes the guest's flushes real; `unsafe` forgets them."""


@dataclass(frozen=True)
class Machine:
    """A machine with one core."""

    kernel: Path
    """An image, or a Linux kernel."""
    board: Board = "microvm"
    memory_mib: int = 16
    words: Sequence[str] = ()
    """The command line that the guest reads, but for what is fixed."""
    fixed: Mapping[str, str] = field(default_factory=dict)
    """Words that its image was built with: it is not told of them."""
    disk: Disk | None = None
    ports: Mapping[int, int] = field(default_factory=dict)
    """Ports of 127.0.0.1 by the guest's port that each leads to."""
    host: str = LOOPBACK
    """The address at which an instance in service takes connections; while it boots it has 127.0.0.1."""
    tap: str | None = None
    """A TAP device instead of QEMU's own network."""
    initramfs: Path | None = None
    """With it the kernel is Linux, which finds its devices by ACPI and needs a timer."""
    accelerator: Accelerator = "tcg"
    counts_instructions: bool = False
    """Time goes by instructions, one a nanosecond: the same work takes the same time on any host."""
    monitor: Path | None = None
    """A socket for QEMU's monitor."""
    arrives: Path | None = None
    """A socket by which a running machine arrives, instead of booting."""
    tls: TlsFiles | None = None
    """The site is served with TLS, by this certificate."""
    tied: bool = False
    """The kernel kills it when the thread that started it is gone, however that came about."""

    def command(self) -> list[str]:
        """The program with its arguments. LoadstoneError `program-missing`."""
        return [
            *((tool("setpriv"), "--pdeathsig", "KILL") if self.tied else ()),
            tool(arch_of(self.board).emulator),
            *self._processor(),
            *self._board(),
            *("-m", str(self.memory_mib), "-smp", "1", "-nodefaults", "-no-user-config", "-display", "none"),
            # A guest that asks for a reboot has ended.
            *("-no-reboot", "-serial", "stdio"),
            *(() if self.board == "virt" else ("-device", "isa-debug-exit,iobase=0xf4,iosize=1")),
            *("-kernel", str(self.kernel), "-append", " ".join(self._line())),
            *(("-initrd", str(self.initramfs)) if self.initramfs else ()),
            *self._devices(),
            *(("-qmp", f"unix:{self.monitor},server=on,wait=off") if self.monitor else ()),
            *(("-incoming", f"unix:{self.arrives}") if self.arrives else ()),
        ]

    def _line(self) -> list[str]:
        words = [*self.words, *([WORD] if self.tls else [])]
        return [word for word in words if word.partition("=")[0] not in self.fixed]

    def told(self) -> dict[str, str]:
        """All that its guest goes by."""
        return dict(word.split("=", 1) for word in self.words if "=" in word) | dict(self.fixed)

    def site_end(self) -> str:
        """The address and port at which QEMU's own network reaches the site; empty for the usual address."""
        guest = self._told_address()
        told = self.told().get("port", "")
        # A port that the guest refuses is none of QEMU's either: the guest is to start, and to say so.
        port = told if told.isascii() and told.isdecimal() and 0 < int(told) < 65536 else HTTP_PORT
        return f"{guest.ip if guest else ''}:{port}"

    def _told_address(self) -> ipaddress.IPv4Interface | None:
        """Other than the usual one; None also where the guest refuses it, or QEMU has no room beside it."""
        told = self.told().get("ip", ADDRESS)
        if told == ADDRESS or "/" not in told:
            return None
        try:
            found = ipaddress.IPv4Interface(told)
        except ValueError:
            return None
        return found if found.network.prefixlen <= 30 else None

    def _own_network(self) -> str:
        """QEMU's, as the guest's address needs it."""
        guest = self._told_address()
        if guest is None:
            return ""
        # QEMU wants three addresses beside each other: its own as router and as name server, and the guest's.
        free = [one for one, _ in zip(guest.network.hosts(), range(4), strict=False) if one != guest.ip]
        router = free[0]
        with contextlib.suppress(ValueError):
            told = ipaddress.IPv4Address(self.told().get("gw", ""))
            router = told if told in guest.network else router
        names = next((one for one in free if one != router), guest.network.network_address)
        return f",net={guest.network},host={router},dhcpstart={guest.ip},dns={names}"

    def _processor(self) -> list[str]:
        if self.accelerator == "kvm":
            return ["-accel", "kvm", "-cpu", "host"]
        counted = ["-icount", "shift=0,sleep=off"] if self.counts_instructions else []
        # Of the largest Arm processor, much of an emulator's time would go into signatures of pointers.
        model = "cortex-a72" if self.board == "virt" else "max"
        return ["-accel", "tcg", "-cpu", model, *counted]

    def _board(self) -> list[str]:
        if self.board == "q35":
            return ["-machine", "q35"]
        modern = ["-global", "virtio-mmio.force-legacy=false"]
        if self.board == "virt":
            return ["-machine", "virt,gic-version=3", *modern]
        # Linux wants the old timer and interrupt controller, and finds devices by ACPI only.
        parts = "acpi=on,pit=on,pic=on" if self.initramfs else "acpi=off"
        machine = f"microvm,{parts},rtc=on,isa-serial=on"
        return ["-machine", machine, "-bios", _QBOOT, *modern]

    def _devices(self) -> list[str]:
        bus = "pci" if self.board == "q35" else "device"
        # Without its boot ROM, which an image does not boot from: the firmware would spend a tenth of a
        # second on it.
        rom = ",romfile=" if bus == "pci" else ""
        site = self.site_end()
        ends = {
            there: site if there == HTTP_PORT else f"{site.partition(':')[0]}:{there}" for there in self.ports
        }
        forwards = "".join(
            f",hostfwd=tcp:{LOOPBACK}:{self.ports[there]}-{end}" for there, end in ends.items()
        )
        network = (
            f"tap,id=net0,ifname={self.tap},script=no,downscript=no"
            if self.tap
            else f"user,id=net0{self._own_network()}{forwards}"
        )
        devices = [
            "-netdev",
            network,
            "-device",
            f"virtio-net-{bus},netdev=net0{rom}",
            "-device",
            f"virtio-rng-{bus}",
        ]
        if self.disk:
            drive = f"if=none,id=disk0,format=raw,file={_escaped(self.disk.file)},cache={self.disk.cache}"
            devices += ["-drive", drive, "-device", f"virtio-blk-{bus},drive=disk0"]
        return devices + (self.tls.devices() if self.tls else [])

    def url(self, port: int) -> str:
        """The site's address, where `port` of this machine leads to it."""
        return f"{'https' if self.tls else 'http'}://{self.reached}:{port}"

    @property
    def reached(self) -> str:
        """The address at which this machine reaches it in service."""
        return LOOPBACK if self.host == EVERY else self.host


def arch_of(board: Board) -> Arch:
    """The processor that a board has."""
    return AARCH64 if board == "virt" else X86_64


@cache
def accelerator() -> Accelerator:
    """KVM where this machine can run x86 guests with it.

    A `/dev/kvm` alone is not enough: inside some virtual machines it is there, QEMU starts, and the guest
    never runs a single instruction, because the processor shows no virtualisation of its own.
    """
    if not os.access(_KVM, os.R_OK | os.W_OK):
        return "tcg"
    flags = set(Path("/proc/cpuinfo").read_text("utf-8").split())
    return "kvm" if flags & {"vmx", "svm"} else "tcg"


def _escaped(file: Path) -> str:
    """A file's name in a list of options, where a comma stands twice."""
    return str(file).replace(",", ",,")
