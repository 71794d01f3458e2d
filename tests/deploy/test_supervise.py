"""A service of one's own on a host, here on this machine: its instances, their ends, what it was brought."""

import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from loadstone.deploy.host import content, control, renew
from loadstone.deploy.host.data import Order
from loadstone.deploy.host.home import Home, Refused
from loadstone.deploy.host.processes import members
from loadstone.deploy.kinds import ROLES
from loadstone.deploy.render import TEMPLATES
from loadstone.deploy.role import Place, Service

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="it runs programs as other users")

OWN = Order("t-supervise")
# Answers with the instance's number. `MODE` says how it misbehaves.
SERVER = """
import os, socket, sys, time
mode = os.environ.get("MODE")
if mode == "broken":
    sys.exit("cannot start")
server = socket.create_server(("127.0.0.1", int(os.environ["PORT"])))
print("listening", flush=True)
while True:
    connection = server.accept()[0]
    if connection.recv(1000):
        status = 503 if mode == "ill" else 200
        text = f"HTTP/1.0 {status} X\\r\\nContent-Length: 1\\r\\n\\r\\n" + os.environ["INSTANCE"]
        connection.sendall(text.encode())
    connection.close()
"""


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    # pytest's own folders are for root only.
    root = Path(tempfile.mkdtemp(prefix="loadstone-test-"))
    root.chmod(0o755)
    for module in ("host.home", "host.control", "kinds.command"):
        monkeypatch.setattr(f"loadstone.deploy.{module}.ROOT", root)
    yield "words"
    control.remove("words", OWN)
    assert not root.exists(), "nothing is left"


@pytest.fixture
def port() -> int:
    """One that is free, as the next one is: below those that clients of other tests get."""
    for found in random.sample(range(20000, 32000, 2), 100):
        with (
            contextlib.suppress(OSError),
            socket.create_server(("127.0.0.1", found)),
            socket.create_server(("127.0.0.1", found + 1)),
        ):
            return found
    raise AssertionError("no two free ports beside each other")


def want(service: str, port: int, **settings: Any) -> None:
    role = ROLES["command"]
    given = {"command": "python3 {data}/../server.py", "health": {"http": "/"}, "stop_s": 1.0}
    checked = role.settings.model_validate(given | settings)
    one = Service(service, ROLES["command"], ("here",), port, checked)
    place = Place("here", {"here": "127.0.0.1"}, {service: one})
    unit = json.dumps(role.unit(one, place).as_json())
    control.prepare(service, OWN, unit, list(role.files(one)))
    there = Home(service)
    (there.path / "server.py").write_text(SERVER)
    source = TEMPLATES / "command" / "templates" / "supervise.py"
    (there.wanted / "supervise.py").write_text(source.read_text())
    (there.wanted / "command.json").write_text(json.dumps(role.variables(one, place)["orders"]))


def said(port: int) -> str:
    with socket.create_connection(("127.0.0.1", port), 5) as connection:
        connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
        answer = b""
        while more := connection.recv(1000):
            answer += more
    return answer.decode()[-1]


def until(true: Callable[[], bool]) -> None:
    """Waits for a condition."""
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.02)


def answers(port: int) -> bool:
    try:
        return bool(said(port))
    except OSError:
        return False


def log(service: str, name: str = "service.log") -> str:
    return (Home(service).log / name).read_text()


def test_instances_answer_each_on_its_port_and_end_together(service: str, port: int) -> None:
    want(service, port, instances=2)
    assert control.apply(service, OWN)["action"] == "started"
    assert (said(port), said(port + 1)) == ("1", "2")
    assert log(service, "service-1.log") == log(service, "service-2.log") == "listening\n"
    pids = members(Home(service))
    assert len(pids) == 3
    assert not control.apply(service, OWN)["changed"]
    assert control.restart(service, OWN)["action"] == "restarted" and said(port + 1) == "2"
    control.remove(service, OWN)
    assert not any(Path(f"/proc/{pid}/cmdline").read_bytes() for pid in pids if Path(f"/proc/{pid}").exists())


def test_secrets_are_in_the_environment_and_nowhere_else(service: str, port: int) -> None:
    word = "s3cret of this test"
    want(service, port, secrets={"KEY": word})
    there = Home(service)
    (there.wanted / "environment.json").write_text(json.dumps({"KEY": word}))
    control.apply(service, OWN)
    first = members(there)[0]
    assert f"KEY={word}\0" in Path(f"/proc/{first}/environ").read_text()
    holding = {path for path in there.path.rglob("*") if path.is_file() and word in path.read_text()}
    assert {path.name for path in holding} == {"environment.json"}
    assert {path.stat().st_mode & 0o777 for path in holding} == {0o600}
    assert word not in json.dumps(control.configuration(service, OWN))


def test_an_instance_that_dies_is_started_again(service: str, port: int) -> None:
    want(service, port, instances=2)
    control.apply(service, OWN)
    first, *others = members(Home(service))
    os.kill(max(others), signal.SIGKILL)
    until(lambda: "started again" in log(service))
    until(lambda: answers(port) and answers(port + 1))
    assert "ended with exit code 137" in log(service)
    assert first in members(Home(service)), "the supervisor is the same"


def test_what_ends_before_it_is_well_fails_with_its_log(service: str, port: int) -> None:
    want(service, port, env={"MODE": "broken"})
    with pytest.raises(Refused) as failed:
        control.apply(service, OWN)
    assert failed.value.slug == "service-failed" and "exit code 1" in failed.value.message
    assert any("cannot start" in line for line in failed.value.log)


