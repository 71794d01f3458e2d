"""The documentation as a site, in a real browser: search, phone width, nothing fetched from elsewhere."""

from __future__ import annotations

import functools
import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chromium import chromium
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

pytestmark = pytest.mark.long

CHECKOUT = Path(__file__).parents[2]
RESULTS = ".md-search-result__link"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` builds it, but for its folders."""
    source, site = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, CHECKOUT / "docs/site/gather.py", source], check=True)
    config = source.parent / "mkdocs.yml"
    config.write_text(f"INHERIT: {CHECKOUT / 'mkdocs.yml'}\ndocs_dir: {source}\nsite_dir: {site}\n", "utf-8")
    # Not with --quiet: what is not printed is no reason to fail, for MkDocs.
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", config],
        check=True,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
    )
    return site


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[str]:
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


def show(browser: Any, url: str, *, width: int) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(url)


def test_search_finds_the_page_that_explains_a_command(browser: Any, site: str) -> None:
    show(browser, site + "index.html", width=1280)
    field = browser.find_element(By.CSS_SELECTOR, ".md-search__input")
    field.click()
    field.send_keys("price book")
    links = WebDriverWait(browser, 30, 0.1).until(lambda one: one.find_elements(By.CSS_SELECTOR, RESULTS))
    assert any("reference/cost.html" in link.get_attribute("href") for link in links)


def test_no_page_is_wider_than_a_phone(browser: Any, site: str, folder: Path) -> None:
    """Of the ten longest, which have the widest tables and lines of code."""
    files = sorted(folder.rglob("*.html"), key=lambda file: file.stat().st_size)
    assert len(files) > 40
    pages = [file.relative_to(folder).as_posix() for file in files[-10:]]
    wide = []
    for page in pages:
        show(browser, site + page, width=390)
        if browser.execute_script("return document.documentElement.scrollWidth") > 390:
            wide.append(page)
    assert wide == []


def test_nothing_is_fetched_from_elsewhere_and_nothing_is_missing(browser: Any, site: str) -> None:
    browser.get_log("performance")
    browser.get_log("browser")
    show(browser, site + "tutorial.html", width=1280)
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [
        one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"
    ]
    assert site + "tutorial.html" in asked
    assert [url for url in asked if not url.startswith((site, "data:", "blob:"))] == []
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
