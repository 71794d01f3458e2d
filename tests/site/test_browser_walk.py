"""Olio driven by a real browser, a client that shares no code with the load engine."""

from __future__ import annotations

import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from booted import booted, disk, machine
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select
from visitors import Visitor, served

pytestmark = [pytest.mark.long, pytest.mark.timeout(180)]


@pytest.fixture(scope="module", params=["process", "image"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A fresh site of 1,000 accounts, served by the command users type, or booted as an image."""
    folder = tmp_path_factory.mktemp("olio")
    if request.param == "process":
        with served("olio", folder / "data", "--accounts", "1000") as url:
            yield url
    else:
        with booted(machine("olio", ["data.load=1000"], disk(folder))) as image:
            yield image.url


@pytest.fixture(scope="module")
def visitor(browser: webdriver.Chrome, site: str, shots: Path) -> Visitor:
    return Visitor(browser, site, shots)


@pytest.fixture(scope="module")
def picture(site: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real JPEG to upload: one the site itself serves."""
    file = tmp_path_factory.mktemp("upload") / "party.jpg"
    with urllib.request.urlopen(f"{site}/media/e2t.jpg") as answer:
        file.write_bytes(answer.read())
    return file


PERSON = {
    "user[username]": "grace_h",
    "user[password]": "correct horse",
    "user[password_confirmation]": "correct horse",
    "user[firstname]": "Grace",
    "user[lastname]": "Hopper",
    "user[email]": "grace@example.org",
    "user[telephone]": "0015551234567",
    "user[summary]": 'Finds <b>bugs</b> & "moths".',
    "address[street1]": "1 Harbour St",
    "address[city]": "Arlington",
    "address[state]": "VA",
    "address[zip]": "22201",
    "address[country]": "USA",
}

EVENT = {
    "event[title]": "Compiler evening",
    "event[summary]": "Talks about <i>nanoseconds</i>",
    "event[description]": "Bring your own wire, 30 cm of it.",
    "event[telephone]": "0015551234567",
    "tag_list": "compilers history",
    "address[street1]": "2 Harbour St",
    "address[city]": "Arlington",
    "address[state]": "VA",
    "address[zip]": "22201",
    "address[country]": "USA",
}


def test_walk(visitor: Visitor, picture: Path) -> None:
    """Register, log in, add an event with a picture, search its tag, attend, comment, log out."""
    register(visitor, picture)
    log_in(visitor)
    event = add_event(visitor, picture)
    search_tag(visitor, event)
    attend_and_comment(visitor)
    visitor.visit("/users/logout")
    visitor.sees("Not logged in")


def register(visitor: Visitor, picture: Path) -> None:
    visitor.visit("/")
    assert len(visitor.browser.find_elements(By.CSS_SELECTOR, "main img[src*='/media/']")) == 10
    visitor.shoot("home")
    visitor.visit("/users/new")
    visitor.fill(PERSON)
    visitor.attach("user_image", picture)
    visitor.shoot("register")
    visitor.press("Register", within="main form")
    visitor.sees("Succeeded in creating user.")
    visitor.sees('Finds <b>bugs</b> & "moths".')
    visitor.shoot("person")


def log_in(visitor: Visitor) -> None:
    visitor.visit("/users/login")
    visitor.fill({"users[username]": "grace_h", "users[password]": "correct horse"})
    visitor.press("Login", within="main form")
    visitor.sees("Hello")
    visitor.shoot("home-logged-in")


def add_event(visitor: Visitor, picture: Path) -> str:
    visitor.visit("/events/new")
    visitor.fill(EVENT)
    visitor.attach("event_image", picture)
    visitor.shoot("add-event")
    visitor.press("Add event", within="main form")
    visitor.sees("Event was successfully created.")
    visitor.sees("Talks about <i>nanoseconds</i>")
    visitor.shoot("event-own")
    found = re.search(r"/events/(\d+)", visitor.browser.current_url)
    assert found
    return found.group(1)


def search_tag(visitor: Visitor, event: str) -> None:
    visitor.visit("/events/tag_search?tag=compilers&submit=Search+Tags")
    links = visitor.main().find_elements(By.CSS_SELECTOR, f"a[href='/events/{event}']")
    assert links, "the new event is not listed under its tag"
    visitor.shoot("tag")


def attend_and_comment(visitor: Visitor) -> None:
    visitor.visit("/")
    first = visitor.main().find_element(By.CSS_SELECTOR, "a[href^='/events/']").get_attribute("href")
    assert first
    visitor.browser.get(first)
    visitor.press("Attend")
    visitor.sees("You are attending")
    visitor.fill({"comment": "See you there <script>alert(1)</script>"})
    rate(visitor, 4)
    visitor.press("Add comment")
    visitor.sees("See you there <script>alert(1)</script>")
    visitor.shoot("event-commented")


def rate(visitor: Visitor, stars: int) -> None:
    """Stars are radio buttons or a list; either way the field is `rating`."""
    element = visitor.main().find_element(By.CSS_SELECTOR, '[name="rating"]')
    if element.tag_name == "select":
        Select(element).select_by_value(str(stars))
    else:
        option = visitor.main().find_element(By.CSS_SELECTOR, f'[name="rating"][value="{stars}"]')
        visitor.browser.execute_script("arguments[0].click()", option)


@pytest.mark.parametrize("path", ["/", "/events/1", "/users/1", "/users/new", "/users", "/users/login"])
def test_fits_a_phone(visitor: Visitor, path: str) -> None:
    """Nothing is wider than a phone's screen."""
    visitor.browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True},
    )
    try:
        visitor.visit(path)
        width = visitor.browser.execute_script("return document.documentElement.scrollWidth")
        visitor.shoot("phone" + path.replace("/", "-").rstrip("-"))
        assert width <= 390
    finally:
        visitor.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_follows_the_dark_scheme(visitor: Visitor) -> None:
    """Light text on a dark page for those who want it, and the other way round."""
    shade = "return getComputedStyle(document.body)[arguments[0]].match(/\\d+/g).slice(0, 3).map(Number)"
    for scheme in ("dark", "light"):
        feature = {"name": "prefers-color-scheme", "value": scheme}
        visitor.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        visitor.visit("/events/1")
        visitor.shoot(f"event-{scheme}")
        ink, paper = (
            sum(visitor.browser.execute_script(shade, name)) for name in ("color", "backgroundColor")
        )
        assert (ink > paper) == (scheme == "dark")
        assert abs(ink - paper) > 450, "too little contrast"


def test_console_is_clean(visitor: Visitor) -> None:
    """No script error, no blocked resource."""
    for path in ("/", "/events/1", "/users/1"):
        visitor.visit(path)
    errors = [entry for entry in visitor.browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert not errors
