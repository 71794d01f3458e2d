"""A real browser for tests of pages: Chromium without a window, its console and its requests on record."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait

FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")

DRAWN = "return document.body.classList.contains('drawn') || !document.querySelector('.plot')"
OVERPRINTED = """
    const found = [];
    for (const plot of document.querySelectorAll('.plot')) {
        const texts = [...plot.querySelectorAll('svg text')].filter(
            (one) => one.textContent.trim() && getComputedStyle(one).visibility !== 'hidden');
        const boxes = texts.map((one) => one.getBoundingClientRect());
        boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b, j) => {
            const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            // Boxes are as high as the font's tallest letters: a third of a line is still apart to the eye.
            if (wide > 2 && high > 5)
                found.push([plot.id, texts[i].textContent, texts[i + 1 + j].textContent].join(' | '));
        }));
    }
    return found"""


@contextmanager
def chromium() -> Iterator[Any]:
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    assert program and driver, "Chromium or its driver is missing: scripts/setup-browser installs them"
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield opened
    opened.quit()


def show(browser: Any, page: str, *, width: int = 1200, theme: str = "light") -> None:
    """Opens a page on a screen of this width, and waits until its charts are drawn."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    media = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    browser.get_log("browser")
    browser.get_log("performance")
    browser.get(page)
    WebDriverWait(browser, 30, 0.05).until(lambda one: one.execute_script(DRAWN))
