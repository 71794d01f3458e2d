"""What the kernel counts of a group with a quota: files as of version 1 and 2, found from a process."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadstone.deploy.host import quota
from loadstone.deploy.host.quota import Quota

MOUNTS = """\
25 1 0:23 / {top}/pids rw,relatime shared:7 - cgroup cgroup rw,pids
26 1 0:24 /box {top}/cpu,cpuacct rw,relatime shared:8 - cgroup cgroup rw,cpu,cpuacct
27 1 0:25 / {top}/unified rw - cgroup2 cgroup2 rw,nsdelegate
28 1 0:26 / {top}/odd rw - tmpfs cpu rw,cpu
"""
V1 = {"cpu.cfs_quota_us": "5000", "cpu.cfs_period_us": "100000"}
V2 = {"cpu.max": "150000 100000"}


def group(path: Path, stat: str, **files: str) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    (path / "cpu.stat").write_text(stat)
    for name, text in files.items():
        (path / name).write_text(f"{text}\n")
    return path


@pytest.mark.parametrize(
    ("files", "before", "after", "cores"),
    [
        (V1, "throttled_time 1000000000", "throttled_time 3700000000", 0.05),
        (V2, "usage_usec 5\nthrottled_usec 1000000", "usage_usec 9\nthrottled_usec 3700000", 1.5),
    ],
)
def test_periods_and_the_time_that_processes_stood_still(
    tmp_path: Path, files: dict[str, str], before: str, after: str, cores: float
) -> None:
    asked = Quota(group(tmp_path, f"nr_periods 10\nnr_throttled 4\n{before}\n", **files))
    assert asked.since(100.0) == {"cpu_quota_cores": cores}, "a sum that is seen once is no rate"
    group(tmp_path, f"nr_periods 30\nnr_throttled 19\n{after}\n")
    found = asked.since(102.0)
    assert found["cpu_throttled_share"] == pytest.approx(0.75)
    assert found["cpu_throttled_cores"] == pytest.approx(1.35)
    group(tmp_path, f"nr_periods 41\nnr_throttled 30\n{after}\n")
    assert asked.since(103.0)["cpu_throttled_share"] == 1.0, "eleven periods fell into a second"


@pytest.mark.parametrize("files", [{"cpu.max": "max 100000"}, V1 | {"cpu.cfs_quota_us": "-1"}, {}])
def test_a_group_without_a_quota_says_nothing(tmp_path: Path, files: dict[str, str]) -> None:
    assert Quota(group(tmp_path, "nr_periods 0\nnr_throttled 0\n", **files)).since(1.0) == {}


def test_the_nearest_group_with_a_quota_is_found_from_a_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {"/proc/self/mountinfo": MOUNTS.format(top=tmp_path)}
    real = quota.read
    monkeypatch.setattr(quota, "read", lambda path: said.get(str(path)) or real(path))
    slice_ = group(tmp_path / "unified" / "system.slice", "", **V2)
    group(slice_ / "shop.service" / "worker", "", **{"cpu.max": "max 100000"})
    box = group(tmp_path / "cpu,cpuacct", "", **V1)
    group(box / "inner", "", **{"cpu.cfs_quota_us": "-1", "cpu.cfs_period_us": "100000"})
    group(tmp_path / "odd", "", **V2)

    said["/proc/7/cgroup"] = "9:pids:/box\n0::/system.slice/shop.service/worker"
    assert quota.of_process(7) == slice_
    said["/proc/7/cgroup"] = "9:pids:/box\n2:cpu,cpuacct:/box/inner\n0::/"
    assert quota.of_process(7) == box
    # Another container's group, and one above what is mounted here.
    said["/proc/7/cgroup"] = "2:cpu,cpuacct:/boxer/inner\n0::/../elsewhere"
    assert quota.of_process(7) is None
