"""Two servers of a stack: a browser that comes to the other one has all files already."""

from __future__ import annotations

import urllib.request
from email.message import Message

import pytest
from stack_sites import every_stack, served

from loadstone.site.stack import Stack

PATHS = ("/static/style.css", "/static/brand.png", "/media/e7t.jpg", "/media/p7.jpg", "/media/e7l.pdf")

pytestmark = [pytest.mark.stacks, pytest.mark.timeout(600)]


def head(url: str) -> Message:
    with urllib.request.urlopen(url, timeout=60) as answer:
        found: Message = answer.headers
    return found


@every_stack
@pytest.mark.parametrize("fresh", ["sqlite"], indirect=True)
def test_files_have_the_same_tags_on_both(stack: Stack, fresh: str) -> None:
    with served(stack, fresh) as one, served(stack, fresh) as other:
        for path in PATHS:
            first, second = (head(f"{site.url}{path}") for site in (one, other))
            assert first["ETag"], path
            for name in ("ETag", "Last-Modified"):
                assert first[name] == second[name], (path, name)
