"""Pages of every kind in a real browser: WCAG 2.2 A and AA, no words over others, nothing lost on paper."""

from __future__ import annotations

import base64
import html
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chromium import OVERPRINTED, chromium, show
from every_page import PAGES, ROOT

pytestmark = pytest.mark.long

AXE = ROOT / "target" / "browser" / "node_modules" / "axe-core" / "axe.min.js"
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
VIOLATIONS = """
    const done = arguments[arguments.length - 1];
    document.querySelectorAll('details').forEach((one) => { one.open = true; });
    axe.run(document, { runOnly: { type: 'tag', values: arguments[0] } }).then((found) => done(
        found.violations.map((one) => [one.id, one.help, one.nodes.slice(0, 3).map((node) => node.html)])));
"""
LOOKS = [(1200, "light"), (1200, "dark"), (390, "light")]
FOLDED = """return [...document.querySelectorAll('details')].map(
    (one) => one.textContent.trim().split(/\\s+/).pop())"""
WORD = re.compile(r'<word xMin="([-\d.]+)" yMin="[-\d.]+" xMax="([-\d.]+)" yMax="[-\d.]+">(.*?)</word>')


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        opened.set_script_timeout(120)
        yield opened


@pytest.fixture(scope="module", params=PAGES)
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp(request.param)
    path = place / "page.html"
    path.write_text(PAGES[request.param](place / "made"), "utf-8")
    return path.as_uri()


@pytest.mark.parametrize(("width", "theme"), LOOKS)
def test_it_breaks_no_rule_of_wcag_and_no_words_stand_over_others(
    browser: Any, page: str, width: int, theme: str
) -> None:
    assert AXE.is_file(), "axe-core is missing: scripts/setup-browser installs it"
    show(browser, page, width=width, theme=theme)
    assert browser.execute_script(OVERPRINTED) == []
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    browser.execute_script(AXE.read_text("utf-8"))
    assert browser.execute_async_script(VIOLATIONS, LEVELS) == []


def test_a_page_that_breaks_a_rule_is_found(browser: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<!doctype html><html lang=en><title>x</title><p style='color: #aaa'>pale</p>", "utf-8")
    show(browser, page.as_uri())
    browser.execute_script(AXE.read_text("utf-8"))
    assert [one[0] for one in browser.execute_async_script(VIOLATIONS, LEVELS)] == ["color-contrast"]


def test_on_paper_nothing_is_cut_off_and_what_is_folded_can_be_read(
    browser: Any, page: str, tmp_path: Path
) -> None:
    program = shutil.which("pdftotext")
    assert program, "pdftotext is missing: scripts/setup-browser installs it"
    show(browser, page)
    folded = browser.execute_script(FOLDED)
    paper = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
    (tmp_path / "page.pdf").write_bytes(base64.b64decode(paper["data"]))
    boxes = subprocess.run(
        [program, "-bbox", "page.pdf", "-"], cwd=tmp_path, check=True, capture_output=True, text=True
    ).stdout
    width = float(re.findall(r'<page width="([\d.]+)"', boxes)[0])
    words = WORD.findall(boxes)
    outside = [word for left, right, word in words if float(left) < 0 or float(right) > width]
    assert outside == []
    printed = "".join(html.unescape(word) for _, _, word in words)
    assert [word for word in folded if word not in printed] == []
