"""A service of one's own before it is anywhere: what is brought, what it is told, who is in front of it."""

import json
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from loadstone.deploy import Site, load_site
from loadstone.deploy.content import Content
from loadstone.deploy.recording import defaults
from loadstone.deploy.render import render
from loadstone.deploy.role import Place
from loadstone.errors import LoadstoneError
from loadstone.ssh import Ssh

HOSTS = ("lb", "web1", "web2", "db")
ADDRESSES = {name: f"198.18.0.{number}" for number, name in enumerate(HOSTS, 11)}
SITE = """
[[service]]
name = "shop"
role = "command"
hosts = ["web1", "web2"]
port = 8100
[service.settings]
command = "serve --port {port} --name '{instance} of {host}' --debug {port.debug}"
source = "shop"
prepare = "make-schema {database.address}:{database.port} {data}"
prepare_on = "first"
instances = 2
ports = { debug = 9100 }
health = { http = "/well" }
env = { WORKERS = 3, AWK = "{{print}} ${port}" }
[[service]]
name = "database"
role = "postgresql"
hosts = ["db"]
"""


def load(folder: Path, services: str = SITE, **files: str) -> Site:
    (folder / "shop").mkdir(exist_ok=True)
    (folder / "shop" / "app.py").write_text(files.get("app", "print('one')\n"))
    hosts = "".join(f'[[host]]\nname = "{name}"\n' for name in HOSTS)
    file = folder / "site.toml"
    file.write_text(f'format = 1\nname = "shop"\n{hosts}{services}')
    return load_site(file)


def told(site: Site, service: str, host: str) -> dict[str, Any]:
    """What the supervisor is told."""
    place = Place(host, ADDRESSES, site.services)
    found: dict[str, Any] = json.loads(render(site.services[service], place)["command.json"])
    return found


def unit(site: Site, service: str, host: str) -> dict[str, Any]:
    place = Place(host, ADDRESSES, site.services)
    found: dict[str, Any] = json.loads(render(site.services[service], place)["unit.json"])
    return found


def test_every_instance_is_told_its_own_place(tmp_path: Path) -> None:
    site = load(tmp_path)
    assert list(site.services) == ["database", "shop"], "what it names comes before it"
    first, second = told(site, "shop", "web2")["instances"]
    assert first["words"] == ["serve", "--port", "8100", "--name", "1 of web2", "--debug", "9100"]
    assert second["words"] == ["serve", "--port", "8101", "--name", "2 of web2", "--debug", "9101"]
    assert second["env"] == {"PORT": "8101", "INSTANCE": "2", "WORKERS": "3", "AWK": "{print} ${port}"}
    assert first["prepare"] == ["make-schema 198.18.0.14:5432 /var/lib/loadstone/shop/data"]
    assert [one["log"][-13:] for one in (first, second)] == ["service-1.log", "service-2.log"]


def test_the_first_host_alone_makes_what_all_share(tmp_path: Path) -> None:
    site = load(tmp_path)
    assert unit(site, "shop", "web1")["prepare"] and not unit(site, "shop", "web2")["prepare"]
    # A change of these lines would lose what they made there, and is refused.
    assert unit(site, "shop", "web1")["holds"] == "what `prepare` made in `database`"
    assert not unit(site, "shop", "web2")["holds"]
    each = site.with_settings("shop", prepare_on="each")
    assert unit(each, "shop", "web2")["prepare"]


@pytest.mark.parametrize("balancer", ["apache", "caddy", "haproxy", "nftables", "nginx", "varnish"])
@pytest.mark.parametrize("path", ["/well", ""])
def test_every_balancer_knows_every_instance_and_how_to_ask_it(
    tmp_path: Path, balancer: str, path: str
) -> None:
    front = f'[[service]]\nname = "front"\nrole = "{balancer}"\nhosts = ["lb"]\n'
    site = load(tmp_path, f'{SITE}{front}settings = {{ backends = "shop", weights = {{ web1 = 2 }} }}\n')
    if not path:
        site = site.with_settings("shop", health={"command": "true"})
    files = render(site.services["front"], Place("lb", ADDRESSES, site.services))
    text = "\n".join(
        text for name, text in files.items() if name.endswith((".json", "cfg", "conf", "vcl", "file"))
    )
    for host, port in [("web1", 8100), ("web1", 8101), ("web2", 8100), ("web2", 8101)]:
        assert ADDRESSES[host] in text and str(port) in text
    asks = balancer != "nginx" and path
    assert ("/well" in text) == bool(asks)
    if balancer in ("haproxy", "varnish"):
        assert "web2_2" in text, "a name of its own"


def test_what_is_brought_is_known_by_its_content(tmp_path: Path) -> None:
    before = told(load(tmp_path), "shop", "web1")
    again = told(load(tmp_path), "shop", "web1")
    assert before == again and before["app"].endswith(f"/app/{before['content']}")
    other = told(load(tmp_path, app="print('two')\n"), "shop", "web1")
    assert other["content"] != before["content"]
    (tmp_path / "shop" / "__pycache__").mkdir()
    (tmp_path / "shop" / "__pycache__" / "app.pyc").write_text("made by running it")
    assert told(load(tmp_path, app="print('two')\n"), "shop", "web1") == other
    (tmp_path / "shop" / "app.py").chmod(0o755)
    assert told(load_site(tmp_path / "site.toml"), "shop", "web1")["content"] != other["content"]


