"""What the machine did besides the run: its own noise."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from loadstone.judge.histogram import EMPTY, Floats, Histogram
from loadstone.judge.sessions import QUANTILES
from loadstone.stages.quantiles import Quantiles
from loadstone.stages.run import NoiseFigures

FULL = 0.9
"""A machine is full in a second in which it is busy for this share of its processors' time."""

STEP_S = 0.005
"""A change of the time of day against the monotonic clock that is a step. A time service that corrects the
rate changes it by 0.5 ms a second at most."""


@dataclass(frozen=True)
class Noise:
    """What this machine did in the steady state. Arrays have one element a second, NaN if unknown."""

    control: Histogram = EMPTY
    """Times of the control's exchanges, on the machines that made the load."""
    control_cpu_s: float = 0.0
    busy_share: Floats = field(default_factory=lambda: np.zeros(0))
    steal_share: Floats = field(default_factory=lambda: np.zeros(0))
    """Of all processors' time: what the hypervisor gave to others."""
    foreign_share: Floats = field(default_factory=lambda: np.zeros(0))
    """What other processes took than the generator and the service. NaN if the service was not observed."""
    steps_s: Floats = field(default_factory=lambda: np.zeros(0))
    """Change of the time of day against the monotonic clock."""
    compute_us: Floats = field(default_factory=lambda: np.zeros(0))
    """CPU time of the same piece of arithmetic in each second; NaN where a machine did none."""
    memory_us: Floats = field(default_factory=lambda: np.zeros(0))
    """That of the same reads of memory."""

    @property
    def taken(self) -> Floats:
        """Share that others took in each second in which the machine was full; else 0."""
        others = np.nan_to_num(self.steal_share) + np.nan_to_num(self.foreign_share)
        return np.where(self.busy_share >= FULL, np.minimum(others, 1.0), 0.0)

    @property
    def steps(self) -> Floats:
        """The steps among `steps_s`."""
        return self.steps_s[np.abs(self.steps_s) > STEP_S]


def summarise_noise(noise: Noise) -> NoiseFigures:
    """The `noise` part of `run.json`."""
    seconds = max(1, len(noise.busy_share))
    times = noise.control
    quantiles = {name: times.quantile_us(share) for name, share in QUANTILES.items()}
    return NoiseFigures(
        control_ms=Quantiles(
            mean=round(1000 * times.mean_s, 4) if times.count else None,
            **{name: None if us is None else us / 1000 for name, us in quantiles.items()},
        ),
        control_cpu_cores=round(noise.control_cpu_s / seconds, 5),
        busy_share=mean(noise.busy_share),
        steal_share=mean(noise.steal_share),
        foreign_cpu_share=mean(noise.foreign_share),
        clock_steps=len(noise.steps),
        compute_us=mean(noise.compute_us),
        memory_us=mean(noise.memory_us),
    )


def mean(shares: Floats) -> float | None:
    """Of the seconds that are known; None without any."""
    known = shares[~np.isnan(shares)]
    return round(float(known.mean()), 5) if len(known) else None
