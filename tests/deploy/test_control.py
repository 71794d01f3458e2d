"""What runs on a host, here on this machine: half-way states, programs that will not come up or end."""

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadstone.deploy.host import control, home
from loadstone.deploy.host.data import Order
from loadstone.deploy.host.home import Home, Refused
from loadstone.deploy.host.processes import members
from loadstone.deploy.role import Unit

OURS = Order("ours")

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="it runs programs as other users")

# Serves the word in its configuration, unless that is `bad`. It has a child in a session of its own.
SERVER = """
import os, signal, socket, subprocess, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN if sys.argv[3] == "deaf" else signal.SIG_DFL)
word = open(sys.argv[1]).read()
if word == "bad":
    sys.exit("cannot take a bad word")
subprocess.Popen(["sleep", "600"], start_new_session=True)
server = socket.create_server(("127.0.0.1", int(sys.argv[2])))
while True:
    server.accept()[0].sendall(word.encode())
"""


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(home, "ROOT", tmp_path)
    monkeypatch.setattr(control, "ROOT", tmp_path)
    yield "words"
    control.remove("words", OURS)
    assert not (tmp_path / "words").exists()


@pytest.fixture
def unit() -> dict[str, object]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    start = ["python3", "-c", SERVER, "{conf}/word", str(port), "deaf"]
    return json.loads(json.dumps(Unit("words", port, start, ["python3"], user="root", stop_s=0.2).as_json()))


def want(service: str, unit: dict[str, object], word: str) -> None:
    control.prepare(service, OURS, json.dumps(unit), ["word"])
    (Home(service).wanted / "word").write_text(word)


def said(unit: dict[str, object]) -> str:
    with socket.create_connection(("127.0.0.1", unit["port"])) as connection:  # type: ignore[arg-type]
        return connection.recv(100).decode()


@pytest.mark.parametrize("hearing", ["deaf", "obedient"])
def test_what_is_wanted_runs_and_ends_whole(service: str, unit: dict[str, object], hearing: str) -> None:
    unit["start"] = [*unit["start"][:-1], hearing]  # type: ignore[index]
    want(service, unit, "one")
    assert control.apply(service, OURS)["action"] == "started"
    pids = members(Home(service))
    assert len(pids) == 2 and said(unit) == "one"
    again = control.apply(service, OURS)
    assert (again["action"], again["changed"], members(Home(service))) == ("unchanged", False, pids)
    control.remove(service, OURS)
    # The dead that nobody has waited for have no command line.
    assert not any(Path(f"/proc/{pid}/cmdline").read_bytes() for pid in pids if Path(f"/proc/{pid}").exists())


# Its first thread ends when it is told to, as memcached's may. Another one holds the port for a while longer.
SLOW_TO_END = """
import ctypes, signal, socket, sys, threading, time
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
server = socket.create_server(("127.0.0.1", int(sys.argv[2])))
ended = threading.Event()
def hold():
    ended.wait()
    time.sleep(1)
    server.close()
threading.Thread(target=hold).start()
signal.sigwait({signal.SIGTERM})
ended.set()
ctypes.CDLL(None).pthread_exit(None)
"""


def test_what_has_lost_its_first_thread_only_has_not_ended(service: str, unit: dict[str, object]) -> None:
    unit |= {"start": ["python3", "-c", SLOW_TO_END, "{conf}/word", str(unit["port"])], "stop_s": 10.0}
    want(service, unit, "one")
    control.apply(service, OURS)
    (first,) = members(Home(service))
    want(service, unit, "two")
    # Were the port looked at before the last thread has ended, another process would seem to hold it.
    assert control.apply(service, OURS)["action"] == "restarted"
    assert members(Home(service)) != [first]


def test_what_does_not_come_up_gives_way_to_what_ran(service: str, unit: dict[str, object]) -> None:
    want(service, unit, "one")
    control.apply(service, OURS)
    want(service, unit, "bad")
    with pytest.raises(Refused) as failed:
        control.apply(service, OURS)
    assert failed.value.slug == "service-failed" and failed.value.log == ["cannot take a bad word"]
    assert said(unit) == "one" and (Home(service).conf / "word").read_text() == "one"
    want(service, unit, "two")
    assert control.apply(service, OURS)["action"] == "restarted" and said(unit) == "two"


def test_what_an_earlier_version_deployed_is_kept_when_the_new_one_fails(
    service: str, unit: dict[str, object]
) -> None:
    want(service, unit, "one")
    control.apply(service, OURS)
    there = Home(service)
    first = {key: value for key, value in unit.items() if key not in home._LATER}
    (there.conf / home.UNIT).write_text(json.dumps(first))
    want(service, unit, "bad")
    with pytest.raises(Refused) as failed:
        control.apply(service, OURS)
    assert failed.value.slug == "service-failed" and said(unit) == "one"


