"""What a trouble did to requests over time, from packets at the client's and the victim's interface."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from loadstone.study.balancers.exchanges import Exchange, Seen

BIN_S = 0.1
PAUSE_NS = 500_000_000
"""A server that is asked for nothing for this long, under a load that asks it many times a second, is known
to be gone."""
_PATIENCE_NS = 1_000_000_000
"""A request without an answer this long before the end of the capture had none."""


def timeline(seen: Seen, requests: Sequence[Exchange], from_ns: int) -> dict[str, list[float]]:
    """Right answers, failures and the slowest answer in each tenth of a second from `from_ns` on.

    Answers count when they were there; failures when the connection ended, or when the request was made.
    """
    end_ns = max((one.last_ns or one.asked_ns for one in requests), default=from_ns)
    good = [one for one in requests if right(one)]
    bad_ns = [*(_failed_ns(one) for one in requests if failed(one, end_ns)), *seen.refused_ns]
    count = max((_bin(at, from_ns) for at in [end_ns, *bad_ns]), default=0) + 1
    ok, lost, slowest = [0.0] * count, [0.0] * count, [0.0] * count
    for one in good:
        assert one.last_ns is not None and one.span_us is not None  # it was answered
        index = max(0, _bin(one.last_ns, from_ns))
        ok[index] += 1
        slowest[index] = max(slowest[index], round(one.span_us / 1000, 3))
    for at_ns in bad_ns:
        lost[max(0, _bin(at_ns, from_ns))] += 1
    return {
        "at_s": [round(BIN_S * i, 1) for i in range(count)],
        "ok": ok,
        "failed": lost,
        "slowest_ms": slowest,
    }


def noticed_s(victim: Seen, asked: Iterable[Exchange], begun_ns: int, until_ns: int) -> float | None:
    """How long after `begun_ns` a server was still asked; None when it still was shortly before `until_ns`.

    The last try or request before the first pause of half a second. A balancer's own questions to the server
    may hide a pause that began just before one of them: the answer is then late by less than their interval.
    """
    tries = sorted([*victim.opened_ns, *(one.asked_ns for one in asked)])
    after = [at for at in tries if begun_ns < at < until_ns]
    for earlier, later in pairwise([begun_ns, *after, until_ns]):
        if later - earlier >= PAUSE_NS:
            return (earlier - begun_ns) / 1e9
    return None


def back_s(asked: Iterable[Exchange], begun_ns: int, mended_ns: int) -> float | None:
    """How long after `mended_ns` the first request was answered that came after `begun_ns` and is not one of
    those under way then; None when there was none, 0 for one that came before all was said to be well.
    """
    answered = [one.asked_ns for one in asked if one.last_ns and one.last_ns >= mended_ns and right(one)]
    later = [at for at in answered if at > begun_ns]
    return max(0.0, (min(later) - mended_ns) / 1e9) if later else None


def silence_s(seen: Seen, requests: Sequence[Exchange]) -> float:
    """The longest time without a right answer, from the first request to the last try."""
    tries = [*(one.asked_ns for one in requests), *seen.refused_ns]
    if not tries:
        return 0.0
    answers = sorted(one.last_ns for one in requests if right(one) and one.last_ns)
    instants = [min(tries), *answers, max([*tries, *answers])]
    return max(later - earlier for earlier, later in pairwise(instants)) / 1e9


def spans_ms(requests: Iterable[Exchange], from_ns: int, to_ns: int) -> dict[str, Any]:
    """Response times of requests made in a span of time."""
    found = [one.span_us / 1000 for one in requests if from_ns <= one.asked_ns < to_ns and one.span_us]
    if not found:
        return {"count": 0, "p50": None, "p99": None, "max": None}
    p50, p99 = (float(np.quantile(found, share)) for share in (0.5, 0.99))
    return {"count": len(found), "p50": p50, "p99": p99, "max": max(found)}


def right(one: Exchange) -> bool:
    """Whether it was answered as it should be."""
    return one.last_ns is not None and one.status is not None and one.status < 400


def failed(one: Exchange, end_ns: int) -> bool:
    """Whether it had a wrong answer, or none though there was time for one."""
    if one.first_ns is not None:
        return not right(one)
    return one.cut_ns is not None or one.asked_ns < end_ns - _PATIENCE_NS


def _failed_ns(one: Exchange) -> int:
    return one.last_ns or one.cut_ns or one.asked_ns


def _bin(at_ns: int, from_ns: int) -> int:
    return int((at_ns - from_ns) // int(BIN_S * 1e9))
