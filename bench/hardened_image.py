"""The image `files`, or `olio`, hardened in each way, beside native: size, boot, memory, requests.

    python bench/hardened_image.py [--app files] [--rounds 5] [--requests 500] [--out FOLDER]

QEMU emulates the processor, also where there is KVM. A machine in which time goes by instructions, one a
nanosecond, says how many a request takes: the guest's own figure of the time that it was not halted. Another
one without that says what a boot and a request cost QEMU. All variants run in turn, round by round; a ratio
is of one round. With --out it writes rounds.ndjson, then summary.json and README.md.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import asked
import kept

from loadstone.image import (
    ADDRESS,
    GATEWAY,
    HTTP_PORT,
    Built,
    Guest,
    Machine,
    build_image,
    free_port,
    loaded_sections,
)
from loadstone.image.monitor import Monitor

VARIANTS = {"native": None, "ilr": "ilr", "tmr": "tmr"}
PATHS = {"files": ("/", "/site.css"), "olio": ("/",)}
"""What is asked for, in turn."""
WORDS = {"olio": ("data.disk=none", "data.load=50", "olio.media=0.01")}
MEMORY_MIB = {"files": 16, "olio": 64}
METRICS = 9100
WARM = 50
BOOT_S = 600.0
_BUSY = re.compile(r"^process_cpu_seconds_total ([\d.]+)$", re.M)


def main() -> None:
    """Builds, measures, says."""
    options = _options()
    with tempfile.TemporaryDirectory() as scratch:
        images = {
            name: build_image(options.app, _place(Path(scratch), name), harden=mode)
            for name, mode in VARIANTS.items()
        }
        rounds = [_round(images, options, number, Path(scratch)) for number in range(options.rounds)]
        found = summary(images, rounds)
    text = markdown(found, options)
    if options.out:
        record = kept.head(_command(options)) | found
        (options.out / "summary.json").write_text(json.dumps(record, indent=2) + "\n")
        (options.out / "README.md").write_text(text)
    print(text)


def _options() -> argparse.Namespace:
    parser = asked.parser(__doc__)
    parser.add_argument("--app", choices=sorted(PATHS), default="files")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=500)
    parser.add_argument("--out", type=asked.folder)
    return parser.parse_args()


def _command(options: argparse.Namespace) -> str:
    words = {name: value for name, value in vars(options).items() if value is not None}
    return " ".join(["python bench/hardened_image.py", *(f"--{name} {words[name]}" for name in words)])


def _place(scratch: Path, name: str) -> Path:
    (scratch / name).mkdir()
    return scratch / name


def _round(
    images: dict[str, Built], options: argparse.Namespace, number: int, scratch: Path
) -> dict[str, dict[str, float]]:
    found = {name: _measured(image, options, scratch) for name, image in images.items()}
    print(f"round {number + 1} of {options.rounds}", file=sys.stderr, flush=True)
    if options.out:
        with (options.out / "rounds.ndjson").open("a" if number else "w") as file:
            file.write(json.dumps(found) + "\n")
    return found


def _measured(image: Built, options: argparse.Namespace, scratch: Path) -> dict[str, float]:
    """One boot of each machine: seconds, instructions, microseconds of QEMU, bytes."""
    machine = Machine(
        image.stripped.path,
        memory_mib=MEMORY_MIB[options.app],
        words=(f"ip={ADDRESS}", f"gw={GATEWAY}", f"metrics={METRICS}", *WORDS.get(options.app, ())),
        monitor=scratch / "monitor",
    )
    counted = replace(machine, ports=_ports(), counts_instructions=True)
    with Guest(counted) as guest:
        up = guest.wait_for(r"^appliance: up after \d+ us", BOOT_S)
        guest.wait_for("^serving ", BOOT_S)
        _ask(counted, options.app, WARM)
        before = _busy_s(counted)
        _ask(counted, options.app, options.requests)
        busy_s = _busy_s(counted) - before
        stack = _stack_used(image, counted, scratch)
    timed = replace(machine, ports=_ports())
    with Guest(timed) as guest:
        guest.wait_for("^serving ", BOOT_S)
        boot_cpu_s = _cpu_s(guest.pid)
        _ask(timed, options.app, WARM)
        begun = _cpu_s(guest.pid)
        _ask(timed, options.app, options.requests)
        cpu_s = _cpu_s(guest.pid) - begun
    return {
        "boot_instructions": float(_number(guest_line=up)) * 1000,
        "request_instructions": busy_s * 1e9 / options.requests,
        "stack_bytes": stack,
        "boot_cpu_s": boot_cpu_s,
        "request_cpu_us": cpu_s * 1e6 / options.requests,
    }


def _number(guest_line: str) -> str:
    return re.findall(r"\d+", guest_line)[0]


def _ports() -> dict[int, int]:
    return {HTTP_PORT: free_port(), METRICS: free_port()}


def _ask(machine: Machine, app: str, times: int) -> None:
    """So many requests, one after another on one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", machine.ports[HTTP_PORT], timeout=BOOT_S)
    for number in range(times):
        connection.request("GET", PATHS[app][number % len(PATHS[app])])
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise SystemExit(f"{app} answered {answer.status}")
    connection.close()


