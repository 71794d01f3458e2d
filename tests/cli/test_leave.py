"""The second Ctrl-C or SIGTERM ends a command wherever it is, with everything that it has started.

The promise is two seconds; machines that are busy get longer here. What is waited for ends never by itself.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from tiny import tiny_image

import loadstone
from loadstone.leave import INTERRUPTED

PACKAGE = Path(loadstone.__file__).parents[1]
ENDS_S = 30
STARTS_S = 120

BEGIN = """
import sys
from loadstone import leave
leave.watch()
try:
    exec(sys.argv[1])
except KeyboardInterrupt:
    sys.exit(leave.INTERRUPTED)
"""
"""As `loadstone.__main__`."""
CHILDREN = """
import subprocess
nested = "import subprocess, time; subprocess.Popen(['sleep', '600']); print(flush=True); time.sleep(600)"
child = subprocess.Popen([sys.executable, "-c", nested], stdout=subprocess.PIPE, start_new_session=True)
child.stdout.readline()
"""
READY = "print('ready', flush=True)"
# A call in C that neither lets go of the interpreter nor looks at signals.
FOREVER = "import collections, itertools; collections.deque(itertools.repeat(0), maxlen=0)"
PREPARED = "with leave.handling([2, 15], lambda *_: None):"
SLEEP = "import time; time.sleep(600)"
STUCK = {
    "interpreter": f"{READY}; {FOREVER}",
    # Who is prepared for the first signal decides what it does; not so of the second.
    "prepared": f"{PREPARED} {READY}; {FOREVER}",
    "deaf": f"{PREPARED} {READY}; {SLEEP}",
    "cleaning": f"try: {READY}; {SLEEP}\nfinally: {SLEEP}",
    # Python has put its own handlers away by then.
    "going down": f"import time\nclass Last:\n    def __del__(self): {READY}; time.sleep(600)\nlast = Last()",
    # DuckDB 2.0 does not always come to an end after the first.
    "database": f"import duckdb; {READY}; duckdb.sql('SELECT sum(hash(range)) FROM range({10**14})').show()",
}
ENDING = {
    "output": f"{READY}; sys.stdout.write('x' * 10_000_000)",
    "exit": f"import threading; threading.Thread(target=lambda: exec('{SLEEP}')).start(); {READY}",
}


@contextmanager
def started(
    *command: str, folder: Path | None = None, first: Path | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A Python process; `first`: where programs are looked for first."""
    path = [*([str(first)] if first else []), os.environ["PATH"]]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, *command],
        stdout=pipe,
        stderr=pipe,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(PACKAGE), "PATH": ":".join(path)},
        preexec_fn=listen,
    ) as process:
        try:
            yield process
        finally:
            for one in [*family(process), process]:
                one.kill()


def listen() -> None:
    """Has Ctrl-C mean something: the shell has background jobs, these tests perhaps, ignore it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def family(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """What it has started."""
    try:
        return psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def pending(pid: int) -> int:
    """The signals that wait for the process, as bits."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("ShdPnd:"):
            return int(line.split()[1], 16)
    return 0


def ends(process: subprocess.Popen[str], *signals: signal.Signals) -> int:
    """Sends it these, one a tenth of a second after the other; its exit code. Nothing of its own is left."""
    children = family(process)
    assert process.poll() is None, f"it ended by itself: {process.communicate()}"
    for number in signals:
        process.send_signal(number)
        time.sleep(0.1)
        # Two of a kind are one, as long as nobody has taken the first.
        while process.poll() is None and pending(process.pid) >> (number - 1) & 1:
            time.sleep(0.02)
    code = process.wait(ENDS_S)
    _, alive = psutil.wait_procs(children, ENDS_S)
    assert not [one for one in alive if one.status() != psutil.STATUS_ZOMBIE], "a process was left behind"
    return code


@pytest.mark.parametrize(
    ("where", "last"),
    [
        ("interpreter", signal.SIGINT),
        pytest.param("interpreter", signal.SIGTERM, marks=pytest.mark.long),
        *(
            pytest.param(name, signal.SIGTERM, marks=pytest.mark.long)
            for name in STUCK
            if name != "interpreter"
        ),
    ],
)
def test_the_second_signal_ends_it_wherever_it_is(where: str, last: signal.Signals) -> None:
    with started("-c", BEGIN, f"{CHILDREN}\n{STUCK[where]}") as process:
        assert process.stdout and process.stdout.readline() == "ready\n"
        assert len(family(process)) == 2
        assert ends(process, signal.SIGTERM, last) == INTERRUPTED


@pytest.mark.long
@pytest.mark.parametrize("where", ENDING)
def test_a_process_that_cannot_end_by_itself(where: str) -> None:
    with started("-c", BEGIN, ENDING[where]) as process:
        assert process.stdout and process.stdout.readline() == "ready\n"
        ends(process, signal.SIGTERM, signal.SIGINT, signal.SIGINT)


@pytest.mark.long
def test_the_first_signal_ends_what_nobody_is_prepared_to_end_well() -> None:
    with started("-c", BEGIN, f"{CHILDREN}\n{STUCK['interpreter']}") as process:
        assert process.stdout and process.stdout.readline() == "ready\n"
        assert ends(process, signal.SIGTERM) == INTERRUPTED


def test_what_a_library_makes_of_the_first_signal_is_no_defect() -> None:
    """A query of DuckDB's that is interrupted ends by an error of its own."""
    app = f"try: {READY}; {SLEEP}\n    except KeyboardInterrupt: raise RuntimeError('Query interrupted')"
    command = f"from loadstone import __main__, cli\ndef app():\n    {app}\ncli.app = app\n__main__.main()"
    with started("-c", command) as process:
        assert process.stdout and process.stdout.readline() == "ready\n"
        assert ends(process, signal.SIGTERM) == INTERRUPTED
        assert process.communicate()[1] == ""


