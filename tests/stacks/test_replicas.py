"""Stacks that read from a copy of their database, held to what the built-in site is held to."""

from __future__ import annotations

import pytest
from copies import pair, reads_from_its_copy
from servers import missing
from shared_sites import load
from stack_sites import served

from loadstone.site.stack import STACKS, Stack

pytestmark = [pytest.mark.stacks, pytest.mark.timeout(900)]


@pytest.mark.parametrize("stack", [one for one in STACKS if one.reads_replicas], ids=lambda one: one.folder)
@pytest.mark.parametrize("kind", ["postgres", "mariadb"])
def test_the_stack_keeps_its_promises(stack: Stack, kind: str) -> None:
    if reason := missing():
        pytest.skip(reason)
    with pair(kind) as two:
        done = load(two.primary.url, "--replace")
        assert done.returncode == 0, done.stderr
        with served(stack, two.primary.url, read_databases=two.copy.url) as one:
            reads_from_its_copy(two, one.url)
