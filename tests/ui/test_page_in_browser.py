"""The page in a real browser: by keyboard alone, on a desk and on a phone, with no complaint of any kind."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from chromium import chromium, show
from every_page import ROOT
from scripted_site import OK, site
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.support.ui import WebDriverWait
from served_page import PATIENCE_S, Served, scenario, served, until

from loadstone.intake import Kind
from loadstone.measure.control import answers
from loadstone.stages.run import Run

pytestmark = pytest.mark.long

AXE = ROOT / "target" / "browser" / "node_modules" / "axe-core" / "axe.min.js"
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
VIOLATIONS = """
    const done = arguments[arguments.length - 1];
    axe.run(document, { runOnly: { type: 'tag', values: arguments[0] } }).then((found) => done(
        found.violations.map((one) => [one.id, one.help, one.nodes.slice(0, 3).map((node) => node.html)])));
"""
LOOKS = [(1200, "light"), (1200, "dark"), (390, "light")]
WRONG = b"HTTP/1.1 500 Oops\r\nContent-Length: 2\r\n\r\nno"
DRAWN = "return document.querySelectorAll('#charts .js-line').length >= 6"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        opened.set_script_timeout(120)
        yield opened


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One run under way on a site of which one page is always wrong."""
    folder = tmp_path_factory.mktemp("page")
    with site(lambda path, _number: WRONG if path == "/other" else OK) as port, served(folder) as found:
        scenario(folder, port, load="users = 20", steady_s=3600)
        yield found


@pytest.fixture(scope="module")
def run(page: Served) -> Iterator[str]:
    name = page.run()
    until(lambda: answers(page.folder / "runs" / name))
    yield name
    if answers(page.folder / "runs" / name):
        page.post(f"runs/{name}/stop", {})


def wait(browser: Any, what: Callable[[Any], Any]) -> Any:
    return WebDriverWait(browser, PATIENCE_S, 0.05).until(what)


def text(browser: Any, name: str) -> str:
    return str(browser.execute_script("return document.getElementById(arguments[0]).textContent", name))


def focused(browser: Any) -> str:
    """What the keyboard is at: its name in the page, or its words."""
    found = browser.execute_script(
        "const at = document.activeElement; return at.id || at.textContent.trim() || at.tagName"
    )
    return str(found)


def press(browser: Any, *keys: str) -> None:
    ActionChains(browser).send_keys(*keys).perform()


def tab_to(browser: Any, name: str) -> list[str]:
    """Goes on with the tabulator until `name` has the keyboard; what it came by."""
    way = []
    for _ in range(60):
        press(browser, Keys.TAB)
        way.append(focused(browser))
        if way[-1] == name:
            return way
    raise AssertionError(f"the keyboard never reaches {name}: {way}")


def sound(browser: Any, width: int) -> None:
    """Nothing wider than the screen, no broken rule of WCAG, nothing in the console."""
    assert AXE.is_file(), "axe-core is missing: scripts/setup-browser installs it"
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    browser.execute_cdp_cmd("Runtime.evaluate", {"expression": AXE.read_text("utf-8")})
    assert browser.execute_async_script(VIOLATIONS, LEVELS) == []
    assert browser.get_log("browser") == []


@pytest.mark.parametrize(("width", "theme"), LOOKS)
def test_the_beginning_is_sound(browser: Any, page: Served, width: int, theme: str) -> None:
    show(browser, f"{page.address}?{width}{theme}", width=width, theme=theme)
    wait(browser, lambda one: "users" in text(one, "load-hint"))
    browser.execute_script("document.querySelector('details').open = true")
    sound(browser, width)


@pytest.mark.parametrize(("width", "theme"), LOOKS)
def test_a_run_under_way_is_sound(browser: Any, page: Served, run: str, width: int, theme: str) -> None:
    show(browser, f"{page.address}?{width}{theme}#run={run}", width=width, theme=theme)
    wait(browser, lambda one: one.execute_script(DRAWN))
    wait(browser, lambda one: "so far" in text(one, "goals-now"))
    wait(browser, lambda one: "GET /other: status 500" in text(one, "failures"))
    assert re.fullmatch(r"steady state, .+ of 1:00:00 h: .+ left", text(browser, "left"))
    sound(browser, width)


