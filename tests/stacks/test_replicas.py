"""Stacks that read from a copy of their database, held to what the built-in site is held to."""

from __future__ import annotations

import pytest
from copies import pair, reads_from_its_copy
from servers import missing
from shared_sites import load
from stack_sites import every_stack, served

from loadstone.site.stack import Stack

pytestmark = [pytest.mark.stacks, pytest.mark.timeout(900)]


@every_stack
@pytest.mark.parametrize("kind", ["postgres", "mariadb"])
@pytest.mark.parametrize("cache", ["none", "fragment"])
def test_the_stack_keeps_its_promises(stack: Stack, kind: str, cache: str) -> None:
    if reason := missing():
        pytest.skip(reason)
    with pair(kind) as two:
        done = load(two.primary.url, "--replace")
        assert done.returncode == 0, done.stderr
        with served(stack, two.primary.url, read_databases=two.copy.url, cache=cache) as one:
            reads_from_its_copy(two, one.url)
