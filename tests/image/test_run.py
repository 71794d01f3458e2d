"""`loadstone image run` and what is asked of it, with a program in QEMU's place."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tiny import tiny_image
from typer.testing import CliRunner

from loadstone.cli import app
from loadstone.cli.image_machines import own_words
from loadstone.errors import LoadstoneError
from loadstone.image.fleet import instances
from loadstone.image.guest import free_port
from loadstone.image.qemu import Disk, Machine
from loadstone.image.service import Control, Policy, StateFolder, Supervisor, ask
from loadstone.image.service.console_log import ConsoleLog
from loadstone.image.service.folder import remember_process
from loadstone.image.service.policy import LONGEST_PAUSE_S, pause_s
from loadstone.leave import INTERRUPTED

HERE = Path(__file__).parent
WAIT_S = 60.0


def _loadstone(*words: str | Path) -> tuple[int, str]:
    """The exit code of a command, and what it said."""
    result = CliRunner().invoke(app, ["image", *map(str, words)])
    if isinstance(result.exception, LoadstoneError):
        return result.exception.exit_code, str(result.exception)
    return result.exit_code, result.output


def _until(what: Callable[[], Any]) -> Any:
    """The first result that is true, within a minute."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        if found := what():
            return found
        time.sleep(0.02)
    raise AssertionError("it did not come about within a minute")


def _image(folder: Path, text: str) -> Path:
    """An image that says this, by which the program in QEMU's place goes."""
    (own := folder / text).mkdir(exist_ok=True)
    return tiny_image(own, f"serving {text}")


class Running:
    """A supervisor with a state folder, in this process."""

    def __init__(self, folder: Path, image: Path, count: int, policy: Policy, disks: list[Path]) -> None:
        self.state = folder / "state"
        self.port = free_port()
        self.told: list[str] = []
        described = Machine(image, words=own_words(False, ""))
        machines = instances(described, count, self.port, [Disk(one) for one in disks])
        self._all = contextlib.ExitStack()
        kept = self._all.enter_context(contextlib.closing(StateFolder(self.state)))
        words = partial(own_words, False)
        self.supervisor = Supervisor(kept, machines, policy, self.told.append, words)
        self._all.enter_context(self.supervisor)
        self._all.enter_context(Control(kept.path / "control", self.supervisor))

    def until(self, what: Callable[[list[dict[str, Any]]], Any]) -> list[dict[str, Any]]:
        """The first status of which this is true."""
        return list(_until(lambda: (seen := ask(self.state, {"do": "status"})) and what(seen) and seen))

    def well(self) -> list[dict[str, Any]]:
        """The status when all are well."""
        return self.until(lambda seen: all(one["healthy"] for one in seen))

    def ends(self, number: int = 1) -> list[dict[str, Any]]:
        """The latest ends of an instance."""
        return list(json.loads((self.state / str(number) / "ends.json").read_text()))

    def stop(self) -> None:
        """Ends it."""
        self._all.close()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder; another program is in QEMU's place."""
    program = tmp_path / "qemu-system-x86_64"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -IS {HERE / "fake_qemu.py"} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path


@pytest.fixture
def run(place: Path) -> Iterator[Callable[..., Running]]:
    """Starts supervisors; ends them."""
    with contextlib.ExitStack() as started:

        def start(
            text: str, count: int = 1, policy: Policy | None = None, disks: tuple[Path, ...] = ()
        ) -> Running:
            one = Running(place, _image(place, text), count, policy or Policy(), list(disks))
            started.callback(one.stop)
            return one

        yield start


@contextlib.contextmanager
def _process(folder: Path, text: str, *words: str) -> Iterator[subprocess.Popen[str]]:
    """`loadstone image run` as a process of its own."""
    command = [sys.executable, "-m", "loadstone", "image", "run", str(_image(folder, text))]
    command += ["--state", str(folder / "state"), "--port", "0", *words]
    silent = subprocess.DEVNULL
    with subprocess.Popen(command, stdin=silent, stdout=silent, stderr=subprocess.PIPE, text=True) as one:
        yield one
        one.kill()


def _well(state: Path) -> list[dict[str, Any]]:
    """The status of a process's instances when all are well."""

    def seen() -> list[dict[str, Any]] | None:
        with contextlib.suppress(LoadstoneError):
            found: list[dict[str, Any]] = ask(state, {"do": "status"})
            return found if all(one["healthy"] for one in found) else None
        return None

    return list(_until(seen))


def _body(port: int) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT_S)
    with contextlib.closing(connection):
        connection.request("GET", "/")
        return connection.getresponse().read().decode()


