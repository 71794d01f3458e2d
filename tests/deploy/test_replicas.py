"""Databases with copies that follow them, and a site that reads from these: behind, killed, and back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import lab_sites
import pytest
from labs import loadstone
from shared_sites import SECRETS, Browser

from loadstone._core import usernames
from loadstone.deploy import Site, configure, deploy, halt, part, restart, status
from loadstone.deploy.operate import State
from loadstone.ssh import Ssh

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

HOSTS = "".join(f'[[host]]\nname = "{name}"\n' for name in ("db", "one", "two", "app"))
KINDS = ("mariadb", "postgresql")
SERVICES = "".join(
    f"""
[[service]]
name = "{role}"
role = "{role}"
hosts = ["db"]

[[service]]
name = "{role}-copies"
role = "{role}"
hosts = ["one", "two"]
settings = {{ replica_of = "{role}" }}

[[service]]
name = "{role}-site"
role = "olio"
hosts = ["app"]
port = {port}
[service.settings]
database = "{role}"
replicas = "{role}-copies"
accounts = 120
media_scale = 0.01
workers = 4
"""
    for role, port in zip(KINDS, (8080, 8081), strict=True)
)
READ = ("/", "/events/1", "/events/2", "/users/3", "/users/search?query=a", "/events/tagged?tag=music")
HOLD = {
    "mariadb": ("STOP SLAVE SQL_THREAD", "START SLAVE SQL_THREAD"),
    "postgresql": ("SELECT pg_wal_replay_pause()", "SELECT pg_wal_replay_resume()"),
}


@dataclass
class Tier:
    """A database, its copies and the site that reads from them."""

    role: str
    site: Site
    hosts: Ssh

    @property
    def url(self) -> str:
        return f"http://{self.hosts.address('app')}:{self.site.services[f'{self.role}-site'].port}"

    def states(self) -> list[State]:
        return [one for one in status(self.site, self.hosts) if one.service == f"{self.role}-copies"]

    def await_copies(self) -> None:
        lab_sites.until(
            lambda: all(one.state == "running" and one.lag_s == 0 for one in self.states()), "caught up"
        )

    def tell(self, sql: str) -> list[str]:
        """What each copy says as its administrator."""
        run = f"/var/lib/loadstone/{self.role}-copies/run"
        client = {
            "mariadb": f"mariadb --no-defaults -S {run}/mariadb.sock -NB",
            "postgresql": f"setpriv --reuid=postgres psql -X -q -At -h {run} -U postgres",
        }[self.role]
        said = [self.hosts.run(host, client, send=f"{sql};\n") for host in ("one", "two")]
        assert all(one.code == 0 for one in said), said
        return [one.out.strip() for one in said]

    def reads(self) -> list[int]:
        """Statements, or transactions, of each copy so far."""
        ask = {
            "mariadb": "SELECT variable_value FROM information_schema.global_status"
            " WHERE variable_name = 'COM_STMT_EXECUTE'",
            "postgresql": "SELECT xact_commit + xact_rollback FROM pg_stat_database"
            " WHERE datname = 'loadstone'",
        }[self.role]
        return [int(text) for text in self.tell(ask)]

    def pages(self) -> list[tuple[int, bytes]]:
        """Of a stranger; what is random in them left out."""
        browser = Browser([self.url])
        return [(code, SECRETS.sub(b"", page)) for code, page in map(browser.get, READ)]

    def member(self, number: int) -> Browser:
        """Somebody who logged in so long ago that the copies know it."""
        browser = Browser([self.url])
        browser.log_in(usernames(number, 1)[0], str(number))
        assert browser.cookies["wrote"] == "1"
        self.await_copies()
        del browser.cookies["wrote"]
        return browser


@pytest.fixture(scope="module")
def deployed(lab_file: Path) -> Iterator[tuple[Site, Ssh]]:
    with lab_sites.site(lab_file, SERVICES) as (site, hosts):
        deploy(site, hosts, lab_sites.quiet)
        yield site, hosts


@pytest.fixture(params=KINDS)
def tier(request: pytest.FixtureRequest, deployed: tuple[Site, Ssh]) -> Tier:
    one = Tier(request.param, *deployed)
    one.await_copies()
    return one


def comments(page: bytes) -> int:
    found = re.search(rb"<h2>Comments \((\d+)\)", page)
    assert found
    return int(found[1])


def test_pages_come_from_the_copies_and_are_the_same(tier: Tier) -> None:
    first = tier.pages()
    assert [code for code, _ in first] == [200] * len(READ)
    before = tier.reads()
    for _ in range(20):
        assert tier.pages() == first
    # A copy's own doings are a handful. PostgreSQL tells what a connection did a second later.
    lab_sites.until(lambda: sum(tier.reads()) - sum(before) > 20 * len(READ), "read from the copies")
    assert not deploy(tier.site, tier.hosts, lab_sites.quiet).changed


def test_who_has_written_sees_it_while_copies_are_behind(tier: Tier) -> None:
    hold, go_on = HOLD[tier.role]
    member, stranger = tier.member(5), Browser([tier.url])
    before = comments(stranger.get("/events/9")[1])
    assert b"Hello" in member.get("/events/9")[1], "a copy knows the session"
    tier.tell(hold)
    try:
        assert member.post("/events/9/comments", comment="mine", rating="4")[0] == 200
        assert member.cookies["wrote"] == "1"
        assert comments(member.get("/events/9")[1]) == before + 1
        # As it was for a few seconds at most, and then from the primary.
        lab_sites.until(
            lambda: comments(stranger.get("/events/9")[1]) == before + 1, "reads from the primary"
        )
        lab_sites.until(lambda: {one.state for one in tier.states()} == {"behind"}, "it is told")
        assert all(one.why for one in tier.states())
    finally:
        tier.tell(go_on)
    tier.await_copies()
    del member.cookies["wrote"]
    assert comments(member.get("/events/9")[1]) == before + 1


def test_a_copy_that_is_gone_costs_no_page(tier: Tier) -> None:
    first = tier.pages()
    halt(tier.hosts, part(tier.site, f"{tier.role}-copies@one"), "kill")
    for _ in range(10):
        assert tier.pages() == first
    assert [one.state for one in tier.states()] == ["failed", "running"]
    restart(tier.site, tier.hosts, lab_sites.quiet, [f"{tier.role}-copies"])
    tier.await_copies()
    assert tier.pages() == first


def test_copies_come_back_after_their_primary_did(tier: Tier) -> None:
    restart(tier.site, tier.hosts, lab_sites.quiet, [tier.role])
    tier.await_copies()
    member = tier.member(7)
    member.get("/events/4")
    assert member.post("/events/4/comments", comment="after", rating="5")[0] == 200
    more = tier.site.with_settings(f"{tier.role}-copies", memory_mib=64)
    assert configure(more, tier.hosts, f"{tier.role}-copies").changed
    tier.await_copies()
    assert b"after" in Browser([tier.url]).get("/events/4")[1]


def test_a_run_tells_how_far_copies_are_behind(deployed: tuple[Site, Ssh], tmp_path: Path) -> None:
    site, _ = deployed
    scenario, folder = tmp_path / "page.toml", tmp_path / "run"
    scenario.write_text("""
format = 1
name = "page"
[target]
url = "http://set-by-the-command.example"
[load]
users = 5
ramp_up_s = 1
steady_s = 9
ramp_down_s = 0
[pacing]
think = 0.1
[[operation]]
name = "Event"
limit_s = 5
step = [{ get = "/events/1", expect = { contains = 'data-key="event:1"' } }]
[[fault]]
at_s = 4
service = "postgresql-copies@two"
what = "kill"
[[fault]]
at_s = 6
service = "postgresql-copies@two"
what = "restart"
""")
    where = ("--topology", site.topology.path, "--service", "postgresql-site")
    done = loadstone("run", scenario, *where, "--out", folder, check=False, timeout_s=300)
    record = json.loads((folder / "run.json").read_text())
    assert not any(record["operations"]["Event"]["failed"].values()), done.stderr
    rows = duckdb.sql(
        "SELECT host, count(*), min(value) FROM read_parquet('"
        f"{folder}/services.parquet') WHERE metric = 'replica_lag_s' GROUP BY host ORDER BY host"
    ).fetchall()
    assert [host for host, _, _ in rows] == ["one", "two"]
    assert all(count > 1 and least >= 0 for _, count, least in rows), rows
