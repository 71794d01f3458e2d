"""A run in the terminal, once it is over: a few lines and a table of its operations."""

from __future__ import annotations

from pathlib import Path

from loadstone.cli.columns import columns
from loadstone.stages.run import GoalFigures, HookFigures, Run
from loadstone.stages.run_operations import OperationFigures, ScenarioFigures, SessionFigures


def table(result: Run, folder: Path) -> str:
    """The run in a few lines."""
    head = ["operation", "count", "failed", "p50 ms", "p90 ms", "p99 ms", "limit ms", "within limit"]
    rows = [_row(name, operation) for name, operation in result.operations.items()]
    if any(operation.first_byte_ms for operation in result.operations.values()):
        head.append("first byte p50 ms")
        rows = [
            [*row, _number(one.first_byte_ms.p50 if one.first_byte_ms else None, 1)]
            for row, one in zip(rows, result.operations.values(), strict=True)
        ]
    load, sessions = result.load, result.sessions
    length = result.steady.end_s - result.steady.start_s if result.steady else 0.0
    shown = f"{length:.0f}" if length >= 10 else f"{length:.3g}"
    by_hand = ", changed by hand" if result.changed else ""
    lines = [
        f"{result.name}: {load.amount:.15g} {load.unit.words}{by_hand}, "
        f"{shown} s steady, {_number(result.throughput_ops_per_s, 1)} ops/s, "
        f"{_number(result.requests_per_s, 1)} requests/s",
        columns(head, rows, set(head[1:])),
    ]
    lines += [_scenario(one, load.unit.things) for one in result.scenarios]
    lines += [_goal(goal) for goal in result.goals.values()]
    if sessions and (load.unit.is_rate or sum(sessions.lost.values())):
        lines.append(_sessions(sessions))
    lines += [_hook(hook) for hook in result.hooks]
    if result.limited_by:
        lines.append(f"limited by {result.limited_by.said}")
    elif result.busiest:
        lines.append(f"no watched host was at its limit; the busiest: {result.busiest.said}")
    state = result.validity.state
    lines.append(f"{state if state == 'valid' else state.upper()}; {result.outcome}; {folder}")
    return "\n".join(lines)


def _goal(goal: GoalFigures) -> str:
    """A goal with its verdict, and what was seen of what is asked for."""
    if goal.measured is None:
        return f"{goal.name}: {goal.verdict}, nothing was seen"
    asked = f"{'at least' if goal.at_least else 'at most'} {_amount(goal.limit, goal.unit)}"
    where = f"{goal.operation} " if goal.operation else ""
    between = f"{_amount(goal.low, goal.unit)} to {_amount(goal.high, goal.unit)}"
    between += " by the spread of its response times" if goal.by == "spread" else ""
    return f"{goal.name}: {goal.verdict} ({where}{_amount(goal.measured, goal.unit)}, {between}; {asked})"


def _amount(value: float | None, unit: str) -> str:
    """A figure of a goal; without an upper bound it is open above."""
    if value is None:
        return "any"
    return f"{100 * value:.4g} %" if unit == "share" else f"{value:.4g}/s"


def _row(name: str, operation: OperationFigures) -> list[str]:
    times = operation.response_ms
    return [
        name,
        str(operation.count),
        str(sum(operation.failed.values())),
        *(_number(value, 1) for value in ((times.p50, times.p90, times.p99) if times else (None,) * 3)),
        f"{1000 * operation.limit_s:.0f}",
        _percent(operation.share_within_limit),
    ]


def _scenario(one: ScenarioFigures, things: str) -> str:
    """One of several scenarios: what share it was to have, and what it did."""
    begun = one.sessions.begun if one.sessions else 0
    sessions = f", {begun} session{'' if begun == 1 else 's'} begun" if one.sessions else ""
    return (
        f"{one.name} ({100 * one.share:.4g} % of the {things}): {one.count} operations "
        f"({_percent(one.count_share)}), {one.failed} failed, "
        f"{_number(one.throughput_ops_per_s, 1)} ops/s{sessions}"
    )


def _hook(hook: HookFigures) -> str:
    """A function that steps called: how often, how long, and what it needed of a processor."""
    calls = hook.returned + hook.failed
    return (
        f"{hook.function}: {calls} calls, {hook.failed} failed, p50 {_number(hook.ms.p50, 3)} ms, "
        f"p99 {_number(hook.ms.p99, 3)} ms, {_percent(hook.cpu_share)} of a processor"
    )


def _sessions(sessions: SessionFigures) -> str:
    """The sessions that began in the steady state, and how many were completed a second."""
    causes = ", ".join(f"{cause} {count}" for cause, count in sessions.lost.items() if count)
    lost = sum(sessions.lost.values())
    return (
        f"sessions: {sessions.begun} begun, {sessions.completed} completed "
        f"({_percent(sessions.completed_share)}), {lost} lost{f' ({causes})' if causes else ''}, "
        f"{sessions.unfinished} unfinished, {sessions.dropped} dropped; "
        f"{_number(sessions.completed_per_s, 1)} completed/s"
    )


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f} %"