def _gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_an_instance_that_was_killed_comes_back_and_its_sibling_does_not_notice(
    run: Callable[..., Running],
) -> None:
    running = run("a", 2)
    before = running.well()
    os.kill(before[0]["pid"], signal.SIGKILL)
    after = running.until(lambda seen: seen[0]["restarts"] == 1 and all(one["healthy"] for one in seen))
    assert after[0]["pid"] != before[0]["pid"] and after[1]["pid"] == before[1]["pid"]
    assert after[1]["restarts"] == 0
    assert after[0]["last_end"]["reason"] == "QEMU was ended by signal 9"
    assert after[0]["last_end"]["console"][0].startswith("serving a with ip=")
    assert _body(running.port) == f"serving a {after[0]['pid']}"
    code, said = _loadstone("status", running.state)
    assert code == 0 and "signal 9" in said
    assert (running.state / "1/console.log").read_text().count("serving a") == 2
    assert stat.S_IMODE((running.state / "control").stat().st_mode) == 0o600
    assert stat.S_IMODE(running.state.stat().st_mode) == 0o700


def test_pauses_double_up_to_a_limit_and_an_instance_is_given_up(run: Callable[..., Running]) -> None:
    running = run("panic", policy=Policy(restarts=3))
    assert running.supervisor.wait() == [35]
    waits = [re.findall(r"started again in (\S+) s", sentence) for sentence in running.told]
    assert [wait for (wait,) in filter(None, waits)] == ["0.1", "0.2", "0.4"]
    assert running.told[-1] == (
        "1: the guest panicked, 4 times in a row; it is not started again: panic: so it is"
    )
    assert [end["exit_code"] for end in running.ends()] == [35] * 4
    assert [pause_s(n) for n in range(1, 5)] == [0.1, 0.2, 0.4, 0.8] and pause_s(99) == LONGEST_PAUSE_S
    assert _loadstone("status", running.state)[0] == 3


def test_an_instance_that_does_not_answer_is_started_again(run: Callable[..., Running]) -> None:
    running = run("mute", policy=Policy(patience_s=0.5))
    seen = running.until(lambda seen: seen[0]["restarts"] >= 1)
    assert "it did not answer for" in seen[0]["last_end"]["reason"]
    assert _loadstone("status", running.state)[0] == 3


def test_a_stop_leaves_nothing_behind(run: Callable[..., Running]) -> None:
    running = run("a", 2)
    pids = [one["pid"] for one in running.well()]
    assert ask(running.state, {"do": "stop"}) is None
    assert running.supervisor.wait() == []
    running.stop()
    assert all(map(_gone, pids))
    left = sorted(str(file.relative_to(running.state)) for file in running.state.rglob("*"))
    assert [name for name in left if "monitor" in name or "process" in name or name == "control"] == []
    assert running.ends()[-1]["reason"] == "stopped: the guest ended"
    assert "heard shutdown" in (running.state / "1/console.log").read_text()
    code, said = _loadstone("status", running.state)
    assert code == 2 and "error[image-state]" in said


def test_an_instance_that_does_not_end_is_ended(run: Callable[..., Running]) -> None:
    running = run("stubborn", policy=Policy(grace_s=0.2))
    (pid,) = [one["pid"] for one in running.well()]
    running.stop()
    assert _gone(pid)
    assert running.ends()[-1]["reason"] == "stopped: QEMU was ended after 0.2 s"


@pytest.mark.long
def test_a_second_signal_ends_at_once(place: Path) -> None:
    with _process(place, "stubborn", "--grace", "3600") as process:
        (pid,) = [one["pid"] for one in _well(place / "state")]
        process.send_signal(signal.SIGINT)
        _until(lambda: "heard shutdown" in (place / "state/1/console.log").read_text())
        process.send_signal(signal.SIGTERM)
        assert process.wait(WAIT_S) == INTERRUPTED
    assert _gone(pid)


def test_what_is_refused_is_not_tried_again(place: Path) -> None:
    with _process(place, "refuse") as process:
        said = process.communicate(timeout=WAIT_S)[1]
    assert process.returncode == 2
    assert "1: the guest refused what it was given; it is not started again: refuse: so it is" in said


@pytest.mark.long
def test_a_killed_supervisor_leaves_no_machine_and_the_next_one_says_so(
    place: Path, run: Callable[..., Running]
) -> None:
    with _process(place, "a", "--instances", "2") as process:
        pids = [one["pid"] for one in _well(place / "state")]
        process.kill()
        process.wait(WAIT_S)
        _until(lambda: all(map(_gone, pids)))
    again = run("a", 2)
    seen = again.well()
    assert again.told[0] == (
        f"1: the last supervisor ended without stopping this instance; QEMU ({pids[0]}) ended with it"
    )
    assert seen[1]["last_end"]["reason"] == "its supervisor was killed"


