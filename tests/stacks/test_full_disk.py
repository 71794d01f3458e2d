"""PHP on a database without room; the other stacks have not been tried."""

from __future__ import annotations

import os

import pytest
from full_disk import says_that_it_is_full, small
from servers import missing
from shared_sites import load
from stack_sites import served

from loadstone.site.stack import STACKS, Stack

pytestmark = [
    pytest.mark.stacks,
    pytest.mark.timeout(900),
    pytest.mark.skipif(os.geteuid() != 0, reason="a file system of its own needs root"),
]


@pytest.mark.parametrize(
    "stack", [one for one in STACKS if one.folder.startswith("php")], ids=lambda one: one.folder
)
@pytest.mark.parametrize("kind", ["postgres", "mariadb"])
def test_a_database_without_room_is_507(stack: Stack, kind: str) -> None:
    if reason := missing():
        pytest.skip(reason)
    with small(kind) as disk:
        done = load(disk.server.url, "--replace")
        assert done.returncode == 0, done.stderr
        with served(stack, disk.server.url, workers=4) as one:
            says_that_it_is_full(disk, one.url)
