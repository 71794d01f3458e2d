"""RUBiS walked by a real browser: every page that a person can come to, by its links and forms."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from visitors import Visitor, served

pytestmark = [pytest.mark.long, pytest.mark.timeout(180)]


@pytest.fixture(scope="module")
def visitor(
    browser: webdriver.Chrome, shots: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Visitor]:
    """Somebody at a small site."""
    with served("rubis", tmp_path_factory.mktemp("rubis") / "data", "--scale", "0.005") as url:
        yield Visitor(browser, url, shots)


def follow(visitor: Visitor, link: str, page: str) -> None:
    """Follows the first link whose text begins so."""
    found = visitor.browser.find_element(By.XPATH, f'//a[starts-with(normalize-space(), "{link}")]')
    visitor.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", found)
    found.click()
    arrived(visitor, page)


def arrived(visitor: Visitor, page: str) -> None:
    """The page is the one of this state, loaded whole, and fits the window."""
    # A page may be replaced between finding its parts and reading them.
    WebDriverWait(visitor.browser, 60, ignored_exceptions=[WebDriverException]).until(
        lambda _: visitor.page() == page, f"not on {page}, but at {visitor.browser.current_url}"
    )
    script = "return [...document.images].every(i => i.complete && i.naturalWidth > 0)"
    assert visitor.browser.execute_script(script)
    script = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert visitor.browser.execute_script(script), "wider than the window"
    visitor.shoot(f"rubis-{page}")


def log_in(visitor: Visitor, number: int, page: str) -> None:
    """Fills in the log-in form."""
    visitor.fill({"nickname": f"user{number}", "password": f"password{number}"})
    visitor.press("Log in", "main")
    arrived(visitor, page)


def test_somebody_browses(visitor: Visitor) -> None:
    visitor.visit("/")
    arrived(visitor, "Home")
    follow(visitor, "Browse", "Browse")
    follow(visitor, "By category", "BrowseCategories")
    follow(visitor, "Books", "SearchItemsInCategory")
    follow(visitor, "Next", "SearchItemsInCategory")
    follow(visitor, "First page", "SearchItemsInCategory")
    visitor.visit("/browse")
    follow(visitor, "By region", "BrowseRegions")
    follow(visitor, "Antwerp", "BrowseCategoriesInRegion")
    follow(visitor, "Cameras", "SearchItemsInRegion")
    visitor.browser.find_element(By.CSS_SELECTOR, "main td a").click()
    arrived(visitor, "ViewItem")
    follow(visitor, "All bids", "ViewBidHistory")
    visitor.browser.back()
    follow(visitor, "user", "ViewUserInfo")


def test_somebody_registers_sells_bids_buys_and_comments(visitor: Visitor) -> None:
    visitor.visit("/register")
    arrived(visitor, "Register")
    person = {"firstname": "Ada", "lastname": "Byron", "nickname": "ada", "email": "ada@example.org"}
    visitor.fill({**person, "password": "correct horse", "password_confirmation": "other", "region": "2"})
    visitor.press("Register", "main")
    visitor.sees("The two passwords are not the same.")
    visitor.shoot("rubis-Register-wrong")
    visitor.fill({"password": "correct horse", "password_confirmation": "correct horse"})
    visitor.press("Register", "main")
    arrived(visitor, "RegisterUser")

    follow(visitor, "Sell", "Sell")
    visitor.press("Go on as ada", "main")
    arrived(visitor, "SelectCategoryToSellItem")
    visitor.browser.find_element(By.PARTIAL_LINK_TEXT, "Cameras").click()
    arrived(visitor, "SellItemForm")
    item = {"name": "A <b>brass</b> lens", "description": "Scratched & clear.", "initial_price": "12.50"}
    visitor.fill({**item, "reserve_price": "20", "buy_now": "40", "quantity": "2", "duration": "3"})
    visitor.press("Begin the auction", "main")
    arrived(visitor, "RegisterItem")
    visitor.browser.find_element(By.PARTIAL_LINK_TEXT, "brass").click()
    arrived(visitor, "ViewItem")
    visitor.sees("A <b>brass</b> lens")
    place = visitor.browser.current_url

    visitor.press("Log out", "header")
    arrived(visitor, "Home")
    visitor.browser.get(place)
    follow(visitor, "Bid now", "PutBidAuth")
    log_in(visitor, 1, "PutBid")
    visitor.fill({"bid": "5"})
    visitor.press("Bid", "main")
    visitor.sees("The least bid is $12.50.")
    visitor.fill({"bid": "15"})
    visitor.press("Bid", "main")
    arrived(visitor, "StoreBid")
    visitor.sees("The reserve price has not been met yet.")

    visitor.browser.get(place)
    follow(visitor, "Buy it for $40.00", "BuyNowAuth")
    log_in(visitor, 2, "BuyNow")
    visitor.fill({"quantity": "2"})
    visitor.press("Buy now", "main")
    arrived(visitor, "StoreBuyNow")
    visitor.sees("for $80.00")
    visitor.browser.get(place)
    visitor.sees("Everything was bought.")
    visitor.shoot("rubis-ViewItem-ended")

    follow(visitor, "Leave a comment", "PutCommentAuth")
    log_in(visitor, 2, "PutComment")
    visitor.fill({"rating": "5", "comment": "Quick and friendly."})
    visitor.press("Store the comment", "main")
    arrived(visitor, "StoreComment")
    follow(visitor, "About me", "AboutMeAuth")
    log_in(visitor, 2, "AboutMe")
    visitor.sees("A <b>brass</b> lens")
    visitor.visit(f"{place.removeprefix(visitor.site)}/bid")
    arrived(visitor, "sorry")
    visitor.sees("Sorry, this auction has ended.")
