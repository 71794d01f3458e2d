"""What the solver is held to, case by case, from the figures of one run."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ctmc_cases import Case

# Relative width of every enclosure, and how many times faster than its peers a stiff year must be.
WIDTH = 1e-6
TIMES_STORM = 100
TIMES_PRISM = 10

# Seconds after its time budget by which a refusal has to come.
GRACE_S = 1.0

# What PRISM's seconds hold that no solver needs: its start.
PRISM_START_S = 0.9

TARGETS_HEAD = ["| target | case | figure | |", "|" + "---|" * 4]


@dataclass(frozen=True)
class Target:
    """One target: what was asked, what was found, whether that is enough."""

    target: str
    case: str
    figure: str
    met: bool


def targets(case: Case, found: dict[str, Any]) -> list[dict[str, Any]]:
    """All targets of one case that was run."""
    own = found.get("loadstone")
    if own is None:
        return []
    if "refused" in own and case.within_s is not None:
        figure = f"refused after {own['after_s']:.1f} s"
        wanted = f"an answer or a refusal within {case.within_s:g} s"
        return [asdict(Target(wanted, case.name, figure, own["after_s"] <= case.within_s + GRACE_S))]
    if "answer" not in own:
        return [asdict(Target("an answer", case.name, f"none in {own.get('limit', '?')} s", False))]
    low, high = own["answer"]
    width = 0.0 if high == low else (high - low) / high
    lines = [Target(f"width <= {WIDTH:g}", case.name, f"{width:.1e}", width <= WIDTH)]
    if case.most_s is not None:
        met = own["cpu_s"] < case.most_s
        lines.append(Target(f"< {case.most_s:g} s", case.name, f"{own['cpu_s']:.3f} s", met))
    if case.stiff:
        lines += beside_storm(case, own, found.get("storm", {}), TIMES_STORM)
    if case.moderate:
        lines += beside_storm(case, own, found.get("storm", {}), 1)
    if case.prism_s is not None and (case.stiff or case.time is None):
        times = TIMES_PRISM if case.stiff else 1
        ratio = case.prism_s / own["cpu_s"]
        net = max(case.prism_s - PRISM_START_S, 0.0) / own["cpu_s"]
        wanted = f"{times} x PRISM" if times > 1 else "no slower than PRISM"
        lines.append(
            Target(wanted, case.name, f"{ratio:.3g} x, {net:.3g} x without its start", ratio >= times)
        )
    return [asdict(line) for line in lines]


def beside_storm(case: Case, own: dict[str, Any], storm: dict[str, Any], times: int) -> list[Target]:
    """None where Storm is not installed; at least so many times where it was stopped."""
    seconds = storm.get("cpu_s", storm.get("limit"))
    if seconds is None:
        return []
    ratio = seconds / own["cpu_s"]
    least = "" if "cpu_s" in storm else ">= "
    wanted = f"{times} x Storm" if times > 1 else "no slower than Storm"
    return [Target(wanted, case.name, f"{least}{ratio:.3g} x", ratio >= times)]


def spelled(line: dict[str, Any]) -> str:
    """A row of the table of targets."""
    verdict = "met" if line["met"] else "**not met**"
    return f"| {line['target']} | {line['case']} | {line['figure']} | {verdict} |"
