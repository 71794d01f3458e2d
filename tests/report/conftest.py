"""One of each folder, made once."""

from __future__ import annotations

from pathlib import Path

import pytest
import synthetic

from loadstone import report


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "olio"
    synthetic.run(folder)
    return folder


@pytest.fixture(scope="session")
def full_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Capacity, nodes and cost side by side, as the demonstration leaves them."""
    folder = tmp_path_factory.mktemp("full") / "olio"
    synthetic.capacity(folder)
    synthetic.nodes(folder)
    synthetic.cost(folder)
    return folder


@pytest.fixture(scope="session")
def run(run_folder: Path) -> report.Chapter:
    return report.read_chapter(run_folder)


@pytest.fixture(scope="session")
def full(full_folder: Path) -> report.Chapter:
    return report.read_chapter(full_folder)
