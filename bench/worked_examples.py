"""The worked examples of other people's applications: users at the SLA, nodes, dollars a user.

    sudo .venv/bin/python bench/worked_examples.py --out bench/runs/DATE-MACHINE/examples [--only wordpress]

Each is deployed on a lab as its `lab.toml` says, searched for its capacity, planned for four nines and
priced, by the commands that `README.md` in the folder names. An hour and a half.
"""

from __future__ import annotations

import datetime
import json
import shutil
from pathlib import Path

import asked
from own_command import ROOT, loadstone

SERVICES = {"datasette": "catalogue", "wordpress": "wordpress", "chat": "chat"}
SEARCH = "--tolerance 0.1 --repeats 2 --max-runs 20 --set load.ramp_up_s=10"
LOADS = {
    "datasette": "--from 10 --window 60",
    "wordpress": "--from 10 --window 60",
    # A minute does not tell 156 users of the chat from 189: their shares lie too near to 90 %.
    "chat": "--from 140 --window 180",
}
NODES = "--users 10000 --target 0.9999"
COST = "--book aws-2026 --instance m7i.large"
"""Two virtual cores: about what the quotas of a lab's two hosts come to."""
KEPT = ("capacity.json", "nodes.json", "cost.json", "report.html")


def measured(name: str, out: Path, scratch: Path) -> None:
    """Capacity, plan and price of one example, kept in `out`."""
    example = Path("examples") / name
    lab, work = example / "lab.toml", scratch / name
    loadstone("lab", "up", lab)
    try:
        loadstone("deploy", lab)
        target = ("--topology", lab, "--service", SERVICES[name])
        loadstone(
            "capacity",
            example / "scenario.toml",
            *target,
            *LOADS[name].split(),
            *SEARCH.split(),
            "--out",
            work,
            good=(0, 1, 5, 6, 7),
        )
        loadstone("undeploy", lab)
    finally:
        loadstone("lab", "down", name)
    loadstone("nodes", "--from", work, *NODES.split(), good=(0, 1))
    loadstone("cost", "--from", work, *COST.split(), good=(0, 1))
    kept = out / name
    kept.mkdir(parents=True, exist_ok=True)
    for file in KEPT:
        # The commands run in the checkout: their records then say nothing of where it lies.
        if (ROOT / work / file).exists():
            shutil.copy(ROOT / work / file, kept / file)


def row(folder: Path) -> str:
    """A line of the table, all of it from the records."""
    capacity, nodes, cost = (
        json.loads((folder / f"{record}.json").read_text()) for record in ("capacity", "nodes", "cost")
    )
    held = capacity["SLA-1"]
    resource = (held["limited_by"] or {}).get("resource") or {}
    chosen, user = nodes["chosen"], cost["per_user"]["SLA-1"]
    dollars = "withheld" if user is None else f"{user['usd_per_month']['1']:.4f}"
    return (
        f"| {folder.name} | {held['low']} to {held['high']} ({held['ended_by']}) | "
        f"{held['throughput_ops_per_s']:.1f} | {resource.get('said', 'not one resource')} | "
        f"{'withheld' if chosen is None else chosen['total']} | {dollars} |"
    )


def readme(out: Path) -> str:
    """The table of all examples that are in the folder, with what made it."""
    names = [name for name in SERVICES if (out / name / "cost.json").exists()]
    records = [json.loads((out / name / "capacity.json").read_text()) for name in names]
    machine, began = records[0]["machine"], ", ".join(one["started_at"] for one in records)
    return "\n".join(
        [
            "# Worked examples: users, nodes, dollars",
            f"`python bench/worked_examples.py`, begun at {began}, on",
            f"{machine['cores']} cores of an {machine['cpu']}, {machine['os']}. Each application has a",
            "lab of its own with the processor quotas of its `lab.toml`. Searches, and what followed each:",
            "",
            *(f"    {' '.join(one['command'])}" for one in records),
            f"    loadstone nodes --from DIR {NODES}",
            f"    loadstone cost --from DIR {COST}",
            "",
            "| example | users at SLA-1: held to broken (search ended by) | operations/s | limited by | "
            "nodes for 10,000 users, four nines | $ per user and month |",
            "|---|---|---|---|---|---|",
            *(row(out / name) for name in names),
            "",
        ]
    )


def main() -> None:
    """Every example, one after another."""
    parser = asked.parser(__doc__)
    parser.add_argument("--out", type=asked.folder, required=True)
    parser.add_argument(
        "--scratch", type=Path, default=Path("runs") / f"examples-{datetime.datetime.now():%H%M}"
    )
    parser.add_argument("--only", choices=SERVICES)
    options = parser.parse_args()
    for name in [options.only] if options.only else SERVICES:
        measured(name, options.out, options.scratch)
        (options.out / "README.md").write_text(readme(options.out), encoding="utf-8")


if __name__ == "__main__":
    main()
