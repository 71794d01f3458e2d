"""What is kept between requests, under which keys, and what a change drops.

Keys hold every input. A part may be made from kept rows, the content of a page from kept parts, and a page
from kept content: their times add up to 30 s for lists, and to 300 s for the home page of people who are not
logged in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from itertools import product
from typing import Any, TypeVar

from django.core.cache import BaseCache, caches
from django.core.cache.utils import make_template_fragment_key
from django.db import transaction

from olio.data.listing import Row
from olio.facts import facts

T = TypeVar("T")

ROWS_S = PART_S = CONTENT_S = 10
HOME_S = 270
FEED_S = 15

HOLE = "\x01"
"""Stands in a kept page where each visitor's token goes, or in the feed what its links begin with. No field
of a form can hold it."""

TAG_PATHS = ("/events/tagged", "/events/tag_search")


_is_nothing: ContextVar[bool] = ContextVar("is_nothing", default=False)


@contextmanager
def nothing() -> Iterator[None]:
    """Within the block nothing comes from a cache, and nothing is kept."""
    before = _is_nothing.set(True)
    try:
        yield
    finally:
        _is_nothing.reset(before)


def parts() -> dict[str, Any]:
    """What the tag `cache` needs: how long parts are kept, and in which cache."""
    return {"keep": PART_S, "parts": "default" if _is_nothing.get() else "template_fragments"}


def _cache(alias: str) -> BaseCache:
    return caches["default" if _is_nothing.get() else alias]


def rows(key: str, load: Callable[[], T]) -> T:
    """Rows: kept ones, or those that `load` finds."""
    return _cache("rows").get_or_set(key, load, ROWS_S)


def content(key: str, viewer: int, render: Callable[[], tuple[Iterable[int], str]]) -> str:
    """The content of a page that looks the same to all but the owners of what it shows.

    `render` makes it for this viewer, and tells the owners.
    """
    kept = _cache("actions").get(key)
    if kept is not None and viewer not in kept[0]:
        return kept[1]
    owners, text = render()
    owners = set(owners)
    if viewer not in owners:
        _cache("actions").set(key, (owners, text), CONTENT_S)
    return text


def page(key: str, seconds: int, filling: str, render: Callable[[], str]) -> str:
    """A whole page with `filling` in its holes."""
    return _cache("pages").get_or_set(key, render, seconds).replace(HOLE, filling)


def home_key(page: int, by_created: bool, zip_code: str, day: str) -> str:
    """Names a home page, as its `data-key` does."""
    return f"home:page={page};order={'created' if by_created else 'date'};zip={zip_code};day={day}"


def tag_key(tag: str, page: int) -> str:
    """Names a page of a tag, as its `data-key` does."""
    return f"tag:{tag};page={page}"


def of_today(key: str) -> str:
    """The key of what depends on the day that the site calls today."""
    return f"{facts().today}:{key}"


def viewer_class(viewer: int, items: Iterable[Row]) -> str:
    """Which viewers a list looks the same for: an owner of an event can edit it there."""
    return f"own={viewer}" if any(item["user_id"] == viewer for item in items) else "other"


def forget(event: int, creator: int, versions: Iterable[dict[str, Any]]) -> None:
    """After the transaction: drops what shows an event, and the first pages of the lists that have or had it.

    `versions` are the event before and after the change, each with its `zip`, `day` and `tags`.
    """
    versions = list(versions)
    zips = {"", *(version["zip"] for version in versions)}
    days = {"", *(version["day"] for version in versions)}
    names = {name for version in versions for name in version["tags"]}
    homes = [of_today(home_key(1, *wanted)) for wanted in product((False, True), zips, days)]
    tagged = [tag_key(name, 1) for name in names]
    contents = homes + [f"{path}:{key}" for path in TAG_PATHS for key in tagged]
    classes = ("other", f"own={creator}")
    parts = [make_template_fragment_key("event_list", both) for both in product(contents, classes)]
    parts += [make_template_fragment_key(name, [event]) for name in ("event_main", "event_description")]
    parts.append(make_template_fragment_key("cloud"))
    stale = {
        "rows": [*homes, *tagged, f"event:{event}", "cloud", "feed"],
        "template_fragments": parts,
        "actions": [*contents, f"event:{event}"],
        "pages": [*homes, "feed"],
    }
    for alias, keys in stale.items():
        transaction.on_commit(partial(caches[alias].delete_many, keys))


def forget_content(event: int) -> None:
    """After the transaction: drops what shows who attends an event and what they say about it."""
    transaction.on_commit(partial(caches["actions"].delete, f"event:{event}"))
