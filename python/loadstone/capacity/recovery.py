"""The time that a service needs after a run for what it was asked and has not answered.

Whoever asked has left, but many services go on with it. A run that begins meanwhile would find the service
busy with the load of the run before, and a load that it carries could break a goal.
"""

from __future__ import annotations

import time
from pathlib import Path

from loadstone import record
from loadstone.judge import Measurement
from loadstone.measure import Job


class Recovery:
    """Holds a measurement back until the service has done what the one before left. A service that is brought
    up for each run has nothing left."""

    def __init__(self, job: Job) -> None:
        """Nothing is left yet."""
        self.most_s = job.scenario.file.load.timeout_s if job.scenario.target.url else 0.0
        """Of one wait. Nobody waited longer for an answer, and a service may have let go of the rest."""
        self._done_at = 0.0

    def after(self, folder: Path) -> None:
        """Notes what a measurement that ran to its end has left."""
        if self.most_s:
            self._done_at = time.monotonic() + min(self.most_s, work_s(record.measurement_of(folder)))

    def wait(self) -> None:
        """Returns when it is done. Ctrl-C ends it."""
        time.sleep(max(0.0, self._done_at - time.monotonic()))


def work_s(measurement: Measurement) -> float:
    """Seconds for the operations under way at the end of the steady state, at the pace that the service had
    shown. By Little's law that is a response time. Infinite where it answered none.
    """
    under_way = float(measurement.in_flight[-1]) if len(measurement.in_flight) else 0.0
    answered = sum(float(one.count.mean()) for one in measurement.operations if len(one.count))
    return under_way / answered if answered else float("inf") if under_way else 0.0
