"""To people, no stack can be told from the built-in site: every pixel of its pages is the same."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chromium import chromium, show
from looks import ROUNDING, apart, picture
from shared_sites import load, serving
from stack_sites import DATA

from loadstone._core import usernames
from loadstone.site.stack import STACKS, Stack
from loadstone.site.stack.running import Wanted, database_of, prepared, running

STRANGERS = ("/", "/events/1", "/users/new", "/nope")
MEMBERS = ("/", "/events/2", "/users/3", "/events/new")

pytestmark = [pytest.mark.stacks, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        opened.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
        yield opened


def seen(browser: Any, url: str, shots: Path | None = None) -> dict[str, bytes]:
    """Pictures of the pages for strangers, and then for member 3, who logs in by the form."""
    found = {}
    browser.delete_all_cookies()
    for path in STRANGERS:
        found[f"stranger {path}"] = picture(browser, url + path)
    show(browser, f"{url}/users/login")
    browser.find_element("css selector", 'main [name="users[username]"]').send_keys(usernames(3, 1)[0])
    browser.find_element("css selector", 'main [name="users[password]"]').send_keys("3")
    # Not by a click: the pointer would stay, and what is under it looks different.
    browser.find_element("css selector", 'main [name="users[password]"]').submit()
    for path in MEMBERS:
        found[f"member {path}"] = picture(browser, url + path)
    if shots:
        shots.mkdir(parents=True, exist_ok=True)
        for name, shot in found.items():
            (shots / f"{name.replace('/', '_')}.png").write_bytes(shot)
    return found


@pytest.fixture(scope="module")
def right(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    place = str(tmp_path_factory.mktemp("right") / "data")
    assert load(place).returncode == 0
    with serving(place) as urls:
        return seen(browser, urls[0])


@pytest.mark.parametrize("stack", STACKS, ids=lambda stack: stack.folder)
def test_its_pages_look_the_same(stack: Stack, right: dict[str, bytes], browser: Any, tmp_path: Path) -> None:
    kept = os.environ.get("LOADSTONE_SHOTS")
    assert load(str(tmp_path / "data")).returncode == 0
    with contextlib.ExitStack() as opened:
        files, state = opened.enter_context(prepared(DATA))
        wanted = Wanted(stack.folder, database_of(str(tmp_path / "data")), files, state)
        one = opened.enter_context(running(wanted))
        found = seen(browser, one.url, Path(kept) / stack.folder if kept else None)
    assert len(set(right.values())) == len(right), "two of the pages look the same"
    assert [name for name in right if apart(browser, found[name], right[name]) > ROUNDING] == []
    assert apart(browser, found["stranger /"], found["member /"]) > 100, "it can tell pages apart"
