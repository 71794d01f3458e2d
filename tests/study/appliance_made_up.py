"""Rows of the appliance's study that nobody made, of guests whose truth is known."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from loadstone.record import write_json
from loadstone.study.appliance.study import Appliance
from loadstone.study.order import Order, header
from loadstone.study.record import NAME
from loadstone.study.results import Results
from loadstone.study.run import conclusion
from loadstone.study.schedule import Task

COMMITS = {"image-log": 3000.0, "image-journal": 1000.0, "linux-block": 2000.0, "ext4-wal": 1000.0}
"""Commits a second; others 300, all a half with real flushes."""


def planned(folder: Path, size: str = "full") -> Appliance:
    """A study that was laid out; nothing on this machine is looked for."""
    folder.mkdir(parents=True, exist_ok=True)
    return Appliance(Order(folder, size, None))


def measure(plan: Appliance) -> Results:
    """All of its rows."""
    results, noise = Results(plan.order.folder), random.Random(3)
    for task in plan.tasks:
        results.add(task, "2026-11-22T05:00:00+00:00", 1.0, {"measured": _measured(task, noise)})
    return results


def written(plan: Appliance, results: Results) -> dict[str, Any]:
    """`study.json`, in its folder."""
    content = header(plan.order, plan.name, plan.summary, plan.seed, ["loadstone"])
    content["guests"] = {"accelerator": "tcg", "kernel": "linux-image-6.1 6.1.1", "memory_mib": 128}
    content = conclusion(plan, content, "complete", results)
    write_json(plan.order.folder / NAME, content)
    return content


def _measured(task: Task, noise: random.Random) -> dict[str, float]:
    case, near = task.case, noise.uniform(0.98, 1.02)
    image = case.get("guest") == "image"
    match task.part:
        case "size":
            kernel, initramfs = 14_186.0, 1_500.0
            image_kb = 100.0 if case["app"] == "files" else 900.0
            found = {"image_kb": image_kb, "all_parts_kb": image_kb + 20.0, "memory_kib": 2000.0}
            return found | {"linux_kb": kernel + initramfs, "kernel_kb": kernel, "initramfs_kb": initramfs}
        case "boot":
            return {"boot_ms": near * (100.0 if image else 2000.0 if case["board"] == "microvm" else 900.0)}
        case "memory":
            return {"least_mib": 5 if image else 60}
        case "idle":
            return {"touched_mib": 3.0 if image else 70.0, "cpu_share": 0.03}
        case "sql":
            rate = COMMITS.get(case["storage"], 300.0) * (1.0 if case["cache"] == "unsafe" else 0.5) * near
            each = 1e6 / rate
            phases = {f"{phase}_us": each for phase in ("insert", "update", "delete")}
            return {"commits_per_s": rate, "iteration_us": 3.5 * each} | phases
        case "bulk":
            return {"inserted_per_s": 9000.0 * near, "scanned_per_s": 20000.0 * near}
        case "alloc":
            return {"ns_each": 200.0 if image else 180.0 if case["size"] == "16-256" else 700.0}
        case "counted":
            return {"commit_ns_each": 500.0, "bulk_ns_each": 220.0, "scan_ns_each": 61.0 if image else 51.0}
        case _:
            rate = near * (6000.0 if image else 3000.0 if case["connections"] == 1 else 6000.0)
            times = {"response_us_p50": 160.0, "response_us_p99": 400.0}
            return {"requests_per_s": rate, "host_cpu_s": 5.0, "generator_share": 0.2} | times
