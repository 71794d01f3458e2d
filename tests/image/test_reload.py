"""`loadstone image reload` and `move`, with a program in QEMU's place."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from in_service import Running, body, image, loadstone

from loadstone.errors import LoadstoneError
from loadstone.image.guest import free_port
from loadstone.image.service import Policy


def test_a_new_image_takes_the_port_over(run: Callable[..., Running], place: Path) -> None:
    running = run("a", 2)
    before = running.well()
    code, said = loadstone(
        "reload", running.state, image(place, "b"), "--cmdline", "olio.media=0.01", "--pause", "0"
    )
    assert code == 0, said
    assert [line.split(",")[0] for line in said.splitlines()] == ["1: renewed", "2: renewed"]
    after = running.well()
    assert {one["pid"] for one in after}.isdisjoint(one["pid"] for one in before)
    addresses = [int(one["address"].rpartition(":")[2]) for one in after]
    assert [body(port) for port in addresses] == [f"serving b {one['pid']}" for one in after]
    console = (running.state / "1/console.log").read_text()
    assert "serving b with ip=10.0.2.15/24 gw=10.0.2.2 olio.media=0.01" in console
    assert after[0]["last_end"]["reason"] == "renewed: the guest ended"
    assert [file.name for file in (running.state / "images").iterdir()] == [after[0]["image"]]
    os.kill(after[0]["pid"], signal.SIGKILL)
    running.until(lambda seen: seen[0]["restarts"] == 1 and seen[0]["healthy"])
    assert body(running.port).startswith("serving b ")


def test_what_is_not_well_is_renewed_first_and_the_last_one_that_serves_is_left(
    run: Callable[..., Running], place: Path
) -> None:
    running = run("a", 2, Policy(restarts=0))
    os.kill(running.well()[1]["pid"], signal.SIGKILL)
    running.until(lambda seen: seen[1]["state"] == "failed")
    code, said = loadstone("reload", running.state, image(place, "panic"), "--pause", "0")
    assert code == 3 and "instance 2 runs what it ran before" in said and "not renewed: 1" in said

    def kill(number: int) -> None:
        os.kill(running.well()[number - 1]["pid"], signal.SIGKILL)
        running.until(lambda seen: seen[number - 1]["state"] == "failed")

    kill(2)
    code, said = loadstone("reload", running.state, image(place, "b"), "--pause", "0")
    assert code == 0 and [line[0] for line in said.splitlines()] == ["2", "1"]
    with pytest.raises(LoadstoneError, match="the only one that serves"):
        running.supervisor.reload(image(place, "a"), None, 0, lambda sentence: kill(int(sentence[0])))
    assert body(running.port + 1).startswith("serving b ")


@pytest.mark.parametrize("with_disk", [False, True])
@pytest.mark.parametrize(
    "bad, slug",
    [("panic", "guest-ended"), pytest.param("mute", "guest-silent", marks=pytest.mark.long)],
)
def test_a_bad_image_leaves_the_old_one_serving(
    run: Callable[..., Running], place: Path, with_disk: bool, bad: str, slug: str
) -> None:
    (disk := place / "disk").touch()
    running = run("a", policy=Policy(patience_s=10), disks=(disk,) if with_disk else ())
    before = running.well()
    code, said = loadstone("reload", running.state, image(place, bad))
    assert code == 3 and f"error[{slug}]: instance 1 runs what it ran before" in said
    after = running.well()
    assert after[0]["image"] == before[0]["image"]
    assert (after[0]["pid"] == before[0]["pid"]) is not with_disk
    assert body(running.port) == f"serving a {after[0]['pid']}"


def test_orders_that_cannot_be_are_refused(run: Callable[..., Running], place: Path) -> None:
    running = run("a")
    before = running.well()
    (place / "junk.elf").write_text("junk")
    for words, said in (
        (("reload", running.state), "nothing new"),
        (("reload", running.state, place / "junk.elf"), "image-file"),
        (("move", running.state, "1"), "nowhere to move to"),
        (("move", running.state, "2", "--port", str(free_port())), "there is no instance 2"),
        (("move", running.state, "1", "--disk", place / "new"), "instance 1 has no disk"),
        (("stop", place / "nowhere"), "image-state"),
        (("run", image(place, "a"), "--check", "events"), "no path of a site"),
    ):
        code, told = loadstone(*words)
        assert code == 2 and said in told, (words, told)
    assert running.well()[0]["pid"] == before[0]["pid"]


def test_an_instance_moves_to_another_port(run: Callable[..., Running]) -> None:
    running = run("a")
    (before,) = running.well()
    code, said = loadstone("move", running.state, "1", "--port", str(port := free_port()))
    assert code == 0, said
    (after,) = running.well()
    assert after["address"] == f"http://127.0.0.1:{port}" and after["pid"] == before["pid"]
    assert body(port) == f"serving a {after['pid']}"
    with pytest.raises(ConnectionRefusedError):
        body(running.port)
