"""The study `appliance`: the same programs as an image and as a process in a Linux guest, on the same virtual
machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loadstone.study.entry import Entry, Page

if TYPE_CHECKING:
    from loadstone.study.appliance.study import Appliance


def _study() -> type[Appliance]:
    from loadstone.study.appliance.study import Appliance

    return Appliance


def _page() -> Page:
    from loadstone.study.appliance.page import article

    return article


ENTRY = Entry(
    name="appliance",
    about="""
    Measure images beside the same programs in a Linux guest: size, boot, memory, storage, allocation,
    HTTP.

    Both run under QEMU on the same machine, one after the other. Needs scripts/setup-appliance. Ctrl-C ends
    it after the measurement under way and keeps what was measured.

    Example: loadstone study appliance --quick --out out/appliance
    """,
    study=_study,
    page=_page,
    parts="size, boot, sql, http, …",
    quick="Make a few measurements only, to see that everything works.",
)
