"""What is special to PHP: its unit tests, kept connections, memory that processes share."""

from __future__ import annotations

import subprocess
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
from servers import POSTGRES, Postgres, Server
from shared_sites import load
from stack_sites import served

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
