"""Database servers with a copy that follows them, and what a site that reads from the copy has to do."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from served_page import until
from servers import PASSWORD, POSTGRES, USER, MariaDb, Postgres, Server
from shared_sites import SECRETS, Browser

from loadstone._core import usernames

READ = ("/", "/events/1", "/events/2", "/users/3", "/users/search?query=a", "/events/tagged?tag=music")


class PostgresCopy(Postgres):
    """A standby."""

    primary_port = 0

    def install(self) -> None:
        where = f"host=127.0.0.1 port={self.primary_port} user={USER} password={PASSWORD}"
        self.run(str(POSTGRES / "pg_basebackup"), "-D", str(self.folder / "data"), "-c", "fast", "-d", where)
        settings = self.folder / "data" / "postgresql.auto.conf"
        settings.write_text(f"primary_conninfo = '{where}'\nwal_retrieve_retry_interval = 200ms\n")
        self.run("touch", str(self.folder / "data" / "standby.signal"))
        self.start()


# A server that is killed here is to know what it had committed: a copy that forgot how far it was would do
# the last things again.
_REMEMBERS = "--innodb-flush-log-at-trx-commit=2"


class MariaDbPrimary(MariaDb):
    """With a binary log."""

    def command(self) -> list[str]:
        kept = [word for word in super().command() if word != "--skip-log-bin"]
        return [*kept, _REMEMBERS, "--server-id=1", "--log-bin=changes", "--binlog-format=ROW"]


class MariaDbCopy(MariaDb):
    """That follows it from its beginning."""

    primary_port = 0

    def install(self) -> None:
        self.fill()
        self.start()
        tell(
            self,
            f"CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = {self.primary_port},"
            f" MASTER_USER = '{USER}', MASTER_PASSWORD = '{PASSWORD}', MASTER_USE_GTID = slave_pos,"
            " MASTER_CONNECT_RETRY = 1; START SLAVE;",
        )

    def command(self) -> list[str]:
        return [*super().command(), _REMEMBERS, "--server-id=2", "--read-only=ON"]


def tell(server: Server, sql: str) -> str:
    """Runs a statement there; what it says."""
    client = {
        "postgres": f"PGPASSWORD={PASSWORD} psql -h 127.0.0.1 -p {server.port} -U {USER} -d olio -qAt",
        "mysql": f"mariadb --no-defaults --socket={server.folder / 'socket'} -uroot -NB",
    }[server.scheme]
    server.run("sh", "-c", f"{client} > {server.folder}/said", text=sql)
    return (server.folder / "said").read_text()


_HOLD = {
    "postgres": ("SELECT pg_wal_replay_pause();", "SELECT pg_wal_replay_resume();"),
    "mysql": ("STOP SLAVE SQL_THREAD;", "START SLAVE SQL_THREAD;"),
}
_READS = {
    "postgres": "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'olio';",
    "mysql": "SELECT variable_value FROM information_schema.global_status WHERE variable_name = 'QUESTIONS';",
}
_AT = {
    "postgres": ("SELECT pg_current_wal_flush_lsn();", "SELECT pg_last_wal_replay_lsn();"),
    "mysql": ("SELECT @@gtid_binlog_pos;", "SELECT @@gtid_slave_pos;"),
}
"""How far a primary is, and how far its copy."""


@dataclass
class Pair:
    """A database and its copy."""

    primary: Server
    copy: PostgresCopy | MariaDbCopy

    def reads(self) -> int:
        """Transactions, or statements, of the copy so far."""
        return int(tell(self.copy, _READS[self.copy.scheme]))

    def follows(self) -> bool:
        """Whether the copy has all that the primary has."""
        primary, copy = (
            tell(server, sql)
            for server, sql in zip((self.primary, self.copy), _AT[self.copy.scheme], strict=True)
        )
        return primary == copy

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """The copy does nothing of what comes, until the block ends."""
        hold, go_on = _HOLD[self.copy.scheme]
        tell(self.copy, hold)
        try:
            yield
        finally:
            tell(self.copy, go_on)


@contextlib.contextmanager
def pair(kind: str) -> Iterator[Pair]:
    """`postgres` or `mariadb`, empty."""
    kinds = {"postgres": (Postgres, PostgresCopy), "mariadb": (MariaDbPrimary, MariaDbCopy)}[kind]
    folder = Path(tempfile.mkdtemp(prefix="loadstone-copies-"))
    folder.chmod(0o755)
    made: list[Server] = []
    try:
        for one in kinds:
            place = folder / one.__name__
            place.mkdir()
            if not os.geteuid():
                shutil.chown(place, "nobody", "nogroup")
            server = one(place)
            if isinstance(server, PostgresCopy | MariaDbCopy):
                server.primary_port = made[0].port
            made.append(server)
            server.install()
        yield Pair(made[0], made[1])  # type: ignore[arg-type]
    finally:
        for server in reversed(made):
            server.stop()
        shutil.rmtree(folder)


def pages(url: str) -> list[tuple[int, bytes]]:
    """Of a stranger; what is random in them left out."""
    browser = Browser([url])
    return [(code, SECRETS.sub(b"", page)) for code, page in map(browser.get, READ)]


def comments(browser: Browser, event: int) -> int:
    """How many an event has."""
    found = re.search(rb"<h2>Comments \((\d+)\)", browser.get(f"/events/{event}")[1])
    assert found
    return int(found[1])


def member(url: str, number: int) -> Browser:
    """Somebody who has logged in."""
    browser = Browser([url])
    browser.log_in(usernames(number, 1)[0], str(number))
    return browser


def reads_from_its_copy(two: Pair, url: str) -> None:
    """Holds a site that serves 120 accounts of this pair to all its promises."""
    first = pages(url)
    assert [code for code, _ in first] == [200] * len(READ)

    def read() -> bool:
        """Whether twenty rounds of pages were read there; the copy's own doings are a handful."""
        try:
            before = two.reads()
            assert all(pages(url) == first for _ in range(20))
            return two.reads() - before > 10 * len(READ)
        except RuntimeError:
            # It listens before it has recovered.
            return False

    # Until then pages may be seconds old, which is promised, too.
    until(two.follows)
    until(read)
    one, stranger = member(url, 5), Browser([url])
    assert one.cookies["wrote"] == "1"
    count = comments(stranger, 9)
    assert comments(one, 9) == count
    with two.held():
        assert one.post("/events/9/comments", comment="mine", rating="4")[0] == 200
        assert comments(one, 9) == count + 1, "who has written reads from the primary"
        # The others within seconds, although the copy never gets it.
        until(lambda: comments(stranger, 9) == count + 1)
    # Gone, and back: no page is lost, and none is wrong.
    first = pages(url)
    two.copy.stop()
    assert [pages(url) for _ in range(8)] == [first] * 8
    two.copy.start()
    until(read)
    # Without its primary it knows nothing for certain; a change is refused as it always was.
    two.primary.stop()
    assert one.post("/events/9/attend")[0] == 503
    two.primary.start()
    # It listens before it has recovered.
    until(lambda: one.post("/events/9/attend")[0] == 200)
    until(lambda: pages(url) == first)
    # A worker that the primary refused does not try it again for a quarter of a second.
    time.sleep(0.5)
    two.copy.stop()
    # A site begins without a copy, too; that one serves on.
    assert pages(url) == first
