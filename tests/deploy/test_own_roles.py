"""A folder of the user's own roles: what a manifest says, what is refused with its line, and one on a lab."""

import json
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import lab_sites
import pytest

from loadstone.deploy import Site, SiteError, configure, deploy, load_site, reset, status, undeploy, worn
from loadstone.deploy.playbook import _plays
from loadstone.deploy.render import render
from loadstone.deploy.role import Place
from loadstone.errors import LoadstoneError
from loadstone.ssh import Ssh

MANIFEST = """format = 1
port = 9000
programs = ["python3"]
start = "python3 -u {{ conf }}/serve.py '{{ settings.title }}' {{ '--loud' if settings.loud else '' }}"
version = "python3 --version"
prepare = ["sh -c 'echo {{ settings.rows }} >{{ data }}/rows'"]
reset = "prepare"
[env]
ROWS = "{{ rows * 2 }}"
EMPTY = "{{ settings.note or '' }}"
[variables]
rows = "settings.rows + 1"
[health]
http = "/well"
[settings]
title = { type = "string", default = "two words" }
loud = { type = "boolean", default = false }
rows = { type = "integer", default = 3, minimum = 1, maximum = 9 }
size = { type = "string", default = "small", choices = ["small", "large"] }
note = { type = "string", optional = true }
store = { type = "service", roles = ["mariadb", "postgresql"], optional = true }
key = { type = "secret" }
[[refuse]]
setting = "rows"
when = "settings.loud and settings.rows > 5"
message = "{{ settings.rows }} rows are too loud"
hint = "5 at most"
"""
SERVE = """import http.server, os, sys
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        rows = open("{{ data }}/rows").read().strip()
        self.wfile.write(f"{sys.argv[1]} {os.environ['ROWS']} {rows} {os.getuid()}".encode())
http.server.ThreadingHTTPServer(("", {{ port }}), Page).serve_forever()
"""
KEY = "{{ secrets.key }}{{ secrets.store if settings.store else '' }}\n"
HOSTS = lab_sites.HOSTS
ADDRESSES = {"lb": "198.18.0.11", "web1": "198.18.0.12", "web2": "198.18.0.13"}
OWN = '[[service]]\nname = "own"\nrole = "pager"\nhosts = ["web1"]\n'
FRONT = '[[service]]\nname = "front"\nrole = "{role}"\nhosts = ["lb"]\nsettings = {{ backends = "own" }}\n'


def role(folder: Path, manifest: str = MANIFEST) -> Path:
    """A role of one's own below `roles`; its folder."""
    own = folder / "roles" / "pager"
    (own / "templates").mkdir(parents=True, exist_ok=True)
    (own / "loadstone.toml").write_text(manifest)
    (own / "templates" / "serve.py.j2").write_text(SERVE)
    (own / "templates" / "key.j2").write_text(KEY)
    return own


def load(folder: Path, services: str = OWN, top: str = 'roles = "roles"') -> Site:
    file = folder / "site.toml"
    file.write_text(f'format = 1\nname = "own"\n{top}\n{HOSTS}{services}')
    return load_site(file)


def files(site: Site) -> dict[str, str]:
    secrets = {"own": {"key": "hidden"}, "db": {"password": "theirs"}}
    return render(site.services["own"], Place("web1", ADDRESSES, site.services, secrets))


def refused(folder: Path, services: str = OWN, top: str = 'roles = "roles"') -> LoadstoneError:
    with pytest.raises(LoadstoneError) as error:
        load(folder, services, top)
    return error.value


def test_a_manifest_says_how_the_program_is_handled(tmp_path: Path) -> None:
    role(tmp_path)
    made = files(load(tmp_path, f'{OWN}settings = {{ title = "a b", rows = 4 }}\n'))
    unit = json.loads(made["unit.json"])
    assert unit["start"] == ["python3", "-u", "{conf}/serve.py", "a b"]
    assert unit["prepare"] == [["sh", "-c", "echo 4 >{data}/rows"]]
    assert unit["resets"] == "data" and unit["reset"] == []
    assert unit["env"] == {"ROWS": "10"}
    assert unit["ready"]["send"].startswith("GET /well HTTP/1.1\r\n")
    assert unit["port"] == 9000 and unit["user"] == "own" and unit["tasks"] == ""
    assert '("", 9000)' in made["serve.py"]
    # A file with a secret is only its user's, without a word in the manifest.
    assert unit["secret"] == ["key"] and made["key"] == "hidden\n"


