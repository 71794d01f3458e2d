"""The scaling law beside the points that it is fitted to; dashed where nothing was measured."""

from __future__ import annotations

from loadstone.report.figures.figure import Figure, Trace, layout
from loadstone.report.scaling import scaling_lines
from loadstone.stages.scaling import CurvePoint, Scaling

HEIGHT = 190


def scaling_curve(found: Scaling | None) -> list[Figure]:
    """The chart; none where there is no law."""
    if not found or not found.curve:
        return []
    frame = layout(HEIGHT, right=14, hovermode="closest")
    title = {"text": found.counted, "standoff": 6, "font": {"size": 12}}
    frame["xaxis"] |= {"range": [0, found.curve[-1].load * 1.05], "title": title}
    highest = [point.high or point.value for point in found.curve if not point.extrapolated]
    highest += [point.per_s for point in found.points] + [point.value for point in found.curve]
    frame["yaxis"] |= {"range": [0, max(highest) * 1.12], "nticks": 5}
    measured = [point for point in found.curve if not point.extrapolated]
    beyond = measured[-1:] + [point for point in found.curve if point.extrapolated]
    traces = [*_band(found.curve), _line(measured, "solid", found)]
    if len(beyond) > 1:
        traces.append(_line(beyond, "dash", found))
    note = f"{' '.join(line.strip() for line in scaling_lines(found))}. Dashed: extrapolated, not measured."
    return [
        Figure(
            "scaling",
            f"Scaling law, {found.unit}",
            note[:1].upper() + note[1:],
            [*traces, _points(found)],
            frame,
            quiet=True,
        )
    ]


def _band(curve: list[CurvePoint]) -> list[Trace]:
    """The interval of the law at each load, as far as it has two ends."""
    known = [point for point in curve if point.high is not None]
    edges = [(known, [point.low for point in known]), (known, [point.high for point in known])]
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [point.load for point in points],
            "y": ends,
            "line": {"width": 0},
            "fillcolor": "@band-1",
            "hoverinfo": "skip",
        }
        | ({"fill": "tonexty"} if upper else {})
        for upper, (points, ends) in enumerate(edges)
    ]


def _line(curve: list[CurvePoint], dash: str, found: Scaling) -> Trace:
    said = "the law, extrapolated" if dash == "dash" else "the law"
    return {
        "type": "scatter",
        "mode": "lines",
        "name": said,
        "x": [point.load for point in curve],
        "y": [point.value for point in curve],
        "line": {"color": "@s1", "width": 1.6, "dash": dash},
        "hovertemplate": f"%{{x:,}} {found.counted}: %{{y:.3~f}} {found.unit}",
    }


def _points(found: Scaling) -> Trace:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "measured",
        "x": [point.load for point in found.points],
        "y": [point.per_s for point in found.points],
        "marker": {"color": "@ink", "size": 5},
        "hovertemplate": f"%{{x:,}} {found.counted}: %{{y:.3~f}} {found.unit}",
    }
