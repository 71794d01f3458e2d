"""What other programs print, as figures."""

from __future__ import annotations

import pytest

from loadstone.errors import LoadstoneError
from loadstone.study.balancers import counters, peer

AB = """This is ApacheBench, Version 2.3 <$Revision: 1923142 $>

Server Software:        nginx/1.22.1
Concurrency Level:      100
Time taken for tests:   1.131 seconds
Complete requests:      10000
Failed requests:        3
   (Connect: 0, Receive: 0, Length: 3, Exceptions: 0)
Keep-Alive requests:    9990
Non-2xx responses:      2
Requests per second:    8841.20 [#/sec] (mean)
Time per request:       11.311 [ms] (mean)
Time per request:       0.113 [ms] (mean, across all concurrent requests)
"""

PROC = """cpu  100 2 50 900 5 1 7 3 0 0
1 (systemd) S 0 1 1 0 -1 4194560 100 200 0 0 10 20 30 40 20 0 1 0 5 100 10
42 (a) b (c) S 1 42 42 0 -1 4194560 100 200 0 0 100 200 3 4 20 0 1 0 5 100 10
43 (worker) S 42 42 42 0 -1 4194560 100 200 0 0 1000 2000 0 0 20 0 1 0 5 100 10
44 (worker of worker) S 43 42 42 0 -1 4194560 100 200 0 0 1 1 0 0 20 0 1 0 5 100 10
Pss:                 100 kB
Pss:                  28 kB
"""


def test_ab_is_read() -> None:
    found = peer.parse(AB)
    assert found["requests_per_s"] == 8841.2
    assert (found["ok"], found["failed"]) == (9995, {"failed": 5})
    assert found["response_us"] == {"mean": 11311.0}


def test_what_ab_does_not_print_is_an_error() -> None:
    with pytest.raises(LoadstoneError) as refused:
        peer.parse("This is ApacheBench")
    assert refused.value.slug == "peer"
    assert "Complete requests" in str(refused.value)


def test_a_family_of_processes_is_added_up() -> None:
    found = counters.parse(PROC, [42])
    assert found.user_us == (100 + 3 + 1000 + 1) * 10_000
    assert found.sys_us == (200 + 4 + 2000 + 1) * 10_000
    assert found.pss_bytes == 128 * 1024
    assert found.machine_us["softirq"] == 70_000


def test_processes_that_are_gone_count_nothing() -> None:
    found = counters.parse(PROC, [7])
    assert (found.user_us, found.sys_us) == (0, 0)


def test_between_two_readings() -> None:
    later = PROC.replace("cpu  100 2 50 900 5 1 7 3", "cpu  160 2 60 920 5 1 17 3").replace(
        " 1000 2000 ", " 1040 2010 "
    )
    used = counters.used(counters.parse(PROC, [42]), counters.parse(later, [42]))
    assert (used.user_us, used.sys_us) == (400_000, 100_000)
    assert (used.busy_us, used.softirq_us) == (800_000, 100_000)
    assert used.idle_share == pytest.approx(0.2)
