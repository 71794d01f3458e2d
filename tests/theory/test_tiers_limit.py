"""What one node of a tier carries: as typed, of a search, of a run, of a study of balancers."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from loadstone.errors import LoadstoneError
from loadstone.nodes.measured import read_requests_per_user
from loadstone.nodes.sizing import PerNode
from loadstone.nodes.studied import read_carried, read_cpu_us_per_request
from loadstone.plan.asked import Asked
from loadstone.plan.limit import Limit
from loadstone.plan.tiers_read import read_tiers

STUDY = Path(__file__).parents[1] / "cli" / "tiers" / "study"
DEMAND = "demand = { requests_per_s_per_user = 0.9 }"


def limit(folder: Path, *lines: str) -> Limit:
    file = folder / "tiers.toml"
    file.write_text("\n".join(["format = 1", "[tier.one]", *lines]))
    found = read_tiers(file, Asked(Fraction(1))).tiers[0].limit
    assert found
    return found


def users(value: str, low: str | None, high: str | None) -> PerNode:
    return PerNode("users", Fraction(value), *(Fraction(end) if end else None for end in (low, high)))


@pytest.mark.parametrize(
    ("capacity", "expected"),
    [
        ("{ users = 40.2 }", users("40.2", "40.2", "40.2")),
        ("{ users = 40.2, low = 38 }", users("40.2", "38", None)),
        ("{ users = 40.2, high = 41 }", users("40.2", None, "41")),
    ],
)
def test_users_are_exact_and_half_an_interval_is_half_unknown(
    capacity: str, expected: PerNode, tmp_path: Path
) -> None:
    assert limit(tmp_path, f"capacity = {capacity}").users == expected


def test_requests_are_users_by_their_demand(tmp_path: Path) -> None:
    found = limit(tmp_path, "capacity = { requests_per_s = 9000, low = 8820, high = 9180 }", DEMAND)
    assert found.users == users("10000", "9800", "10200")
    assert (found.requests_per_s, found.requests_per_s_per_user) == (9000, Fraction("0.9"))


def test_cpu_is_an_upper_bound_with_an_open_end_below(tmp_path: Path) -> None:
    found = limit(tmp_path, "capacity = { cpu_us_per_request = 100, cores = 0.9 }", DEMAND)
    assert found.upper_bound
    assert found.users == users("10000", None, "10000")


def test_the_demand_is_that_of_the_run_at_the_capacity(tmp_path: Path) -> None:
    capacity = {
        "format": 1, "kind": "capacity", "SLA-1": {"users": 500, "low": 500, "high": 510},
        "runs": [
            {"folder": "runs/0001-500", "users": 500, "valid": False, "verdict": {"SLA-1": "invalid"}},
            {"folder": "runs/0002-500", "users": 500, "valid": True, "verdict": {"SLA-1": "pass"}},
        ],
    }  # fmt: skip
    (tmp_path / "search").mkdir()
    (tmp_path / "search" / "capacity.json").write_text(json.dumps(capacity))
    for number, rate in ((1, 9.0), (2, 450.0)):
        folder = tmp_path / "search" / "runs" / f"000{number}-500"
        folder.mkdir(parents=True)
        load = {"users": 500, "ramp_up_s": 5, "steady_s": 60, "ramp_down_s": 0}
        run = {
            "format": 1, "load": load, "requests_per_s": rate, "operations": {}, "sla": {},
            "validity": {"valid": True, "checks": []},
        }  # fmt: skip
        (folder / "run.json").write_text(json.dumps(run))
    assert read_requests_per_user(tmp_path / "search", "SLA-1") == Fraction("0.9")
    assert read_requests_per_user(folder, "SLA-1") == Fraction("0.9")
    found = limit(tmp_path, "capacity = { requests_per_s = 9000 }", 'demand = { from = "search" }')
    assert found.users.value == 10_000
    (folder / "run.json").unlink()
    with pytest.raises(LoadstoneError, match=r"holds no run\.json"):
        read_requests_per_user(tmp_path / "search", "SLA-1")
    folder.rmdir()
    with pytest.raises(LoadstoneError, match="the valid run with 500 users is not there any more"):
        read_requests_per_user(tmp_path / "search", "SLA-1")


def test_a_study_gives_the_most_a_variant_carried(tmp_path: Path) -> None:
    (tmp_path / "study").symlink_to(STUDY)
    found = limit(tmp_path, 'capacity = { from = "study", variant = "haproxy" }', DEMAND)
    assert (found.users, found.source) == (users("10000", "9800", "10200"), "haproxy in study")
    assert found.warnings == ()


def test_a_study_whose_generator_was_the_limit_bounds_from_below(tmp_path: Path) -> None:
    (tmp_path / "study").symlink_to(STUDY)
    found = limit(tmp_path, 'capacity = { from = "study", variant = "nftables" }', DEMAND)
    assert (found.users.low, found.users.high) == (None, None)
    assert found.warnings == (
        "limited by the generator and the machine that all of it ran on when measured: it may carry more",
    )


def test_a_studys_cpu_time_is_an_upper_bound(tmp_path: Path) -> None:
    (tmp_path / "study").symlink_to(STUDY)
    found = limit(tmp_path, 'capacity = { from = "study", variant = "haproxy", cores = 2 }', DEMAND)
    assert (found.requests_per_s, found.upper_bound) == (20_000, True)


def _row(balancer: str, repetition: int, rate: float, **cost: float) -> dict[str, Any]:
    times = {"mean": 10_000.0, "p50": 9000.0, "p90": 12_000.0, "p99": 20_000.0}
    spent = {"machine_us": 300.0, "softirq_us": 20.0, "idle_share": 0.3, **cost}
    return {
        "balancer": balancer, "generators": 1, "concurrency": 100, "repetition": repetition,
        "requests_per_s": rate, "failed": {}, "response_us": times, "generator_share": 0.4, "cost": spent,
    }  # fmt: skip


def test_what_the_study_writes_is_what_is_read(tmp_path: Path) -> None:
    carried = pytest.importorskip("loadstone.study.balancers.carried")
    rows = [_row("nginx", i, 9000.0 + 10 * i, user_us=30.0 + i, sys_us=70.0 - i) for i in range(10)]
    written = pytest.importorskip("loadstone.study.record").StudyRecord.FORMAT
    content = {"format": written, "kind": "study", "parts": {"throughput": carried.throughput(rows)}}
    (tmp_path / "study.json").write_text(json.dumps(content))
    found = read_carried(tmp_path, "nginx")
    assert found.requests_per_s == 9045
    assert found.low is not None and found.high is not None
    assert 9000 < found.low < found.requests_per_s < found.high < 9090
    assert read_cpu_us_per_request(tmp_path, "nginx") == 100
