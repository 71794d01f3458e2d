"""Users, servers and response time on one axis of time: whether the servers came when the users did."""

from __future__ import annotations

from typing import Any

from loadstone.report import series
from loadstone.report.figures.axes import axes, length_s, per
from loadstone.report.figures.figure import Figure, band, label, line
from loadstone.report.folder import Run
from loadstone.report.series import Series
from loadstone.stages.run_elasticity import Elasticity

_HEIGHT = 420
_DOMAINS = {"y": (0.0, 0.38), "y2": (0.46, 0.68), "y3": (0.76, 1.0)}
"""Of response time, servers and users, from below."""


def elastic(run: Run) -> list[Figure]:
    """The chart; none of a run without servers that came and went."""
    found, engine, histograms = run.summary.elasticity, run.table("engine"), run.table("histograms")
    if not found or not engine or not histograms:
        return []
    width = series.bin_width_s(length_s(run))
    users = series.users(engine, width)[0]
    sampled = series.sampled_width_s(sum(series.answered(histograms).values()), length_s(run), width)
    times = series.response_percentiles(histograms, sampled)[1] if sampled else Series("p90", [], [])
    servers = _steps(found, length_s(run))
    frame = axes(run, _top(times), height=_HEIGHT)
    frame["yaxis"] |= {"domain": _DOMAINS["y"]}
    for name, one in (("yaxis2", servers), ("yaxis3", users)):
        domain = _DOMAINS[name.replace("axis", "")]
        whole = {"tickformat": ",d"} if name == "yaxis2" else {}
        frame[name] = frame["yaxis"] | {"domain": domain, "range": [0, _top(one)], "nticks": 4} | whole
    # One axis of time beneath them all.
    frame["xaxis"] |= {"anchor": "y"}
    frame["shapes"] = [
        *frame["shapes"],
        *(band(one.start_s, one.end_s, "@bad-back") for one in found.windows if one.kept["SLA-1"] is False),
    ]
    drawn = (("y", times, "@s1", "response time, p90, s"), ("y2", servers, "@s2", "servers"),
             ("y3", users, "@ink", "users"))  # fmt: skip
    frame["annotations"] += [
        label(words, tint, x=0.004, y=_DOMAINS[axis][1], size=11, yanchor="bottom")
        for axis, _, tint, words in drawn
    ]
    traces = [
        line(one, tint, hover="%{y:,.3~f}") | {"yaxis": axis, "name": words}
        for axis, one, tint, words in drawn
        if one.at_s
    ]
    traces[_index(traces, "y2")]["line"] |= {"shape": "hv"}
    return [
        Figure("elasticity", f"Users, servers and response time{per(width)}", _note(found), traces, frame)
    ]


def _steps(found: Elasticity, end_s: float) -> Series:
    at = [*(one.at_s for one in found.servers), end_s]
    counts = [float(one.servers) for one in found.servers]
    return Series("servers", at, [*counts, counts[-1]])


def _top(one: Series) -> float:
    return max((value for value in one.values if value), default=1.0) * 1.15


def _index(traces: list[dict[str, Any]], axis: str) -> int:
    return next(index for index, trace in enumerate(traces) if trace["yaxis"] == axis)


def _note(found: Elasticity) -> str:
    broken = sum(one.kept["SLA-1"] is False for one in found.windows)
    judged = f"SLA-1 was broken in {broken} of {len(found.windows)} windows" + (" (red)" if broken else "")
    return (
        f"{judged}. Servers of `{found.service}` by the policy {found.policy}: {found.machine_h:.3g}"
        f" machine-hours instead of the {found.fixed_machine_h:.3g} of {found.most} servers all the time."
    )
