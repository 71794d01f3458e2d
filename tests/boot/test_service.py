"""An image in service: killed, renewed and moved while clients ask, with real machines."""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from booted import image, machine
from shared_sites import Browser
from test_shared_database import EVENT, PICTURE

from loadstone._core import usernames
from loadstone.image.disks import loaded
from loadstone.image.fleet import instances
from loadstone.image.guest import free_port
from loadstone.image.qemu import Disk
from loadstone.image.service import Policy, StateFolder, Supervisor
from loadstone.image.service.health import health

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

EVERY_S = 0.05
WAIT_S = 120.0
SAID = EVENT["event[description]"].encode()
HAPROXY = """
defaults
    mode http
    timeout connect 5s
    timeout client 30s
    timeout server 30s
    retries 5
    option redispatch 1
    retry-on all-retryable-errors
frontend front
    bind 127.0.0.1:{front}
    default_backend images
backend images
    option httpchk HEAD /
    default-server check inter 500ms fall 2 rise 1 observe layer4 error-limit 1 on-error mark-down
    server one 127.0.0.1:{one}
    server two 127.0.0.1:{two}
"""


class Asking(threading.Thread):
    """A client that asks for a page every 50 ms, each time with a connection of its own."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self.port = port
        self.answers, self.lost = 0, []
        self.ended = threading.Event()

    def run(self) -> None:
        due = time.monotonic()
        while not self.ended.is_set():
            due = max(due + EVERY_S, time.monotonic())
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
                with contextlib.closing(connection):
                    connection.request("GET", "/events/3")
                    answer = connection.getresponse()
                    answer.read()
                if answer.status != 200:
                    self.lost.append(str(answer.status))
                self.answers += answer.status == 200
            except (OSError, http.client.HTTPException) as error:
                self.lost.append(repr(error))
            self.ended.wait(due - time.monotonic())


def _until(what: Callable[[], Any]) -> None:
    deadline = time.monotonic() + WAIT_S
    while not what():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.05)


@contextlib.contextmanager
def _in_service(folder: Path, count: int) -> Iterator[Supervisor]:
    """Olio, each instance with a disk of its own."""
    disks = []
    for number in range(count):
        disks.append(Disk(folder / f"disk-{number}"))
        loaded(disks[-1].file, 64, "log", "olio", 120)
    described = replace(machine("olio", memory_mib=32), ports={})
    with contextlib.closing(StateFolder(folder / "state")) as state:
        made = instances(described, count, 0, disks)
        words = partial(lambda own, more: [*own, *more.split()], described.words)
        with Supervisor(state, made, Policy(), print, words) as supervisor:
            _until(lambda: all(one["healthy"] for one in supervisor.status()))
            yield supervisor


def _url(supervisor: Supervisor) -> str:
    return str(supervisor.status()[0]["address"])


def test_a_killed_machine_comes_back_with_its_data_and_moves_with_them(tmp_path: Path) -> None:
    with _in_service(tmp_path, 1) as supervisor:
        browser = Browser([_url(supervisor)])
        browser.log_in(usernames(1, 120)[4], "5")
        browser.get("/events/new")
        page = browser.upload("/events", EVENT, {"event_image": PICTURE})[1]
        assert SAID in page
        found = re.search(rb"/events/[0-9]+", page)
        assert found, page

        def has_it() -> bool:
            url = f"http://127.0.0.1:{supervisor.instances[0].port}"
            return SAID in Browser([url]).get(found[0].decode())[1]

        assert has_it()

        os.kill(supervisor.status()[0]["pid"], signal.SIGKILL)
        _until(lambda: (one := supervisor.status()[0])["restarts"] == 1 and one["healthy"])
        assert supervisor.status()[0]["last_end"]["reason"] == "QEMU was ended by signal 9"
        assert has_it()

        asking = Asking(int(_url(supervisor).rpartition(":")[2]))
        asking.start()
        (elsewhere := tmp_path / "elsewhere").mkdir()
        print(supervisor.move(1, None, elsewhere / "disk", live=False))
        asking.ended.set()
        asking.join()
        assert asking.answers > 0 and asking.lost == [], "the disk moves while it serves"
        assert (tmp_path / "disk-0.moved").exists() and not (tmp_path / "disk-0").exists()

        port = free_port()
        asking = Asking(port)
        print(supervisor.move(1, port, None, live=False))
        asking.start()
        print(supervisor.move(1, None, None, live=True))
        _until(lambda: supervisor.status()[0]["healthy"])
        asking.ended.set()
        asking.join()
        refused = [why for why in asking.lost if "ConnectionRefused" in why]
        assert asking.answers > 0 and asking.lost == refused, "no request is cut"
        assert has_it()
        os.kill(supervisor.status()[0]["pid"], signal.SIGKILL)
        _until(lambda: (one := supervisor.status()[0])["restarts"] == 2 and one["healthy"])
        assert has_it()


def test_a_reload_behind_a_balancer_loses_no_request(tmp_path: Path) -> None:
    if not shutil.which("haproxy"):
        pytest.skip("not installed: haproxy")
    with _in_service(tmp_path, 2) as supervisor:
        one, two = (int(each["address"].rpartition(":")[2]) for each in supervisor.status())
        front = free_port()
        (file := tmp_path / "haproxy.cfg").write_text(HAPROXY.format(front=front, one=one, two=two))
        with subprocess.Popen(["haproxy", "-db", "-f", str(file)]) as balancer:
            try:
                _until(lambda: health("127.0.0.1", front, "/", 5.0).status == 200)
                asking = Asking(front)
                asking.start()
                supervisor.reload(image("olio"), "olio.cache=page", 3, print)
                asking.ended.set()
                asking.join()
            finally:
                balancer.terminate()
    print(f"{asking.answers} answers, {len(asking.lost)} lost: {asking.lost[:5]}")
    assert asking.answers > 0 and asking.lost == []
