"""Every way of serving Olio answers every request of the conformance walk with the same bytes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from compared import differences
from servers import Server
from shared_sites import load, serving
from visitor import Answer, Visitor
from walk import ACCOUNTS, walk

HERE = Path(__file__).parent / "conformance"

REQUESTS = 400
"""Fewer would be another walk."""


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set that nobody has changed."""
    folder = tmp_path_factory.mktemp("conformance") / "data"
    done = load(str(folder))
    assert done.returncode == 0, done.stderr
    return folder


def _walk(fresh: Path, place: Path, connector: str = "hybrid") -> Visitor:
    shutil.copytree(fresh, place)
    with serving(str(place), connector=connector) as urls:
        return walk(urls[0])


@pytest.fixture(scope="module")
def walked(fresh: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Answer]:
    """What the site answers by default."""
    visitor = _walk(fresh, tmp_path_factory.mktemp("walked") / "data")
    assert visitor.faults == []
    assert len(visitor.answers) >= REQUESTS
    return visitor.answers


@pytest.mark.parametrize("connector", ["threaded", "event"])
def test_the_connectors_cannot_be_told_apart(
    fresh: Path, walked: list[Answer], tmp_path: Path, connector: str
) -> None:
    visitor = _walk(fresh, tmp_path / "data", connector=connector)
    assert visitor.faults == []
    assert differences(visitor.answers, walked) == []


@pytest.mark.long
@pytest.mark.parametrize("name", ["postgres", "mariadb"])
def test_the_databases_cannot_be_told_apart(
    database_servers: dict[str, Server], walked: list[Answer], name: str
) -> None:
    done = load(database_servers[name].url, "--replace")
    assert done.returncode == 0, done.stderr
    with serving(database_servers[name].url) as urls:
        visitor = walk(urls[0])
    assert visitor.faults == []
    assert differences(visitor.answers, walked) == []


def test_the_script_tells_what_is_wrong(fresh: Path, tmp_path: Path) -> None:
    """On a site that somebody has used before, and against a recording of a right one."""
    shutil.copytree(fresh, tmp_path / "data")
    recording = tmp_path / "answers.ndjson"
    with serving(str(tmp_path / "data")) as urls:
        right = _script(urls[0], "--record", str(recording))
        again = _script(urls[0], "--against", str(recording))
    assert (right.returncode, right.stdout.split()[2:]) == (0, ["0", "wrong"]), right.stdout + right.stderr
    assert len(recording.read_text().splitlines()) >= REQUESTS
    assert again.returncode == 1 and "differs from the recording" in again.stdout
    nobody = _script("http://127.0.0.1:9")
    assert nobody.returncode == 2 and nobody.stderr.startswith("error: ")


def _script(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(HERE), *arguments], capture_output=True, text=True, check=False
    )


def test_the_walk_notices_a_wrong_answer(fresh: Path, tmp_path: Path) -> None:
    """A data set of another size is another site."""
    done = load(str(tmp_path / "small"), "--accounts", str(ACCOUNTS - 20))
    assert done.returncode == 0, done.stderr
    with serving(str(tmp_path / "small")) as urls:
        assert walk(urls[0]).faults
