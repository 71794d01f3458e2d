"""Where secrets come from, and that they are shown nowhere."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from loadstone.deploy import Site, load_site
from loadstone.deploy import secrets as secrets_module
from loadstone.deploy.host import home
from loadstone.deploy.host.home import Home, folders, own, user
from loadstone.deploy.playbook import _given, _inventory, _plays, _secrets
from loadstone.deploy.recording import defaults
from loadstone.deploy.render import render, shown
from loadstone.errors import LoadstoneError
from loadstone.lab import identify
from loadstone.ssh import Ssh

HEAD = 'format = 1\nname = "t-secrets"\n[[host]]\nname = "db"\n[[host]]\nname = "app"\n'
WORD = "s3cret-of-this.test"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    digest = hashlib.sha256(str(tmp_path.resolve()).encode()).hexdigest()[:12]
    return tmp_path / "state" / "loadstone" / "topologies" / f"t-secrets-{digest}.json"


def site(folder: Path, password: str = "", extra: str = "") -> Site:
    file = folder / "site.toml"
    given = f"settings = {{ password = {password} }}\n" if password else ""
    file.write_text(f'{HEAD}[[service]]\nname = "database"\nrole = "mariadb"\nhosts = ["db"]\n{given}{extra}')
    return load_site(file)


def nobody(folder: Path) -> Ssh:
    return Ssh(Path("/dev/null"), {"db": "198.18.0.1", "app": "198.18.0.2"}, folder, topology="t-secrets")


def found(one: Site, folder: Path) -> str:
    return one.places(nobody(folder))["db"].secrets["database"]["password"]


def test_a_secret_is_read_from_where_the_topology_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DB_PASSWORD", WORD)
    assert found(site(tmp_path, '{ env = "DB_PASSWORD" }'), tmp_path) == WORD
    (tmp_path / "db.txt").write_text(f"{WORD}\n")
    (tmp_path / "db.txt").chmod(0o600)
    assert found(site(tmp_path, '{ file = "db.txt" }'), tmp_path) == WORD
    assert found(site(tmp_path, f'"{WORD}"'), tmp_path) == WORD


def test_a_secret_is_read_from_an_ansible_vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "key").write_text("of the vault\n")
    monkeypatch.setenv("ANSIBLE_VAULT_PASSWORD_FILE", str(tmp_path / "key"))
    (tmp_path / "vault.yml").write_text(f"db: {WORD}\n")
    vault = [sys.executable, "-m", "ansible", "vault", "encrypt", str(tmp_path / "vault.yml")]
    subprocess.run(vault, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    assert WORD not in (tmp_path / "vault.yml").read_text()
    assert found(site(tmp_path, '{ vault = "vault.yml", key = "db" }'), tmp_path) == WORD
    with pytest.raises(LoadstoneError, match=r"error\[secret\]: .*has no `other`"):
        found(site(tmp_path, '{ vault = "vault.yml", key = "other" }'), tmp_path)
    monkeypatch.delenv("ANSIBLE_VAULT_PASSWORD_FILE")
    with pytest.raises(LoadstoneError, match=r"ANSIBLE_VAULT_PASSWORD_FILE"):
        # A vault is opened once in a command; this is another.
        (tmp_path / "vault.yml").rename(tmp_path / "moved.yml")
        found(site(tmp_path, '{ vault = "moved.yml", key = "db" }'), tmp_path)


def test_without_one_it_is_generated_and_stays_until_it_is_forgotten(tmp_path: Path, state: Path) -> None:
    first = found(site(tmp_path), tmp_path)
    assert len(first) >= 32 and found(site(tmp_path), tmp_path) == first
    assert state.stat().st_mode & 0o777 == 0o600 and state.parent.stat().st_mode & 0o777 == 0o700
    secrets_module.forget("t-secrets", tmp_path, "database")
    assert first not in state.read_text() and found(site(tmp_path), tmp_path) != first


def test_another_checkout_has_secrets_of_its_own(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    first, second = (found(site(folder), folder) for folder in folders)
    assert first != second
    secrets_module.forget("t-secrets", folders[1], "database")
    assert found(site(folders[0]), folders[0]) == first


def test_what_an_earlier_version_kept_is_taken_over(tmp_path: Path, state: Path) -> None:
    earlier = state.parent.with_name("secrets") / "t-secrets.json"
    earlier.parent.mkdir(parents=True)
    earlier.write_text(json.dumps({"database": {"password": WORD}}))
    assert found(site(tmp_path), tmp_path) == WORD
    assert not earlier.exists() and found(site(tmp_path), tmp_path) == WORD


def test_a_store_that_cannot_be_used_is_told(tmp_path: Path, state: Path) -> None:
    state.parent.mkdir(parents=True)
    state.write_text("cut off {")
    with pytest.raises(LoadstoneError, match=r"error\[secret\]: .*/t-secrets-.*.json cannot be used"):
        found(site(tmp_path), tmp_path)
    with pytest.raises(LoadstoneError, match=r"error\[cannot-write\]: .*/t-secrets-.*.json cannot be used"):
        identify(site(tmp_path).topology)


@pytest.mark.parametrize(
    "password, sentence",
    [
        ('{ env = "NOT_THERE" }', "`NOT_THERE` is not in the environment"),
        ('{ file = "open.txt" }', "open.txt can be read by others"),
        ('{ file = "none.txt" }', "none.txt cannot be read"),
        ('{ file = "odd.txt" }', "the secret has characters that need quoting"),
        ('"two words"', "the secret has characters that need quoting"),
    ],
)
def test_what_cannot_be_had_is_refused_with_its_line(tmp_path: Path, password: str, sentence: str) -> None:
    (tmp_path / "open.txt").write_text(WORD)
    (tmp_path / "open.txt").chmod(0o644)
    (tmp_path / "odd.txt").write_text("it's odd")
    (tmp_path / "odd.txt").chmod(0o600)
    with pytest.raises(LoadstoneError) as refused:
        found(site(tmp_path, password), tmp_path)
    text = str(refused.value)
    assert refused.value.exit_code == 2 and "error[secret]: " in text and sentence in text
    assert "site.toml:11, [service.database.settings.password]" in text
    assert "two words" not in text and "it's odd" not in text


def test_only_a_database_has_a_password(tmp_path: Path) -> None:
    shop = '[[service]]\nname = "{}"\nrole = "command"\nhosts = ["app"]\nport = {}\n'
    settings = 'settings = {{ command = "true", secrets = {{ DB = {{ service = "{}" }} }} }}\n'
    two = shop.format("one", 9000) + settings.format("two") + shop.format("two", 9001)
    one = site(tmp_path, "", f'{two}settings = {{ command = "true" }}\n')
    with pytest.raises(LoadstoneError, match=r"error\[secret\]: `two` has no password"):
        one.places(nobody(tmp_path))
    with pytest.raises(LoadstoneError, match="there is no other service `three`"):
        site(tmp_path, "", shop.format("one", 9000) + settings.format("three"))


@pytest.mark.parametrize("password", ['{ env = "A", file = "b" }', '{ vault = "v" }', "{}"])
def test_a_secret_is_in_one_place(tmp_path: Path, password: str) -> None:
    with pytest.raises(LoadstoneError, match="a secret is in exactly one place"):
        site(tmp_path, password)


def test_it_is_only_in_files_that_nothing_shows(tmp_path: Path) -> None:
    """What a run folder, a page, a log, `ps` or Ansible's inventory could hold has none of it."""
    olio = '[[service]]\nrole = "olio"\nhosts = ["app"]\nsettings = { database = "database" }\n'
    (tmp_path / "key").write_text(f"{WORD}: it's odd")
    (tmp_path / "key").chmod(0o600)
    shop = '[[service]]\nname = "shop"\nrole = "command"\nhosts = ["app"]\n[service.settings]\n'
    shop += 'command = "true"\nsecrets = { KEY = { file = "key" }, DB = { service = "database" } }\n'
    one = site(tmp_path, f'"{WORD}"', olio + shop)
    hosts = nobody(tmp_path)
    places = one.places(hosts)
    services = list(one.services.values())
    holding = {}
    for service in services:
        host = service.hosts[0]
        files = render(service, places[host])
        holding[service.name] = {name for name, text in files.items() if WORD in text}
        assert WORD not in json.dumps(shown(files)) and WORD not in repr(service)
        assert WORD not in json.dumps(service.settings.model_dump(mode="json")) and defaults(service)
        assert WORD not in json.dumps(_given(service, places[host], hosts))
    env = {"environment.json"}
    assert holding == {"database": {"start.sql", "client.cnf"}, "olio": env, "shop": env}
    kept = json.loads(render(one.service("shop"), places["app"])["environment.json"])
    assert kept == {"KEY": f"{WORD}: it's odd", "DB": WORD}
    where = {service.name: service.hosts for service in services}
    assert WORD not in json.dumps(_inventory(services, where, places, hosts, "keep"))
    assert WORD not in json.dumps(_plays(services, where, places, hosts))
    assert WORD in json.dumps(_secrets(services, places))
    assert WORD not in repr(places)


@pytest.mark.skipif(os.geteuid() != 0, reason="files of other users")
def test_every_service_has_a_user_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(home, "ROOT", tmp_path)
    monkeypatch.setattr(home, "_USERS", 3)
    unit = {"user": "own", "secret": ["key"]}
    numbers = []
    for name in ("one", "two", "three"):
        there = Home(name)
        with there.lock():
            folders(there)
            (there.wanted / "key").write_text("x")
            own(there, unit)
        numbers.append(user(there, unit))
        assert user(there, unit) == numbers[-1]
        assert {path.stat().st_uid for path in (there.data, there.log, there.run)} == {numbers[-1][0]}
        key = (there.wanted / "key").stat()
        assert (key.st_mode & 0o777, key.st_uid) == (0o600, numbers[-1][0])
        assert (there.path / "conf").stat().st_uid == 0
    assert len(set(numbers)) == 3
