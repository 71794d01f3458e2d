"""Sites as users start them, and a person at a browser."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select, WebDriverWait


@contextlib.contextmanager
def served(app: str, folder: Path, *size: str) -> Iterator[str]:
    """The address of a fresh site, loaded into `folder` with the options `size`."""
    command = [sys.executable, "-m", "loadstone"]
    subprocess.run([*command, app, "load", *size, "--out", folder], check=True, capture_output=True)
    server = subprocess.Popen(
        [*command, "serve", app, "--data", folder, "--port", "0", "--json"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    try:
        yield json.loads(server.stdout.readline())["url"].rstrip("/")
    finally:
        server.terminate()
        assert server.wait(120) == 0, "the server did not drain"


class Visitor:
    """A person at the browser: fills in fields by name, presses buttons by their text."""

    def __init__(self, browser: webdriver.Chrome, site: str, shots: Path) -> None:
        self.browser, self.site, self.shots = browser, site, shots

    def visit(self, path: str) -> None:
        self.browser.get(self.site + path)

    def main(self) -> WebElement:
        return self.browser.find_element(By.TAG_NAME, "main")

    def page(self) -> str | None:
        return self.main().get_attribute("data-page")

    def fill(self, fields: dict[str, str]) -> None:
        for name, value in fields.items():
            element = self.main().find_element(By.CSS_SELECTOR, f'[name="{name}"]')
            if element.tag_name == "select":
                Select(element).select_by_value(value)
            else:
                element.clear()
                element.send_keys(value)

    def attach(self, name: str, file: Path) -> None:
        self.main().find_element(By.CSS_SELECTOR, f'input[type=file][name="{name}"]').send_keys(str(file))

    def press(self, text: str, within: str = "body") -> None:
        xpath = f'.//button[normalize-space()="{text}"] | .//input[@type="submit"][@value="{text}"]'
        button = self.browser.find_element(By.CSS_SELECTOR, within).find_element(By.XPATH, xpath)
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
        button.click()

    def sees(self, text: str) -> None:
        # A page may be replaced between finding its body and reading it.
        WebDriverWait(self.browser, 10, ignored_exceptions=[StaleElementReferenceException]).until(
            lambda b: text in b.find_element(By.TAG_NAME, "body").text,
            f"no {text!r} on {self.browser.current_url}",
        )

    def shoot(self, name: str) -> None:
        self.browser.save_screenshot(str(self.shots / f"{name}.png"))
