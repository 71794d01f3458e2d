"""What is special to PHP: its unit tests, kept connections, memory that processes share."""

from __future__ import annotations

import subprocess
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from free_ports import free_row
from servers import POSTGRES, Postgres, Server
from shared_sites import Browser, load
from stack_sites import served
from visitor import Visitor

from loadstone._core import usernames
from loadstone.site.stack import FOLDER, STACKS, Stack
from loadstone.site.stack.running import set_up

pytestmark = [pytest.mark.stacks, pytest.mark.timeout(900)]

either = pytest.mark.parametrize(
    "stack", [stack for stack in STACKS if stack.folder.startswith("php")], ids=lambda stack: stack.folder
)
WORKERS = 4


def _status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def _recovered(server: Server) -> None:
    """PostgreSQL takes connections before it has recovered; MariaDB does not."""
    asked = [str(POSTGRES / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(server.port)]
    while isinstance(server, Postgres) and subprocess.run(asked, check=False).returncode:
        assert server.process is not None and server.process.poll() is None


def test_its_unit_tests() -> None:
    set_up("php")
    folder = FOLDER / "php"
    done = subprocess.run(
        ["phpunit", "--bootstrap", str(folder / "src" / "autoload.php"), "--do-not-cache-result", "tests"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@either
@pytest.mark.parametrize("name", ["postgres", "mariadb"])
def test_no_request_meets_a_connection_of_before(stack: Stack, servers: dict[str, Server], name: str) -> None:
    """Every process has one that is dead when the database is back."""
    server = servers[name]
    assert load(server.url, "--replace").returncode == 0
    with served(stack, server.url, workers=WORKERS) as one, ThreadPoolExecutor(WORKERS) as pool:
        page = f"{one.url}/events/1"

        def all_at_once() -> set[int]:
            return set(pool.map(_status, [page] * 10 * WORKERS))

        assert all_at_once() == {200}
        server.stop()
        server.start()
        _recovered(server)
        assert all_at_once() == {200}
        server.stop()
        assert all_at_once() == {503}
        server.start()
        _recovered(server)
        assert all_at_once() == {200}


@either
@pytest.mark.parametrize("fresh", ["postgres", "mariadb"], indirect=True)
def test_changes_at_once_are_all_made(stack: Stack, fresh: str) -> None:
    """Serializable transactions conflict here, and are run again."""
    people = usernames(1, WORKERS)
    with served(stack, fresh, workers=WORKERS) as one:
        visitors = [Visitor(one.url) for _ in people]

        def act(index: int) -> list[str]:
            visitor = visitors[index]
            visitor.log_in(people[index], str(index + 1))
            visitor.get("/events/3", page="event")
            for turn in range(5):
                visitor.post("/events/3/attend", status=303)
                visitor.post("/events/3/unattend", status=303)
                fields = [("tag_list", f"shared own{index}x{turn % 2}"), ("_method", "put")]
                visitor.post("/events/3/tag", fields, status=303)
            visitor.post("/events/3/attend", status=303)
            return visitor.faults

        with ThreadPoolExecutor(WORKERS) as pool:
            assert [fault for faults in pool.map(act, range(WORKERS)) for fault in faults] == []
        page = visitors[0].get("/events/3").text
    for index, person in enumerate(people):
        assert page.count(f">{person}</a></li>") == (2 if f"tag={person}" in page else 1)
        assert all(page.count(f">own{index}x{turn}<") == 1 for turn in (0, 1))


@either
@pytest.mark.parametrize("level", ["none", "query", "page"])
@pytest.mark.parametrize("store", ["memory", "files"])
def test_what_is_kept_needs_no_database(
    stack: Stack, servers: dict[str, Server], level: str, store: str
) -> None:
    server = servers["mariadb"]
    assert load(server.url, "--replace").returncode == 0
    try:
        # Kept by one process, and there for the others.
        with served(stack, server.url, workers=WORKERS, cache=level, cache_store=store) as one:
            assert _status(one.url) == 200
            server.stop()
            found = {_status(one.url) for _ in range(4 * WORKERS)}
    finally:
        server.start()
    assert found == ({503} if level == "none" else {200})


@either
def test_a_memcached_that_is_gone_keeps_nothing(stack: Stack, servers: dict[str, Server]) -> None:
    server, port = servers["postgres"], free_row(1)
    assert load(server.url, "--replace").returncode == 0
    command = ["memcached", "-l", "127.0.0.1", "-p", str(port), "-U", "0", "-u", "nobody"]
    store = f"memcached://127.0.0.1:{port}"
    with served(stack, server.url, workers=1, cache="page", cache_store=store) as one:
        assert _status(one.url) == 200
        with subprocess.Popen(command) as process:
            assert {_status(one.url) for _ in range(5)} == {200}
            process.kill()
        assert {_status(one.url) for _ in range(5)} == {200}


@either
@pytest.mark.parametrize("fresh", ["sqlite"], indirect=True)
def test_pictures_that_are_replaced_are_sent_at_once(stack: Stack, fresh: str, tmp_path: Path) -> None:
    """The list of them is in memory that the processes share."""
    with served(stack, fresh, workers=WORKERS) as one:
        browser = Browser([one.url])
        browser.log_in(usernames(1, 1)[0], "1")
        before = [browser.send("GET", "/media/p1.jpg")[1] for _ in range(2 * WORKERS)]
        browser.get("/users/1/edit")
        fields = {
            **{f"user[{name}]": "x" for name in ("firstname", "lastname", "timezone")},
            **{f"address[{name}]": "x" for name in ("street1", "city", "zip", "country")},
            "user[username]": usernames(1, 1)[0],
            "user[email]": "a@b.example",
            "_method": "put",
        }
        picture = b"\x89PNG\r\n\x1a\n" + bytes(1000)
        status, page = browser.upload("/users/1", fields, {"user_image": picture})
        after = [browser.send("GET", "/media/p1.jpg")[1] for _ in range(2 * WORKERS)]
    assert status == 200 and b"Your profile was updated." in page
    assert len(set(before)) == 1 and before[0] != picture
    assert set(after) == {picture}
