"""The simulated database: never more calls at once than slots, and all of them in the end."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadstone.study.connectors.database import BODY, Slots


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=60),
    st.integers(1, 5),
    st.floats(0.001, 0.1),
)
def test_no_more_calls_at_once_than_slots(gaps: list[float], count: int, service_s: float) -> None:
    slots, now, spans = Slots(count, service_s), 0.0, []
    for gap in gaps:
        now += gap
        end = slots.take(now)
        assert end >= now + service_s - 1e-9
        spans.append((end - service_s, end))
    for start, _ in spans:
        assert sum(begun <= start + 1e-9 < end - 1e-9 for begun, end in spans) <= count
    assert slots.calls == len(gaps)
    assert slots.ahead_s(now) == pytest.approx(max(0.0, max(end for _, end in spans) - now))


@pytest.fixture
def database() -> Iterator[str]:
    command = [
        sys.executable,
        "-m",
        "loadstone.study.connectors.database",
        "--slots",
        "4",
        "--service-ms",
        "20",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["url"]
        process.terminate()


def _get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=60) as answer:
        body: bytes = answer.read()
        return body


def test_the_process_takes_as_long_as_its_slots_need(database: str) -> None:
    """40 calls on 4 slots of 20 ms cannot be over before 200 ms, whatever the machine."""
    began = time.monotonic()
    with ThreadPoolExecutor(40) as pool:
        answers = list(pool.map(_get, [f"{database}/{number}" for number in range(40)]))
    assert time.monotonic() - began >= 40 / 4 * 0.020
    assert answers == [BODY] * 40
    state = json.loads(_get(f"{database}/state"))
    assert state["calls"] == 40
    assert 0 <= state["ahead_s"] <= 0.02
