"""Quantiles by special functions beside those of scipy's statistics, and what a run imports."""

import subprocess
import sys

import pytest
from scipy import stats

from loadstone.judge import evidence, quantiles

SHARES = (1e-6, 3e-4, 0.025, 0.1, 0.5, 0.9, 0.975, 1 - 3e-4, 1 - 1e-6)


@pytest.mark.parametrize("share", SHARES)
def test_each_is_the_one_of_the_law(share: float) -> None:
    """Over the parameters that runs have."""
    assert quantiles.normal(share) == pytest.approx(stats.norm.ppf(share))
    for freedom in (1, 2.5, 19, 400, float("inf")):
        assert quantiles.student(share, freedom) == pytest.approx(stats.t.ppf(share, freedom))
    for shape in (0.02, 0.5, 1, 30, 5e4):
        assert quantiles.gamma(share, shape) == pytest.approx(stats.gamma.ppf(share, shape), rel=1e-6)
    for mean in (1e-4, 0.3, 1, 2.0, 17.5, 4e4):
        assert quantiles.poisson(share, mean) == stats.poisson.ppf(share, mean)
    for draws in (1, 4, 36, 20_000):
        for chance in (0, 1e-5, 0.2, 0.5, 0.999, 1):
            assert quantiles.binomial(share, draws, chance) == stats.binom.ppf(share, draws, chance)


@pytest.mark.parametrize(
    ("seen", "count", "share"), [(0, 5, 0.1), (1, 40.7, 1e-3), (40, 40, 0.9), (3.5, 9, 0.2)]
)
def test_how_often_chance_shows_as_much(seen: float, count: float, share: float) -> None:
    """The binomial law's upper tail, where a count need not be whole."""
    assert evidence.at_least_by_chance(seen, count, share) == pytest.approx(
        stats.binom.sf(seen - 1, count // 1, share)
    )


def test_a_run_does_not_import_statistics() -> None:
    """They take half a second of processor time, once for each command."""
    names = (
        "import sys, loadstone.measure; print('scipy.stats' in sys.modules, 'scipy.optimize' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", names], capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["False", "False"]