def names(content: Content) -> list[str]:
    with tarfile.open(content.archive()) as packed:
        return sorted(member.name for member in packed.getmembers() if member.isfile())


def test_folders_archives_and_files_are_laid_over_each_other(tmp_path: Path) -> None:
    for folder, text in (("a", "a"), ("b", "b")):
        (tmp_path / folder / "inner").mkdir(parents=True)
        (tmp_path / folder / "inner" / "who").write_text(text)
        (tmp_path / folder / folder).write_text(text)
    with tarfile.open(tmp_path / "b.tar.gz", "w:gz") as packed:
        packed.add(tmp_path / "b", arcname=".")
    (tmp_path / "one.txt").write_text("1")
    content = Content(tmp_path, ["a", "b.tar.gz", "one.txt"])
    assert names(content) == ["a", "b", "inner/who", "one.txt"]
    with tarfile.open(content.archive()) as packed:
        who = packed.extractfile("inner/who")
        assert who and who.read() == b"b"
        assert {(one.uid, one.uname) for one in packed.getmembers()} == {(0, "")}


def test_it_is_built_here_once_and_only_what_is_kept_goes(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "word").write_text("word")
    count = f"echo built >>{tmp_path}/builds"
    content = Content(tmp_path, ["src"], build=[count, "mkdir out; tr a-z A-Z <word >out/W"], keep=["out/*"])
    assert names(content) == ["out/W"] == names(content)
    assert (tmp_path / "builds").read_text() == "built\n"
    assert not (tmp_path / "src" / "out").exists(), "the sources stay as they are"


@pytest.mark.parametrize(
    "settings, words",
    [
        (
            {"build": ["echo broken >&2; exit 3"]},
            "`echo broken >&2; exit 3` ended with exit code 3\n  | broken",
        ),
        ({"build": ["false", "echo never"]}, "`false` ended with exit code 1"),
        ({"keep": ["bin/*"]}, "the build has left nothing like `bin/*`"),
    ],
)
def test_a_build_that_fails_says_why(tmp_path: Path, settings: dict[str, list[str]], words: str) -> None:
    (tmp_path / "word").write_text("word")
    content = Content(tmp_path, ["word"], **settings)  # type: ignore[arg-type]
    for _host in range(2):
        with pytest.raises(LoadstoneError, match="service-build") as failed:
            content.archive()
        assert words in str(failed.value)


@pytest.mark.parametrize("name", ["site.tar.gz", "site.zip", "site.tar"])
def test_a_broken_archive_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"no archive at all")
    with pytest.raises(LoadstoneError, match="the sources cannot be packed"):
        Content(tmp_path, [name]).archive()


def test_what_was_packed_goes_with_it(tmp_path: Path) -> None:
    (tmp_path / "word").write_text("word")
    content = Content(tmp_path, ["word"])
    folder = content.archive().parent
    del content
    assert not folder.exists()


def test_a_revision_of_a_git_repository_is_what_was_committed(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        name = ("-c", "user.name=T", "-c", "user.email=t@example.org")
        subprocess.run(["git", "-C", str(tmp_path / "repo"), *name, *words], check=True, capture_output=True)

    (tmp_path / "repo" / "site").mkdir(parents=True)
    git("init", "-q")
    (tmp_path / "repo" / "site" / "old").write_text("1")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    git("tag", "v1")
    (tmp_path / "repo" / "site" / "uncommitted").write_text("2")
    content = Content(tmp_path, ["repo/site"], revision="v1")
    assert content.problem() is None and names(content) == ["old"]
    assert content.digest == Content(tmp_path, ["repo/site"], revision="HEAD").digest
    missing = Content(tmp_path, ["repo"], revision="v2").problem()
    assert missing and missing[0] == "revision" and "has no such revision" in missing[1]
    outside = Content(tmp_path, ["."], revision="v1").problem()
    assert outside and "not a git repository" in outside[1]


SECRET = """
[[service]]
name = "shop"
role = "command"
hosts = ["web1"]
[service.settings]
command = "serve"
env = { OPEN = "yes" }
secrets = { KEY = { env = "LS_TEST_KEY" }, PASSWORD = { service = "database" } }
instances = 2
[[service]]
name = "database"
role = "postgresql"
hosts = ["db"]
"""


def test_secrets_are_in_one_file_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("LS_TEST_KEY", "a key with 'quotes' and $signs")
    site = load(tmp_path, SECRET)
    place = site.places(Ssh(Path("/dev/null"), ADDRESSES, tmp_path))["web1"]
    files = render(site.services["shop"], place)
    password = place.secrets["database"]["password"]
    hidden = json.loads(files["environment.json"])
    assert hidden == {"KEY": "a key with 'quotes' and $signs", "PASSWORD": password}
    told = json.loads(files["unit.json"])
    assert told["secret"] == [told["secret_env"]] == ["environment.json"]
    others = "".join(text for name, text in files.items() if name != "environment.json")
    assert password not in others and "a key" not in others and '"OPEN": "yes"' in others
    kept = json.dumps(site.services["shop"].settings.model_dump(exclude_defaults=True))
    assert "in the environment, LS_TEST_KEY" in kept and password not in kept
    assert list(site.services) == ["database", "shop"]


def test_the_record_compares_with_what_has_no_default(tmp_path: Path) -> None:
    site = load(tmp_path)
    kept = defaults(site.services["shop"]).settings
    assert kept.command.startswith("serve") and kept.instances == 1
