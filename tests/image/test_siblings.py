"""Siblings on demand, with scripts in QEMU's place."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from loadstone.errors import LoadstoneError
from loadstone.image import siblings
from loadstone.image.fleet import Fleet
from loadstone.image.guest import PANIC, free_port
from loadstone.image.qemu import HTTP_PORT, Machine
from loadstone.image.siblings import Balancer, Siblings


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where QEMU is a script that runs the script that the kernel is."""
    program = tmp_path / "qemu-system-x86_64"
    program.write_text('#!/bin/sh\nwhile [ "$1" != -kernel ]; do shift; done\nexec sh "$2"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path


def _machine(folder: Path, name: str, script: str) -> Machine:
    (folder / name).write_text(script)
    return Machine(folder / name, ports={HTTP_PORT: free_port()})


def _asking(folder: Path) -> Machine:
    """Asks twice, and says what it was answered."""
    return _machine(
        folder,
        "asking",
        "for i in 1 2; do echo 'want sibling: busy 93 %'; read answer; echo got $answer; done; exec sleep 60",
    )


def _spare(folder: Path) -> Machine:
    machine = _machine(folder, "spare", "")
    (folder / "spare").write_text(
        f"exec {sys.executable} -m http.server {machine.ports[HTTP_PORT]} --bind 127.0.0.1"
    )
    return machine


def test_a_wish_is_fulfilled_as_long_as_there_are_machines(folder: Path) -> None:
    asking, spare = _asking(folder), _spare(folder)
    told: list[str] = []
    balancer = Balancer(folder / "list", f"cp {folder}/list {folder}/read")
    siblings = Siblings([spare], told.append, balancer)
    heard = threading.Event()

    def say(number: int, line: str) -> None:
        heard.wait()
        siblings.hear(number, line)

    with Fleet([asking], say) as fleet, siblings.attend(fleet):
        heard.set()
        guest = fleet.guests[0]
        address = f"127.0.0.1:{spare.ports[HTTP_PORT]}"
        assert guest.wait_for("got sibling", 120) == f"got sibling {address}"
        assert guest.wait_for("none", 120) == "got sibling none"
        listed = (folder / "list").read_text()
        assert (folder / "read").read_text() == listed, "the balancer was told"
        first = f"127.0.0.1:{asking.ports[HTTP_PORT]}"
        assert listed == f"server {first};\nserver {address};\n"
    assert [guest.exit_code is not None for guest in fleet.guests] == [True, True], "all are ended"
    assert "may be no more" in told[-1]


def test_a_sibling_that_does_not_come_is_no_sibling(folder: Path) -> None:
    told: list[str] = []
    siblings = Siblings([_machine(folder, "bad", "echo no entropy; exit 37")], told.append)
    with Fleet([_asking(folder)], siblings.hear) as fleet, siblings.attend(fleet):
        assert fleet.guests[0].wait_for("got", 120) == "got sibling none"
    assert "no entropy" in told[0]


@pytest.mark.parametrize(
    "file, reload",
    [("absent/list", ""), ("list", "false"), ("list", "/no/such/program"), ("list", "sleep 60")],
)
def test_a_list_that_cannot_be_kept_is_refused(
    folder: Path, file: str, reload: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(siblings, "_RELOAD_S", 0.5)
    with pytest.raises(LoadstoneError) as caught:
        Balancer(folder / file, reload).show(["127.0.0.1:80"])
    assert caught.value.slug == "balancer-list"


def test_an_instance_that_has_ended_gets_nobody_sent(folder: Path) -> None:
    lasting, ending = _machine(folder, "lasting", "read line"), _machine(folder, "ending", "exit 35")
    siblings = Siblings([], print, Balancer(folder / "list"))
    ended: list[tuple[int, int]] = []

    def end(number: int, code: int) -> None:
        ended.append((number, code))
        siblings.miss(number)
        if code == PANIC:
            fleet.order("1: go")

    with Fleet([lasting, ending], siblings.hear) as fleet, siblings.attend(fleet):
        assert sorted(fleet.wait(end)) == [0, PANIC], "the end of one is not the end of the other"
    assert ended == [(2, PANIC), (1, 0)]
    assert (folder / "list").read_text() == ""