def test_nobody_else_is_asked_for_anything(browser: Any, page: Served, run: str) -> None:
    show(browser, f"{page.address}?alone#run={run}")
    wait(browser, lambda one: one.execute_script(DRAWN))
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [
        one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"
    ]
    assert asked and all(url.startswith(page.address) for url in asked)


def test_the_keyboard_does_everything(browser: Any, page: Served, run: str) -> None:
    folder = page.folder / "runs"
    # The load is changed, and the run is stopped.
    show(browser, f"{page.address}?keys#run={run}")
    wait(browser, lambda one: text(one, "now-load") == "20")
    tab_to(browser, "new-load")
    press(browser, Keys.CONTROL, "a")
    ActionChains(browser).key_up(Keys.CONTROL).send_keys("nonsense", Keys.ENTER).perform()
    wait(browser, lambda one: text(one, "change-error") == "A load is a number.")
    ActionChains(browser).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()
    press(browser, "7", Keys.ENTER)
    wait(browser, lambda one: text(one, "now-load") == "7")
    assert "changed by hand to 7 users" in text(browser, "notes")
    tab_to(browser, "stop")
    press(browser, Keys.ENTER)
    wait(browser, lambda one: one.execute_script("return document.getElementById('sure').open"))
    press(browser, Keys.ESCAPE)
    wait(browser, lambda one: not one.execute_script("return document.getElementById('sure').open"))
    assert answers(folder / run), "Escape lets it go on"
    assert focused(browser) == "stop"
    press(browser, Keys.ENTER)
    wait(browser, lambda one: one.execute_script("return document.getElementById('sure').open"))
    tab_to(browser, "sure-stop")
    press(browser, Keys.ENTER)
    wait(browser, lambda one: text(one, "state") == "Ended: interrupted")
    kept = Run.read(folder / run / "run.json", Kind("run-folder", "a record of a run", 1 << 20))
    assert kept.outcome == "interrupted" and kept.changed
    # Another one is started, after what is wrong was told at its field.
    show(browser, f"{page.address}?again")
    wait(browser, lambda one: "users" in text(one, "load-hint"))
    way = tab_to(browser, "load")
    assert way[:2] == ["To the content", "Loadstone"] and "scenario" in way
    press(browser, "0")
    tab_to(browser, "Start")
    press(browser, Keys.ENTER)
    wait(browser, lambda one: "--users" in text(one, "load-error"))
    assert focused(browser) == "load"
    invalid = "return document.getElementById('load').getAttribute('aria-invalid')"
    assert browser.execute_script(invalid) == "true"
    press(browser, Keys.BACKSPACE, "3")
    tab_to(browser, "window")
    press(browser, "1", Keys.ENTER)
    wait(browser, lambda one: text(one, "state") == "Ended")
    assert focused(browser) == "run-title"
    # Both are compared.
    browser.get_log("browser")
    show(browser, f"{page.address}?both")
    boxes = "return document.querySelectorAll('#rows input').length"
    wait(browser, lambda one: one.execute_script(boxes) == 2)
    sound(browser, 1200)
    for _ in range(60):
        press(browser, Keys.TAB)
        if browser.execute_script("return document.activeElement.type") == "checkbox":
            press(browser, Keys.SPACE)
        if focused(browser) == "compare":
            break
    press(browser, Keys.ENTER)
    # They were not made alike, and one was ended early: the refusal is told, and the next key overrides it.
    wait(browser, lambda one: text(one, "compare-error"))
    assert focused(browser) == "anyway" and "error[" not in text(browser, "compare-error")
    sound(browser, 1200)
    press(browser, Keys.ENTER)
    wait(browser, lambda one: "/compare?" in one.current_url)


def test_a_report_is_shown_and_cannot_reach_the_form(browser: Any, page: Served, run: str) -> None:
    if answers(page.folder / "runs" / run):
        page.post(f"runs/{run}/stop", {})
    until(lambda: page.state(run) == "ended")
    show(browser, f"{page.address}runs/{run}/report")
    assert browser.execute_script("return document.querySelectorAll('.plot').length") > 0
    assert browser.execute_script("return window.origin") == "null"
    assert browser.get_log("browser") == []