def _busy_s(machine: Machine) -> float:
    connection = http.client.HTTPConnection("127.0.0.1", machine.ports[METRICS], timeout=BOOT_S)
    connection.request("GET", "/metrics")
    found = _BUSY.search(connection.getresponse().read().decode())
    connection.close()
    if not found:
        raise SystemExit("the image tells no time of its processor")
    return float(found[1])


def _stack_used(image: Built, machine: Machine, scratch: Path) -> int:
    """Bytes between the top of the stack and the lowest one that was written."""
    places = {one.name: one.address for one in image.symbols.symbols}
    bottom, top = places["stack_bottom"], places["stack_top"]
    assert machine.monitor
    with Monitor(machine.monitor) as monitor:
        monitor.ask("pmemsave", val=bottom, size=top - bottom, filename=str(scratch / "stack"))
    content = (scratch / "stack").read_bytes()
    return len(content.lstrip(b"\0"))


def _cpu_s(process: int) -> float:
    """User and system time of a process."""
    fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def summary(images: dict[str, Built], rounds: list[dict[str, dict[str, float]]]) -> dict[str, Any]:
    """Sizes, medians of each figure, and medians of each round's ratio to native."""
    figures = list(rounds[0]["native"])
    return {
        "rounds": len(rounds),
        "bytes": {
            name: {
                "file": image.stripped.bytes,
                "text": next(one.bytes for one in loaded_sections(image.stripped) if one.name == ".text"),
                "memory": image.stripped.memory_bytes,
            }
            for name, image in images.items()
        },
        "median": {
            name: {each: statistics.median(one[name][each] for one in rounds) for each in figures}
            for name in images
        },
        "ratio": {
            name: {
                each: statistics.median(one[name][each] / one["native"][each] for one in rounds)
                for each in figures
            }
            for name in images
        },
    }


def markdown(found: dict[str, Any], options: argparse.Namespace) -> str:
    """The table, with what made it."""
    load = os.getloadavg()[2]
    lines = [
        f"# The image {options.app}, hardened",
        "",
        f"`{_command(options)}`, {kept.processor()}, {os.cpu_count()} cores, {time.strftime('%Y-%m-%d')},"
        f" load average {load:.0f} over the last 15 minutes. QEMU emulates the processor.",
        f"Medians of {found['rounds']} rounds of all variants in turn; × native, of one round, in brackets.",
        "",
        "| | " + " | ".join(found["bytes"]) + " |",
        "|---|" + "---|" * len(found["bytes"]),
    ]
    for key, name in (("text", "code, bytes"), ("file", "image, bytes"), ("memory", "in memory, bytes")):
        native = found["bytes"]["native"][key]
        lines.append(
            _row(name, [f"{one[key]:,} ({one[key] / native:.2f})" for one in found["bytes"].values()])
        )
    for key, name, form in (
        ("boot_instructions", "instructions of a boot, million", lambda value: f"{value / 1e6:.1f}"),
        ("boot_cpu_s", "CPU of QEMU for a boot, s", lambda value: f"{value:.2f}"),
        ("request_instructions", "instructions of a request, thousand", lambda value: f"{value / 1e3:.1f}"),
        ("request_cpu_us", "CPU of QEMU for a request, µs", lambda value: f"{value:.0f}"),
        ("stack_bytes", "stack, bytes", lambda value: f"{value:,.0f}"),
    ):
        cells = [
            f"{form(found['median'][one][key])} ({found['ratio'][one][key]:.2f})" for one in found["bytes"]
        ]
        lines.append(_row(name, cells))
    return "\n".join(lines) + "\n"


def _row(name: str, cells: list[str]) -> str:
    return f"| {name} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
