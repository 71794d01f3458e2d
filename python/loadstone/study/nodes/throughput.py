"""What hardening costs in throughput: the ratios that the paper uses, and those its measurements give."""

from __future__ import annotations

from fractions import Fraction
from statistics import fmean
from typing import Any

from loadstone.nodes.integrity import NODE_TYPES
from loadstone.nodes.sizing import nodes_needed
from loadstone.study.nodes.description import Application, Description

Json = dict[str, Any]

_HARDENED = ("ilr", "tx")
_GENERAL = "Apache"
"""Several of its measurements are of one application: the mean by application counts it once."""


def throughput(description: Description) -> Json:
    """Ratios to native by measurement, two ways to average them, and Num by each."""
    measured: list[Json] = [{"name": one.name} | _ratios(one) for one in description.application]
    apache = [one for one in measured if one["name"].startswith(_GENERAL)]
    others = [one for one in measured if one not in apache]
    by_application: list[Json] = [{name: fmean(one[name] for one in apache) for name in _HARDENED}, *others]
    averages = [
        {"way": "the paper's own", **{name: float(NODE_TYPES[name].throughput) for name in _HARDENED}},
        {"way": "mean of all measurements", **_mean(measured)},
        {"way": "mean by application", **_mean(by_application)},
    ]
    load = Fraction(description.load)
    for one in averages:
        one["num"] = {name: nodes_needed(load, Fraction(1), Fraction(repr(one[name]))) for name in _HARDENED}
    return {"measured": measured, "averages": averages}


def _ratios(one: Application) -> Json:
    return {"ilr": one.ilr / one.native, "tx": one.tx / one.native}


def _mean(rows: list[Json]) -> Json:
    return {name: fmean(row[name] for row in rows) for name in _HARDENED}
