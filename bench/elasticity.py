"""Servers that come and go: what each policy keeps of the SLA, and what it saves.

    sudo .venv/bin/python bench/elasticity.py --out bench/runs/DATE-MACHINE/elasticity
        [--stacks php-fpm,django] [--shapes spike] [--policies target-utilisation]

Each stack is deployed on a lab of its own: a balancer, up to three servers with a quarter of a core each, and
MariaDB. Every shape of load meets every policy once, with the scenario `olio`. `image` is the built-in site
as machines without an operating system, one on each server with a database of its own. Its users only read,
as writes would be on one of the machines alone: they ask for the scenario `page`. Windows of 20 s are trials,
not by the rules. `results.ndjson` grows by a line for each run, whose record is kept as
`STACK/SHAPE-POLICY.json`; `README.md` is made anew from it. Five minutes a run.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asked
import kept
from own_command import loadstone

from loadstone.site.stack.running import set_up

MOST, RAMP_UP_S, STEADY_S, RISE_S = 3, 30, 240, 80
LOADS = {
    "olio": (150, 900),
    "php-fpm": (120, 700),
    "java": (200, 1000),
    "django": (20, 110),
    "rails": (15, 80),
    "image": (100, 400),
}
"""Users before and at the peak: one server carries the first with ease, three the second."""
SHAPES = {
    "hockey-stick": f'{{ kind = "hockey-stick", to = USERS, at_s = {RISE_S} }}',
    "spike": f'{{ kind = "spike", to = USERS, at_s = {RISE_S}, for_s = 80 }}',
}
POLICIES: dict[str, dict[str, str]] = {
    "fixed-1": {"policy": "none", "start": "1"},
    "fixed-3": {"policy": "none", "start": str(MOST)},
    "schedule": {"policy": "schedule"},
    "target-utilisation": {"policy": "target-utilisation", "target": "0.6", "cool_down_s": "30"},
}
STEPS = {
    "hockey-stick": ((RAMP_UP_S + RISE_S + 20, 2), (RAMP_UP_S + RISE_S + 70, 3)),
    "spike": ((RAMP_UP_S + RISE_S - 20, 3), (RAMP_UP_S + RISE_S + 100, 1)),
}
"""What one would plan who knows the load: servers are there before it comes."""
ROLES = {"php-fpm": "olio-php-fpm", "django": "olio-django", "rails": "olio-rails", "java": "olio-java"}
IMAGE = "image"
BOOK, MACHINE = "aws-2026", "m7i.large"
HOSTS = "".join(
    f'[[host]]\nname = "{name}"\nkind = "{kind}"\n{quota}'
    for name, kind, quota in (
        ("client", "client", ""),
        ("front", "front", ""),
        ("db", "database", "cpus = 0.75\n"),
        *((f"web{number}", "web", "cpus = 0.25\n") for number in range(1, MOST + 1)),
    )
)


def main() -> None:
    """Every stack, on one lab after another."""
    options = _options()
    for stack in options.stacks:
        for row in measured(stack, options):
            with (options.out / "results.ndjson").open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            (options.out / "README.md").write_text(readme(options.out), encoding="utf-8")


def topology(stack: str) -> str:
    """The lab and what is deployed on it; ten accounts for each user of the peak."""
    if stack == IMAGE:
        database = ""
        settings = 'image = "olio", memory_mib = 64, disk = "128M", load = "olio:1000"'
    else:
        database = '[[service]]\nname = "database"\nrole = "mariadb"\nhosts = ["db"]'
        accounts = 10 * LOADS[stack][1]
        settings = f'database = "database", accounts = {accounts}, media_scale = 0.1, workers = 4'
    return f"""format = 1
