"""Both databases, held to the same promises."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import lab_sites
import pytest

from loadstone.deploy import (
    Site,
    SiteError,
    collect_logs,
    configure,
    record,
    restart,
    status,
    undeploy,
)
from loadstone.deploy.remote import ask
from loadstone.deploy.render import unit_text
from loadstone.errors import LoadstoneError
from loadstone.ssh import Answer, Ssh

pytestmark = pytest.mark.long

HOSTS = '[[host]]\nname = "db"\n[[host]]\nname = "app"\n'
PORTS = {"mariadb": 3306, "postgresql": 5432}
SERVICES = "".join(f'[[service]]\nrole = "{role}"\nhosts = ["db"]\n' for role in PORTS)
# What only Unicode's whole range holds.
TEXT = "Grüße, 世界 🪨"


@dataclass
class Database:
    """One of them, asked from another host as applications do."""

    role: str
    site: Site
    hosts: Ssh

    @property
    def password(self) -> str:
        return self.site.places(self.hosts)["db"].secrets[self.role]["password"]

    def ask(self, query: str, password: str = "") -> Answer:
        password = password or self.password
        address, port = self.hosts.address("db"), str(PORTS[self.role])
        client = {
            "mariadb": f"mariadb --no-defaults --default-character-set=utf8mb4 -N -u loadstone -p{password}"
            f" -h {address} -P {port} loadstone",
            "postgresql": f"PGPASSWORD={password} psql -X -q -A -t -v ON_ERROR_STOP=1 -h {address} -p {port}"
            " -U loadstone loadstone",
        }
        return self.hosts.run("app", client[self.role], send=query)

    def says(self, query: str, password: str = "") -> str:
        answer = self.ask(query, password)
        assert answer.code == 0, answer.words
        return answer.out.strip()

    def set(self, **settings: object) -> bool:
        return configure(self.site.with_settings(self.role, **settings), self.hosts, self.role).changed

    def state(self) -> str:
        (state,) = [one.state for one in status(self.site, self.hosts) if one.service == self.role]
        return state


@pytest.fixture(scope="module")
def deployed(lab_file: Path) -> Iterator[tuple[Site, Ssh]]:
    with lab_sites.site(lab_file, SERVICES) as (site, hosts):
        lab_sites.put(site, hosts)
        yield site, hosts


@pytest.fixture(params=PORTS)
def database(request: pytest.FixtureRequest, deployed: tuple[Site, Ssh]) -> Database:
    one = Database(request.param, *deployed)
    one.set()
    one.says(f"DROP TABLE IF EXISTS t; CREATE TABLE t (v VARCHAR(40)); INSERT INTO t VALUES ('{TEXT}');")
    return one


def test_another_host_reads_what_it_wrote(database: Database) -> None:
    assert database.says("SELECT v, CHAR_LENGTH(v) FROM t;").split(
        "\t" if database.role == "mariadb" else "|"
    ) == [
        TEXT,
        str(len(TEXT)),
    ]


def test_its_client_file_leads_to_the_database(deployed: tuple[Site, Ssh]) -> None:
    _, hosts = deployed
    file = "/var/lib/loadstone/mariadb/conf/client.cnf"
    for client in ("mysql", "mariadb"):
        said = hosts.run("db", f"{client} --defaults-file={file} -N -e 'select database()'")
        assert (said.code, said.out.strip()) == (0, "loadstone"), said.words
    dump = hosts.run("db", f"mariadb-dump --defaults-file={file} --no-data loadstone")
    assert dump.code == 0, dump.words


def test_a_restart_keeps_the_data(database: Database) -> None:
    restart(database.site, database.hosts, lab_sites.quiet, [database.role])
    assert database.says("SELECT v FROM t;") == TEXT


def test_settings_are_seen_inside(database: Database) -> None:
    assert database.set(memory_mib=64, max_connections=33, durable=False)
    shown = {
        "mariadb": "SELECT @@innodb_buffer_pool_size / 1048576 = 64, @@max_connections, "
        "@@innodb_flush_log_at_trx_commit, @@character_set_database;",
        "postgresql": "SELECT current_setting('shared_buffers'), current_setting('max_connections'), "
        "current_setting('synchronous_commit'), current_setting('server_encoding');",
    }
    seen = {"mariadb": "1\t33\t2\tutf8mb4", "postgresql": "64MB|33|off|UTF8"}
    assert database.says(shown[database.role]) == seen[database.role]
    assert database.says("SELECT v FROM t;") == TEXT


def test_only_the_password_lets_in(database: Database) -> None:
    assert database.ask("SELECT 1;", password="wrong").code != 0
    assert database.set(password="An0ther~one")
    assert database.says("SELECT v FROM t;", "An0ther~one") == TEXT
    assert database.ask("SELECT 1;").code != 0


def test_what_does_not_come_up_leaves_the_old_one_running(database: Database) -> None:
    """No machine has four petabytes of memory."""
    with pytest.raises(SiteError) as refused:
        database.set(memory_mib=4_000_000_000)
    assert refused.value.slug in ("service-failed", "config-refused")
    assert database.state() == "running" and database.says("SELECT v FROM t;") == TEXT


def test_a_second_time_changes_nothing(database: Database) -> None:
    assert not database.set()
    answers = json.loads(json.dumps([one.as_json() for one in status(database.site, database.hosts)]))
    assert all(one["wanted"] for one in answers if one["service"] == database.role)


def test_the_password_is_generated_and_shown_nowhere(database: Database, tmp_path: Path) -> None:
    site, hosts, role = database.site, database.hosts, database.role
    assert len(database.password) >= 32 and database.ask("SELECT 1;", "loadstone").code != 0
    assert database.password not in json.dumps(record(site, hosts))
    found = hosts.run("db", f"grep -rlF -e {database.password} /var/lib/loadstone/{role} /tmp").out.split()
    user = {"mariadb": "mysql", "postgresql": "postgres"}[role]
    modes = {hosts.run("db", ["stat", "-c", "%a %U", path]).out for path in found}
    assert modes and modes <= {f"600 {user}\n", "600 root\n"}
    files = collect_logs(site, hosts, tmp_path)
    assert files and not [path for path in files if database.password in path.read_text("utf-8")]


def test_it_listens_on_the_topologys_address_only(database: Database) -> None:
    hosts, port = database.hosts, PORTS[database.role]
    listed = hosts.run("db", f"ss -Hltn sport = :{port}").out.splitlines()
    assert {line.split()[3] for line in listed} == {f"127.0.0.1:{port}", f"{hosts.address('db')}:{port}"}
    assert database.set(bind="0.0.0.0")
    assert f"0.0.0.0:{port}" in hosts.run("db", f"ss -Hltn sport = :{port}").out


def test_removed_it_leaves_nothing(database: Database) -> None:
    site, hosts = database.site, database.hosts
    undeploy(site, hosts, lab_sites.quiet, [database.role])
    user = {"mariadb": "mysql", "postgresql": "postgres"}[database.role]
    assert hosts.run("db", f"pgrep -u {user} -a").out == ""
    assert hosts.run("db", f"ls -d /var/lib/loadstone/{database.role}").code != 0
    # PostgreSQL's processes share memory there while it runs.
    shared = hosts.run("db", "ls -A /dev/shm /tmp").out.split()
    theirs = () if database.role == "postgresql" else ("PostgreSQL.",)
    assert [name for name in shared if not name.startswith(theirs)] == ["/dev/shm:", "/tmp:"]
    lab_sites.put(site, hosts)
    assert database.ask("SELECT v FROM t;").code != 0, "the data went with it"


def test_a_host_without_the_package_is_told_of_before_its_user_is_needed(
    deployed: tuple[Site, Ssh],
) -> None:
    """What Ansible installs then; the user of a database comes with its package."""
    site, hosts = deployed
    hosts.run("app", "sed -i /^mysql:/d /etc/passwd; rm /usr/sbin/mariadbd")
    unit = unit_text(site.service("mariadb"), site.places(hosts)["app"])
    answer = ask(hosts, "app", "prepare", "mariadb", {"unit": unit, "files": []})
    assert answer["missing"] == ["mariadbd"]
    with pytest.raises(LoadstoneError, match="not installed: mariadbd") as refused:
        ask(hosts, "app", "apply", "mariadb")
    assert refused.value.slug == "program-missing"
