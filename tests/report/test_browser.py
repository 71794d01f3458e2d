"""The page in a real browser: charts drawn in both themes, on a phone, on paper; nothing fetched."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import synthetic
from chromium import OVERPRINTED, chromium, show
from selenium.webdriver.support.ui import WebDriverWait

from loadstone import report

pytestmark = pytest.mark.long

CHARTS = 29
DRAWN_PLOTS = """return [...document.querySelectorAll('.plot')]
    .filter((plot) => plot.querySelector('path.js-line, path.point, .bars .point path')).length"""
LABEL = "return getComputedStyle(document.querySelector('.plot .xtick text')).fill"


@pytest.fixture(scope="module")
def page(full: report.Chapter, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(report.page([full]), "utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


@pytest.mark.parametrize(("width", "theme"), [(1200, "light"), (1200, "dark"), (390, "light")])
def test_every_chart_is_drawn_and_nothing_is_wider_than_the_screen(
    browser: Any, page: str, width: int, theme: str
) -> None:
    show(browser, page, width=width, theme=theme)
    count = browser.execute_script("return document.querySelectorAll('.plot').length")
    assert count == CHARTS
    assert browser.execute_script(DRAWN_PLOTS) == count
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert browser.execute_script(OVERPRINTED) == []
    assert browser.get_log("browser") == []


def test_only_the_file_itself_is_asked_for(browser: Any, page: str) -> None:
    show(browser, page)
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [
        one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"
    ]
    assert asked == [page]


def test_charts_follow_the_theme_while_it_is_open(browser: Any, page: str) -> None:
    show(browser, page)
    light = browser.execute_script(LABEL)
    media = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    assert light == "rgb(86, 95, 107)"
    WebDriverWait(browser, 10, 0.05).until(lambda one: one.execute_script(LABEL) == "rgb(163, 173, 185)")


def test_paper_is_light_even_in_the_dark(browser: Any, page: str) -> None:
    show(browser, page, theme="dark")
    # The browser lays the paper out right after `beforeprint`, so what stands then is printed.
    browser.execute_script(
        f"addEventListener('beforeprint', () => {{ window.seen = (() => {{ {LABEL} }})(); }})"
    )
    paper = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
    assert base64.b64decode(paper["data"]).startswith(b"%PDF")
    assert browser.execute_script("return window.seen") == "rgb(86, 95, 107)"
    assert browser.execute_script(LABEL) == "rgb(163, 173, 185)"


def test_hostile_text_runs_nothing(browser: Any, tmp_path: Path) -> None:
    summary = synthetic.run(tmp_path / "run", ramp_up=2, steady=30)
    hostile = (
        "<img src=x onerror=\"document.body.id='owned'\"></script><script>document.body.id='owned'</script>"
    )
    operations = {hostile: summary["operations"].pop("HomePage")} | summary["operations"]
    (tmp_path / "run" / "run.json").write_text(
        json.dumps(summary | {"name": hostile, "operations": operations})
    )
    path = tmp_path / "report.html"
    path.write_text(report.page([report.read_chapter(tmp_path / "run")]), "utf-8")
    show(browser, path.as_uri())
    assert browser.execute_script("return document.body.id") == ""
