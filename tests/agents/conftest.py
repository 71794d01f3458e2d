"""Agents as processes of this machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from local_hosts import LocalHosts
from walked import Walked, walked


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the agents' files are copied to, once for all tests."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def hosts(cache: Path) -> LocalHosts:
    """Two hosts."""
    return LocalHosts(["one", "two"], cache)


@pytest.fixture
def site() -> Iterator[Walked]:
    """A site that remembers its users."""
    with walked() as server:
        yield server
