"""The authority of a topology: whom it vouches for, for how long, and which files have keys."""

import json
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from loadstone.deploy import Site, load_site
from loadstone.deploy.certificates import LASTS, Issued, forget_certificates, issued
from loadstone.deploy.playbook import _given, _inventory, _plays, _secrets
from loadstone.deploy.render import render, shown
from loadstone.errors import LoadstoneError
from loadstone.lab import forget_state, kept_authority
from loadstone.ssh import Ssh

NOW = datetime(2026, 11, 26, tzinfo=UTC)
DAY = timedelta(days=1)
WANTED = {("db", "h1"): ["db", "h1", "10.0.0.1"]}
HEAD = 'format = 1\nname = "t-tls"\ntls = true\n[[host]]\nname = "db"\n[[host]]\nname = "web"\n'
SERVICES = """
[[service]]
name = "database"
role = "postgresql"
hosts = ["db"]
[[service]]
name = "site"
role = "olio"
hosts = ["web"]
settings = { database = "database" }
[[service]]
name = "front"
role = "haproxy"
hosts = ["web"]
port = 8443
settings = { backends = "site" }
[[service]]
name = "shop"
role = "command"
hosts = ["web"]
[service.settings]
command = "run {conf}/authority.crt"
secrets = { URL = { url = "database" } }
"""


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def site(folder: Path, text: str = HEAD + SERVICES) -> Site:
    file = folder / "site.toml"
    file.write_text(text)
    return load_site(file)


def nobody(folder: Path) -> Ssh:
    return Ssh(Path("/dev/null"), {"db": "198.18.0.1", "web": "198.18.0.2"}, folder, topology="t-tls")


def made(folder: Path, now: datetime = NOW, names: list[str] | None = None) -> Issued:
    wanted = {("db", "h1"): names} if names else WANTED
    return issued("t", folder, wanted, now)


def test_certificates_are_for_names_and_addresses_and_of_the_authority(tmp_path: Path) -> None:
    found = made(tmp_path)
    own = x509.load_pem_x509_certificate(found.certificates["db", "h1"].certificate.encode())
    authority = x509.load_pem_x509_certificate(found.authority.encode())
    own.verify_directly_issued_by(authority)
    names = own.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["db", "h1"]
    assert [str(one) for one in names.get_values_for_type(x509.IPAddress)] == ["10.0.0.1"]
    key = load_pem_private_key(found.certificates["db", "h1"].key.encode(), None)
    assert key.public_key() == own.public_key()
    assert not own.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    believed = ssl.create_default_context(cadata=kept_authority("t", tmp_path).read_text())
    assert [one["subject"] for one in believed.get_ca_certs()] == [
        ((("commonName", "Loadstone authority of t"),),)
    ]
    (kept,) = (tmp_path / "state" / "loadstone" / "topologies").glob("*.json")
    assert (
        kept.stat().st_mode & 0o777 == 0o600
        and "PRIVATE KEY" not in kept_authority("t", tmp_path).read_text()
    )


def test_they_stay_until_a_third_of_their_time_is_left(tmp_path: Path) -> None:
    first = made(tmp_path)
    assert made(tmp_path, NOW + 59 * DAY) == first
    later = made(tmp_path, NOW + 61 * DAY)
    assert later.authority == first.authority and later.certificates != first.certificates
    assert made(tmp_path, NOW + 62 * DAY) == later


def test_other_names_and_an_authority_that_ends_make_new_ones(tmp_path: Path) -> None:
    first = made(tmp_path)
    moved = made(tmp_path, names=["db", "h1", "10.0.0.2"])
    assert moved.authority == first.authority and moved.certificates != first.certificates
    ended = made(tmp_path, NOW + 39 * LASTS)
    assert ended.authority != first.authority
    assert kept_authority("t", tmp_path).read_text() == ended.authority


def test_what_is_removed_leaves_nothing(tmp_path: Path) -> None:
    first = made(tmp_path)
    forget_certificates("t", tmp_path, "other")
    assert made(tmp_path) == first
    forget_certificates("t", tmp_path, "db")
    assert not kept_authority("t", tmp_path).exists()
    assert made(tmp_path).authority != first.authority
    forget_state("t", tmp_path)
    assert not kept_authority("t", tmp_path).exists()


