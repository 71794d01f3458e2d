"""The image `files`, or `olio`, hardened in each way, beside native: size, boot, memory, requests.

    python bench/hardened_image.py [--app files] [--rounds 5] [--requests 1000] [--out FOLDER]

QEMU emulates the processor, also where there is KVM; what counts is the CPU time of its process, of which the
emulated code is the larger part. All variants run in turn, round by round; a ratio is of one round. With
--out it writes rounds.ndjson, then summary.json and README.md.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import statistics
import sys
import tempfile
import time
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
WARM = 200
BOOT_S = 600.0


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
    parser.add_argument("--requests", type=int, default=1000)
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
    """One boot: seconds, microseconds, bytes."""
    machine = Machine(
        image.stripped.path,
        memory_mib=MEMORY_MIB[options.app],
        words=(f"ip={ADDRESS}", f"gw={GATEWAY}", *WORDS.get(options.app, ())),
        ports={HTTP_PORT: free_port()},
        monitor=scratch / "monitor",
    )
    with Guest(machine) as guest:
        guest.wait_for("^serving ", BOOT_S)
        boot_cpu_s = _cpu_s(guest.pid)
        _ask(machine, options.app, WARM)
        begun = _cpu_s(guest.pid)
        _ask(machine, options.app, options.requests)
        cpu_s = _cpu_s(guest.pid) - begun
        stack = _stack_used(image, machine, scratch)
    return {
        "boot_cpu_s": boot_cpu_s,
        "request_cpu_us": cpu_s * 1e6 / options.requests,
        "stack_bytes": stack,
    }


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
    """What the threads of a process have had of processors."""
    tasks = Path(f"/proc/{process}/task").iterdir()
    return sum(int((task / "schedstat").read_text("utf-8").split()[0]) for task in tasks) / 1e9


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
        ("boot_cpu_s", "CPU of QEMU for a boot, s", lambda value: f"{value:.2f}"),
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
