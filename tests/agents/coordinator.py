"""A run to be killed: `coordinator.py CACHE PLAN` prints the processes of its two agents and follows it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "fakes"))

from local_hosts import LocalHosts

from loadstone.measure.agents import fleet


def main() -> None:
    """Runs until it is killed."""
    hosts = LocalHosts(["one", "two"], Path(sys.argv[1]))
    with fleet(hosts, ["one", "two"]) as engine:
        run = engine.start(sys.argv[2])
        print(
            json.dumps([process.pid for started in hosts.started.values() for process in started]), flush=True
        )
        while run.summary() is None:
            run.next(1.0)


if __name__ == "__main__":
    main()