def test_one_setting_reaches_every_tier(tmp_path: Path) -> None:
    one = site(tmp_path)
    places = one.places(nobody(tmp_path))
    files = {service.name: render(service, places[service.hosts[0]]) for service in one.services.values()}
    assert "hostssl loadstone" in files["database"]["pg_hba.conf"]
    assert "host loadstone" not in files["database"]["pg_hba.conf"]
    assert "ssl = on" in files["database"]["postgresql.conf"]
    secret = places["db"].secrets["database"]["password"]
    url = f"postgres://loadstone:{secret}@198.18.0.1:5432/loadstone?sslmode=verify-full&sslrootcert="
    kept = json.loads(files["site"]["environment.json"])
    assert kept == {"LOADSTONE_DATABASE": f"{url}/var/lib/loadstone/site/conf/authority.crt"}
    kept = json.loads(files["shop"]["environment.json"])
    assert kept == {"URL": f"{url}/var/lib/loadstone/shop/conf/authority.crt"}
    orders = json.loads(files["shop"]["command.json"])
    assert orders["instances"][0]["env"]["TLS_AUTHORITY"] == "/var/lib/loadstone/shop/conf/authority.crt"
    assert orders["authority"] is None and "server.crt" not in files["shop"], "it is only asked to, if at all"
    unit = json.loads(files["site"]["unit.json"])
    assert "--tls-cert" in unit["start"]
    assert unit["ready"]["authority"] == "{conf}/authority.crt"
    haproxy = files["front"]["haproxy.cfg"]
    assert "bind :8443 backlog 4096 ssl crt server.crt" in haproxy
    assert "ssl verify required ca-file authority.crt verifyhost site" in haproxy


def test_keys_are_in_files_that_nothing_shows(tmp_path: Path) -> None:
    one, hosts = site(tmp_path), nobody(tmp_path)
    places = one.places(hosts)
    services = list(one.services.values())
    where = {service.name: service.hosts for service in services}
    holding = {}
    for service in services:
        files = render(service, places[service.hosts[0]])
        holding[service.name] = {name for name, text in files.items() if "PRIVATE KEY" in text}
        assert "PRIVATE KEY" not in json.dumps(shown(files))
        assert "PRIVATE KEY" not in json.dumps(_given(service, places[service.hosts[0]], hosts))
    key = {"server.crt.key"}
    assert holding == {"database": key, "site": key, "front": key, "shop": set()}
    assert "PRIVATE KEY" not in repr(places)
    assert "PRIVATE KEY" not in json.dumps(_inventory(services, where, places, hosts, "keep"))
    assert "PRIVATE KEY" not in json.dumps(_plays(services, where, places, hosts))
    assert all("PRIVATE KEY" in text for text in _secrets(services, places).values())


def test_without_the_setting_nothing_is_of_tls(tmp_path: Path) -> None:
    one = site(tmp_path, HEAD.replace("tls = true\n", "") + SERVICES)
    places = one.places(nobody(tmp_path))
    for service in one.services.values():
        files = render(service, places[service.hosts[0]])
        assert not {name for name in files if name.endswith((".crt", ".key"))}
        assert "authority" not in json.dumps(json.loads(files["unit.json"]))
    assert not kept_authority("t-tls", tmp_path).exists()


@pytest.mark.parametrize(
    "old, new, sentence",
    [
        ('role = "haproxy"', 'role = "varnish"', "varnish speaks no TLS, which `site` is served with"),
        ('role = "haproxy"', 'role = "nftables"', "nftables speaks no TLS, which `site` is served with"),
        ("port = 8443", "port = 8443\ntls = 1", "tls"),
        ('role = "haproxy"\n', 'role = "varnish"\ntls = true\n', "varnish cannot be served with TLS"),
    ],
)
def test_what_cannot_be_is_refused_with_its_line(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    with pytest.raises(LoadstoneError, match=sentence) as refused:
        site(tmp_path, (HEAD + SERVICES).replace(old, new, 1))
    assert "site.toml:" in str(refused.value)


def test_who_asks_without_tls_refuses_a_front_that_has_it(tmp_path: Path) -> None:
    with pytest.raises(LoadstoneError, match="`chaos` speaks no TLS to `site`"):
        site(tmp_path).require_plain("`chaos`")
    plain = 'role = "{}"\ntls = false'
    text = HEAD + SERVICES
    for role in ("olio", "haproxy"):
        text = text.replace(f'role = "{role}"', plain.format(role))
    site(tmp_path, text).require_plain("`chaos`")


def test_a_service_may_do_without(tmp_path: Path) -> None:
    text = (HEAD + SERVICES).replace('role = "olio"', 'role = "olio"\ntls = false')
    one = site(tmp_path, text.replace('role = "haproxy"', 'role = "varnish"'))
    assert {name for name, service in one.services.items() if service.tls} == {"database"}
    assert {name for name, service in one.services.items() if service.trusts} == {"database", "site", "shop"}
