"""Numbers with their uncertainty: a value, and the interval that holds it with 95 % confidence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

_Z = 1.959963984540054
"""Normal quantile of 97.5 %."""


@dataclass(frozen=True)
class Estimate:
    """A positive number. `low` and `high` are its 95 % interval; both None: taken as exact."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def uncertain(self) -> bool:
        """Whether an end of its interval is known."""
        return self.low is not None or self.high is not None

    def at(self, z: float) -> float:
        """The number `z` standard deviations of its logarithm away from the value; each side by its own
        end of the interval. A side that is not known does not move.

        >>> Estimate(100.0, 50.0, 400.0).at(-1.959963984540054)
        50.0
        """
        end = self.high if z > 0 else self.low
        if end is None or z == 0:
            return self.value
        if abs(z) == _Z:
            return end
        return self.value * math.exp(abs(z) / _Z * math.log(end / self.value))

    def times(self, factor: float) -> Estimate:
        """The number and its interval, `factor` times as large."""
        ends = (None if end is None else end * factor for end in (self.low, self.high))
        return Estimate(self.value * factor, *ends)

    def end(self, name: str) -> float:
        """`low` or `high`; the value when it is not known."""
        found = self.low if name == "low" else self.high
        return self.value if found is None else found


def rate_seen(count: int, time_s: Fraction) -> Estimate:
    """The rate behind `count` events of a Poisson process seen in `time_s`.

    Jeffreys' posterior, Gamma(count + 1/2, time): its mean, and its 2.5 % and 97.5 % quantiles. Nothing seen
    still says that the rate is low.

    >>> found = rate_seen(0, Fraction(1))
    >>> found.value, round(found.high, 2)
    (0.5, 2.51)
    """
    from scipy.special import gammaincinv

    shape, time = count + 0.5, float(time_s)
    low, high = (float(gammaincinv(shape, level)) / time for level in (0.025, 0.975))
    return Estimate(shape / time, low, high)
