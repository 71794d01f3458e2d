"""How often the verdicts on a run are wrong: simulated runs that are healthy, or ill in a known way.

    .venv/bin/python bench/calibration.py --out DIR [--cases 200] [--runs 10] [--seed 1] [--real]

`--cases` cases of every family are drawn at random, and each is run `--runs` times. Writes `summary.json`,
and `README.md` with its tables. `--real` makes short runs of servers of known behaviour besides.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asked

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
from calibrated.alarms import alarms, finds
from calibrated.pages import readme
from calibrated.real import real
from calibrated.shares import quick_answers, wrong_verdicts


def main() -> None:
    """Simulates, judges, counts."""
    parser = asked.parser(__doc__)
    parser.add_argument("--out", type=asked.folder, required=True)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--real", action="store_true", help="only make the real runs; the rest is kept")
    args = parser.parse_args()
    kept = args.out / "summary.json"
    found = json.loads(kept.read_text()) if kept.exists() else {}
    parts: dict[str, Callable[[], Any]] = {"real": real}
    if not args.real:
        rng = np.random.default_rng(args.seed)
        found["command"] = f"bench/calibration.py --cases {args.cases} --runs {args.runs} --seed {args.seed}"
        parts = {
            "alarms": lambda: alarms(args.cases, args.runs, rng),
            "finds": lambda: finds(args.cases, rng),
            "quick": lambda: quick_answers(5 * args.cases, rng),
            "shares": lambda: wrong_verdicts(5 * args.cases, rng),
        }
    for name, part in parts.items():
        found[name] = part()
        kept.write_text(json.dumps(found, indent=1) + "\n")
        (args.out / "README.md").write_text(readme(found))


if __name__ == "__main__":
    main()
