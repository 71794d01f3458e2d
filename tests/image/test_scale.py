"""`loadstone image scale` and the balancer's list, with a program in QEMU's place."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

from free_ports import free_row
from in_service import Running, body, gone, image, loadstone, until

from loadstone.image.qemu import HTTP_PORT, Machine
from loadstone.image.service import Policy, StateFolder, Supervisor
from loadstone.image.siblings import Balancer


def test_instances_come_and_go_and_the_others_do_not_notice(run: Callable[..., Running]) -> None:
    running = run("a")
    (first,) = running.well()
    code, said = loadstone("scale", running.state, "3")
    assert code == 0, said
    three = running.well()
    assert [one["instance"] for one in three] == [1, 2, 3] and three[0]["pid"] == first["pid"]
    assert [one["address"] for one in three] == [f"http://127.0.0.1:{running.port + n}" for n in range(3)]
    assert [body(running.port + n) for n in range(3)] == [f"serving a {one['pid']}" for one in three]
    code, said = loadstone("scale", running.state, "1")
    assert code == 0 and said.splitlines() == ["3: stopped", "2: stopped"]
    assert [one["pid"] for one in running.well()] == [first["pid"]]
    assert all(gone(one["pid"]) for one in three[1:])
    assert running.ends(3)[-1]["reason"] == "stopped: the guest ended"
    assert loadstone("scale", running.state, "2")[0] == 0, "what has gone may come back"


def test_each_new_instance_needs_a_disk_where_the_others_have_one(
    run: Callable[..., Running], place: Path
) -> None:
    for name in ("one", "two"):
        (place / name).touch()
    running = run("a", disks=(place / "one",))
    running.well()
    for words, said in (
        ((), "0 disks for 1 new instances: 1 are needed"),
        (("--disk", place / "none"), "there is no disk"),
        (("--disk", place / "one"), "has this disk"),
    ):
        code, told = loadstone("scale", running.state, "2", *words)
        assert code == 2 and said in told, told
    assert loadstone("scale", running.state, "2", "--disk", place / "two")[0] == 0
    assert [Path(one["disk"]).name for one in running.well()] == ["one", "two"]


def test_a_new_instance_that_does_not_get_well_is_none(run: Callable[..., Running], place: Path) -> None:
    running = run("a")
    (first,) = running.well()
    broken = running.supervisor.instances[0].machine.kernel
    broken.write_bytes(image(place, "panic").read_bytes())
    code, said = loadstone("scale", running.state, "2")
    assert code == 3 and "instance 2 did not get well: the guest panicked" in said
    assert [one["pid"] for one in running.well()] == [first["pid"]]


def test_the_balancer_knows_who_serves(place: Path) -> None:
    port = free_row()
    machine = Machine(image(place, "a"), ports={HTTP_PORT: port})
    listed, shown = place / "list", place / "shown"
    reload = f"sh -c 'cat {listed} > {shown}; ls {place}/state/2 >> {shown} || true'"
    with contextlib.closing(StateFolder(place / "state")) as state:
        supervisor = Supervisor(state, [machine], Policy(), print, balancer=Balancer(listed, reload))
        with supervisor:
            until(lambda: supervisor.status()[0]["healthy"])
            supervisor.scale(2, [], print)
            both = f"server 127.0.0.1:{port};\nserver 127.0.0.1:{port + 1};\n"
            assert listed.read_text() == both
            supervisor.scale(1, [], print)
            assert listed.read_text() == f"server 127.0.0.1:{port};\n"
    assert "process-" in shown.read_text(), "the second one ran until the balancer knew that it would end"
