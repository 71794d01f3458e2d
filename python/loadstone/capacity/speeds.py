"""How fast the machine was in the runs of a search whose service is on it, and which it slowed. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from loadstone.judge.evenness import Speed, slowed
from loadstone.stages.run import NoiseFigures, Run
from loadstone.stages.run_hosts import WatchedHost


@dataclass
class Speeds:
    """Of a service on another machine nothing is known: its runs are not listed, and never slowed."""

    runs: list[tuple[int, Speed]] = field(default_factory=list)
    """With their loads, in steps."""

    def add(self, steps: int, folder: str, result: Run) -> None:
        """One more run."""
        noise = result.noise
        if noise and _served_here(noise, result.hosts):
            self.runs.append((steps, Speed(folder, noise.compute_us, noise.memory_us)))

    def slowed(self) -> set[str]:
        """Folders of the runs with a slower machine than one with as much load or more."""
        return {speed.run for steps, speed in self.runs if slowed(steps, speed, self.runs)}

    def suspected(self) -> set[int]:
        """Loads all whose runs had a slower machine than one with less load: it may be their own doing."""
        fast = {steps for steps, speed in self.runs if not slowed(0, speed, self.runs)}
        return {steps for steps, _ in self.runs} - fast


def _served_here(noise: NoiseFigures, hosts: Sequence[WatchedHost]) -> bool:
    """Whether the service was seen to be on the machine that made the load, itself or on hosts of its lab."""
    return noise.foreign_cpu_share is not None or any(host.lab and host.services for host in hosts)
