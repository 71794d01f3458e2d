"""Sections of the study of nodes for what was measured: outcomes, throughput, shares of time, dollars."""

from __future__ import annotations

from typing import Any

from loadstone.report import format
from loadstone.report.folder import Json
from loadstone.report.sections import Section, numbered
from loadstone.report.table import Column, Table, words
from loadstone.stages.inject import OUTCOMES
from loadstone.study.nodes.page import charts


def sections(measured: Json) -> list[Section]:
    """A section for each task that there is a record for."""
    made = {
        "outcomes": _outcomes,
        "throughput": _carried,
        "servers": _served,
        "live": _live,
        "integrity": _spent,
        "cost": _paid,
    }
    return [draw(measured[name]) for name, draw in made.items() if measured.get(name)]


def _outcomes(rows: list[Json]) -> Section:
    origin = rows[0]["from"]
    return Section(
        "table1",
        "Table I, measured",
        "Each fault turns one bit of what one instruction of a program has just written. All programs of a "
        f"build together; intervals of 95 % (Wilson). {' '.join(origin['command'])}; {origin['machine']}; "
        f"{format.moment(origin['started_at']) if origin['started_at'] else 'no date'}.",
        wide=numbered("i", [charts.outcomes(rows)]),
        tables=[_shares(rows)],
        folded=[_by_kernel(rows)],
    )


def _shares(rows: list[Json]) -> Table:
    found: list[dict[str, Any]] = []
    for row in rows:
        for one in row["shares"]:
            paper = {"corrupt": "corrupt", "recovered": "recovered"}.get(one["outcome"])
            found.append(
                {
                    "build": row["build"], "outcome": one["outcome"], "count": one["count"],
                    "share": one["share"], "low": one["low"], "high": one["high"],
                    "beside": row["beside"], "paper": row["paper"][paper] if paper else None,
                }
            )  # fmt: skip
        found.append(
            {
                "build": row["build"], "outcome": "down: crash, detected and hang",
                "count": row["down"]["count"], "share": row["down"]["share"], "low": row["down"]["low"],
                "high": row["down"]["high"], "beside": row["beside"], "paper": row["paper"]["down"],
            }
        )  # fmt: skip
    return Table(
        "outcomes",
        "Shares of faults",
        [
            words("build", "build"), words("outcome", "outcome"), Column("count", "faults"),
            Column("share", "%", _percent), Column("low", "from %", _percent),
            Column("high", "to %", _percent),
            words("beside", "the paper’s type"), Column("paper", "paper, %", _percent),
        ],
        found,
        note="The paper counts what a check stops under crash, and flips eight bits in the first 300 calls "
        "of a function, in other programs. Its TX is not our TMR: it goes back, TMR outvotes.",
    )  # fmt: skip


def _by_kernel(rows: list[Json]) -> Table:
    found = [{"build": row["build"]} | one for row in rows for one in row["kernels"]]
    columns = [Column(outcome, f"{outcome}, %", _percent) for outcome in OUTCOMES]
    head = [words("build", "build"), words("kernel", "program"), Column("injected", "faults")]
    return Table("by-kernel", "By program", [*head, *columns], found)


def _carried(rows: list[Json]) -> Section:
    kernels = list(rows[0]["kernels"])
    paper = list(rows[0]["paper"])
    found = [
        {"build": row["build"], "beside": row["beside"], "mean": row["mean"], "plans": row["paper_plans"]}
        | row["kernels"]
        | row["paper"]
        for row in rows
    ]
    ours = Table(
        "carried",
        "Programs that only compute, against native",
        [
            words("build", "build"), *(Column(name, name, format.share) for name in kernels),
            Column("mean", "geometric mean", format.share),
        ],
        found,
        note=f"Medians of {rows[0]['rounds']} rounds: native CPU time ÷ the build’s, in user mode.",
    )  # fmt: skip
    theirs = Table(
        "carried-paper",
        "The paper’s servers, against native",
        [
            words("beside", "the paper’s type"), *(Column(name, name, format.share) for name in paper),
            Column("plans", "it plans with", format.share),
        ],
        list({row["beside"]: row for row in found}.values()),
    )  # fmt: skip
    return Section(
        "figure3",
        "Throughput, measured",
        "Figures 3 and 4. The paper measures servers, whose time is the kernel’s for a large part; programs "
        "that only compute bear all of the cost.",
        tables=[ours, theirs],
    )


