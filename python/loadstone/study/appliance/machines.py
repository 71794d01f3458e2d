"""The machines of the study: images and the Linux guest, with the same devices, memory and data."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from loadstone.image import (
    ADDRESS,
    GATEWAY,
    HTTP_PORT,
    Board,
    Built,
    Disk,
    Form,
    HostCache,
    Kernel,
    Machine,
    PcBoard,
    accelerator,
    blank,
    build_image,
    checkout,
    copied,
    free_port,
    kernel,
    linux_machine,
    linux_programs,
    loaded_disk,
    write_initramfs,
)
from loadstone.site import SITES
from loadstone.study.appliance.description import Amounts, Description

STRESS = "stress"
_INIT = "linux-init"
WITH_DATA = tuple(name for name, site in SITES.items() if site.has_loader)


class Machines:
    """Builds what is booted, once, and describes machines."""

    def __init__(self, description: Description, amounts: Amounts, folder: Path) -> None:
        """Files are made in `folder`, which is the caller's to remove."""
        self.description = description
        self._amounts = amounts
        self._folder = folder
        self._built: dict[tuple[str, tuple[str, ...] | None], Built] = {}
        self._initramfs: dict[tuple[str, bool], Path] = {}
        self._data: dict[tuple[str, Form], Path] = {}

    def image(self, app: str, parts: tuple[str, ...] | None = None) -> Built:
        """The image, built with these parts of the library OS, without `parts` with all. LoadstoneError as
        `build`."""
        key = (app, parts)
        if key not in self._built:
            self._built[key] = build_image(
                app, self._folder / f"{'-'.join((app, *(parts or ())))}.elf", parts=parts
            )
        return self._built[key]

    def kernel(self) -> Kernel:
        """Of the Linux guest. LoadstoneError as `kernel`."""
        return kernel()

    def initramfs(self, board: Board, app: str) -> Path:
        """The Linux guest's first process and the drivers, with the files or the program that `app` needs."""
        key = (board, app == STRESS)
        if key not in self._initramfs:
            names = (_INIT, STRESS) if app == STRESS else (_INIT,)
            programs = linux_programs(*names)
            programs["init"] = programs.pop(_INIT)
            to = self._folder / f"{board}-{'stress' if app == STRESS else 'sites'}.cpio.gz"
            site = None if app == STRESS else checkout() / "images" / "site"
            write_initramfs(to, board, programs, site)
            self._initramfs[key] = to
        return self._initramfs[key]

    def serving(self, guest: str, app: str, board: PcBoard, memory_mib: int | None = None) -> Machine:
        """A machine that serves an application at a free port. Errors of building and of the disk."""
        described = Machine(
            self._folder,
            board=board,
            memory_mib=memory_mib or self.description.memory_mib,
            ports={HTTP_PORT: free_port()},
            disk=self._site_disk(guest, app),
            accelerator=accelerator(),
        )
        own = ["disk=ext4"] if guest == "linux" and app in WITH_DATA else []
        return self._on(described, guest, app, [f"ip={ADDRESS}", f"gw={GATEWAY}", *own])

    def measuring(self, guest: str, words: Sequence[str], disk: Disk | None, *, counted: bool) -> Machine:
        """A machine that runs the measuring program and ends; `counted` in virtual time."""
        described = Machine(
            self._folder,
            memory_mib=self.description.memory_mib,
            disk=disk,
            # Only emulation counts instructions.
            accelerator="tcg" if counted else accelerator(),
            counts_instructions=counted,
        )
        return self._on(described, guest, STRESS, words)

    def empty_disk(self, form: Form, cache: HostCache) -> Disk:
        """A disk without data, formatted anew."""
        file = self._folder / "empty.disk"
        blank(file, self.description.disk_mib, form)
        return Disk(file, cache)

    def _on(self, machine: Machine, guest: str, app: str, words: Sequence[str]) -> Machine:
        if guest == "image":
            return replace(machine, kernel=self.image(app).stripped.path, words=words)
        own = [f"app={app}"]
        if any(word.startswith("stress.db=/data/") for word in words):
            own.append("disk=ext4")
        elif machine.disk and app == STRESS:
            own.append("disk=raw")
        return linux_machine(machine, self.initramfs(machine.board, app), [*own, *words])

    def _site_disk(self, guest: str, app: str) -> Disk | None:
        """A fresh copy of the application's data; the same rows for both guests."""
        if app not in WITH_DATA:
            return None
        form: Form = "log" if guest == "image" else "ext4"
        if (app, form) not in self._data:
            file = self._folder / f"{app}-{form}.disk"
            loaded_disk(file, self.description.disk_mib, form, app, self._amounts.accounts)
            self._data[app, form] = file
        copy = self._folder / f"{app}-{form}.copy"
        copied(self._data[app, form], copy)
        with copy.open("rb") as written:
            # Its writing back would take time from the guest that is about to boot.
            os.fdatasync(written.fileno())
        return Disk(copy, "unsafe")
