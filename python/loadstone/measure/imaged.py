"""A built-in site as an image under QEMU: booted for every run, on a fresh copy of its disk."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.image import (
    ADDRESS,
    GATEWAY,
    HTTP_PORT,
    Disk,
    Form,
    Guest,
    HostCache,
    Machine,
    accelerator,
    blank,
    build_image,
    copied,
    ending,
    free_port,
    read_image,
    tool,
)
from loadstone.measure.dataset import DataSet, Kept
from loadstone.measure.service import Service
from loadstone.scenario.target import AsImage
from loadstone.site import Data, Loading, Site

NODE_TYPE = "appliance"

_BOOT_S = 120.0
"""An emulated machine on a busy host may take its time; one that takes longer is broken."""
_END_S = 10.0
"""What is under way may take half of it."""
_REQUEST = b"GET / HTTP/1.1\r\nHost: appliance\r\n\r\n"
_LINES = 40
"""Of a console: a panic and its backtrace."""
_DISK = "disk.img"
_QUOTE = '"'


@dataclass(frozen=True)
class OnDisk(Kept):
    """The same data set on a block device, without a file system."""

    data: Kept
    mib: int
    form: Form

    def name(self) -> str:
        """The data set's, and where it is."""
        return f"{self.data.name()}-{self.form}-disk"

    def made_from(self) -> list[Any]:
        """The data set's; the disk's size and form."""
        return [*self.data.made_from(), self.mib, self.form]

    def fill(self, place: str, loading: Loading | None) -> dict[str, int]:
        """Makes the disk in the folder `place`, and has the data set fill it."""
        disk = Path(place) / _DISK
        blank(disk, self.mib, self.form)
        try:
            return self.data.fill(f"block:{disk}", loading)
        except OSError as error:
            raise LoadstoneError(
                "image-disk",
                f"a disk of {self.mib} MiB could not be loaded: {error}",
                hint="more `disk_mib` in [target.image]",
            ) from error

    def _copy(self, pristine: Path, to: Path) -> None:
        """Copies the disk without the parts that were never written."""
        copied(pristine / _DISK, to / _DISK)


class Appliance:
    """An image that serves; a `Service`."""

    def __init__(self, guest: Guest, start_s: float) -> None:
        """`start_s`: seconds from QEMU's start to the first byte of an answer."""
        self._guest = guest
        self._start_s = start_s
        self._port = guest.machine.ports[HTTP_PORT]

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._port}"

    def endpoint(self) -> tuple[str, int]:
        """Host and port."""
        return "127.0.0.1", self._port

    def roots(self) -> dict[str, int]:
        """QEMU's process."""
        return {"sut": self._guest.pid}

    def node(self) -> Mapping[str, Any] | None:
        """The machine, and how long it took to start."""
        machine = self._guest.machine
        return {
            "type": NODE_TYPE,
            "vcpu": 1,
            "memory_mib": machine.memory_mib,
            "machine": machine.board,
            "accelerator": machine.accelerator,
            "disk_cache": machine.disk.cache if machine.disk else None,
            "image": machine.kernel.name,
            "image_bytes": machine.kernel.stat().st_size,
            "start_s": round(self._start_s, 6),
        }

    def saw(self, window: Mapping[str, Any]) -> None:
        """Whether it lives, QEMU's process says."""

    def counted(self) -> Mapping[str, Any] | None:
        """Nothing: an image does not have a connector of the container."""
        return None

    def alive(self) -> bool:
        """Whether the machine has not ended."""
        return self._guest.exit_code is None

    def last_words(self) -> list[str]:
        """How a machine ended that should not have, and the end of its console."""
        if self._guest.exit_code is None:
            return []
        return [ending(self._guest.exit_code), *self._guest.console().splitlines()[-_LINES:]]


@dataclass(frozen=True)
class Imaged:
    """A built-in site as an image, booted anew for every run."""

    machine: Machine
    """Without port and disk."""
    data: OnDisk | None
    """None of a site that makes its data as it starts."""
    cache: HostCache
    loading: Loading | None = None

    @contextlib.contextmanager
    def running(self) -> Iterator[Service]:
        """Boots it and waits until it answers. At the end of the block it shuts down by itself.

        Errors also: `guest-ended`, `guest-silent` when it does not boot.
        """
        with contextlib.ExitStack() as kept:
            disk = None
            if self.data:
                folder = kept.enter_context(self.data.fresh(self.loading))
                disk = Disk(folder / _DISK, self.cache)
            port = free_port()
            guest = kept.enter_context(Guest(replace(self.machine, disk=disk, ports={HTTP_PORT: port})))
            start_s = guest.wait_for_port(port, _BOOT_S, _REQUEST)
            guest.pin()
            yield Appliance(guest, start_s)
            guest.say("shutdown")
            guest.end_within(_END_S)


def imaged(
    site: Site, data: Data, options: Mapping[str, Any], target: AsImage, loading: Loading | None
) -> Imaged:
    """The site as `[target.image]` describes it; `options` become words for the guest.

    The image is read, or built when no file is named. Errors: those of `build` and `read_image`,
    `program-missing`.
    """
    tool("qemu-system-x86_64")
    kernel = read_image(Path(target.file)).path if target.file else build_image(site.name).stripped.path
    own = [
        f"{site.name}.{key}={json.dumps(value).strip(_QUOTE)}"
        for key, value in site.words(data, options).items()
    ]
    machine = Machine(
        kernel,
        board=target.machine,
        memory_mib=target.memory_mib,
        words=[f"ip={ADDRESS}", f"gw={GATEWAY}", *own],
        accelerator=accelerator(),
    )
    on_disk = OnDisk(DataSet(site, data), target.disk_mib, target.disk_mode) if site.stored else None
    return Imaged(machine, on_disk, target.disk_cache, loading)
