"""A disk has one writer: a process or a machine, never two, whichever came first."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tiny import tiny_image

from loadstone import _core
from loadstone.image.disks import blank, loaded
from loadstone.image.monitor import Monitor
from loadstone.image.qemu import Board, Disk, HostCache, Machine

pytestmark = pytest.mark.timeout(120)
_LOADING = "olio load --accounts 100 --database"


@pytest.mark.parametrize("board, cache", [("microvm", "writeback"), ("q35", "unsafe")])
def test_a_process_is_kept_out_while_a_machine_has_the_disk(
    tmp_path: Path, board: Board, cache: HostCache
) -> None:
    file, monitor = tmp_path / "a.disk", tmp_path / "monitor"
    blank(file, 32, "log")
    before = file.read_bytes()
    machine = Machine(tiny_image(tmp_path), board=board, disk=Disk(file, cache), monitor=monitor)
    # Before its first instruction it has its disk and cannot end.
    with subprocess.Popen([*machine.command(), "-S"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as qemu:
        try:
            with Monitor(monitor):
                refused = _load(file)
                assert refused.returncode == 4, refused.stderr
                assert "another process has it, or a machine" in refused.stderr
        finally:
            qemu.kill()
    assert file.read_bytes() == before
    done = _load(file)
    assert done.returncode == 0, done.stderr


def test_a_machine_is_kept_out_while_a_process_has_the_disk(tmp_path: Path) -> None:
    file = tmp_path / "a.disk"
    machine = Machine(tiny_image(tmp_path), disk=Disk(file))
    seen: list[subprocess.CompletedProcess[str]] = []

    def boot(_done: int, _of: int) -> None:
        if not seen:
            seen.append(_run(machine))

    loaded(file, 32, "log", "olio", 100, boot)
    assert "Failed to lock byte" in seen[0].stderr, seen[0]
    assert "serving nothing" not in seen[0].stdout
    assert "serving nothing" in _run(machine).stdout, "the process is done with it"


def test_a_second_machine_is_kept_out(tmp_path: Path) -> None:
    file, monitor = tmp_path / "a.disk", tmp_path / "monitor"
    blank(file, 8, "log")
    image = tiny_image(tmp_path)
    first = Machine(image, disk=Disk(file, "unsafe"), monitor=monitor)
    with subprocess.Popen([*first.command(), "-S"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as qemu:
        try:
            with Monitor(monitor):
                assert "Failed to" in _run(Machine(image, disk=Disk(file))).stderr
        finally:
            qemu.kill()


def test_a_disk_that_holds_something_is_not_formatted(tmp_path: Path) -> None:
    file = tmp_path / "foreign.img"
    subprocess.run(["/usr/sbin/mke2fs", "-q", "-F", file, "8M"], check=True)
    before = file.read_bytes()
    with pytest.raises(ValueError, match=r"not empty: at byte \d+ it holds ext"):
        _core.format_disk(str(file), "log")
    assert file.read_bytes() == before
    blank(tmp_path / "ours", 8, "log")
    with pytest.raises(ValueError, match="it holds loadstone"):
        _core.format_disk(str(tmp_path / "ours"), "journal")


def _load(file: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "loadstone", *_LOADING.split(), f"block:{file}"]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)


def _run(machine: Machine) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        machine.command(), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60
    )
