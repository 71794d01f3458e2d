"""What `bench/container.py` makes of its rounds."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from peer_servers import ACTIX, AXUM, EVENT, HYBRID, HYPER, TOMCAT
from verdict import ITEM, SMALL_PAGE, judge, markdown, ratio


def row(cpu_us: float) -> dict[str, float]:
    return {"user_us": 1.0, "sys_us": cpu_us - 1, "cpu_us": cpu_us, "requests_per_s": 1e6 / cpu_us}


def test_a_slow_round_slows_both_sides_of_a_ratio() -> None:
    rounds = [{SMALL_PAGE: {EVENT: row(factor * 6), HYPER: row(factor * 8)}} for factor in (1, 1, 5)]
    assert ratio(rounds, SMALL_PAGE, EVENT, HYPER) == 0.75


def test_a_target_is_held_against_the_best_rival_that_ran() -> None:
    rounds = [{SMALL_PAGE: {EVENT: row(8.8), HYPER: row(9), ACTIX: row(8)}}]
    assert judge(rounds, {}) == [
        {"target": f"{SMALL_PAGE}: {EVENT} ≤ 1.0 × {ACTIX}", "measured": 1.1, "met": False}
    ]


def test_what_did_not_run_is_not_judged() -> None:
    rounds = [{ITEM: {HYBRID: row(50), AXUM: row(75)}, SMALL_PAGE: {}}]
    assert [each["met"] for each in judge(rounds, {})] == [True]
    assert judge([], {TOMCAT: {"bytes": 9000, "connections": 10}}) == []


def test_idle_memory_is_held_against_4_kib() -> None:
    idle = {EVENT: {"bytes": 4096.0, "connections": 10}, HYBRID: {"bytes": 4097.0, "connections": 10}}
    assert [each["met"] for each in judge([], idle)] == [True, False]


def test_a_missed_target_shows_in_the_tables() -> None:
    text = markdown([{SMALL_PAGE: {EVENT: row(9), HYPER: row(6)}}], {})
    assert f"| {EVENT} | 1.50 | 9.00 | 9.00–9.00 |" in text
    assert f"| {SMALL_PAGE}: {EVENT} ≤ 1.0 × {HYPER} | 1.5 | **no** |" in text
