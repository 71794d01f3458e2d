"""A lab of two hosts for the whole module."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from labs import lab

_HOSTS = '[[host]]\nname = "one"\n[[host]]\nname = "small"\ndisk_mib = 16\n'


@pytest.fixture(scope="module")
def topology(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The topology file of a lab that is up: `one`, and `small` with a disk of 16 MiB."""
    with lab(tmp_path_factory.mktemp("lab"), "t-ssh", _HOSTS) as path:
        yield path
