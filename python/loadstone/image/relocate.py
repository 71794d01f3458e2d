"""Moves a running instance to another machine, told before and after."""

from __future__ import annotations

import contextlib
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.image.guest import Guest
from loadstone.image.monitor import Monitor
from loadstone.image.qemu import Machine

_LOOK_S = 0.005
_PAGE_BYTES = 4096


@dataclass(frozen=True)
class Relocation:
    """What a move cost."""

    downtime_ms: float
    """Milliseconds in which neither machine ran."""
    total_ms: float
    moved_bytes: int
    """Over the wire; an empty page is a few bytes."""
    pages: int
    """Pages that were sent with content, some of them more than once."""
    empty_pages: int
    cleared_bytes: int | None
    """Memory that the instance emptied before; None when it was not told."""


def relocate(
    guest: Guest,
    target: Machine,
    on_line: Callable[[str], None] | None = None,
    told: bool = True,
    timeout_s: float = 60.0,
) -> tuple[Guest, Relocation]:
    """Moves the instance to `target`, a machine like its own in another place; it serves meanwhile.

    The instance hears of it before (its caches go, its heap shrinks) unless `told` is False, and in either
    case after. The guest that is left is ended; the caller ends the new one. Both machines have monitors.

    Under emulation the machine stands still while it is copied: QEMU's emulator (7.2) now and then misses a
    page that the processor writes meanwhile, and about one live move in five ended in a page fault.

    LoadstoneError as `Guest` and `Monitor`; `guest-refused` when QEMU gives the move up: the instance then
    goes on where it was.
    """
    assert guest.machine.monitor and target.monitor
    is_emulated = guest.machine.accelerator == "tcg"
    cleared = None
    if told:
        answer = guest.order("relocate", "^relocate: ready", timeout_s)
        found = re.search(r"(\d+) KiB cleared", answer)
        cleared = int(found[1]) * 1024 if found else 0
    with contextlib.ExitStack() as undo, tempfile.TemporaryDirectory(prefix="loadstone-move-") as folder:
        wire = Path(folder) / "wire"
        arrived = undo.enter_context(Guest(replace(target, arrives=wire), on_line))
        _wait_for_socket(wire, arrived, timeout_s)
        with Monitor(guest.machine.monitor) as monitor, Monitor(target.monitor) as other:
            stopped = time.monotonic()
            if is_emulated:
                monitor.ask("stop")
            try:
                moved = _migrate(monitor, wire, timeout_s)
            except LoadstoneError:
                monitor.ask("cont")
                raise
            if is_emulated:
                _let_run(other, timeout_s)
                moved["downtime"] = (time.monotonic() - stopped) * 1000
        guest.stop()
        arrived.order("resumed", "^relocate: resumed", timeout_s)
        undo.pop_all()
    ram = moved["ram"]
    return arrived, Relocation(
        moved["downtime"],
        moved["total-time"],
        ram["transferred"],
        ram["normal-bytes"] // _PAGE_BYTES,
        ram["duplicate"],
        cleared,
    )


def _migrate(monitor: Monitor, wire: Path, timeout_s: float) -> dict[str, Any]:
    monitor.ask("migrate", uri=f"unix:{wire}")
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        state = monitor.ask("query-migrate")
        if state.get("status") == "completed":
            return dict(state)
        if state.get("status") in ("failed", "cancelled"):
            raise LoadstoneError(
                "guest-refused", f"the move failed: {state.get('error-desc', 'no reason given')}"
            )
        time.sleep(_LOOK_S)
    monitor.ask("migrate_cancel")
    raise LoadstoneError("guest-silent", f"the move did not end within {timeout_s:g} s")


def _let_run(arrived: Monitor, timeout_s: float) -> None:
    """The sender is done before the receiver has read all; until then the receiver takes over the sender's
    state, stopped, whatever it was told meanwhile."""
    deadline = time.monotonic() + timeout_s
    while arrived.ask("query-status")["status"] == "inmigrate":
        if time.monotonic() > deadline:
            raise LoadstoneError("guest-silent", f"the machine did not arrive within {timeout_s:g} s")
        time.sleep(_LOOK_S)
    arrived.ask("cont")


def _wait_for_socket(path: Path, guest: Guest, timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    while not path.exists():
        if guest.exit_code is not None or time.monotonic() > deadline:
            raise LoadstoneError("guest-ended", "the machine to move to did not start:\n" + guest.console())
        time.sleep(_LOOK_S)