def test_a_setting_names_a_service_and_has_its_password(tmp_path: Path) -> None:
    role(tmp_path, MANIFEST.replace("[env]\n", '[env]\nDB = "{{ services[settings.store].address }}"\n'))
    database = '[[service]]\nname = "db"\nrole = "mariadb"\nhosts = ["web2"]\n'
    site = load(tmp_path, f'{OWN}settings = {{ store = "db" }}\n{database}')
    assert list(site.services) == ["db", "own"]
    made = files(site)
    assert json.loads(made["unit.json"])["env"]["DB"] == ADDRESSES["web2"]
    assert made["key"] == "hiddentheirs\n"
    cache = database.replace("mariadb", "memcached")
    error = refused(tmp_path, f'{OWN}settings = {{ store = "db" }}\n{cache}')
    assert "`db` is memcached, which cannot be the store of pager" in str(error)


@pytest.mark.parametrize("balancer", ["apache", "caddy", "haproxy", "nftables", "varnish"])
def test_every_balancer_that_asks_asks_for_its_health(tmp_path: Path, balancer: str) -> None:
    role(tmp_path)
    site = load(tmp_path, OWN + FRONT.format(role=balancer))
    texts = render(site.services["front"], Place("lb", ADDRESSES, site.services))
    assert any("/well" in text for text in texts.values())


@pytest.mark.parametrize(
    "settings, slug, words",
    [
        ("rows = 10", "out-of-range", "`rows` is 10, must be at most 9"),
        ('size = "huge"', "wrong-type", "`size` is \"huge\", expected 'small' or 'large'"),
        ('loud = "yes"', "wrong-type", "`loud`"),
        ("row = 3", "unknown-key", "did you mean `rows`?"),
        ("rows = 6, loud = true", "service-setting", "6 rows are too loud"),
        ('store = "nobody"', "service-name", "there is no other service `nobody`"),
    ],
)
def test_settings_are_checked_like_every_other(tmp_path: Path, settings: str, slug: str, words: str) -> None:
    role(tmp_path)
    error = refused(tmp_path, f"{OWN}settings = {{ {settings} }}\n")
    assert (error.slug, error.exit_code) == (slug, 2)
    assert words in str(error) and "site.toml:17, [service.own.settings" in str(error)


@pytest.mark.parametrize(
    "old, new, slug, words, line",
    [
        ("format = 1", "format = 2", "wrong-type", "`format` is 2", 1),
        ("port = 9000", "port = 0", "out-of-range", "`port` is 0", 2),
        ('start = "', 'begin = "', "missing-key", "`start` is missing", 1),
        ('version = "', 'versoin = "', "unknown-key", "did you mean `version`?", 5),
        ('reset = "prepare"', 'reset = "prepared"', "wrong-type", "`reset`", 7),
        ('http = "/well"', 'http = "well"', "role-manifest", "`well` is not a path", 13),
        (
            'http = "/well"',
            'http = "/well"\ncommand = "true"',
            "role-manifest",
            "has `http` and `command`",
            13,
        ),
        ("default = 3,", "default = 30,", "role-manifest", "the default 30 of `rows`", 18),
        ('type = "boolean"', 'type = "bool"', "wrong-type", '`type` is "bool"', 17),
        ('"secret" }', '"secret", default = "x" }', "role-manifest", "a secret has no default", 22),
        ('"two words" }', '"two words", minimum = 3 }', "role-manifest", "`minimum` says nothing", 16),
        ("{{ settings.title }}", "{{ settings.titel }}", "role-template", "no attribute 'titel'", 4),
        ("'{{ settings.title }}'", "'{{ settings.title }}", "role-template", "No closing quotation", 4),
        ("{{ settings.title }}", "{{ secrets.key }}", "role-template", "'secrets' is undefined", 4),
        ("settings.rows + 1", "settings.rows / 0", "role-template", "division by zero", 12),
        ("settings.loud and", "settings.loud und", "role-template", "`refuse`", 23),
        ("format = 1", "[[format = 1", "toml-syntax", "", 1),
    ],
)
def test_a_manifest_is_refused_at_its_line(
    tmp_path: Path, old: str, new: str, slug: str, words: str, line: int
) -> None:
    assert old in MANIFEST
    role(tmp_path, MANIFEST.replace(old, new, 1))
    error = refused(tmp_path)
    assert (error.slug, error.exit_code) == (slug, 2)
    assert words in str(error)
    assert re.search(rf"roles/pager/loadstone\.toml:{line}\b", str(error)), str(error)


