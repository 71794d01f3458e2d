"""Every stack on a database without room."""

from __future__ import annotations

import os

import pytest
from full_disk import picture, says_that_it_is_full, small
from servers import missing
from shared_sites import Browser, load
from stack_sites import EVENT, every_stack, served

from loadstone._core import usernames
from loadstone.site.stack import Stack

pytestmark = [
    pytest.mark.stacks,
    pytest.mark.timeout(900),
    pytest.mark.skipif(os.geteuid() != 0, reason="a file system of its own needs root"),
]


@every_stack
@pytest.mark.parametrize("kind", ["postgres", "mariadb"])
def test_a_database_without_room_is_507(stack: Stack, kind: str) -> None:
    if reason := missing():
        pytest.skip(reason)
    with small(kind) as disk:
        done = load(disk.server.url, "--replace")
        assert done.returncode == 0, done.stderr
        with served(stack, disk.server.url, workers=4) as one:
            says_that_it_is_full(disk, one.url)


@every_stack
def test_an_event_whose_picture_has_no_room_is_not_added(stack: Stack) -> None:
    if reason := missing():
        pytest.skip(reason)
    with small("postgres") as disk:
        done = load(disk.server.url, "--replace")
        assert done.returncode == 0, done.stderr
        with served(stack, disk.server.url, workers=4) as one, disk.full():
            browser = Browser([one.url])
            browser.log_in(usernames(3, 1)[0], "3")
            browser.get("/events/new")
            code, title = 200, ""
            while code == 200:
                before, title = title, f"Event {os.urandom(4).hex()}"
                code, _ = browser.upload("/events", EVENT | {"title": title}, {"event_image": picture()})
            feed = browser.get("/events/rss")[1].decode()
    assert code == 507
    assert before in feed and title not in feed
