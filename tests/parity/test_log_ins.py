"""Log-ins of the same moment, on a database that runs transactions as if each were alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from copies import tell
from served_page import until
from servers import Server
from shared_sites import Browser, load, serving

from loadstone._core import usernames

pytestmark = pytest.mark.long

NAMES = usernames(1, 120)
TIMES = 20


def _asked(database: Server, how: str) -> int:
    """How often PostgreSQL has read the table of sessions so: `seq_scan`, from end to end."""
    return int(tell(database, f"SELECT {how} FROM pg_stat_user_tables WHERE relname = 'session';"))


@pytest.mark.parametrize("name", ["postgres", "mariadb"])
def test_log_ins_of_the_same_moment_do_not_undo_each_other(
    database_servers: dict[str, Server], name: str
) -> None:
    database = database_servers[name]

    def undone() -> int:
        """Only PostgreSQL's log tells of it, and only there one that reads where others insert is undone."""
        return (database.folder / "log").read_text(errors="replace").count("could not serialize access")

    def log_in_and_again(person: int) -> list[int]:
        """Each second time in place of a session."""
        browsers = [Browser(urls) for _ in range(TIMES)]
        return [browser.log_in(NAMES[person - 1], str(person))[0] for browser in browsers for _ in range(2)]

    # New, because a table of sessions that was in use hides what an empty one does.
    assert load(database.url, "--replace").returncode == 0
    before = undone()
    with serving(database.url, workers=16) as urls, ThreadPoolExecutor(16) as pool:
        told = [status for all_of_one in pool.map(log_in_and_again, range(31, 47)) for status in all_of_one]
    assert set(told) == {200} and len(told) == 2 * 16 * TIMES
    assert undone() - before <= 6, "one log-in in a hundred"
    if database.scheme == "postgres":
        # A statement prepared while the table was known to be empty reads all of it, and what others insert.
        until(lambda: _asked(database, "idx_scan") >= len(told))
        assert _asked(database, "seq_scan") <= 6
