"""A timing never gates a test: the machine may be busy."""

import signal

import pytest
from hypothesis import settings

from loadstone.cli import count

# A shell has its background jobs ignore Ctrl-C, and so would everything that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(autouse=True)
def nothing_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands in the tests' process count nothing aloud: golden texts hold no slow machine's progress."""
    monkeypatch.setattr(count, "_FIRST_S", float("inf"))
