"""Synthetic folders: made up by formulas, never measured. The same call writes the same folder.

The pretended server answers in log-normal times around a base that grows as 1 / (1 − users / 620), so it has
a knee; one second of every run stalls, so that its charts have something to show.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from loadstone.judge.scaling import scaling
from loadstone.stages.scaling import ScalingPoint

OPERATIONS = {  # name: (limit s, share of the mix, base ms)
    "HomePage": (1.0, 0.2615, 24.0),
    "Login": (1.0, 0.1022, 18.0),
    "TagSearch": (2.0, 0.3345, 31.0),
    "EventDetail": (2.0, 0.2468, 22.0),
    "PersonDetail": (2.0, 0.0261, 12.0),
    "AddPerson": (3.0, 0.0084, 160.0),
    "AddEvent": (4.0, 0.0205, 210.0),
}
STEPS = {  # name: (request, its part, share of the time)
    "HomePage": (
        ("GET /", "answer", 0.4), ("GET /", "files", 0.45),
        ("GET /events/upcoming?page={page}", "answer", 0.15),
    ),
    "AddEvent": (
        ("GET /addEvent.php", "answer", 0.1), ("GET /addEvent.php", "files", 0.1),
        ("POST /addEventResult.php", "answer", 0.8),
    ),
}  # fmt: skip
BEGUN = 0.9
"""When an answer begins, as a share of the time until it has come whole."""
CAUSES = ("refused", "reset", "closed", "timeout", "status", "marker")
KNEE = 620
STARTED = "2026-11-21T06:00:00+00:00"
MACHINE = {
    "hostname": "synthetic", "cpu": "Pretended CPU @ 2.50 GHz", "cores": 2, "memory_bytes": 8_244_322_304,
    "os": "Debian GNU/Linux 12", "kernel": "6.1.0",
}  # fmt: skip
SCENARIO = '# A synthetic scenario: <b>never measured</b>.\nname = "olio"\n\n[target]\nurl = "http://127.0.0.1:8080"\n'


def bucket(micros: np.ndarray) -> np.ndarray:
    """Bucket indices of response times, by the definition in docs/reference/run-folder.md."""
    values = micros.astype(np.int64)
    shift = np.maximum(0, np.floor(np.log2(np.maximum(values, 1))).astype(np.int64) - 10)
    return np.where(values < 2048, values, ((shift + 1) << 10) + (values >> shift) - 1024)


@dataclass(frozen=True)
class Shape:
    """Users and phases of one run, in whole seconds."""

    users: int
    ramp_up: int
    steady: int
    ramp_down: int = 5

    @property
    def end(self) -> int:
        return self.ramp_up + self.steady + self.ramp_down

    def phase(self, seconds: np.ndarray) -> np.ndarray:
        steady_end = self.ramp_up + self.steady
        return np.where(
            seconds < self.ramp_up, "ramp-up", np.where(seconds < steady_end, "steady", "ramp-down")
        )


def run(
    folder: Path, users: int = 200, *, ramp_up: int = 30, steady: int = 120, **changes: Any
) -> dict[str, Any]:
    """Writes a run folder and gives its summary; `changes` replace parts of the summary."""
    folder.mkdir(parents=True)
    random = np.random.default_rng(users)
    shape = Shape(users, ramp_up, steady)
    samples = _samples(random, shape)
    _histograms(folder, samples, shape)
    _windows(folder, samples, shape)
    _engine(folder, shape)
    _hosts(folder, random, shape)
    summary = _summary(samples, shape) | changes
    (folder / "run.json").write_text(json.dumps(summary, indent=2))
    (folder / "scenario.toml").write_text(SCENARIO)
    return summary


def capacity(
    folder: Path, tried: tuple[int, ...] = (100, 200, 400, 500, 560, 530, 515, 520), **changes: Any
) -> None:
    """Writes a capacity folder with its runs; limits at 90 and 99 % decide the verdicts."""
    rows, points = [], []
    for number, users in enumerate(tried, 1):
        name = f"runs/{number:04}-{users}"
        summary = run(folder / name, users, ramp_up=10, steady=30)
        shares = {key: operation["share_within_limit"] for key, operation in summary["operations"].items()}
        points.append(ScalingPoint(load=users, per_s=summary["throughput_ops_per_s"]))
        worst = min(share for share in shares.values() if share is not None)
        verdict = {
            sla: "met" if worst >= share else "missed" for sla, share in (("SLA-1", 0.9), ("SLA-2", 0.99))
        }
        rows.append(
            {
                "folder": name,
                "load": users,
                "state": "valid",
                "evidence": True,
                "shares": shares,
                "worst_share": worst,
                "verdict": verdict,
            }
        )
    content = {
        "format": 3, "kind": "capacity", "name": "olio", "machine": MACHINE,
        "versions": {"loadstone": "0.1.0"},
        "command": ["loadstone", "capacity", "olio"], "started_at": STARTED,
        "ended_at": "2026-11-21T07:10:00+00:00",
        "accounts": 1000, "log10_accounts": 3.0, "window_s": 20, "compliant": False, "confidence": 0.95,
        "outcome": "complete", "SLA-1": _found(rows, "SLA-1"), "SLA-2": _found(rows, "SLA-2"),
        "loads": [
            {"load": row["load"], "runs": 1, "verdict": row["verdict"]}
            for row in sorted(rows, key=lambda row: row["load"])
        ],
        "runs": rows, "scaling": _rounded(scaling(points, "users", "operations/s").content()),
        "warnings": ["not compliant: short window (20 s instead of 300 s)"],
    }  # fmt: skip
    (folder / "capacity.json").write_text(json.dumps(content | changes, indent=2))


def _rounded(content: Any) -> Any:
    """To four digits: the last ones of a fit are the machine's own."""
    if isinstance(content, float):
        return float(f"{content:.4g}")
    if isinstance(content, dict):
        return {key: _rounded(value) for key, value in content.items()}
    return [_rounded(one) for one in content] if isinstance(content, list) else content


