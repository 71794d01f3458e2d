"""Laws of times, fitted by maximum likelihood to counts of rounded times and chosen by AIC."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

Floats = NDArray[np.float64]

FINE_EDGES: Floats = np.r_[0.0, 10.0 ** np.linspace(-3, 5, 801)]
"""Of the bins for logs whose times have fractions of a second: 2.3 % wide, s."""
_LEAST = 1e-300


@dataclass(frozen=True)
class Counts:
    """How often each time was seen.

    whole: bin d is the difference d of two times cut to whole seconds; else bins are those of FINE_EDGES.
    """

    counts: NDArray[np.int64]
    whole: bool
    longest_s: float
    """Longer times were not counted: they end a session."""

    @property
    def total(self) -> int:
        """All times."""
        return int(self.counts.sum())

    @property
    def middles_s(self) -> Floats:
        """A time of each bin."""
        if self.whole:
            return np.arange(len(self.counts), dtype=float)
        return (FINE_EDGES[1:] + FINE_EDGES[:-1]) / 2

    @property
    def mean_s(self) -> float:
        """The mean time."""
        return float(self.counts @ self.middles_s / max(1, self.total))


@dataclass(frozen=True)
class Fit:
    """A law of the scenario format with its parameters by the format's names, and their standard errors."""

    kind: str
    parameters: dict[str, float]
    errors: dict[str, float]
    aic: float
    mean_s: float


@dataclass(frozen=True)
class _Law:
    """cdf and the integral of the cdf from 0; `of` makes both parameters from two free numbers."""

    kind: str
    names: tuple[str, ...]
    of: Callable[[Floats], tuple[float, ...]]
    start: Callable[[float, float], Sequence[float]]
    """From the mean and deviation of the times."""
    cdf: Callable[..., Floats]
    area: Callable[..., Floats]
    mean: Callable[..., float]


def _log_area(x: Floats, mu: float, sigma: float) -> Floats:
    z = (np.log(np.maximum(x, _LEAST)) - mu) / sigma
    return np.asarray(x * special.ndtr(z) - np.exp(mu + sigma**2 / 2) * special.ndtr(z - sigma))


def _weibull_area(x: Floats, scale: float, shape: float) -> Floats:
    power = (x / scale) ** shape
    partial = scale * special.gamma(1 + 1 / shape) * special.gammainc(1 + 1 / shape, power)
    return np.asarray(-x * np.expm1(-power) - partial)


def _pareto_area(x: Floats, k: float, alpha: float) -> Floats:
    above = np.maximum(x, k)
    partial = alpha * k * np.log(above / k) if abs(alpha - 1) < 1e-9 else (
        alpha / (alpha - 1) * (k - k**alpha * above ** (1 - alpha))
    )  # fmt: skip
    return np.asarray(above * (1 - (k / above) ** alpha) - partial)


def _two(a: Floats) -> tuple[float, ...]:
    # Not Python's numbers: those raise where a trial step of the search overflows.
    return np.exp(a[0]), np.exp(a[1])


LAWS = (
    _Law(
        "neg-exp", ("mean_s",), lambda a: (np.exp(a[0]),), lambda m, s: [np.log(m)],
        lambda x, mean: -np.expm1(-x / mean), lambda x, mean: x + mean * np.expm1(-x / mean),
        lambda mean: mean,
    ),
    _Law(
        "log-normal", ("mu", "sigma"), lambda a: (a[0], np.exp(a[1])),
        lambda m, s: [np.log(m) - np.log1p((s / m) ** 2) / 2, 0.5 * np.log(np.log1p((s / m) ** 2))],
        lambda x, mu, sigma: special.ndtr((np.log(np.maximum(x, _LEAST)) - mu) / sigma), _log_area,
        lambda mu, sigma: float(np.exp(mu + sigma**2 / 2)),
    ),
    _Law(
        "weibull", ("scale_s", "shape"), _two, lambda m, s: [np.log(m), np.log(min(8.0, max(0.3, m / s)))],
        lambda x, scale, shape: -np.expm1(-((x / scale) ** shape)), _weibull_area,
        lambda scale, shape: float(scale * special.gamma(1 + 1 / shape)),
    ),
    _Law(
        "pareto", ("k_s", "alpha"), _two, lambda m, s: [np.log(m / 4), np.log(1.2)],
        lambda x, k, alpha: 1 - (k / np.maximum(x, k)) ** alpha, _pareto_area,
        lambda k, alpha: float(alpha * k / (alpha - 1)) if alpha > 1 else float("inf"),
    ),
)  # fmt: skip
"""The laws that the scenario format has for times that vary without bounds."""


