"""A run of the simulated engine in a process of its own: `scripted_run.py FOLDER SECOND_S [HOST PORT]`.

Prints a line once the run has begun, so that the test knows when to interfere.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "fakes"))

import folders
import simulated

from loadstone.errors import LoadstoneError
from loadstone.measure import Interrupt, Silent, measure
from loadstone.measure.service import Remote


class Announcing(Silent):
    """Says on stdout when the third second has passed."""

    def window(self, window: Mapping[str, Any]) -> None:
        """Speaks once."""
        if window["second"] == 2:
            print("under way", flush=True)


def respond(rng: random.Random, _name: str) -> float:
    """Quick answers."""
    return rng.uniform(0.01, 0.05)


def main() -> int:
    """Measures; the exit code is the error's, its text goes to stderr."""
    folder, second_s = Path(sys.argv[1]), float(sys.argv[2])
    plan = simulated.plan(users=200, ramp_up_s=2.0, steady_s=100.0)
    engine = simulated.SimulatedEngine(lambda _users: respond, second_s)
    service = Remote("http://127.0.0.1:1", "127.0.0.1", 1)
    try:
        measure(folder, folders.beginning(plan), service, engine, Interrupt(), Announcing())
    except LoadstoneError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
