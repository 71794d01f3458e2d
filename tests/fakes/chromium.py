"""A real browser for tests of pages: Chromium without a window, its console and its requests on record."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from selenium import webdriver

FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")


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
