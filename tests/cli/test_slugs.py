"""Every error of the table is raised somewhere, and every one has a test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from loadstone import errors

PACKAGE = Path(errors.__file__).parent
TESTS = Path(__file__).parents[1]


def _texts(folder: Path, but: Path) -> str:
    files = [file for ending in ("*.py", "*.txt", "*.err", "*.out") for file in folder.rglob(ending)]
    return "\n".join(file.read_text("utf-8") for file in files if file != but)


SOURCE = _texts(PACKAGE, Path(errors.__file__))
TESTED = _texts(TESTS, Path(__file__))


@pytest.mark.parametrize("slug", errors.SLUGS)
def test_a_slug_is_raised_and_tested(slug: str) -> None:
    assert f'"{slug}"' in SOURCE, "nobody raises it"
    shown = rf'(error|warning)\\?\[{slug}\\?\]|"{slug}"'
    assert re.search(shown, TESTED), "no test and no golden file shows it"


def test_every_error_is_in_the_table() -> None:
    raised = set(re.findall(r'LoadstoneError\(\s*"([a-z-]+)"', SOURCE))
    assert raised and raised <= set(errors.SLUGS)
