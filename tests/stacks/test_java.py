"""What is special to the stack in Java: its own tests, and life without its servers."""

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

from loadstone import _core
from loadstone.site.stack import FOLDER
from loadstone.site.stack.running import Running, Wanted, environment, prepared, running, set_up

DATA = {"profile": "cloudstone-2008", "media_scale": 0.01}
WAIT_S = 60.0
MEMBERS, ROUNDS = 6, 4

pytestmark = [pytest.mark.stacks, pytest.mark.timeout(900)]


@contextlib.contextmanager
def served(database: str, **options: object) -> Iterator[Running]:
    with (
        prepared(DATA) as (files, state),
        running(Wanted("java", database, files, state, options=options)) as one,
    ):
        yield one


@pytest.fixture(params=[Postgres, MariaDb], ids=["postgres", "mariadb"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A database server of the test's own, with a data set."""
    if reason := missing():
        pytest.skip(reason)
    with tempfile.TemporaryDirectory(prefix="loadstone-java-") as folder:
        if not os.geteuid():
            os.chown(folder, 65534, 65534)
        made: Server = request.param(Path(folder))
        try:
            made.install()
            done = load(made.url)
            assert done.returncode == 0, done.stderr
            yield made
        finally:
            made.stop()


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


def test_its_own_tests_pass(tmp_path: Path) -> None:
    set_up("java")
    command = ["mvn", "-q", "-B", "-f", str(FOLDER / "java/pom.xml"), f"-Dolio.build={tmp_path}", "test"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    reports = [report.read_text() for report in (tmp_path / "surefire-reports").glob("*.txt")]
    assert sum(int(re.findall(r"Tests run: (\d+)", report)[0]) for report in reports) >= 40


def test_a_database_that_is_gone_is_503_and_comes_back(server: Server) -> None:
    with served(server.url, workers=4) as one:
        member, stranger = Browser([one.url]), Browser([one.url])
        member.log_in(_core.usernames(1, 1)[0], "1")
        before = stranger.get("/events/1")
        server.stop()
        assert [member.get(path)[0] for path in ("/", "/events/1", "/users/1")] == [503] * 3
        assert member.post("/events/1/attend")[0] == 503
        # What needs no database is there all the while.
        assert status(f"{one.url}/static/style.css") == 200
        server.start()
        until(lambda: status(f"{one.url}/events/1") == 200)
        assert [stranger.get("/events/1") for _ in range(20)] == [before] * 20


def test_changes_at_once_are_as_if_one_after_the_other(server: Server) -> None:
    names = _core.usernames(1, MEMBERS)
    with served(server.url, workers=8) as one, ThreadPoolExecutor(MEMBERS) as members:

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


@contextlib.contextmanager
def memcached(port: int) -> Iterator[None]:
    command = ["memcached", "-l", "127.0.0.1", "-p", str(port), "-U", "0", "-u", "nobody"]
    with subprocess.Popen(command) as process:
        try:
            until(lambda: socket.create_connection(("127.0.0.1", port)).close() is None)
            yield
        finally:
            process.kill()


@pytest.mark.parametrize("server", [Postgres], ids=["postgres"], indirect=True)
def test_a_memcached_that_is_gone_is_no_cache(server: Server) -> None:
    port = free_row(1)
    with served(server.url, cache="page", cache_store=f"memcached://127.0.0.1:{port}") as one:
        # Not even at the start does it have to be there.
        pages = [Browser([one.url]).get(path) for path in ("/", "/events/1", "/events/rss")]
        assert [code for code, _ in pages] == [200] * 3
        for _ in range(2):
            with memcached(port):
                assert [Browser([one.url]).get(path) for path in ("/", "/events/1", "/events/rss")] == pages
            assert [Browser([one.url]).get(path) for path in ("/", "/events/1", "/events/rss")] == pages


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"OLIO_DATABASE": "postgres://a:secret@127.0.0.1:1/x"}, "Connection"),
        ({"OLIO_BUILD": "/nowhere"}, "setup"),
        ({"OLIO_STATE": "/nowhere"}, "no folder"),
        ({"OLIO_PUBLIC_URL": "olio.example"}, "a scheme and a host"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_cannot_be_served_is_refused(tmp_path: Path, wrong: dict[str, str], said: str) -> None:
    (tmp_path / "olio.db").touch()
    with prepared(DATA) as (files, state):
        good = Wanted("java", f"sqlite://{tmp_path}/olio.db", files, state, port=free_row(1))
        done = subprocess.run(
            [str(FOLDER / "java" / "start")],
            env=environment(good, set_up("java")) | wrong,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    assert done.returncode == 2, done.stdout + done.stderr
    assert next(iter(wrong)) in done.stderr and said in done.stderr
    assert "secret" not in done.stderr
