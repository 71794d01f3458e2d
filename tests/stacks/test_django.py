"""What is special to the stack in Django: its own tests, its processes, and life without its servers."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from free_ports import free_row
from servers import MariaDb, Postgres, Server, missing
from shared_sites import Browser, load
from stack_sites import DATA, served

from loadstone import _core
from loadstone.site.stack import FOLDER, STACKS
from loadstone.site.stack.running import Wanted, environment, prepared, set_up

STACK = next(stack for stack in STACKS if stack.folder == "django")
WAIT_S = 60.0
MEMBERS, ROUNDS = 6, 4
PICTURE = b"\x89PNG\r\n\x1a\n" + b"x" * 4000

pytestmark = [pytest.mark.stacks, pytest.mark.timeout(900)]


@contextlib.contextmanager
def memcached(port: int) -> Iterator[subprocess.Popen[bytes]]:
    """A memcached that takes connections."""
    command = ["memcached", "-l", "127.0.0.1", "-p", str(port), "-U", "0", "-u", "nobody"]
    with subprocess.Popen(command) as process:
        try:
            until(lambda: socket.create_connection(("127.0.0.1", port)).close() is None)
            yield process
        finally:
            process.kill()


@pytest.fixture(params=[Postgres, MariaDb], ids=["postgres", "mariadb"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A database server of the test's own, with a data set."""
    if reason := missing():
        pytest.skip(reason)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="loadstone-django-")))
        if not os.geteuid():
            os.chown(folder, 65534, 65534)
        made: Server = request.param(folder)
        stack.callback(made.stop)
        made.install()
        done = load(made.url)
        assert done.returncode == 0, done.stderr
        yield made


def until(holds: Callable[[], bool]) -> None:
    """Waits for something to become true; whatever fails meanwhile is not true yet."""
    end = time.monotonic() + WAIT_S
    while True:
        with contextlib.suppress(OSError):
            if holds():
                return
        assert time.monotonic() < end, "it never came"
        time.sleep(0.05)


def status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=WAIT_S) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_its_own_tests_pass() -> None:
    python = set_up("django") / "venv/bin/python"
    command = [str(python), "-B", "-m", "unittest", "discover", "-t", ".", "-s", "tests"]
    done = subprocess.run(command, cwd=FOLDER / "django", capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "\nOK" in done.stderr, done.stderr


def test_a_database_that_is_gone_is_503_and_comes_back(server: Server) -> None:
    with served(STACK, server.url, workers=4) as one:
        browser = Browser([one.url])
        browser.log_in(_core.usernames(1, 1)[0], "1")
        stranger = Browser([one.url])
        before = stranger.get("/events/1")
        server.stop()
        assert [browser.get(path)[0] for path in ("/", "/events/1", "/users/1")] == [503] * 3
        assert browser.post("/events/1/attend")[0] == 503
        # What needs no database is there all the while.
        assert status(f"{one.url}/static/style.css") == 200
        server.start()
        until(lambda: status(f"{one.url}/events/1") == 200)
        # Each thread opens its connection again by itself: none answers 503 any more.
        # (The test's servers do not wait for the disk, so the log-in may be lost.)
        assert [stranger.get("/events/1") for _ in range(20)] == [before] * 20
        browser.log_in(_core.usernames(1, 1)[0], "1")
        assert b"Hello" in browser.get("/events/1")[1]


def test_changes_at_once_are_as_if_one_after_the_other(server: Server) -> None:
    names = _core.usernames(1, MEMBERS)
    with served(STACK, server.url, workers=8) as one, ThreadPoolExecutor(MEMBERS) as members:

        def member(number: int) -> list[int]:
            """Does what the others do, to the same event, at the same time."""
            browser = Browser([one.url])
            browser.log_in(names[number - 1], str(number))
            browser.get("/events/7")
            codes = []
            for round_ in range(ROUNDS):
                codes += [
                    browser.post("/events/7/attend")[0],
                    browser.post("/events/7/tag", tag_list=f"all round{round_}")[0],
                    browser.post("/events/7/comments", comment=f"{number}.{round_}", rating="5")[0],
                    browser.post(f"/users/{number % MEMBERS + 1}/friends")[0],
                ]
            return codes

        before = Browser([one.url]).get("/events/7")[1]
        codes = [code for codes in members.map(member, range(1, MEMBERS + 1)) for code in codes]
        after = Browser([one.url]).get("/events/7")[1]
    # Each was done and shown, or refused as there were too many at once.
    assert set(codes) <= {200, 503}
    done = codes[2::4].count(200)
    assert done > MEMBERS
    added = [re.search(rb"<h2>Comments \((\d+)\)", page) for page in (before, after)]
    assert added[0] and added[1] and int(added[1][1]) - int(added[0][1]) == done
    for number in range(ROUNDS):
        assert after.count(b">round%d</a>" % number) == 1


@pytest.mark.parametrize("server", [Postgres], ids=["postgres"], indirect=True)
def test_a_memcached_that_is_gone_is_no_cache(server: Server) -> None:
    port = free_row(1)
    with served(STACK, server.url, cache="page", cache_store=f"memcached://127.0.0.1:{port}") as one:
        # Not even at the start does it have to be there.
        right = urllib.request.urlopen(f"{one.url}/events/rss").read()
        with memcached(port):
            assert urllib.request.urlopen(f"{one.url}/events/rss").read() == right
            assert status(f"{one.url}/") == 200
        assert urllib.request.urlopen(f"{one.url}/events/rss").read() == right
        assert status(f"{one.url}/") == 200


@pytest.mark.parametrize("server", [Postgres], ids=["postgres"], indirect=True)
def test_every_process_sees_an_upload_at_once(server: Server) -> None:
    # As many connections as it takes that every process answers some of them.
    with served(STACK, server.url, workers=8) as one:
        browser = Browser([one.url])
        name = _core.usernames(1, 1)[0]
        browser.log_in(name, "1")
        browser.get("/users/1/edit")
        for content in (PICTURE + b"1", PICTURE + b"2", PICTURE + b"3"):
            fields = {
                "_method": "put",
                "username": name,
                "firstname": "F",
                "lastname": "L",
                "email": "e@example.org",
                "timezone": "UTC",
                "street1": "1 Main St",
                "city": "C",
                "zip": "1",
                "country": "USA",
            }
            code, page = browser.upload("/users/1", fields, {"user_image": content})
            assert code == 200 and b"Your profile was updated." in page
            assert {browser.get("/media/p1.jpg") for _ in range(12)} == {(200, content)}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"OLIO_DATABASE": "sqlite:///nowhere/olio.db"}, "unable to open"),
        ({"OLIO_DATABASE": "postgres://a:b@127.0.0.1:1/x"}, "onnection"),
        ({"OLIO_BUILD": "/nowhere"}, "setup"),
        ({"OLIO_STATE": "/nowhere"}, "no folder"),
        ({"OLIO_PUBLIC_URL": "olio.example"}, "a scheme and a host"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_cannot_be_served_is_refused(tmp_path: Path, wrong: dict[str, str], said: str) -> None:
    with prepared(DATA) as (files, state):
        good = Wanted("django", f"sqlite://{tmp_path}/olio.db", files, state, port=free_row(1))
        done = subprocess.run(
            [str(FOLDER / "django" / "start")],
            env=environment(good, set_up("django")) | wrong,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    assert done.returncode == 2, done.stdout + done.stderr
    assert next(iter(wrong)) in done.stderr and said in done.stderr