def _served(rows: list[Json]) -> Section:
    columns = [
        words("server", "server"), words("load", "load"), words("variant", "variant"),
        Column("requests_per_s", "requests/s"), Column("response_ms", "response, ms", _small),
        Column("cpu_us", "CPU, µs", _small), Column("user_us", "user, µs", _small),
        Column("throughput", "throughput, × native", _small), Column("cpu", "native ÷ this, CPU", _small),
        Column("user", "native ÷ this, user", _small),
    ]  # fmt: skip
    return Section(
        "figure4",
        "Servers, measured",
        "Figures 3 and 4 on real servers: all variants in turn, CPU time of the server by request. The load "
        "comes from the same machine, so that CPU time says more than requests per second.",
        wide=numbered(
            "s",
            [
                charts.served(server, [row for row in rows if row["server"] == server])
                for server in dict.fromkeys(row["server"] for row in rows)
            ],
        ),
        folded=[Table("served", "Medians", columns, rows)],
    )


def _live(rows: list[Json]) -> Section:
    began = min(row["from"]["started_at"] for row in rows)
    found = []
    for row in rows:
        shares = {one["outcome"]: one for one in row["shares"]}
        found.append(
            {name: one["share"] for name, one in shares.items()}
            | {end: shares["corrupt"][end] for end in ("low", "high")}
            | {f"paper_{name}": row["paper"][name] for name in ("corrupt", "down", "recovered")}
            | {name: row[name] for name in ("server", "build", "injected", "beside")}
        )
    table = Table(
        "live",
        "Percent of the faults",
        [
            words("server", "server"), words("build", "build"), Column("injected", "faults"),
            Column("corrupt", "corrupt", _percent), Column("low", "from", _percent),
            Column("high", "to", _percent),
            *(Column(name, name, _percent) for name in OUTCOMES if name != "corrupt"),
            words("beside", "the paper’s type"), Column("paper_corrupt", "its corrupt", _percent),
            Column("paper_down", "its crashed", _percent), Column("paper_recovered", "its retried", _percent),
        ],
        found,
        note="From and to: the interval of 95 % of what is corrupt. The paper counts what a check stops "
        "under crash.",
    )  # fmt: skip
    return Section(
        "table1-live",
        "Table I on live servers, measured",
        "Each fault turns one bit in a server that is answering; a client compares every answer with that of "
        f"an unharmed one. The first campaign began {format.moment(began)}.",
        tables=[table],
    )


def _spent(rows: list[Json]) -> Section:
    found = [
        {
            "build": row["build"], "faults": one["faults"], "beside": row["beside"],
            **{f"{name}_{key}": 100 * each for name in ("corrupt", "down") if (part := one[name])
               for key, each in part.items() if each is not None},
        }
        for row in rows
        for one in row["points"]
    ]  # fmt: skip
    table = Table(
        "spent",
        "Percent of a month",
        [
            words("build", "build"), words("faults", "faults"), Column("corrupt_value", "corrupt", _small),
            Column("corrupt_low", "from", _small), Column("corrupt_high", "to", _small),
            words("beside", "the paper’s type"), Column("corrupt_paper", "corrupt, by Table I", _small),
            Column("down_value", "down", _small), Column("down_paper", "down, by Table I", _small),
        ],
        found,
        note="Corrupt until it is noticed after six hours, down until the node is replaced after 15 s. Ends "
        "are those of the measured shares’ intervals.",
    )  # fmt: skip
    return Section(
        "figure7-measured",
        "Right answers, from measured shares",
        "Figure 7 with the shares of Table I as they were measured here. A build that puts faults right is "
        "counted as if that took as long as the paper’s retry.",
        wide=numbered("m", [charts.measured(rows)] if any(row["corrupt"][-1] for row in rows) else []),
        tables=[table],
    )


def _paid(rows: list[Json]) -> Section:
    table = Table(
        "cost",
        "Dollars per user and month",
        [
            words("node", "node"), Column("throughput", "throughput", format.share), Column("num", "nodes"),
            Column("usd_per_month", "$ a month", _cents),
            Column("usd_per_user_month", "$/user/month", _dollars),
            Column("extra", "more than native", format.share),
            Column("corrupt_s_a_month", "corrupt, s a month", _small),
            Column("corrupt_s_a_month_high", "at most, s", _small),
            Column("times_less", "times less", _small),
            Column("down", "down, share", _small),
        ],
        rows,
        note=f"{rows[0]['users']:,} users; {rows[0]['faults']} faults a node; {rows[0]['price']}; nodes for "
        "the load, without extra ones. The users of one native node are an assumption of the study’s file.",
    )  # fmt: skip
    return Section(
        "protection",
        "What protection costs, and what it buys",
        "The slower a build, the more nodes for the same users; a protected one is corrupt for less time.",
        tables=[table],
    )


def _percent(value: float | None) -> str:
    return format.UNKNOWN if value is None else f"{100 * value:.2f}"


def _small(value: float | None) -> str:
    return format.UNKNOWN if value is None else f"{value:.4g}"


def _cents(value: float | None) -> str:
    return format.UNKNOWN if value is None else f"{value:,.2f}"


def _dollars(value: float | None) -> str:
    return format.UNKNOWN if value is None else f"{value:.4f}"
