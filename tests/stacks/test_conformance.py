"""Every stack answers the conformance walk as the built-in site does, on every database and cache."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from compared import differences
from free_ports import free_row
from shared_sites import load, serving
from stack_sites import DATA, every_stack, memcached, served
from visitor import Answer
from walk import walk

from loadstone.site.stack import FOLDER, Stack
from loadstone.site.stack.running import Wanted, environment, prepared, set_up

REQUESTS = 400
"""Fewer would be another walk."""

pytestmark = [pytest.mark.stacks, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> list[Answer]:
    """What the built-in site answers; its caches are not to be seen in an answer."""
    folder = tmp_path_factory.mktemp("right") / "data"
    done = load(str(folder))
    assert done.returncode == 0, done.stderr
    with serving(str(folder)) as urls:
        visitor = walk(urls[0])
    assert visitor.faults == [] and len(visitor.answers) >= REQUESTS
    return visitor.answers


@every_stack
@pytest.mark.parametrize(
    # One of them is in CI; the others take as long again.
    "fresh",
    ["sqlite", pytest.param("postgres", marks=pytest.mark.long), "mariadb"],
    indirect=True,
)
def test_it_answers_as_the_built_in_site(stack: Stack, fresh: str, right: list[Answer]) -> None:
    with served(stack, fresh) as one:
        visitor = walk(one.url)
    assert visitor.faults == []
    assert differences(visitor.answers, right, stacks=True) == []


@every_stack
@pytest.mark.parametrize("fresh", ["postgres"], indirect=True)
@pytest.mark.parametrize("level", ["query", "fragment", "action", "page"])
@pytest.mark.parametrize("store", ["memory", "files", "memcached"])
def test_its_caches_change_nothing(
    stack: Stack, fresh: str, right: list[Answer], level: str, store: str
) -> None:
    """With one worker, which sees its own changes at once in a cache of its own memory."""
    port = free_row(1)
    where = f"memcached://127.0.0.1:{port}" if store == "memcached" else store
    with memcached(port), served(stack, fresh, cache=level, cache_store=where, workers=1) as one:
        visitor = walk(one.url)
    assert visitor.faults == []
    assert differences(visitor.answers, right, stacks=True) == []


@every_stack
@pytest.mark.parametrize("fresh", ["sqlite"], indirect=True)
def test_sigterm_ends_all_of_it(stack: Stack, fresh: str) -> None:
    with served(stack, fresh) as one:
        one.process.terminate()
        one.process.wait(60)
        # What is not there any more needs no second look, and nothing has been killed yet.
        left = subprocess.run(
            ["pgrep", "-l", "--session", str(one.process.pid)], stdout=subprocess.PIPE, check=False
        )
    assert not left.stdout, left.stdout.decode()


@every_stack
@pytest.mark.parametrize(
    "wrong",
    [
        {"OLIO_DATABASE": "oracle://a:b@127.0.0.1/x"},
        {"OLIO_DATABASE": "postgres://a:secret@127.0.0.1:1/x"},
        {"OLIO_BUILD": "/nowhere"},
        {"OLIO_STATE": "/nowhere"},
        {"OLIO_PUBLIC_URL": "olio.example"},
        {"OLIO_PORT": "many"},
        {"OLIO_WORKERS": "0"},
        {"OLIO_CACHE": "everything"},
        {"OLIO_CACHE_STORE": "clouds"},
        {"OLIO_FILES": "/nowhere"},
    ],
    ids=lambda wrong: "=".join(next(iter(wrong.items()))).partition(":")[0],
)
def test_a_wrong_setting_is_refused_in_words(stack: Stack, tmp_path: Path, wrong: dict[str, str]) -> None:
    place = tmp_path / "olio.db"
    place.touch()
    with prepared(DATA) as (files, state):
        good = Wanted(stack.folder, f"sqlite://{place}", files, state, port=free_row(1))
        done = subprocess.run(
            [str(FOLDER / stack.folder / "start")],
            env=environment(good, set_up(stack.folder)) | wrong,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    assert done.returncode == 2, done.stdout + done.stderr
    assert next(iter(wrong)) in done.stderr
    assert "secret" not in done.stderr
