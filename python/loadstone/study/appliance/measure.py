"""One measurement of each part: a machine that is booted, asked or left alone, and ended."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.image import HTTP_PORT, Guest, Machine
from loadstone.judge import Histogram
from loadstone.measure import Engine
from loadstone.study.appliance.description import Amounts, Description
from loadstone.study.appliance.machines import STRESS, Machines
from loadstone.study.offered import Target, steady
from loadstone.study.schedule import Case, Task
from loadstone.study.windows import take_all

Json = dict[str, Any]

_BOOT_S = 120.0
"""An emulated machine on a busy host may take its time; one that takes longer is broken."""
_MEASURE_S = 900.0
_TOO_LITTLE_S = 30.0
"""A guest that has not answered by then has too little memory: several times what booting takes."""
_SETTLE_S = 3.0
_IDLE_S = 5.0
_LEAST_MIB, _MOST_MIB = 2, 512
_WARM_S = 2
"""Requests that are not counted: the first ones open connections and the database, and translate code."""
_ANSWER_S = 60.0
_MIB = 1 << 20
_MICROVM = ("mmio",)
"""The parts that an image needs on this board when its address is given."""


class Performer:
    """Measures tasks, one machine at a time."""

    def __init__(
        self, description: Description, amounts: Amounts, machines: Machines, engine: Engine
    ) -> None:
        """Nothing is built or booted yet."""
        self._description = description
        self._amounts = amounts
        self._machines = machines
        self._engine = engine
        self._parts: dict[str, Callable[[Case, int], Json]] = {
            "size": self._size,
            "boot": self._boot,
            "memory": self._memory,
            "idle": self._idle,
            "sql": self._sql,
            "bulk": self._bulk,
            "alloc": self._alloc,
            "counted": self._counted,
            "http": self._http,
        }

    def __call__(self, task: Task) -> Json:
        """The figures of a task. LoadstoneError of building, booting, and of what the guest says."""
        return self._parts[task.part](task.case, task.repetition)

    def _size(self, case: Case, _: int) -> Json:
        app = str(case["app"])
        built, whole = self._machines.image(app, _MICROVM), self._machines.image(app)
        initramfs = self._machines.initramfs("microvm", app)
        kernel = self._machines.kernel()
        beneath = kernel.image.stat().st_size + initramfs.stat().st_size
        return {
            "image_kb": built.stripped.bytes / 1000,
            "all_parts_kb": whole.stripped.bytes / 1000,
            "memory_kib": built.stripped.memory_bytes / 1024,
            "linux_kb": beneath / 1000,
            "kernel_kb": kernel.image.stat().st_size / 1000,
            "initramfs_kb": initramfs.stat().st_size / 1000,
        }

    def _boot(self, case: Case, _: int) -> Json:
        machine = self._serving(case)
        with Guest(machine) as guest:
            return {"boot_ms": 1000 * _first_answer(guest, "/")}

    def _memory(self, case: Case, _: int) -> Json:
        """By halving: in the least that serves the home page, and not in one MiB less."""
        fails, serves = _LEAST_MIB - 1, _MOST_MIB
        while serves - fails > 1:
            middle = (fails + serves) // 2
            if self._serves_in(case, middle):
                serves = middle
            else:
                fails = middle
        return {"least_mib": serves}

    def _serves_in(self, case: Case, memory_mib: int) -> bool:
        with Guest(self._serving(case, memory_mib)) as guest:
            try:
                _first_answer(guest, "/", _TOO_LITTLE_S)
            except LoadstoneError as error:
                if error.slug not in ("guest-ended", "guest-silent", "sut-unreachable"):
                    raise
                return False
            return True

    def _idle(self, case: Case, _: int) -> Json:
        with Guest(self._serving(case)) as guest:
            _first_answer(guest, "/")
            time.sleep(_SETTLE_S)
            before, begun = _cpu_s(guest.pid), time.monotonic()
            time.sleep(_IDLE_S)
            busy = (_cpu_s(guest.pid) - before) / (time.monotonic() - begun)
            return {
                "touched_mib": _touched_bytes(guest) / _MIB,
                "cpu_share": busy,
            }

    def _sql(self, case: Case, _: int) -> Json:
        stored = self._amounts.sql
        assert stored
        lines = self._stored(case, "sql", stored.iterations)
        commits = sum(line["iterations"] for line in lines)
        found = {
            "commits_per_s": commits / sum(line["write_ns"] for line in lines) * 1e9,
            "iteration_us": sum(line["ns"] for line in lines) / lines[0]["iterations"] / 1000,
        }
        for line in lines:
            phase = str(line["name"]).removeprefix("sql-")
            found[f"{phase}_us"] = line["write_ns"] / line["iterations"] / 1000
        return found

    def _bulk(self, case: Case, _: int) -> Json:
        stored = self._amounts.bulk
        assert stored
        lines = {line["name"]: line for line in self._stored(case, "bulk", stored.iterations)}
        insert, scan = lines["bulk-insert"], lines["bulk-scan"]
        return {
            "inserted_per_s": insert["iterations"] / insert["ns"] * 1e9,
            "scanned_per_s": scan["iterations"] / scan["ns"] * 1e9,
        }

    def _stored(self, case: Case, task: str, iterations: int) -> list[Json]:
        storage = self._description.storage_of(str(case["storage"]))
        disk = self._machines.empty_disk(storage.format, case["cache"])
        words = {"task": task, "record": case["record"], "iterations": iterations} | storage.words
        return self._stress(storage.guest, words, disk)

    def _alloc(self, case: Case, _: int) -> Json:
        counted = self._amounts.counted
        assert counted
        words = {"task": "alloc", "size": case["size"], "iterations": counted.allocations}
        (line,) = self._stress(str(case["guest"]), words, None)
        return {"ns_each": line["ns"] / line["iterations"]}

    def _counted(self, case: Case, _: int) -> Json:
        counted = self._amounts.counted
        assert counted
        guest = str(case["guest"])
        commits = {"task": "sql", "record": 64, "iterations": counted.sql_iterations}
        inserts = self._stress(guest, commits)[0]
        rows = {"task": "bulk", "record": 64, "iterations": counted.bulk_rows}
        insert, scan = self._stress(guest, rows)
        return {
            "commit_ns_each": inserts["write_ns"] / inserts["iterations"],
            "bulk_ns_each": insert["ns"] / insert["iterations"],
            "scan_ns_each": scan["ns"] / scan["iterations"],
        }

    def _stress(self, guest: str, words: Json, disk: Any = None) -> list[Json]:
        """What the measuring program said; without a disk in virtual time."""
        own = [f"stress.{key}={value}" for key, value in words.items()]
        machine = self._machines.measuring(guest, own, disk, counted=disk is None)
        with Guest(machine) as running:
            running.pin()
            running.wait_for(r'"name": ?"(done|error)"', _MEASURE_S)
            return _lines(running)

    def _http(self, case: Case, repetition: int) -> Json:
        asked = self._amounts.http
        assert asked
        page = self._description.page_of(str(case["page"]))
        machine = self._machines.serving(str(case["guest"]), page.app, "microvm")
        with Guest(machine) as guest:
            guest.pin()
            _first_answer(guest, page.path)
            plan = steady(
                Target("127.0.0.1", machine.ports[HTTP_PORT]),
                users=case["connections"],
                pause_s=0.0,
                seconds=_WARM_S + asked.seconds,
                seed=self._description.seed + repetition,
                timeout_s=_ANSWER_S,
                path=page.path,
            )
            before = _cpu_s(guest.pid)
            windows, summary = take_all(self._engine.start(json.dumps(plan)))
            return _load(windows, summary, _WARM_S, asked.seconds) | {
                "host_cpu_s": _cpu_s(guest.pid) - before
            }

    def _serving(self, case: Case, memory_mib: int | None = None) -> Machine:
        return self._machines.serving(str(case["guest"]), str(case["app"]), case["board"], memory_mib)


def _first_answer(guest: Guest, path: str, within_s: float = _BOOT_S) -> float:
    request = f"GET {path} HTTP/1.1\r\nHost: guest\r\n\r\n".encode()
    return guest.wait_for_port(guest.machine.ports[HTTP_PORT], within_s, request)


def _load(windows: Sequence[Json], summary: Json, from_s: int, seconds: int) -> Json:
    """What whole seconds from `from_s` on carried: before them connections are opened and code is translated.

    LoadstoneError `sut-died` when a request failed.
    """
    operations = [one for window in windows for one in window["operations"]]
    if any(sum(one["failed"]) for one in operations) or not operations:
        raise LoadstoneError("sut-died", f"requests failed: {summary['examples'][:1]}")
    inside = [window for window in windows if from_s <= window["second"] < from_s + seconds]
    counted = [one for window in inside for one in window["operations"]]
    response = Histogram.of(
        [bucket for one in counted for bucket in one["response"]["bucket"]],
        [count for one in counted for count in one["response"]["count"]],
    )
    busy_s = sum(window["cpu_user_s"] + window["cpu_sys_s"] for window in inside)
    return {
        "requests_per_s": sum(one["ok"] for one in counted) / seconds,
        "response_us_p50": response.quantile_us(0.5) or 0.0,
        "response_us_p99": response.quantile_us(0.99) or 0.0,
        "generator_share": busy_s / seconds,
    }


def _lines(guest: Guest) -> list[Json]:
    """The program's lines but the last. LoadstoneError `guest-refused` when it was an error."""
    found = []
    for _, text in guest.lines:
        if text.startswith("{"):
            line = json.loads(text)
            if line["name"] == "error":
                raise LoadstoneError("guest-refused", f"{STRESS}: {line['message']}")
            found.append(line)
    return found[:-1]


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    ticks_per_s = 100  # what Linux shows to programs, whatever its own timer does
    return (int(fields[11]) + int(fields[12])) / ticks_per_s


def _touched_bytes(guest: Guest) -> int:
    """Of the guest's memory: what it has written to, firmware and kernel included. QEMU maps it in one
    piece."""
    wanted = guest.machine.memory_mib * _MIB
    size = 0
    for line in Path(f"/proc/{guest.pid}/smaps").read_text("utf-8").splitlines():
        if found := re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line):
            size = int(found[2], 16) - int(found[1], 16)
        elif size == wanted and line.startswith("Rss:"):
            return int(line.split()[1]) * 1024
    raise LoadstoneError("guest-silent", "QEMU's memory map shows no memory of the guest")
