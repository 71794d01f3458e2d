"""What the machine did besides the run."""

from __future__ import annotations

from loadstone.report import format
from loadstone.report.folder import Run
from loadstone.report.table import Column, Row, Table, words


def noise(run: Run) -> Table | None:
    """The machine's own noise in the steady state; None of a run that did not watch it."""
    found = run.summary.noise
    if not found:
        return None
    times = found.control_ms
    rows = [
        *(
            _row(f"exchange with a thread that does nothing, {name}", value, "ms", format.figure(value))
            for name, value in (("p50", times.p50), ("p99", times.p99), ("most", times.max))
        ),
        _row("processors busy", found.busy_share, "share", format.share(found.busy_share)),
        _row("taken by the hypervisor", found.steal_share, "share", format.share(found.steal_share)),
        _row(
            "taken by other processes",
            found.foreign_cpu_share,
            "share",
            format.share(found.foreign_cpu_share),
        ),
        _row("the same piece of arithmetic", found.compute_us, "µs", format.figure(found.compute_us)),
        _row("the same reads of memory", found.memory_us, "µs", format.figure(found.memory_us)),
        _row("steps of the time of day", found.clock_steps, "", format.whole(found.clock_steps)),
    ]
    columns = [
        words("what", "what"),
        Column("value", "in the steady state", said="told"),
        words("unit", "unit"),
    ]
    note = (
        "Of the machine that made the load. Shares are of all its processors' time. Without noise, an "
        "exchange of a few bytes would always take the same time, and so would the same piece of work: where "
        "that takes longer than in another run, the machine was slower. A check says whether a verdict hangs "
        "on the exchanges and on other processes."
    )
    return Table("noise", "Noise of the machine", columns, rows, note)


def _row(what: str, value: float | None, unit: str, told: str) -> Row:
    return {"what": what, "value": value, "unit": unit, "told": told}