def _found(rows: list[dict[str, Any]], sla: str) -> dict[str, Any]:
    low = max((row["load"] for row in rows if row["verdict"][sla] == "met"), default=None)
    above = [row for row in rows if row["verdict"][sla] == "missed"]
    high = min(above, key=lambda row: row["load"], default=None)
    limited = None
    if high:
        name = min(high["shares"], key=lambda key: high["shares"][key])
        limited = {"operation": name, "share_at_high": high["shares"][name]}
    return {
        "load": low, "low": low, "high": high["load"] if high else None, "limited_by": limited,
        "verdict": "met" if low else "open", "ended_by": "tolerance",
        "throughput_ops_per_s": low and low / 4.97, "bytes_in_per_op": 20_000.0,
    }  # fmt: skip


def nodes(folder: Path) -> None:
    """Writes nodes.json as docs/reference/nodes.md describes it; the figures are made up."""
    options = [
        _option("ARA cloud", "native", 2, 1, 0.99999993),
        _option("PF cloud", "native", 2, None, 0.99999905),
        _option("PF on-prem", "native", 2, None, 0.4, total=None, note="no pool meets the target"),
        _option("ARA on-prem", "ilr", 3, 9, 0.999992),
    ]
    content = {
        "format": 1, "kind": "nodes", "options": options, "chosen": options[1],
        "inputs": {
            "sla": "SLA-1", "target": "five nines", "target_share": 0.99999, "crash_rate": "1/year",
            "failover": "15s", "repair": "1h", "load_users": 1000.0, "users_per_node": 520.0,
            "per_node_interval": [520.0, 530.0],
        },
        "per_sla": {
            "SLA-1": {"options": options, "chosen": options[1]}, "SLA-2": {"options": [], "chosen": None},
        },
        "integrity": [{"node_type": "native", "correct": 0.9979, "corrupt": 0.00216, "down": 0.0000043}],
        "warnings": [],
    }  # fmt: skip
    (folder / "nodes.json").write_text(json.dumps(content, indent=2))


