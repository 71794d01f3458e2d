"""To people, no stack can be told from the built-in site: every pixel of its pages is the same."""

from __future__ import annotations

import base64
import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chromium import chromium, show
from shared_sites import load, serving

from loadstone._core import usernames
from loadstone.site.stack import STACKS, Stack
from loadstone.site.stack.running import Wanted, database_of, prepared, running

DATA = {"profile": "cloudstone-2008", "media_scale": 0.01}
STRANGERS = ("/", "/events/1", "/users/new", "/nope")
SETTLED = """
    const done = arguments[0];
    document.fonts.ready
        .then(() => Promise.all(document.getAnimations().map((one) => one.finished.catch(() => 0))))
        .then(() => requestAnimationFrame(() => requestAnimationFrame(done)));
"""
APART = """
    const [one, other, done] = arguments;
    const pixels = async (url) => {
        const image = new Image();
        image.src = url;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height).data;
    };
    const most = (a, b) => a.reduce((so, value, i) => Math.max(so, Math.abs(value - b[i])), 0);
    Promise.all([one, other].map(pixels)).then(([a, b]) => done(a.length === b.length ? most(a, b) : 255));
"""
ROUNDING = 3
"""Levels by which the browser's edges of rounded corners differ between two looks at one page."""
MEMBERS = ("/", "/events/2", "/users/3", "/events/new")

pytestmark = [pytest.mark.stacks, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        opened.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
        yield opened


def apart(browser: Any, one: bytes, other: bytes) -> int:
    """The greatest difference of two pictures, of 255 levels of a colour; 255 when their sizes differ."""
    if one == other:
        return 0
    browser.get("about:blank")
    both = [f"data:image/png;base64,{base64.b64encode(shot).decode()}" for shot in (one, other)]
    return int(browser.execute_async_script(APART, *both))


def picture(browser: Any, page: str) -> bytes:
    """A page as it looks when nothing on it moves any more, without photographs.

    The browser draws those sharper when it finds the time; the walk compares their bytes.
    """
    show(browser, page)
    browser.execute_script(
        "document.querySelectorAll('img').forEach((one) => one.style.visibility = 'hidden')"
    )
    browser.execute_async_script(SETTLED)
    shot: bytes = browser.get_screenshot_as_png()
    return shot


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