name = "elastic-{stack}"
{HOSTS}
[[service]]
name = "balancer"
role = "haproxy"
hosts = ["front"]
settings = {{ backends = "app" }}
{database}
[[service]]
name = "app"
role = "{ROLES.get(stack, stack)}"
kind = "web"
settings = {{ {settings} }}
"""


def measured(stack: str, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """A row for each run, as it ends."""
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        lab = scratch / "site.toml"
        lab.write_text(topology(stack), encoding="utf-8")
        if stack in ROLES:
            # The hosts of a lab can only read what it is built from.
            set_up(stack)
        loadstone("lab", "up", lab)
        try:
            loadstone("deploy", lab)
            for shape in options.shapes:
                for policy in options.policies:
                    folder = scratch / f"{shape}-{policy}"
                    loadstone(*_run(stack, shape, policy, lab, folder), good=(0, 1, 5, 6, 7))
                    yield row(stack, shape, policy, folder, options.out / stack)
        finally:
            loadstone("lab", "down", f"elastic-{stack}")


def _run(stack: str, shape: str, policy: str, lab: Path, folder: Path) -> list[object]:
    low, high = LOADS[stack]
    scaling = {"service": "app", "least": "1", "most": str(MOST), **POLICIES[policy]}
    if policy == "schedule":
        steps = ", ".join(f"{{ at_s = {at}, servers = {count} }}" for at, count in STEPS[shape])
        scaling["step"] = f"[{steps}]"
    changes = {
        "load.ramp_up_s": RAMP_UP_S,
        "load.steady_s": STEADY_S,
        "load.shape": SHAPES[shape].replace("USERS", str(high)),
        "sla.window_s": 20,
        **({} if stack == IMAGE else {"data.accounts": 10 * high, "data.media_scale": 0.1}),
        **{f"scaling.{key}": value for key, value in scaling.items()},
    }
    sets = [word for key, value in changes.items() for word in ("--set", f"{key}={value}")]
    scenario = "page" if stack == IMAGE else "olio"
    place = ["--topology", lab, "--service", "balancer", "--out", folder]
    return ["run", scenario, "--users", low, *sets, *place]


def row(stack: str, shape: str, policy: str, folder: Path, kept_in: Path) -> dict[str, Any]:
    """What the record of a run says; the record is kept, without where the run lay."""
    text = (folder / "run.json").read_text("utf-8").replace(str(folder.parent), "DIR")
    kept_in.mkdir(exist_ok=True)
    (kept_in / f"{folder.name}.json").write_text(text, encoding="utf-8")
    record = json.loads(text)
    found = record["elasticity"]
    windows = [one["kept"] for one in found["windows"]]
    # Without a word where the SLAs were broken over the whole run: no dollars can rest on it.
    bill = loadstone(
        *("cost", "--from", folder, "--book", BOOK, "--instance", MACHINE, "--anyway", "--json"),
        good=(0, 1, 6),
    )
    return kept.head(f"python {' '.join(sys.argv)}") | {
        "stack": stack,
        "shape": shape,
        "policy": policy,
        "state": record["validity"]["state"],
        "missed": [one["name"] for one in record["validity"]["checks"] if one["verdict"] == "missed"],
        "windows": len(windows),
        "kept": {sla: sum(one[sla] is True for one in windows) for sla in windows[0]},
        "failed": sum(sum(one["failed"].values()) for one in record["operations"].values()),
        "machine_h": found["machine_h"],
        "saved_share": found["saved_share"],
        "start_s": [one["start_s"] for one in found["started"]],
        "wait_s": [one["serving_s"] - one["asked_s"] for one in found["started"]],
        "bill": json.loads(bill)["elastic"] if bill else None,
    }


def readme(out: Path) -> str:
    """Both tables, from the rows."""
    rows = [json.loads(line) for line in (out / "results.ndjson").read_text("utf-8").splitlines()]
    loads = [one["load_average"][0] for one in rows]
    commands = dict.fromkeys(one["command"] for one in rows)
    return "\n".join(
        [
            "# Servers that come and go",
            f"{rows[0]['date']} to {rows[-1]['date']}, on {rows[0]['machine']['cores']} cores of an"
            f" {rows[0]['machine']['cpu']}; the machine's load as runs ended, over a minute:"
            f" {min(loads):.1f} to {max(loads):.1f}. What made it:",
            "",
            *(f"    {one}" for one in commands),
            "",
            "## What each policy keeps and saves",
            "Windows are 20 s. Every line is one run.",
            "Machine-hours are those of application servers. *Saved* is against three of",
            f"them all the time; dollars are a month's, with each server a whole `{MACHINE}` of `{BOOK}`.",
            "No dollars rest on a run that failed, or that broke both SLAs over its whole time.",
            "",
            "| stack | users | policy | SLA-1 kept | SLA-2 kept | failed | machine-hours | saved | $/month |",
            "|---|---|---|---:|---:|---:|---:|---:|---:|",
            *(_line(one) for one in rows),
            "",
            "## What a server takes to come",
            "From its program's start until it was well; and from when it was wanted until users came to it.",
            "",
            "| stack | servers started | program, s: least to most | wanted to serving, s: least to most |",
            "|---|---:|---:|---:|",
            *_starts(rows),
            "",
        ]
    )


def _line(one: dict[str, Any]) -> str:
    shares = " | ".join(f"{one['kept'][sla]} of {one['windows']}" for sla in ("SLA-1", "SLA-2"))
    said = f" ({one['state']}: {', '.join(one['missed'])})" if one["state"] != "valid" else ""
    low, high = LOADS[one["stack"]]
    return (
        f"| {one['stack']} | {one['shape']}, {low} to {high} | {one['policy']}{said} | {shares}"
        f" | {one['failed']} | {one['machine_h']:.3f} | {100 * one['saved_share']:.0f} %"
        f" | {_dollars(one['bill'] if one['state'] == 'valid' else None)} |"
    )


def _dollars(bill: dict[str, Any] | None) -> str:
    return "–" if bill is None else f"{float(bill['usd_saved_per_month']['1']):.2f}"


def _starts(rows: list[dict[str, Any]]) -> list[str]:
    lines = []
    for stack in dict.fromkeys(one["stack"] for one in rows):
        mine = [one for one in rows if one["stack"] == stack]
        starts = [time for one in mine for time in one["start_s"] if time is not None]
        waits = [time for one in mine for time in one["wait_s"]]
        if waits:
            lines.append(f"| {stack} | {len(waits)} | {_range(starts)} | {_range(waits)} |")
    return lines


def _range(times: list[float]) -> str:
    return f"{min(times):.1f} to {max(times):.1f}" if times else "–"


def _options() -> argparse.Namespace:
    def among(known: dict[str, Any]) -> Any:
        def split(text: str) -> list[str]:
            names = text.split(",")
            if unknown := [name for name in names if name not in known]:
                raise argparse.ArgumentTypeError(f"there is no {unknown[0]}; there are {', '.join(known)}")
            return names

        return split

    parser = asked.parser(__doc__)
    parser.add_argument("--out", type=asked.folder, required=True)
    for name, known in (("stacks", LOADS), ("shapes", SHAPES), ("policies", POLICIES)):
        parser.add_argument(f"--{name}", type=among(known), default=list(known), help=", ".join(known))
    return parser.parse_args()


if __name__ == "__main__":
    main()