def _option(
    deployment: str, kind: str, num: int, extra: int | None, availability: float, **changes: Any
) -> dict[str, Any]:
    total = num + (extra or 0)
    return {
        "deployment": deployment, "node_type": kind, "num": num, "extra": extra, "total": total,
        "availability": availability, "downtime_s_per_year": (1 - availability) * 31_557_600, "note": "",
        "interval": {"num": [num, num], "total": [total, total + 1]},
    } | changes  # fmt: skip


def cost(folder: Path) -> None:
    """Writes cost.json as docs/reference/cost.md describes it; the figures are made up."""
    each = {"1": 1152.0, "12": 1152.0, "36": 1152.0}
    lines = [
        {"what": "2 × c1.xlarge", "sla": None, "quantity": 1440, "unit": "hour", "price_usd": 0.8,
         "row": "aws-2008 us-east-1 c1.xlarge (2008-10, P08)", "transfer": False, "usd_per_month": each},
        {"what": "egress", "sla": "SLA-1", "quantity": 5004.5, "unit": "GB", "price_usd": 0.17,
         "row": "aws-2008 us-east-1 egress (2008-09-04, H08)", "transfer": True,
         "usd_per_month": {"1": 850.765, "12": 850.765, "36": 850.765}},
    ]  # fmt: skip
    content = {
        "format": 3, "kind": "cost", "inputs": {"book": "aws-2008"}, "lines": lines,
        "total": {
            "SLA-1": {
                "users": 520,
                "usd_per_month": each,
                "usd_per_month_with_egress": dict.fromkeys(each, 2002.765),
            },
            "SLA-2": {"users": 500, "usd_per_month": each, "usd_per_month_with_egress": None},
        },
        "per_user": {
            "SLA-1": {
                "users": 520,
                "usd_per_month": dict.fromkeys(each, 2.215385),
                "usd_per_month_interval": {key: [2.173585, 2.215385] for key in each},
                "usd_per_month_with_egress": dict.fromkeys(each, 3.851471),
                "usd_per_month_with_egress_interval": {key: [3.809, 3.851471] for key in each},
            },
            "SLA-2": {
                "users": 500,
                "usd_per_month": dict.fromkeys(each, 2.304),
                "usd_per_month_interval": {key: [None, 2.304] for key in each},
                "usd_per_month_with_egress": None,
                "usd_per_month_with_egress_interval": None,
            },
        },
        "warnings": [],
    }  # fmt: skip
    (folder / "cost.json").write_text(json.dumps(content, indent=2))


Samples = dict[str, tuple[np.ndarray, np.ndarray]]
"""By operation: the second of each answer, and its response time in microseconds."""


