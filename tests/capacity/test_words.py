"""What a search says at its end, and its exit code: nothing that it did not find out."""

from __future__ import annotations

from typing import Any

import pytest

from loadstone.cli.capacity_words import concluded, sentence
from loadstone.stages.capacity import Capacity, Held, LimitedBy

LATE = LimitedBy(operation="Search", share_at_high=0.8)
WRONG = LimitedBy(operation="Search", share_at_high=0.0, checks=["error-rate"])

CASES: list[tuple[dict[str, Any], str, int]] = [
    (
        {"low": 57, "high": 60, "load": 57, "verdict": "met", "ended_by": "tolerance", "limited_by": LATE},
        "57 users hold it, 60 break it, limited by Search (80.0 % within its limit at 60)",
        0,
    ),
    (
        {"low": 57, "high": 90, "load": 57, "verdict": "met", "ended_by": "noisy", "limited_by": LATE},
        "57 users hold it, 90 break it, limited by Search (80.0 % within its limit at 90); the interval is "
        "wide: runs near it differ more than --repeats runs can settle",
        0,
    ),
    (
        {"low": 57, "load": 57, "verdict": "met", "ended_by": "ceiling"},
        "at least 57 users hold it; no number is known to break it: no more were tried (--to)",
        0,
    ),
    (
        {"high": 1, "verdict": "missed", "ended_by": "least", "limited_by": LATE},
        "not even 1 user holds it, limited by Search (80.0 % within its limit at 1)",
        1,
    ),
    (
        {"high": 1, "verdict": "missed", "ended_by": "least", "limited_by": WRONG},
        "not even 1 user holds it, limited by Search (0.0 % within its limit at 1, error-rate)",
        5,
    ),
    (
        {"high": 25, "ended_by": "max-runs", "limited_by": LATE},
        "open, 25 users break it, limited by Search (80.0 % within its limit at 25); whether fewer hold it "
        "is not known: the search ended after --max-runs runs",
        6,
    ),
    (
        {"ended_by": "max-runs"},
        "open, no number of users is known to hold or to break it: the search ended after --max-runs runs",
        6,
    ),
    (
        {"ended_by": "generator"},
        "open, no number of users is known to hold or to break it: the load generator was at its limit",
        7,
    ),
    (
        {"ended_by": "invalid"},
        "open, no number of users is known to hold or to break it: runs with more stayed invalid",
        7,
    ),
]


@pytest.mark.parametrize(("known", "words", "code"), CASES)
def test_each_end_has_its_sentence_and_its_code(known: dict[str, Any], words: str, code: int) -> None:
    held = Held(**known)
    assert sentence("SLA-1", held) == f"SLA-1: {words}"
    assert concluded(Capacity(sla_1=held, runs=[])) == code


def test_an_interrupted_search_says_so_whatever_it_knows() -> None:
    held = Held(low=57, load=57, verdict="met", ended_by="interrupted")
    assert concluded(Capacity(sla_1=held, runs=[], outcome="interrupted")) == 130
