"""Bootable images and the Linux guest beside them: built, looked into, booted under QEMU.

Images are built from the sources, so most of it needs a checkout; looking into an image and booting one need
only the file. Other rooms use the names below and no module beneath.
"""

from loadstone.image.arch import ARCHES, Arch, ArchName
from loadstone.image.build import Built, linux_programs
from loadstone.image.build import build as build_image
from loadstone.image.contents import by_crate, drivers, places, symbols_beside
from loadstone.image.contents import loaded as loaded_sections
from loadstone.image.copies import Checked, back_up, back_up_running
from loadstone.image.copies import check as check_disk
from loadstone.image.copies import export as export_database
from loadstone.image.copies import restore as restore_disk
from loadstone.image.disks import Form, blank, copied
from loadstone.image.disks import loaded as loaded_disk
from loadstone.image.elf import Image, read_image
from loadstone.image.first_answer import ASKED_EVERY_S
from loadstone.image.fixed import fixed_words, said_again
from loadstone.image.fleet import Fleet, instances
from loadstone.image.guest import CLEAN, REFUSED, Guest, ending, free_port
from loadstone.image.linux import Kernel, kernel, write_initramfs
from loadstone.image.linux import linux as linux_machine
from loadstone.image.new import new_crate
from loadstone.image.qemu import (
    ADDRESS,
    GATEWAY,
    HTTP_PORT,
    Accelerator,
    Board,
    Disk,
    HostCache,
    Machine,
    PcBoard,
    accelerator,
    arch_of,
)
from loadstone.image.service import Control, Policy, StateFolder, Supervisor, ask, await_end
from loadstone.image.siblings import Balancer, Siblings
from loadstone.image.sources import tool
from loadstone.image.tls import TlsFiles
from loadstone.sources import checkout

__all__ = [
    "ADDRESS",
    "ARCHES",
    "ASKED_EVERY_S",
    "CLEAN",
    "GATEWAY",
    "HTTP_PORT",
    "REFUSED",
    "Accelerator",
    "Arch",
    "ArchName",
    "Balancer",
    "Board",
    "Built",
    "Checked",
    "Control",
    "Disk",
    "Fleet",
    "Form",
    "Guest",
    "HostCache",
    "Image",
    "Kernel",
    "Machine",
    "PcBoard",
    "Policy",
    "Siblings",
    "StateFolder",
    "Supervisor",
    "TlsFiles",
    "accelerator",
    "arch_of",
    "ask",
    "await_end",
    "back_up",
    "back_up_running",
    "blank",
    "build_image",
    "by_crate",
    "check_disk",
    "checkout",
    "copied",
    "drivers",
    "ending",
    "export_database",
    "fixed_words",
    "free_port",
    "instances",
    "kernel",
    "linux_machine",
    "linux_programs",
    "loaded_disk",
    "loaded_sections",
    "new_crate",
    "places",
    "read_image",
    "restore_disk",
    "said_again",
    "symbols_beside",
    "tool",
    "write_initramfs",
]