def test_what_still_runs_of_a_killed_supervisor_is_ended(run: Callable[..., Running], place: Path) -> None:
    StateFolder(place / "state").close()
    with subprocess.Popen(["sleep", "600"]) as orphan:
        note = place / "state/1"
        note.mkdir()
        remember_process(note, orphan.pid)
        (note / "process-1.json").write_text(json.dumps({"pid": os.getpid(), "ticks": 1}))
        running = run("a")
        assert orphan.wait(WAIT_S) == -signal.SIGKILL
    assert any(f"({orphan.pid}) still ran and was killed" in sentence for sentence in running.told)


def test_two_supervisors_do_not_share_a_folder(run: Callable[..., Running], place: Path) -> None:
    running = run("a")
    running.well()
    image = _image(place, "a")
    for words, said in (
        (("--state", running.state, "--port", "0"), "another supervisor runs in"),
        (("--state", place / "other", "--port", running.port), f"port {running.port}"),
        (("--state", place, "--port", "0"), "no supervisor made it"),
        (("--state", place / ("x" * 120), "--port", "0"), "too long for the sockets"),
    ):
        code, told = _loadstone("run", image, *words)
        assert code == 2 and said in told, told


def test_a_new_image_takes_the_port_over(run: Callable[..., Running], place: Path) -> None:
    running = run("a", 2)
    before = running.well()
    code, said = _loadstone(
        "reload", running.state, _image(place, "b"), "--cmdline", "olio.media=0.01", "--pause", "0"
    )
    assert code == 0, said
    assert [line.split(",")[0] for line in said.splitlines()] == ["1: renewed", "2: renewed"]
    after = running.well()
    assert {one["pid"] for one in after}.isdisjoint(one["pid"] for one in before)
    addresses = [int(one["address"].rpartition(":")[2]) for one in after]
    assert [_body(port) for port in addresses] == [f"serving b {one['pid']}" for one in after]
    console = (running.state / "1/console.log").read_text()
    assert "serving b with ip=10.0.2.15/24 gw=10.0.2.2 olio.media=0.01" in console
    assert after[0]["last_end"]["reason"] == "renewed: the guest ended"
    assert [file.name for file in (running.state / "images").iterdir()] == [after[0]["image"]]
    os.kill(after[0]["pid"], signal.SIGKILL)
    running.until(lambda seen: seen[0]["restarts"] == 1 and seen[0]["healthy"])
    assert _body(running.port).startswith("serving b ")


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
    code, said = _loadstone("reload", running.state, _image(place, bad))
    assert code == 3 and f"error[{slug}]: instance 1 runs what it ran before" in said
    after = running.well()
    assert after[0]["image"] == before[0]["image"]
    assert (after[0]["pid"] == before[0]["pid"]) is not with_disk
    assert _body(running.port) == f"serving a {after[0]['pid']}"


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
        (("run", _image(place, "a"), "--check", "events"), "no path of a site"),
    ):
        code, told = _loadstone(*words)
        assert code == 2 and said in told, (words, told)
    assert running.well()[0]["pid"] == before[0]["pid"]


def test_an_instance_moves_to_another_port(run: Callable[..., Running]) -> None:
    running = run("a")
    (before,) = running.well()
    code, said = _loadstone("move", running.state, "1", "--port", str(port := free_port()))
    assert code == 0, said
    (after,) = running.well()
    assert after["address"] == f"http://127.0.0.1:{port}" and after["pid"] == before["pid"]
    assert _body(port) == f"serving a {after['pid']}"
    with pytest.raises(ConnectionRefusedError):
        _body(running.port)


def test_the_log_of_a_console_is_bounded(tmp_path: Path) -> None:
    log = ConsoleLog(tmp_path / "console.log", 1000)
    for number in range(500):
        log.write(f"line {number}")
    log.close()
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["console.log", *(f"console.log.{n}" for n in (1, 2, 3))]
    assert all(file.stat().st_size <= 1000 for file in files)
    assert files[0].read_text().endswith("line 499\n")
    again = ConsoleLog(tmp_path / "console.log", 1000)
    again.write("line 500")
    again.close()
    assert files[0].read_text().endswith("line 499\n" + files[0].read_text().splitlines()[-1] + "\n")