def _samples(random: np.random.Generator, shape: Shape) -> Samples:
    started = np.minimum(1.0, (np.arange(shape.end) + 1) / shape.ramp_up) * shape.users
    load = shape.users / KNEE
    found = {}
    for name, (_, mix, base_ms) in OPERATIONS.items():
        seconds = np.repeat(np.arange(shape.end), random.poisson(started / 4.966 * mix))
        times = (
            base_ms * 1000 / max(0.03, 1 - load) * np.exp(random.normal(0, 0.45 + 0.25 * load, len(seconds)))
        )
        times[seconds == shape.ramp_up + shape.steady // 3] += 700_000
        found[name] = (seconds, times)
    return found


def _histograms(folder: Path, samples: Samples, shape: Shape) -> None:
    rows: list[tuple[Any, ...]] = []
    for name, (seconds, times) in samples.items():
        for kind, factor in (("response", 1.0), ("service", 0.97), ("first_byte", 0.97 * _begun(name))):
            keys, counts = np.unique(np.stack([seconds, bucket(times * factor)]), axis=1, return_counts=True)
            phases = shape.phase(keys[0])
            rows += [
                (int(second), name, str(phase), kind, int(index), int(count))
                for second, phase, index, count in zip(keys[0], phases, keys[1], counts, strict=True)
            ]
    _parquet(folder, "histograms", "second, operation, phase, kind, bucket, count", rows)


def _windows(folder: Path, samples: Samples, shape: Shape) -> None:
    rows: list[tuple[Any, ...]] = []
    phases = shape.phase(np.arange(shape.end))
    for name, (seconds, times) in samples.items():
        limit = OPERATIONS[name][0] * 1e6
        for second in range(shape.end):
            mine = times[seconds == second]
            failed = (0, 0, 0, 0, _failed(name, second), 0)
            late = int((mine > limit).sum())
            rows.append((second, name, str(phases[second]), len(mine), *failed, late, 0, len(mine) * 14))
    columns = "second, operation, phase, ok, " + ", ".join(CAUSES) + ", late, dropped, requests"
    _parquet(folder, "windows", columns, rows)


def _failed(operation: str, second: int) -> int:
    """Wrong statuses in this second: a few uploads."""
    return 1 if operation == "AddEvent" and second % 45 == 44 else 0


def _engine(folder: Path, shape: Shape) -> None:
    rows = []
    for second in range(shape.end):
        users = min(shape.users, math.ceil(shape.users * (second + 1) / shape.ramp_up))
        rate = int(users / 4.966)
        rows.append((second, users, rate // 20, users, rate, rate * 14, rate * 20_000, rate * 900))
    columns = "second, users, in_flight, connections, connects, requests, bytes_in, bytes_out"
    _parquet(folder, "engine", columns, rows)


def _hosts(folder: Path, random: np.random.Generator, shape: Shape) -> None:
    rows: list[tuple[Any, ...]] = []
    for second in range(shape.end):
        load = min(1.0, (second + 1) / shape.ramp_up) * shape.users / KNEE
        sut, generator = 1.4 * load + random.normal(0, 0.03), 0.18 * load + random.normal(0, 0.01)
        for role, metric, value in (
            ("sut", "cpu_cores", sut),
            ("generator", "cpu_cores", generator),
            ("database", "cpu_cores", 0.3 * load),
            ("host", "cpu_cores", sut + generator + 0.3 * load + 0.05),
            ("sut", "rss_bytes", (60 + 40 * load + second / 20) * 2**20),
            ("generator", "rss_bytes", 31 * 2**20),
            ("database", "rss_bytes", 120 * 2**20),
            ("host", "rx_bytes_per_s", 9e6 * load),
            ("host", "tx_bytes_per_s", 9.1e6 * load),
            ("sut", "read_bytes_per_s", 0.0),
            ("sut", "write_bytes_per_s", 4e5 * load),
        ):
            rows.append((second, role, metric, max(0.0, float(value))))
    _parquet(folder, "hosts", "second, role, metric, value", rows)


def _parquet(folder: Path, name: str, columns: str, rows: list[tuple[Any, ...]]) -> None:
    names = columns.split(", ")
    table = {key: np.array(values) for key, values in zip(names, zip(*rows, strict=True), strict=True)}
    with duckdb.connect() as connection:
        connection.register("made", table)
        connection.execute(f"COPY (SELECT * FROM made) TO '{folder / name}.parquet' (FORMAT parquet)")


def _summary(samples: Samples, shape: Shape) -> dict[str, Any]:
    start, end = shape.ramp_up, shape.ramp_up + shape.steady
    operations = {name: _operation(name, *samples[name], shape) for name in OPERATIONS}
    ok = sum(operation["ok"] for operation in operations.values())
    judged = {name: each["share_within_limit"] for name, each in operations.items() if each["count"]}
    worst = min(judged, key=lambda name: judged[name])
    share = judged[worst]
    goals = {
        sla: {
            "name": sla, "verdict": "met" if share >= limit else "missed", "limit": limit, "measured": share,
            "operation": worst, "window_start_s": start,
        }
        for sla, limit in (("SLA-1", 0.9), ("SLA-2", 0.99))
    }  # fmt: skip
    checks = [
        _check("littles-law", f"{shape.users} users", f"{shape.users} users ± 2 %"),
        _check("generator-cpu", "9 %", "below 70 %"),
        _check("images-per-home", "10.1", "3 or more"),
    ]
    return {
        "format": 3, "kind": "run", "name": "olio", "outcome": "complete", "started_at": STARTED,
        "ended_at": "2026-11-21T06:03:00+00:00", "command": ["loadstone", "run", "olio"],
        "seed": 1, "machine": MACHINE, "versions": {"loadstone": "0.1.0", "python": "3.11.7"},
        "scenario": {"name": "olio", "file": "scenario.toml", "sha256": "ab" * 32},
        "target": "http://127.0.0.1:8080", "accounts": 1000,
        "load": {
            "users": shape.users, "ramp_up_s": start, "steady_s": shape.steady,
            "ramp_down_s": shape.ramp_down,
        },
        "steady": {"start_s": start, "end_s": end},
        "throughput_ops_per_s": round(ok / shape.steady, 3),
        "requests_per_s": round(ok * 14 / shape.steady, 3),
        "bytes": {"in_per_op": 20_000.0, "out_per_op": 900.0}, "operations": operations,
        "sla": {"window_s": shape.steady, "compliant": False, "windows": 1},
        "goals": goals, "validity": {"state": "valid", "checks": checks},
        "generator": {"cpu_share": 0.09, "threads": 1, "wake_lag_ms_p99": 0.2},
        "sut": {"cpu_cores_mean": 0.46, "rss_bytes_max": 92_000_000}, "failures": [],
        "connector": {
            "seconds": end + shape.ramp_down, "readings": round(end + shape.ramp_down),
            "counters": {
                "accepted": shape.users + 1, "refused": 0, "closed_by_timeout": 0, "requests": ok * 14,
                "responses_2xx": ok * 14, "evicted": 0, "queue_wait_us": ok * 700,
                "worker_busy_us": ok * 9000,
            },
            "most": {"open_connections": shape.users, "queue_depth": 3, "workers": 4, "workers_busy": 2},
        },
    }  # fmt: skip


def _check(name: str, measured: str, expected: str) -> dict[str, Any]:
    return {
        "name": name,
        "verdict": "met",
        "measured": measured,
        "expected": expected,
        "hint": "",
        "required": True,
    }


def _operation(name: str, seconds: np.ndarray, times: np.ndarray, shape: Shape) -> dict[str, Any]:
    limit, mix, _ = OPERATIONS[name]
    steady = range(shape.ramp_up, shape.ramp_up + shape.steady)
    mine = times[(seconds >= steady.start) & (seconds < steady.stop)]
    status = sum(_failed(name, second) for second in steady)
    late = int((mine > limit * 1e6).sum())
    count = len(mine) + status
    return {
        "limit_s": limit, "count": count, "ok": len(mine),
        "failed": dict.fromkeys(CAUSES, 0) | {"status": status},
        "late": late, "dropped": 0, "share_within_limit": (len(mine) - late) / count if count else None,
        "mix_share": mix, "mix_expected": mix, "pace_mean_s": 4.97, "pace_expected_s": 4.966,
        "response_ms": _times(mine), "service_ms": _times(mine * 0.97),
        "first_byte_ms": _times(mine * 0.97 * _begun(name)),
        "counters": {"requests": len(mine) * 14, "image_bytes": len(mine) * 1500},
        "steps": _steps(name, mine * 0.97) if len(mine) else [],
    }  # fmt: skip


def _steps(name: str, service: np.ndarray) -> list[dict[str, Any]]:
    """Every operation takes all of its steps, each in its share of the time."""
    parts = STEPS.get(name, ())
    requests = list(dict.fromkeys(request for request, _, _ in parts))
    return [
        {
            "step": requests.index(request), "request": request, "part": part, "count": len(service),
            "ms": _times(service * share), "share": share,
            **({"first_byte_ms": _times(service * share * BEGUN)} if part == "answer" else {}),
        }
        for request, part, share in parts
    ]  # fmt: skip


def _begun(name: str) -> float:
    """When the first answer of an operation begins, as a share of its time."""
    parts = STEPS.get(name)
    return BEGUN * (parts[0][2] if parts else 1.0)


def _times(micros: np.ndarray) -> dict[str, float] | None:
    if not len(micros):
        return None
    points = {"p50": 50, "p90": 90, "p95": 95, "p99": 99, "p999": 99.9, "max": 100}
    found = {key: round(float(np.percentile(micros, at)) / 1000, 3) for key, at in points.items()}
    return {"mean": round(float(micros.mean()) / 1000, 3)} | found
