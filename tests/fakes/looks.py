"""What a page looks like in a browser, and by how much two looks differ."""

from __future__ import annotations

import base64
from typing import Any

from chromium import show

SETTLED = """
    const done = arguments[0];
    document.fonts.ready
        .then(() => Promise.all(document.getAnimations().map((one) => one.finished.catch(() => 0))))
        .then(() => Promise.all([...document.images].map((one) => one.decode().catch(() => 0))))
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


def apart(browser: Any, one: bytes, other: bytes) -> int:
    """The greatest difference of two pictures, of 255 levels of a colour; 255 when their sizes differ."""
    if one == other:
        return 0
    browser.get("about:blank")
    return int(browser.execute_async_script(APART, data_url(one), data_url(other)))


def data_url(shot: bytes) -> str:
    """A picture as an address."""
    return f"data:image/png;base64,{base64.b64encode(shot).decode()}"


def picture(browser: Any, page: str, *, photographs: bool = False) -> bytes:
    """A page as it looks when nothing on it moves any more.

    The browser draws photographs sharper when it finds the time: two looks at one page differ in them.
    """
    show(browser, page)
    if not photographs:
        browser.execute_script(
            "document.querySelectorAll('img').forEach((one) => one.style.visibility = 'hidden')"
        )
    browser.execute_async_script(SETTLED)
    shot: bytes = browser.get_screenshot_as_png()
    return shot
