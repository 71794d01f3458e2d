"""A timing never gates a test: the machine may be busy."""

import pytest
from hypothesis import settings

from loadstone.cli import count

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(autouse=True)
def nothing_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands in the tests' process count nothing aloud: golden texts hold no slow machine's progress."""
    monkeypatch.setattr(count, "_FIRST_S", float("inf"))
