"""`loadstone image move --to`: an instance goes to another host, with programs in QEMU's and ssh's place."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from in_service import Running, body, loadstone, until

from loadstone.image.guest import free_port
from loadstone.image.service import ask

# Runs the line here, unless there is to be no such host.
SSH = """#!/bin/sh
while [ "$1" != -T ]; do shift; done
[ "$2" = gone ] && { echo "ssh: Could not resolve hostname gone" >&2; exit 255; }
shift 3
exec sh -c "$*"
"""


@pytest.fixture
def there(place: Path) -> Iterator[Path]:
    """Where the other host has it; what runs there is ended."""
    (place / "ssh").write_text(SSH)
    (place / "ssh").chmod(0o755)
    yield place / "there"
    if (place / "there/state").exists():
        loadstone("stop", place / "there/state")


def test_it_goes_with_its_disk_and_the_others_stay(
    run: Callable[..., Running], place: Path, there: Path
) -> None:
    disks = (place / "one.disk", place / "two.disk")
    for number, disk in enumerate(disks):
        disk.write_bytes(bytes([number]) * 4096)
        os.truncate(disk, 1 << 20)
    running = run("a", 2, disks=disks)
    running.well()
    content, port = disks[0].read_bytes(), free_port()
    code, said = loadstone(
        *("move", running.state, "1", "--to", "other", "--there", there),
        *("--port", port, "--address", "127.0.0.1"),
    )
    assert code == 0, said
    assert f"1: moved to other, port {port}; nobody took connections for " in said
    assert body(port).startswith("serving a ")
    assert "with ip=10.0.2.15/24 gw=10.0.2.2" in (there / "state/1/console.log").read_text()
    moved = ask(there / "state", {"do": "status"})
    assert [one["disk"] for one in moved] == [str(there / "disk")]
    assert (there / "disk").read_bytes() == content == (place / "one.disk.moved").read_bytes()
    assert not disks[0].exists() and (there / "disk").stat().st_blocks * 512 < 1 << 20, "holes stay holes"
    left = running.well()
    assert [one["instance"] for one in left] == [2]
    assert running.ends(1)[-1]["reason"].startswith("moved to other")
    code, said = loadstone("scale", running.state, "2", "--disk", place / "one.disk.moved")
    assert code == 0 and said.startswith("3: serving"), said


def test_the_supervisor_of_the_last_one_ends(run: Callable[..., Running], there: Path) -> None:
    running = run("a")
    running.well()
    code, said = loadstone(
        *("move", running.state, "1", "--to", "other", "--there", there),
        *("--port", free_port(), "--address", "127.0.0.1"),
    )
    assert code == 0, said
    assert running.supervisor.wait() == []


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--to", "gone"), "Could not resolve hostname gone"),
        (("--to", "other", "--port", "{taken}"), "port {taken} of 127.0.0.1"),
        (("--to", "other", "--there", "/proc/none"), "/proc/none"),
        (("--to", "other", "--python", "/none/python"), "/none/python"),
        (("--to", "other", "--live"), "leave the rest out"),
        (("--to", "-oProxyCommand=x"), "needs a host"),
    ],
)
def test_what_cannot_be_is_refused_and_it_goes_on(
    run: Callable[..., Running], there: Path, words: tuple[str, ...], why: str
) -> None:
    running = run("a")
    before = running.well()
    taken = str(running.port)
    usual = ["--there", str(there), "--port", str(free_port()), "--address", "127.0.0.1"]
    code, said = loadstone("move", running.state, "1", *usual, *(word.format(taken=taken) for word in words))
    assert code in (2, 3) and why.format(taken=taken) in said, said
    assert running.well()[0]["pid"] == before[0]["pid"], "nothing was ended"
    assert not there.exists()


def test_one_that_does_not_get_well_there_is_started_again_here(
    run: Callable[..., Running], place: Path, there: Path
) -> None:
    running = run("a")
    before = running.well()
    # There is another program: it refuses whatever it is to run.
    (place / "bin").mkdir()
    (place / "bin/qemu-system-x86_64").write_text("#!/bin/sh\necho no such machine; exit 37\n")
    (place / "bin/qemu-system-x86_64").chmod(0o755)
    (place / "ssh").write_text(SSH.replace("exec sh", f"PATH={place}/bin:$PATH exec sh"))
    code, said = loadstone(
        *("move", running.state, "1", "--to", "other", "--there", there),
        *("--port", free_port(), "--address", "127.0.0.1"),
    )
    assert code == 3 and "no such machine" in said, said
    after = until(lambda: [one for one in running.well() if one["pid"] != before[0]["pid"]])
    assert after and body(running.port).startswith("serving a")
    assert not there.exists()