@pytest.mark.parametrize("moment", ["before the swap", "within it", "after it", "after the stop"])
def test_it_goes_on_from_wherever_it_was_killed(service: str, unit: dict[str, object], moment: str) -> None:
    want(service, unit, "one")
    control.apply(service, OURS)
    want(service, unit, "two")
    there = Home(service)
    if moment != "before the swap":
        there.conf.rename(there.before)
    if moment in ("after it", "after the stop"):
        home.swap(there)
    if moment == "after the stop":
        for pid in members(there):
            os.kill(pid, signal.SIGKILL)
    assert control.apply(service, OURS)["changed"] and said(unit) == "two"
    assert not control.apply(service, OURS)["changed"]


def test_a_port_that_is_taken_is_told_with_who_has_it(service: str, unit: dict[str, object]) -> None:
    with socket.create_server(("127.0.0.1", unit["port"])):  # type: ignore[arg-type]
        want(service, unit, "one")
        with pytest.raises(Refused) as failed:
            control.apply(service, OURS)
    assert f"port {unit['port']} is taken by process {os.getpid()}" in failed.value.message
    assert control.apply(service, OURS)["action"] == "started"


def test_data_are_made_once_and_to_their_end(service: str, unit: dict[str, object]) -> None:
    def made(word: str) -> str:
        unit["prepare"] = [["sh", "-c", f"echo {word} >>$0/made", "{data}"]]
        want(service, unit, "one")
        control.apply(service, OURS)
        return (Home(service).data / "made").read_text()

    assert made("first") == "first\n"
    assert made("first") == "first\n"
    control.restart(service, OURS)
    assert made("first") == "first\n"
    # Cut off half-way: what is there was never served.
    (Home(service).run / "made").write_text("making")
    (Home(service).data / "made").write_text("half of it")
    assert made("second") == "second\n"


def test_a_service_goes_on_when_there_is_no_room_to_start_it_again(
    service: str, unit: dict[str, object], tmp_path: Path
) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(tmp_path)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("file systems cannot be mounted here")
    try:
        unit["room_mib"] = 2
        want(service, unit, "one")
        control.apply(service, OURS)
        pids = members(Home(service))
        (tmp_path / "ballast").write_bytes(b"x" * (2 << 20))
        for attempt in (lambda: control.restart(service, OURS), lambda: change(service, unit)):
            with pytest.raises(Refused) as refused:
                attempt()
            assert refused.value.slug == "host-write" and "nothing was stopped" in refused.value.message
            assert members(Home(service)) == pids and said(unit) == "one"
        (tmp_path / "ballast").unlink()
        assert control.restart(service, OURS)["action"] == "restarted"
    finally:
        control.remove(service, OURS)
        subprocess.run(["umount", "-l", str(tmp_path)], check=True)


def change(service: str, unit: dict[str, object]) -> None:
    want(service, unit, "two")
    control.apply(service, OURS)


def test_a_service_is_killed_or_stopped_and_starts_again(service: str, unit: dict[str, object]) -> None:
    want(service, unit, "one")
    control.apply(service, OURS)
    with pytest.raises(Refused) as refused:
        control.halt(service, Order("theirs"), "kill")
    assert refused.value.slug == "service-owned"
    alive = members(Home(service))
    assert len(alive) == 2, "it has a child in a session of its own"
    assert set(control.halt(service, OURS, "kill")["pids"]) == set(alive)
    assert not members(Home(service)) and not any(Path(f"/proc/{pid}/cwd").exists() for pid in alive)
    for how in ("kill", "stop"):
        answer = control.answered("halt", service, OURS, how)
        assert answer["refused"] == "service-failed", "it does not run"
    control.restart(service, OURS)
    assert said(unit) == "one"
    assert control.answered("halt", service, OURS, "stop")["action"] == "stopped"
    assert control.status(service, OURS, {})["state"] == "failed"
    control.restart(service, OURS)
    assert said(unit) == "one"


def test_a_plan_says_unchanged_only_of_what_came_up_with_its_configuration(
    service: str, unit: dict[str, object]
) -> None:
    want(service, unit, "one")
    control.apply(service, OURS)
    files = {name: (Home(service).conf / name).read_text() for name in ("unit.json", "word")}
    assert control.plan(service, OURS, files)["action"] == "unchanged"
    # As after a kill between the new configuration and its start.
    (Home(service).run / "accepted").write_text("another")
    assert control.plan(service, OURS, files)["action"] == "restarted"
