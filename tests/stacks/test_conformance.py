"""Every stack answers the conformance walk as the built-in site does, on every database and cache."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from compared import differences
from free_ports import free_row
from shared_sites import load, serving
from stack_sites import DATA, served
from visitor import Answer
from walk import walk

from loadstone.site.stack import STACKS, Stack
from loadstone.site.stack.running import Wanted, prepared

REQUESTS = 400
"""Fewer would be another walk."""
SHARED = ("postgres", "mariadb")

pytestmark = [pytest.mark.stacks, pytest.mark.timeout(900)]

every_stack = pytest.mark.parametrize("stack", STACKS, ids=lambda stack: stack.folder)


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
@pytest.mark.parametrize("fresh", ["sqlite", *SHARED], indirect=True)
def test_it_answers_as_the_built_in_site(stack: Stack, fresh: str, right: list[Answer]) -> None:
    with served(stack, fresh) as one:
        visitor = walk(one.url)
    assert visitor.faults == []
    assert differences(visitor.answers, right, stacks=True) == []


@pytest.fixture(scope="module")
def memcached() -> Iterator[str]:
    """A memcached of its own, as `cache_store` names it."""
    port = free_row(1)
    command = ["memcached", "-l", "127.0.0.1", "-p", str(port), "-U", "0", "-u", "nobody"]
    with subprocess.Popen(command) as process:
        try:
            while True:
                assert process.poll() is None
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
            yield f"memcached://127.0.0.1:{port}"
        finally:
            process.kill()


@every_stack
@pytest.mark.parametrize("fresh", ["postgres"], indirect=True)
@pytest.mark.parametrize("level", ["query", "fragment", "action", "page"])
@pytest.mark.parametrize("store", ["memory", "files", "memcached"])
def test_its_caches_change_nothing(
    stack: Stack, fresh: str, right: list[Answer], level: str, store: str, memcached: str
) -> None:
    """With one worker, which sees its own changes at once in a cache of its own memory."""
    where = {"memcached": memcached}.get(store, store)
    # What was there before is of another data set.
    with served(stack, fresh, cache=level, cache_store=where, workers=1) as one:
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
        {"OLIO_PORT": "many"},
        {"OLIO_WORKERS": "0"},
        {"OLIO_CACHE": "everything"},
        {"OLIO_CACHE_STORE": "clouds"},
        {"OLIO_FILES": "/nowhere"},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_a_wrong_setting_is_refused_in_words(stack: Stack, tmp_path: Path, wrong: dict[str, str]) -> None:
    from loadstone.site.stack import FOLDER
    from loadstone.site.stack.running import environment, set_up

    with prepared(DATA) as (files, state):
        good = Wanted(stack.folder, f"sqlite://{tmp_path}/olio.db", files, state, port=free_row(1))
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
