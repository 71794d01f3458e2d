"""Stacks as running sites on a data set."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from loadstone.site.stack import Stack
from loadstone.site.stack.running import Running, Wanted, database_of, prepared, running

DATA = {"profile": "cloudstone-2008", "media_scale": 0.01}
"""As `shared_sites.load` makes it."""


@contextlib.contextmanager
def served(stack: Stack, place: str, **options: object) -> Iterator[Running]:
    """A stack on a data set; `options` are fields of `StackOptions`."""
    with prepared(DATA) as (files, state):
        wanted = Wanted(stack.folder, database_of(place), files, state, options=options)
        with running(wanted) as one:
            yield one