@pytest.mark.parametrize(
    "text, words, line",
    [
        ("a\nb\n{{ settings.titel }}\n", "no attribute 'titel'", 3),
        ("a\n{% if %}\n", "", 2),
        ("a\n\n{{ settings | to_nice_yaml }}\n", "to_nice_yaml", 3),
        ("a\n{{ secrets.word }}\n", "no attribute 'word'", 2),
    ],
)
def test_a_template_is_refused_at_its_line(tmp_path: Path, text: str, words: str, line: int) -> None:
    own = role(tmp_path)
    (own / "templates" / "more.j2").write_text(text)
    error = refused(tmp_path)
    assert (error.slug, error.exit_code) == ("role-template", 2)
    assert words in str(error) and f"roles/pager/templates/more.j2:{line}" in str(error)


def test_a_folder_that_is_no_role_is_told(tmp_path: Path) -> None:
    assert "there is no folder" in str(refused(tmp_path))
    own = role(tmp_path)
    error = refused(tmp_path, OWN.replace("pager", "pagr"))
    assert error.slug == "service-role" and "did you mean `pager`?" in str(error)
    (own / "loadstone.toml").unlink()
    error = refused(tmp_path)
    assert error.slug == "role-missing" and "roles/pager` has no `loadstone.toml`" in str(error)
    own.rename(own.with_name("nginx"))
    (own.with_name("nginx") / "loadstone.toml").write_text(MANIFEST)
    error = refused(tmp_path, OWN.replace("pager", "nginx"))
    assert error.slug == "service-role" and "the name of a role that comes along" in str(error)


def test_what_python_keeps_of_programs_is_no_template(tmp_path: Path) -> None:
    own = role(tmp_path)
    before = files(load(tmp_path))
    kept = own / "templates" / "__pycache__"
    kept.mkdir()
    (kept / "serve.cpython-311.pyc").write_bytes(b"\xa7\x0d\x0d\x0a")
    assert files(load(tmp_path)) == before


def test_tasks_are_told_apart_by_what_they_are_made_of(tmp_path: Path) -> None:
    tasks = role(tmp_path) / "tasks"

    def digest(settings: str = "") -> str:
        found: str = json.loads(files(load(tmp_path, f"{OWN}settings = {{ {settings} }}\n"))["unit.json"])[
            "tasks"
        ]
        return found

    assert digest() == ""
    tasks.mkdir()
    (tasks / "main.yml").write_text("- ansible.builtin.debug:\n")
    first = digest()
    assert first and digest("rows = 5") == first, "the tasks do not see the settings"
    (tasks / "main.yml").write_text("- ansible.builtin.debug: { msg: '{{ settings.rows }}' }\n")
    seeing = digest()
    assert len({first, seeing, digest("rows = 5")}) == 3


