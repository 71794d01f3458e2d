"""The peer: a Locust ramp that ends at the first breach, as people look for a capacity without a search.

Reads RAMP_CYCLE (fixed or neg-exp), RAMP_LIMIT_S, RAMP_MOST_CYCLE_S and RAMP_PER_S (users added each second).
A user joins until, in the last `WINDOW_S` seconds, less than 90 % of the answers were within the limit.
Prints one line of JSON: the users of that moment, and the seconds that it took.
"""

from __future__ import annotations

import collections
import json
import os
import random
import time
from typing import Any

from locust import HttpUser, LoadTestShape, events, task

CYCLE, LIMIT_S = os.environ["RAMP_CYCLE"], float(os.environ["RAMP_LIMIT_S"])
MOST_CYCLE_S, PER_S = float(os.environ["RAMP_MOST_CYCLE_S"]), float(os.environ["RAMP_PER_S"])
SHARE = 0.9
WINDOW_S = 5.0
FEWEST = 20
"""Answers in the window below which nothing is judged."""

_answers: collections.deque[tuple[float, bool]] = collections.deque()


@events.request.add_listener
def _count(response_time: float, exception: Exception | None, **_: Any) -> None:
    _answers.append((time.monotonic(), exception is None and response_time <= 1000 * LIMIT_S))


class Page(HttpUser):
    """Asks for the page once a cycle."""

    def on_start(self) -> None:
        """Users of equal cycles would all ask at once."""
        time.sleep(random.random() if CYCLE == "fixed" else 0)
        self._began = time.monotonic()

    def wait_time(self) -> float:
        """The rest of the cycle."""
        cycle = 1.0 if CYCLE == "fixed" else min(MOST_CYCLE_S, random.expovariate(1.0))
        self._began, due = max(time.monotonic(), self._began + cycle), self._began + cycle
        return max(0.0, due - time.monotonic())

    @task
    def page(self) -> None:
        """The page."""
        self.client.get("/")


class Ramp(LoadTestShape):
    """More users until too many answers are late."""

    def tick(self) -> tuple[int, float] | None:
        """Users wanted now; None ends it."""
        while _answers and _answers[0][0] < time.monotonic() - WINDOW_S:
            _answers.popleft()
        within = sum(good for _, good in _answers)
        if len(_answers) >= FEWEST and within < SHARE * len(_answers):
            found = {"users": self.get_current_user_count(), "took_s": round(self.get_run_time(), 1)}
            print(json.dumps(found), flush=True)
            return None
        return 1 + int(self.get_run_time() * PER_S), max(1.0, PER_S)
