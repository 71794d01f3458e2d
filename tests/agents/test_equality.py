"""Agents do together what one engine does alone."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from following import counted, follow, total
from local_hosts import LocalHosts
from walked import Walked, walked

from loadstone import _core
from loadstone.measure import RustEngine
from loadstone.measure.agents import fleet


def test_users_choose_alike(hosts: LocalHosts, site: Walked) -> None:
    """What each user does, in which order, is the same: only the time that the run lasts ends its walk."""
    plan = site.plan(steady_s=2.0)
    follow(RustEngine().start(json.dumps(plan)))
    with walked() as other, fleet(hosts, ["one", "two"]) as engine:
        plan["target"] = other.plan()["target"]
        windows, summary = follow(engine.start(json.dumps(plan)))
    assert summary["outcome"] == "complete"
    assert site.walks.keys() == other.walks.keys() == set(range(8)), "no user is missing, none is made twice"
    for user, walk in site.walks.items():
        both = min(len(walk), len(other.walks[user]))
        assert both and walk[:both] == other.walks[user][:both], f"user {user}"
    assert [agent["users"] for agent in windows[-1]["agents"].values()] == [4, 4]
    assert windows[-1]["users"] == 8
    assert counted(windows) <= other.requests


def test_windows_are_the_sum_of_their_parts(site: Walked) -> None:
    plan = site.plan(steady_s=1.0)
    parts: list[list[dict[str, Any]]] = [[], []]

    def run(index: int) -> None:
        sliced = {**plan, "slice": {"index": index, "of": 2}}
        parts[index], _ = follow(RustEngine().start(json.dumps(sliced)))

    threads = [threading.Thread(target=run, args=(index,)) for index in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    every = [part[0] for part in parts]
    merged = _core.merge_windows(json.dumps(every))
    assert merged is not None
    for key in ("users", "requests", "connects", "bytes_in", "bytes_out"):
        assert merged[key] == sum(window[key] for window in every)
    for kind in ("response", "service", "pace", "lag", "first_byte"):
        assert total([merged], kind) == total(every, kind)
    assert counted([merged]) == counted(every) > 0


def test_what_is_no_window_is_not_summed() -> None:
    assert _core.merge_windows("[]") is None
    with pytest.raises(ValueError, match="missing field"):
        _core.merge_windows('[{"second": 1}]')


def test_a_number_of_operations_is_shared(hosts: LocalHosts, site: Walked) -> None:
    plan = site.plan(users=5, steady_s=60.0, cycle_s=0.0, operations=101)
    with fleet(hosts, ["one", "two"]) as engine:
        windows, summary = follow(engine.start(json.dumps(plan)))
    assert counted(windows) == site.requests == 101
    requests = {
        host: sum(window["agents"].get(host, {"requests": 0})["requests"] for window in windows)
        for host in ("one", "two")
    }
    assert requests == {"one": 51, "two": 50}
    assert summary["outcome"] == "complete"
    assert summary["ended_s"] == max(agent["ended_s"] for agent in summary["agents"].values())


def test_all_begin_at_one_instant(hosts: LocalHosts, site: Walked) -> None:
    """Both clocks are this machine's, so that every offset is 0: it must lie where the exchange says."""
    with fleet(hosts, ["one", "two"]) as engine:
        asked = time.monotonic()
        run = engine.start(json.dumps(site.plan(steady_s=0.5)))
        [started] = run.events()
        follow(run)
    assert started["kind"] == "agents"
    errors = []
    for agent in started["agents"]:
        # The clock is read in whole nanoseconds and travels as a decimal number.
        assert abs(agent["clock_offset_s"]) <= agent["clock_error_s"] + 1e-6
        errors.append(agent["clock_error_s"])
    assert site.first is not None
    assert site.first >= asked + 0.5 - max(errors), "nobody begins before the instant that all were told"


def test_the_files_are_copied_once(cache: Path, hosts: LocalHosts) -> None:
    with fleet(hosts, ["one"]):
        pass
    [folder] = (cache / "loadstone").iterdir()
    assert {file.name for file in folder.iterdir()} >= {"agent.py", "_core.abi3.so"}
    before = {file: file.stat().st_mtime_ns for file in folder.iterdir() if file.is_file()}
    with fleet(hosts, ["one", "two"]):
        pass
    assert {file: file.stat().st_mtime_ns for file in before} == before