def test_tasks_come_between_the_programs_and_the_configuration(tmp_path: Path) -> None:
    tasks = role(tmp_path) / "tasks"
    tasks.mkdir()
    (tasks / "main.yml").write_text("[]\n")
    site = load(tmp_path)
    nobody = Ssh(Path("/dev/null"), ADDRESSES, tmp_path)
    (play,) = _plays([site.services["own"]], {"own": ["web1"]}, site.places(nobody), nobody)
    named = [one.get("ansible.builtin.import_role") for one in play["tasks"][0]["block"]]
    assert named == [
        {"name": "service", "tasks_from": "before"},
        {"name": "pager", "tasks_from": "main"},
        None,
        {"name": "service", "tasks_from": "after"},
    ]


@pytest.fixture(scope="module")
def placed(lab_file: Path) -> Iterator[tuple[Site, Ssh, Path]]:
    """The role on a lab, behind a balancer, with tasks."""
    tasks = role(lab_file.parent) / "tasks"
    tasks.mkdir()
    (tasks / "main.yml").write_text(
        '- name: service\n  ansible.builtin.copy: { dest: "{{ run }}/note", content: "of {{ role }}" }\n'
    )
    text = lab_file.read_text()
    lab_file.write_text(text.replace("format = 1\n", 'format = 1\nroles = "roles"\n', 1))
    try:
        with lab_sites.site(lab_file, OWN + FRONT.format(role="haproxy")) as (site, hosts):
            yield site, hosts, tasks / "main.yml"
    finally:
        lab_file.write_text(text)


def asked(hosts: Ssh, host: str, port: int) -> list[str]:
    with urllib.request.urlopen(f"http://{hosts.address(host)}:{port}/", timeout=120) as answer:
        return answer.read().decode().split()


@pytest.mark.long
def test_on_a_lab_it_is_a_kind_like_any_other(placed: tuple[Site, Ssh, Path]) -> None:
    site, hosts, tasks = placed
    assert deploy(site, hosts, lab_sites.quiet).changed == 2
    said = asked(hosts, "lb", 8080)
    assert said[:4] == ["two", "words", "8", "3"] and int(said[4]) >= 60578
    note = hosts.run("web1", ["cat", "/var/lib/loadstone/own/run/note"]).out
    assert note == "of pager"
    assert not deploy(site, hosts, lab_sites.quiet).changed

    assert configure(site.with_settings("own", title="others"), hosts, "own").changed
    assert asked(hosts, "web1", 9000)[0] == "others"

    # Data made in another way need consent, and a reset brings back what `prepare` made.
    with pytest.raises(SiteError) as error:
        configure(site.with_settings("own", rows=5), hosts, "own")
    assert error.value.slugs == ["data-loss"]
    hosts.run("web1", ["sh", "-c", "echo 99 >/var/lib/loadstone/own/data/rows"])
    assert asked(hosts, "web1", 9000)[2] == "99"
    assert worn(site, hosts, "front") == [], "no run has used them"
    (used,) = worn(site, hosts, "front")
    assert [one["action"] for one in reset(site, hosts, used)] == ["loaded"]
    assert asked(hosts, "web1", 9000)[2] == "3"

    # Tasks that changed are run by `deploy`, and by nothing else.
    tasks.write_text(tasks.read_text().replace("of {{ role }}", "anew"))
    again = load_site(site.topology.path).with_settings("own", title="others")
    with pytest.raises(SiteError) as error:
        configure(again, hosts, "own")
    assert error.value.slugs == ["role-tasks"]
    assert deploy(again, hosts, lab_sites.quiet).changed == 1
    assert hosts.run("web1", ["cat", "/var/lib/loadstone/own/run/note"]).out == "anew"

    # A task that fails is told with its own words, and the others are done.
    said = "- name: fails\n  ansible.builtin.command: sh -c 'echo no such word >&2; exit 3'\n"
    tasks.write_text(said)
    with pytest.raises(SiteError) as error:
        deploy(load_site(site.topology.path), hosts, lab_sites.quiet)
    assert error.value.slugs == ["task-failed"] and "no such word" in str(error.value)
    assert asked(hosts, "web1", 9000), "what ran goes on"

    assert {one.state for one in status(again, hosts)} == {"running"}
    undeploy(site, hosts, lab_sites.quiet)
    assert hosts.run("web1", ["test", "-e", "/var/lib/loadstone/own"]).code
