"""Host metrics against processes whose use is known."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from loadstone.errors import LoadstoneError
from loadstone.observe import Observer

# A parent that idles and a child that computes for a known processor time, says so, and stays.
FAMILY = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", '''
import time
print("ready", flush=True)
input()
end = time.process_time() + 0.5
while time.process_time() < end: pass
print("done", flush=True)
input()
'''])
child.wait()
"""


def test_a_family_uses_what_its_members_use() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", FAMILY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin and process.stdout
        assert process.stdout.readline() == "ready\n"
        began = time.monotonic()
        observer = Observer({"sut": process.pid})
        print(file=process.stdin, flush=True)
        assert process.stdout.readline() == "done\n"
        metrics = observer.sample()
        elapsed = time.monotonic() - began
        process.stdin.close()
        process.wait(10)
        assert observer.sample() == {} or "sut" not in observer.sample(), "processes that ended use nothing"
    assert set(metrics) == {"sut", "generator", "host"}
    # The kernel counts in hundredths of a second.
    assert metrics["sut"]["cpu_cores"] * elapsed == pytest.approx(0.5, abs=0.1)
    assert metrics["host"]["cpu_cores"] * elapsed >= 0.3
    assert metrics["sut"]["rss_bytes"] > metrics["generator"]["rss_bytes"] * 0.01
    assert {"read_bytes_per_s", "rx_bytes_per_s", "memory_used_bytes"} <= set(metrics["host"])


def test_the_generator_is_this_process_without_those_it_started() -> None:
    observer = Observer({})
    end = time.process_time() + 0.3
    began = time.monotonic()
    while time.process_time() < end or time.monotonic() - began < 0.3:
        pass
    metrics = observer.sample()
    assert metrics["generator"]["cpu_cores"] * (time.monotonic() - began) == pytest.approx(0.3, abs=0.15)
    assert "sut" not in metrics


def test_two_samples_in_a_row_are_one() -> None:
    observer = Observer({})
    assert observer.sample() == {}


def test_a_process_that_is_not_there_is_refused() -> None:
    with pytest.raises(LoadstoneError, match=r"error\[no-process\]"):
        Observer({"database": 2**22 + os.getpid()})
