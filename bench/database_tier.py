"""The database tier: what each setting changes for a deployed site, with its interval; the database alone.

    sudo .venv/bin/python bench/database_tier.py --out bench/runs/DATE-MACHINE/database-tier
        [--database mariadb] [--pairs 8] [--seconds 20] [--users 16] [--only query-log]

Brings up a lab: Olio on one host, its database on another, a copy of that on a third. Each variant is
measured beside the base in pairs of short runs, in alternating order, on the same deployed site; users do
not pause. The database alone is sysbench's `oltp_read_write` and `oltp_read_only` from the site's host, as
Cloudstone's 600 to 800 queries a second. `results.ndjson` grows by a line for each run, and `README.md` is
made anew from it; a line has the machine's load as its run began. On a machine that does other work, figures
compare the two sides of a pair and are no capacities.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import asked
import kept

sys.path.insert(0, str(Path(__file__).parent))

from tier.baseline import baseline
from tier.ground import Ground, ground
from tier.table import readme
from tier.variants import VARIANTS, Variant

from loadstone.compare.pairs import turns


def main() -> None:
    """Every variant, from no lab to no lab."""
    options = _options()
    results = options.out / "results.ndjson"
    machine = f"{os.cpu_count()} cores of {kept.processor()}"

    def add(row: dict[str, Any]) -> None:
        row |= {"at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "database": options.database}
        row["command"] = " ".join(["python", *sys.argv])
        print(json.dumps(row), flush=True)
        with results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        rows = [json.loads(line) for line in results.read_text("utf-8").splitlines()]
        (options.out / "README.md").write_text(readme(rows, machine), encoding="utf-8")

    with tempfile.TemporaryDirectory() as folder, ground(Path(folder), options.database) as here:
        for name in ("oltp_read_write", "oltp_read_only"):
            for number in range(1, options.repeats + 1):
                load_1m = os.getloadavg()[0]
                found = baseline(here, name, options.seconds, options.threads)
                add({"kind": "baseline", "test": name, "number": number, "load_1m": load_1m, **found})
        for variant in [] if options.baseline_only else VARIANTS:
            if options.only in variant.name and options.database in variant.databases:
                _measure(here, variant, options, add)


def _measure(here: Ground, variant: Variant, options: argparse.Namespace, add: Any) -> None:
    """Pairs of one variant and the base."""
    for number, side in turns(options.pairs, options.seed):
        here.configure(variant if side == "b" else None)
        load_1m = os.getloadavg()[0]
        found = here.run(number, options.users, options.seconds)
        add(
            {
                "kind": "pair",
                "variant": variant.name,
                "side": side,
                "number": number,
                "load_1m": load_1m,
                **found,
            }
        )
    here.configure(None)


def _options() -> argparse.Namespace:
    parser = asked.parser(__doc__)
    parser.add_argument("--out", type=asked.folder, required=True)
    parser.add_argument("--database", choices=("mariadb", "postgresql"), default="mariadb")
    parser.add_argument("--pairs", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=5, help="of the database alone")
    parser.add_argument("--seconds", type=int, default=20, help="steady state of a run")
    parser.add_argument("--users", type=int, default=16)
    parser.add_argument("--threads", type=int, default=4, help="of sysbench")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="variants whose name has this word")
    parser.add_argument("--baseline-only", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