@pytest.mark.long
def test_the_first_signal_is_left_to_who_is_prepared_for_it() -> None:
    with started("-c", BEGIN, STUCK["prepared"]) as process:
        assert process.stdout and process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(4)
        assert ends(process, signal.SIGINT) == INTERRUPTED


@pytest.mark.long
def test_the_first_signal_is_forgotten_where_it_was_dealt_with() -> None:
    then = f"import time\n{PREPARED}\n    {READY}; time.sleep(0.3)\ntime.sleep(4); print('done')"
    with started("-c", BEGIN, then) as process:
        assert process.stdout and process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=STARTS_S)[0] == "done\n"


@pytest.mark.long
@pytest.mark.parametrize("after_s", [0.0, 0.2, 0.6])
def test_starting_up(after_s: float) -> None:
    with started("-m", "loadstone", "serve", "surge", "--port", "0") as process:
        time.sleep(after_s)
        code = ends(process, signal.SIGINT, signal.SIGTERM)
        _, said = process.communicate()
        # Before anything of ours runs, Python's and the system's own ways end it. A fast machine may serve by
        # then, and a server that is told to end has done its work.
        assert code != 0 or "served: " in said, said


def cpu_s(process: subprocess.Popen[str], at_least: float) -> None:
    """Waits until it has computed for so long: it is in the middle of what takes it minutes."""
    used = psutil.Process(process.pid)
    until(process, lambda: sum(used.cpu_times()[:2]) > at_least)


def until(process: subprocess.Popen[str], holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + STARTS_S
    while not holds():
        assert process.poll() is None, f"it ended by itself: {process.communicate()}"
        assert time.monotonic() < deadline
        time.sleep(0.02)


def journals(folder: Path) -> Callable[[], bool]:
    """Whether a run beneath the folder has measured some seconds."""
    return lambda: any(one.read_bytes().count(b'{"window":') >= 2 for one in folder.rglob("journal.ndjson"))


MODELS = Path(__file__).parents[2] / "bench" / "models"
COMPUTING = {
    "solve": ("solve", str(MODELS / "kanban.prism"), "--const", "n=7", "--long-run"),
    "sweep": ("sweep", str(MODELS / "kanban.prism"), "--over", "n=1,7,8,9,10", "--long-run"),
    "olio load": ("olio", "load", "--accounts", "3000000", "--out", "data"),
}


@pytest.mark.long
@pytest.mark.parametrize("command", COMPUTING)
def test_a_command_that_computes(command: str, tmp_path: Path) -> None:
    with started("-m", "loadstone", *COMPUTING[command], folder=tmp_path) as process:
        cpu_s(process, 2.5)
        # Python gives signals back to the system while it ends: the second may meet its end under way.
        assert ends(process, signal.SIGINT, signal.SIGINT) in (INTERRUPTED, -signal.SIGINT)


SMALL = ("--set", "data.accounts=100", "--set", "data.media_scale=0.01", "--set", "load.ramp_up_s=0")
MEASURING = {
    "run": ("run", "olio", "--users", "5", "--window", "600", *SMALL, "--out", "out"),
    "capacity": ("capacity", "olio", "--window", "600", *SMALL, "--out", "out"),
    "demo": ("demo", "--out", "out"),
}


@pytest.mark.long
@pytest.mark.parametrize("command", MEASURING)
def test_a_command_that_measures_takes_its_service_with_it(command: str, tmp_path: Path) -> None:
    with started("-m", "loadstone", *MEASURING[command], folder=tmp_path) as process:
        until(process, journals(tmp_path))
        assert family(process)
        # With which code depends on how far the first signal has brought it.
        ends(process, signal.SIGTERM, signal.SIGTERM)


@pytest.mark.long
def test_a_run_that_was_aborted_still_reports(tmp_path: Path) -> None:
    with started("-m", "loadstone", *MEASURING["run"], folder=tmp_path) as process:
        until(process, journals(tmp_path))
        ends(process, signal.SIGINT, signal.SIGTERM)
    with started("-m", "loadstone", "report", "out", folder=tmp_path) as process:
        _, said = process.communicate(timeout=STARTS_S)
    assert process.returncode == 0, said
    assert (tmp_path / "out" / "run.json").is_file()


@pytest.mark.long
def test_a_machine_that_does_not_listen(tmp_path: Path) -> None:
    deaf = tmp_path / "qemu-system-x86_64"
    deaf.write_text("#!/bin/sh\ntrap '' INT TERM HUP\necho serving\nexec sleep 600\n")
    deaf.chmod(0o755)
    image = tiny_image(tmp_path)
    with started("-m", "loadstone", "image", "boot", str(image), folder=tmp_path, first=tmp_path) as process:
        assert process.stdout
        while "serving" not in (line := process.stdout.readline()):
            assert line, process.communicate()
        # A machine that was not taken in charge yet is killed at the first signal; the second comes too late.
        assert ends(process, signal.SIGTERM, signal.SIGTERM) in (0, INTERRUPTED, -signal.SIGTERM)


@pytest.mark.long
def test_a_server_with_a_request_that_does_not_end(tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as behind,
        started(
            "-m", "loadstone", "serve", "proxy", f"http://127.0.0.1:{behind.getsockname()[1]}", "--port", "0"
        ) as process,
    ):
        assert process.stdout
        port = int(process.stdout.readline().rpartition(":")[2].split()[0].strip("/"))
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            with behind.accept()[0]:
                ends(process, signal.SIGTERM, signal.SIGTERM)
