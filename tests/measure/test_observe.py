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
        before = time.monotonic()
        observer = Observer({"sut": process.pid})
        after = time.monotonic()
        print(file=process.stdin, flush=True)
        assert process.stdout.readline() == "done\n"
        least = time.monotonic() - after
        metrics = observer.sample()
        most = time.monotonic() - before
        process.stdin.close()
        process.wait(120)
        assert observer.sample() == {} or "sut" not in observer.sample(), "processes that ended use nothing"
    assert set(metrics) == {"sut", "generator", "host"}
    # The kernel counts in hundredths of a second. The time that was observed lies between these two.
    assert metrics["sut"]["cpu_cores"] * most >= 0.4
    assert metrics["sut"]["cpu_cores"] * least <= 0.6
    assert metrics["host"]["cpu_cores"] * most >= 0.3
    assert metrics["sut"]["rss_bytes"] > metrics["generator"]["rss_bytes"] * 0.01
    assert {"read_bytes_per_s", "rx_bytes_per_s", "memory_used_bytes"} <= set(metrics["host"])


def test_the_generator_is_this_process_without_those_it_started() -> None:
    used, before = time.process_time(), time.monotonic()
    observer = Observer({})
    after = time.monotonic()
    while time.process_time() - used < 0.3 or time.monotonic() - after < 0.3:
        pass
    least = time.monotonic() - after
    metrics = observer.sample()
    most, used = time.monotonic() - before, time.process_time() - used
    assert metrics["generator"]["cpu_cores"] * most >= 0.2
    assert metrics["generator"]["cpu_cores"] * least <= used + 0.1
    assert "sut" not in metrics


def test_two_samples_in_a_row_are_one() -> None:
    observer = Observer({})
    assert observer.sample() == {}


def test_a_process_that_is_not_there_is_refused() -> None:
    with pytest.raises(LoadstoneError, match=r"error\[no-process\]"):
        Observer({"database": 2**22 + os.getpid()})


def test_the_same_piece_of_work_is_timed_with_each_sample() -> None:
    observer = Observer({})
    time.sleep(0.3)
    host = observer.sample()["host"]
    # A fast machine does both in tens of microseconds, and none in no time.
    assert host["compute_us"] > 5 and host["memory_us"] > 5