def test_an_answer_that_says_it_is_ill_is_no_readiness(service: str, port: int) -> None:
    want(service, port, env={"MODE": "ill"}, ready_s=1.0)
    with pytest.raises(Refused, match="not ready within 1 s"):
        control.apply(service, OWN)
    want(service, port, env={"MODE": "ill"}, health={})
    assert control.apply(service, OWN)["action"] == "started", "it listens, and nothing more is asked"


def test_a_command_can_say_whether_it_is_well(service: str, port: int) -> None:
    want(service, port, health={"command": "test -e {data}/well"}, ready_s=0.5)
    with pytest.raises(Refused, match="not ready"):
        control.apply(service, OWN)
    (Home(service).data / "well").touch()
    want(service, port, health={"command": "test -e {data}/well"})
    assert control.apply(service, OWN)["changed"]


def test_what_cannot_be_started_is_told_before_the_old_one_ends(service: str, port: int) -> None:
    want(service, port)
    control.apply(service, OWN)
    for settings, words in [
        ({"command": "no-such-program"}, "`no-such-program` is not installed"),
        ({"command": "bin/missing"}, "bin/missing is not there"),
    ]:
        want(service, port, **settings)
        with pytest.raises(Refused) as refused:
            control.apply(service, OWN)
        assert refused.value.slug == "config-refused" and words in refused.value.log[-1]
        assert said(port) == "1"
    want(service, port, user="nobody-of-that-name")
    with pytest.raises(Refused, match="there is no user `nobody-of-that-name`"):
        control.apply(service, OWN)
    assert said(port) == "1"


def test_data_are_made_by_lines_of_the_topology(service: str, port: int) -> None:
    want(service, port, prepare=["echo $PORT >{data}/made", "test -s {data}/made"])
    control.apply(service, OWN)
    assert (Home(service).data / "made").read_text() == f"{port}\n"
    assert renew.use(service, OWN)["resets"] == "", "nothing says how to bring them back"
    with pytest.raises(Refused) as refused:
        want(service, port, prepare=["exit 7"])
    assert refused.value.slug == "data-loss", "lines that changed would make them anew"
    assert said(port) == "1"


def test_data_are_brought_back_while_it_runs(service: str, port: int) -> None:
    want(service, port, reset=["echo $INSTANCE >>{data}/back"])
    control.apply(service, OWN)
    pids = members(Home(service))
    assert not renew.use(service, OWN)["used"] and renew.use(service, OWN)["used"]
    assert renew.reset(service, OWN)["changed"] and renew.reset(service, OWN)["changed"]
    assert (Home(service).data / "back").read_text() == "1\n1\n"
    assert members(Home(service)) == pids
    want(service, port, reset=["echo no way back; exit 3"])
    control.apply(service, OWN)
    with pytest.raises(Refused) as refused:
        renew.reset(service, OWN)
    assert "no way back" in refused.value.log


def bring(service: str, digest: str, lines: list[str], user: str = "nobody") -> Path:
    unit = json.loads(json.dumps(ROLES["command"].unit(*_any(service, user)).as_json()))
    given = {"unit": unit, "digest": digest, "lines": lines, "env": {"WORD": "w"}}
    answer = content.ask_for(Home(service), OWN, given)
    folder = Path(answer["folder"])
    if not answer["there"]:
        (folder / "file").write_text(digest)
        content.install(Home(service), OWN, given)
    return folder


def _any(service: str, user: str) -> tuple[Service, Place]:
    settings = ROLES["command"].settings.model_validate({"command": "x", "user": user})
    one = Service(service, ROLES["command"], ("here",), 8000, settings)
    return one, Place("here", {"here": "127.0.0.1"}, {service: one})


def test_content_is_installed_once_as_the_services_user(service: str) -> None:
    count = ["echo $WORD >>installed"]
    folder = bring(service, "aaa", count)
    assert (folder / "installed").read_text() == "w\n" and folder.owner() == "nobody"
    assert bring(service, "aaa", count) == folder and (folder / "installed").read_text() == "w\n"


def test_content_that_does_not_install_is_not_there(service: str) -> None:
    with pytest.raises(Refused) as failed:
        bring(service, "bbb", ["echo no room; exit 4"])
    assert failed.value.slug == "service-build" and failed.value.log == ["no room"]
    assert (bring(service, "bbb", []) / "file").exists()


def test_earlier_content_goes_unless_it_is_in_use(service: str, port: int) -> None:
    used = bring(service, "ccc", [])
    want(service, port, env={"USES": str(used)})
    control.apply(service, OWN)
    second = bring(service, "ddd", [])
    third = bring(service, "eee", [])
    assert used.exists() and third.exists() and not second.exists()


def test_content_of_another_topology_is_not_touched(service: str) -> None:
    folder = bring(service, "aaa", [])
    unit = json.loads(json.dumps(ROLES["command"].unit(*_any(service, "nobody")).as_json()))
    with pytest.raises(Refused, match="belongs to the topology"):
        content.ask_for(Home(service), Order("another"), {"unit": unit, "digest": "fff"})
    assert list(folder.parent.glob("fff")) == []


def test_the_supervisor_reads_python_3_9() -> None:
    source = TEMPLATES / "command" / "templates" / "supervise.py"
    check = "import ast, sys; ast.parse(open(sys.argv[1]).read(), feature_version=(3, 9))"
    subprocess.run(["python3", "-c", check, str(source)], check=True)
