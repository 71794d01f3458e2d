"""A page of every kind that Loadstone makes; from what is kept in `bench/runs`, where it has the kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import synthetic
from probe_lines import pings, tcp, udp
from test_command import side
from typer.testing import CliRunner

from loadstone import compare, probe, report
from loadstone.chaos.page import chaos_page
from loadstone.cli import app
from loadstone.report.compared import comparison_page, history_page
from loadstone.report.learned import learned_page, read_learned
from loadstone.report.plan import plan_page
from loadstone.report.probe import probe_page
from loadstone.study.page import study_page

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "bench" / "runs"


def _kept(*names: str) -> Callable[[Path], str]:
    return lambda _: report.page([report.read_chapter(KEPT / name) for name in names])


def _study(name: str) -> Callable[[Path], str]:
    return lambda _: study_page(KEPT / name)


def _synthetic(place: Path) -> str:
    """Steps, failures, sessions that were lost, all stages."""
    synthetic.capacity(place)
    synthetic.nodes(place)
    synthetic.cost(place)
    return report.page([report.read_chapter(place)])


def _compared(place: Path) -> str:
    for name, scale in (("old", 1.0), ("new", 1.3)):
        side(place / name, scale, range(1, 4), steady_s=8)
    return comparison_page(compare.compared(compare.read_sides([place / "old", place / "new"], False)))


def _history(place: Path) -> str:
    for name, scale in (("before", 1.0), ("since", 1.3)):
        side(place / name, scale, range(1, 7), steady_s=8)
    runs = place / "runs"
    runs.mkdir()
    for number, folder in enumerate([*sorted(place.glob("before/*")), *sorted(place.glob("since/*"))]):
        folder.rename(runs / f"{number:04d}")
    return history_page(compare.history(runs))


def _plan(place: Path) -> str:
    ended = CliRunner().invoke(app, ["plan", str(ROOT / "examples/plan/shop.toml"), "--out", str(place)])
    assert ended.exit_code == 0, ended.output
    return plan_page(place)


def _probe(place: Path) -> str:
    hosts = {name: {"kind": "x", "address": f"198.18.0.{at}"} for at, name in enumerate("abc", 1)}
    pairs = [probe.Pair("a", "b", "near"), probe.Pair("a", "c", "far")]
    probe.begin(place, "wire", ["loadstone", "probe"], hosts, pairs, probe.Options(), None)
    lines = [*pings(1.0, 0.1, tail=0.05), *tcp(19.1), *udp(19.4, 0.2), *udp(9.5, over=False)]
    lines += [line | {"to": "c"} for line in pings(40.0, 2.0, loss=0.1, seed=3)]
    for line in lines:
        probe.append(place, line)
    return probe_page([(place, probe.conclude(place))])


PAGES: dict[str, Callable[[Path], str]] = {
    "run": _kept("2026-11-21-x86_64-2core/olio-300"),
    "stages": _kept("2026-11-24-x86_64-2core/demo"),
    "synthetic": _synthetic,
    "compare": _compared,
    "history": _history,
    "plan": _plan,
    "probe": _probe,
    "learn": lambda _: learned_page(read_learned(KEPT / "2026-11-25-x86_64-2core/learn/two-classes")),
    "study-balancers": _study("2026-11-21-x86_64-2core/balancers"),
    "study-connectors": _study("2026-11-22-x86_64-2core/connectors"),
    "study-appliance": _study("2026-11-26-x86_64-2core/appliance"),
    "study-nodes": _study("2026-11-24-x86_64-2core/study-nodes"),
    "chaos": lambda _: chaos_page(KEPT / "2026-11-22-x86_64-2core/chaos"),
}
"""By the kind of page: makes its HTML; what it needs besides is made in the folder that it gets."""
