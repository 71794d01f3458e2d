"""Every server of the connectors' study is started and asked; a quick study of one of them, end to end."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from loadstone.errors import LoadstoneError
from loadstone.study.connectors.database import BODY
from loadstone.study.connectors.description import load_description
from loadstone.study.connectors.fleet import Fleet, get, settle, state
from loadstone.study.connectors.servers import missing, versions
from loadstone.study.connectors.site import write_site

STUDY = load_description()


@pytest.fixture
def public_path(tmp_path: Path) -> Path:
    """A folder that servers can read that give their root rights away, as Apache and nginx do."""
    for folder in (tmp_path, *tmp_path.parents):
        if folder == Path(tempfile.gettempdir()):
            break
        folder.chmod(0o755)
    return tmp_path


@pytest.mark.long
@pytest.mark.parametrize("name", [one.name for one in STUDY.server])
def test_each_server_passes_on_what_the_database_says(name: str, public_path: Path) -> None:
    server = STUDY.server_of(name)
    if why := missing(server.kind, server.options):
        pytest.skip(f"{why}; scripts/setup-connectors")
    with Fleet(public_path) as fleet:
        database = fleet.database(4, 20)
        running = fleet.start(name, server.kind, server.options, database.url, STUDY.backlog)
        calls, cpu_s = state(database)["calls"], running.cpu_s()
        for number in range(3):
            assert get(f"{running.url}/item?number={number}") == BODY
        settle(database)
        assert state(database)["calls"] == calls + 3
        assert running.cpu_s() >= cpu_s > 0
        assert name in fleet
    assert running.process.poll() is not None


@pytest.mark.parametrize("name", ["apache-prefork", "apache-worker", "apache-event", "nginx"])
def test_each_server_of_files_has_the_bytes_that_ours_makes(name: str, public_path: Path) -> None:
    server = STUDY.server_of(name)
    if why := missing(server.kind, server.options):
        pytest.skip(f"{why}; scripts/setup-connectors")
    made = {"files": 20, "seed": 3, "profile": "measured"}
    site = public_path / "site"
    write_site(site, made)
    paths = [str(path.relative_to(site)) for path in site.rglob("[0-9]*")]
    assert len(paths) == 20 and {path[:2] for path in paths} == {"d/", "o/"}
    with Fleet(public_path) as fleet:
        ours = fleet.start("ours", "own", {"app": "surge", "data": made}, "generated", STUDY.backlog)
        other = fleet.start(name, server.kind, server.options, str(site), STUDY.backlog)
        for path in ["", *paths]:
            with urlopen(f"{ours.url}/{path}") as wanted, urlopen(f"{other.url}/{path}") as found:
                assert found.read() == wanted.read()
                assert found.headers["Content-Type"] == wanted.headers["Content-Type"] or not path
        with pytest.raises(HTTPError, match="404"):
            urlopen(f"{other.url}/d/21")


def test_versions_of_the_servers_that_are_measured_are_known() -> None:
    installed = {one.kind for one in STUDY.server if not missing(one.kind, one.options)}
    found = versions(installed)
    assert set(found) == installed - {"own"}
    assert all(re.fullmatch(r"\d+\.\d+(\.\d+)?", version) for version in found.values()), found


def test_a_server_that_does_not_start_is_told_with_its_last_words(tmp_path: Path) -> None:
    with Fleet(tmp_path) as fleet, pytest.raises(LoadstoneError) as refused:
        fleet.start("bad", "own", {"connector": "elevator"}, "http://127.0.0.1:9", 10)
    assert refused.value.slug == "sut-start"
    assert "no connector `elevator`" in str(refused.value)


def test_a_server_without_its_database_is_not_measured(tmp_path: Path) -> None:
    with Fleet(tmp_path) as fleet, pytest.raises(LoadstoneError) as refused:
        fleet.start("alone", "own", {"connector": "hybrid", "workers": 1}, "http://127.0.0.1:1", 10)
    assert refused.value.slug == "sut-start"
    assert "it answers 502" in str(refused.value)


@pytest.mark.long
def test_a_quick_study_counts_every_session(tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["study", "connectors", "--quick", "--servers", "hybrid-none", "--out", str(out), "--json"]
    command = [sys.executable, "-m", "loadstone", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    content = json.loads(done.stdout)
    assert content["outcome"] == "complete"
    (line,) = (out / "results.ndjson").read_text().splitlines()
    found = json.loads(line)["measured"]
    assert found["begun"] == 640 == found["completed"] + sum(found["lost"].values()) + found["dropped"]
    assert found["database_calls"] >= found["replies"] > 0
    # 4 slots of 20 ms: no machine gets more answers than this.
    assert found["replies"] <= 200 * found["elapsed_s"] + 4
    assert found["completed"] == 0 or found["calls_completed_mean"] == 12
    assert (out / "report.html").stat().st_size > 10_000
