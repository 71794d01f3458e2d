"""`loadstone image run`, `status` and `stop`, with a program in QEMU's place."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from in_service import WAIT_S, Running, body, gone, image, loadstone, process, until, well

from loadstone.image.guest import free_port
from loadstone.image.qemu import Machine
from loadstone.image.service import Policy, StateFolder, Supervisor, ask
from loadstone.image.service.console_log import ConsoleLog
from loadstone.image.service.folder import remember_process
from loadstone.image.service.policy import LONGEST_PAUSE_S, pause_s
from loadstone.leave import INTERRUPTED


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
    assert body(running.port) == f"serving a {after[0]['pid']}"
    code, said = loadstone("status", running.state)
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
    assert loadstone("status", running.state)[0] == 3


def test_an_instance_that_does_not_answer_is_started_again(run: Callable[..., Running]) -> None:
    running = run("mute", policy=Policy(patience_s=0.5))
    seen = running.until(lambda seen: seen[0]["restarts"] >= 1)
    assert "it did not answer for" in seen[0]["last_end"]["reason"]
    assert loadstone("status", running.state)[0] == 3


def test_a_stop_leaves_nothing_behind(run: Callable[..., Running]) -> None:
    running = run("a", 2)
    pids = [one["pid"] for one in running.well()]
    assert ask(running.state, {"do": "stop"}) is None
    assert running.supervisor.wait() == []
    running.stop()
    assert all(map(gone, pids))
    left = sorted(str(file.relative_to(running.state)) for file in running.state.rglob("*"))
    assert [name for name in left if "monitor" in name or "process" in name or name == "control"] == []
    assert running.ends()[-1]["reason"] == "stopped: the guest ended"
    assert "heard shutdown" in (running.state / "1/console.log").read_text()
    code, said = loadstone("status", running.state)
    assert code == 2 and "error[image-state]" in said


def test_a_stop_does_not_wait_for_whoever_has_the_monitor(run: Callable[..., Running]) -> None:
    running = run("a")
    (pid,) = [one["pid"] for one in running.well()]
    with socket.socket(socket.AF_UNIX) as other:
        other.connect(str(running.state / "1/monitor"))
        running.stop()
    assert gone(pid)
    assert running.ends()[-1]["reason"] == "stopped: the guest ended"


def test_an_instance_that_does_not_end_is_ended(run: Callable[..., Running]) -> None:
    running = run("stubborn", policy=Policy(grace_s=0.2))
    (pid,) = [one["pid"] for one in running.well()]
    running.stop()
    assert gone(pid)
    assert running.ends()[-1]["reason"] == "stopped: QEMU was ended after 0.2 s"


@pytest.mark.long
def test_a_second_signal_ends_at_once(place: Path) -> None:
    with process(place, "stubborn", "--grace", "3600") as command:
        (pid,) = [one["pid"] for one in well(place / "state")]
        command.send_signal(signal.SIGINT)
        until(lambda: "heard shutdown" in (place / "state/1/console.log").read_text())
        command.send_signal(signal.SIGTERM)
        assert command.wait(WAIT_S) == INTERRUPTED
    assert gone(pid)


def test_what_is_refused_is_not_tried_again(place: Path) -> None:
    with process(place, "refuse") as command:
        said = command.communicate(timeout=WAIT_S)[1]
    assert command.returncode == 2
    assert "1: the guest refused what it was given; it is not started again: refuse: so it is" in said


@pytest.fixture
def on_a_terminal() -> Iterator[None]:
    """What is started hears that its terminal closes, also when the tests themselves do not (`nohup`)."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.long
@pytest.mark.usefixtures("on_a_terminal")
def test_a_closed_terminal_ends_it_in_good_order(place: Path) -> None:
    with process(place, "a") as command:
        well(place / "state")
        command.send_signal(signal.SIGHUP)
        assert command.wait(WAIT_S) == 0
    ends = json.loads((place / "state/1/ends.json").read_text())
    assert ends[-1]["reason"] == "stopped: the guest ended"


@pytest.mark.long
def test_a_killed_supervisor_leaves_no_machine_and_the_next_one_says_so(
    place: Path, run: Callable[..., Running]
) -> None:
    with process(place, "a", "--instances", "2") as command:
        pids = [one["pid"] for one in well(place / "state")]
        command.kill()
        command.wait(WAIT_S)
        until(lambda: all(map(gone, pids)))
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
    one = image(place, "a")
    for words, said in (
        (("--state", running.state, "--port", "0"), "another supervisor runs in"),
        (("--state", place / "other", "--port", running.port), f"port {running.port}"),
        (("--state", place, "--port", "0"), "no supervisor made it"),
        (("--state", place / ("x" * 120), "--port", "0"), "too long for the sockets"),
    ):
        code, told = loadstone("run", one, *words)
        assert code == 2 and said in told, told


def test_an_instance_is_kept_up_when_nobody_listens_any_more(place: Path) -> None:
    def closed(_sentence: str) -> None:
        raise BrokenPipeError

    machine = Machine(image(place, "a"), ports={80: free_port()})
    with (
        contextlib.closing(StateFolder(place / "state")) as state,
        Supervisor(state, [machine], Policy(), closed) as supervisor,
    ):
        until(lambda: supervisor.status()[0]["healthy"])
        os.kill(supervisor.status()[0]["pid"], signal.SIGKILL)
        until(lambda: (one := supervisor.status()[0])["restarts"] == 1 and one["healthy"])


def test_the_log_of_a_console_is_bounded(tmp_path: Path) -> None:
    log = ConsoleLog(tmp_path / "console.log", 1000)
    for number in range(500):
        log.write(f"line {number}")
    log.close()
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["console.log", *(f"console.log.{n}" for n in (1, 2, 3))]
    assert all(file.stat().st_size <= 1000 for file in files)
    assert files[0].read_text().endswith("line 499\n")
    shutil.rmtree(tmp_path)
    for number in range(100):
        log.write(f"lost {number}")
    tmp_path.mkdir()
    log.write("kept")
    assert files[0].read_text().endswith("kept\n")
    log.close()
    again = ConsoleLog(tmp_path / "console.log", 1000)
    again.write("line 500")
    again.close()
    assert [line.split()[1] for line in files[0].read_text().splitlines()] == ["kept", "line"]
