"""Operations of runs that were never made: seconds that depend on each other, runs that differ."""

from __future__ import annotations

import math

import numpy as np

from loadstone.compare.seen import Seen

LIMIT_MS = 60.0


def waves(random: np.random.Generator, seconds: int, correlation: float) -> np.ndarray:
    """A series of variance 1, each element with this correlation to the one before."""
    noise = random.normal(0, 1, seconds)
    series = np.empty(seconds)
    series[0] = noise[0]
    for at in range(1, seconds):
        series[at] = correlation * series[at - 1] + math.sqrt(1 - correlation**2) * noise[at]
    return series


def seen(
    random: np.random.Generator,
    *,
    seconds: int = 60,
    per_s: float = 20.0,
    median_ms: float = 40.0,
    sigma: float = 0.2,
    wave: float = 0.1,
    correlation: float = 0.0,
    failing: float = 0.01,
) -> Seen:
    """One operation: log-normal times whose level goes in waves of `wave`, and its failures with them."""
    level = wave * waves(random, seconds, correlation)
    count = random.poisson(per_s, seconds)
    failed = random.binomial(count, np.minimum(1.0, failing * np.exp(5 * level)))
    ok = count - failed
    second = np.repeat(np.arange(seconds), ok)
    times = median_ms * np.exp(level[second] + random.normal(0, sigma, len(second)))
    return Seen(
        length_s=np.ones(seconds),
        ok=ok.astype(float),
        failed=failed.astype(float),
        within=np.bincount(second, times <= LIMIT_MS, seconds),
        second=second,
        value_ms=times,
        answers=np.ones(len(times)),
    )


def alarms(old: list[Seen], new: list[Seen], paired: bool = False, confidence: float = 0.95) -> list[str]:
    """The figures that differ, corrected for their number, as in a comparison of one operation."""
    from loadstone.compare.effect import effect
    from loadstone.compare.figures import RATE, SHARES, TIMES
    from loadstone.judge.differences import holm

    p_values = {}
    for figure in (*TIMES, *SHARES, RATE):
        found = effect(figure, old, new, paired)
        p = found and not found.same and found.change.p()
        if p:
            p_values[figure.name] = p
    return [
        name for name, p in zip(p_values, holm(list(p_values.values())), strict=True) if p < 1 - confidence
    ]
