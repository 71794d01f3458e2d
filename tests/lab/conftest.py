"""Labs for tests: taken down whatever happens, and skipped where they cannot be."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import traces
from labs import Command, Topology, loadstone, obstacle


@pytest.fixture(scope="session")
def machine() -> None:
    """A machine that can hold a lab."""
    if reason := obstacle():
        pytest.skip(reason)


@pytest.fixture
def command(machine: None) -> Command:
    """Runs `loadstone ARGUMENTS`."""
    return loadstone


@pytest.fixture
def topology(machine: None, tmp_path: Path) -> Iterator[Topology]:
    """Writes a topology of some name; its lab is down at the end, and nothing of it is left."""
    made: list[str] = []
    before = traces.traces()

    def write(body: str, name: str = "t-lab") -> Path:
        path = tmp_path / f"{name}.toml"
        path.write_text(f'format = 1\nname = "{name}"\n{body}')
        made.append(name)
        return path

    yield write
    for name in dict.fromkeys(made):
        loadstone("lab", "down", name)
    assert traces.added(before) == {}