def fits(counts: Counts) -> list[Fit]:
    """Every law, the best by AIC first; none when no time is over 0."""
    n = counts.counts
    mean = counts.mean_s
    if counts.total < 2 or mean <= 0:
        return []
    deviation = float(np.sqrt(n @ (counts.middles_s - mean) ** 2 / counts.total))
    found = [_fit(law, counts, mean, max(deviation, 0.05 * mean)) for law in LAWS]
    return sorted(found, key=lambda one: one.aic)


def _fit(law: _Law, counts: Counts, mean: float, deviation: float) -> Fit:
    loss = _loss(law, counts)
    start = np.asarray(law.start(mean, deviation), dtype=float)
    best = optimize.minimize(loss, start, method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-6})
    values = law.of(best.x)
    return Fit(
        law.kind,
        dict(zip(law.names, map(float, values), strict=True)),
        _errors(law, loss, best.x),
        2 * float(best.fun) + 2 * len(law.names),
        law.mean(*values),
    )


def _loss(law: _Law, counts: Counts) -> Callable[[Floats], float]:
    """Minus the log-likelihood, given that the times are not over the longest."""
    seen = np.flatnonzero(counts.counts)
    n = counts.counts[seen].astype(float)
    d = seen.astype(float)
    end = np.array([counts.longest_s + (1.0 if counts.whole else 0.0)])

    def loss(free: Floats) -> float:
        if np.abs(free).max() > 25:
            return 1e300
        with np.errstate(all="ignore"):
            values = law.of(free)
            if counts.whole:
                # The two instants' fractions are uniform: the difference of the cut times is within one
                # second of the true one, with the weight of a triangle.
                next_, at, last = (law.area(np.maximum(x, 0.0), *values) for x in (d + 1, d, d - 1))
                cells = next_ - 2 * at + last
                whole = law.area(end, *values) - law.area(end - 1, *values)
            else:
                cells = law.cdf(FINE_EDGES[seen + 1], *values) - law.cdf(FINE_EDGES[seen], *values)
                whole = law.cdf(end, *values)
            found = -float(n @ np.log(np.maximum(cells, 1e-15))) + n.sum() * float(
                np.log(max(whole[0], 1e-15))
            )
        return found if np.isfinite(found) else 1e300

    return loss


def _errors(law: _Law, loss: Callable[[Floats], float], at: Floats) -> dict[str, float]:
    """Standard errors from the curvature of the log-likelihood; inf where it has none."""
    step, size = 1e-3, len(at)
    hessian = np.empty((size, size))
    unit = np.eye(size) * step
    for i in range(size):
        for j in range(size):
            hessian[i, j] = (
                loss(at + unit[i] + unit[j]) - loss(at + unit[i] - unit[j])
                - loss(at - unit[i] + unit[j]) + loss(at - unit[i] - unit[j])
            ) / (4 * step**2)  # fmt: skip
    slopes = [(np.array(law.of(at + u)) - np.array(law.of(at - u))) / (2 * step) for u in unit]
    jacobian = np.stack(slopes, axis=1)
    try:
        variance = np.diag(jacobian @ np.linalg.inv(hessian) @ jacobian.T)
    except np.linalg.LinAlgError:
        variance = np.full(size, np.inf)
    return {
        name: float(np.sqrt(one)) if one >= 0 else float("inf")
        for name, one in zip(law.names, variance, strict=True)
    }


def aic_of(fit: Fit, counts: Counts) -> float:
    """The AIC of a law that was fitted elsewhere: nothing of it is free here."""
    law = next(one for one in LAWS if one.kind == fit.kind)
    values = list(fit.parameters.values())
    free = [
        values[0] if fit.kind == "log-normal" else np.log(values[0]),
        *(np.log(one) for one in values[1:]),
    ]
    return 2 * _loss(law, counts)(np.asarray(free))
