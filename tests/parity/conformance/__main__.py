"""Holds a running Olio to what the site promises, and to what another Olio answers.

The site must be fresh: `loadstone olio load --accounts 120 --media-scale 0.01`, then nothing but this walk.
Pictures are compared byte for byte as well, so `--against` needs the same media scale on both sides.

    python tests/parity/conformance http://127.0.0.1:8080
    python tests/parity/conformance http://127.0.0.1:8081 --against http://127.0.0.1:8080
    python tests/parity/conformance http://127.0.0.1:8080 --record answers.ndjson
    python tests/parity/conformance http://127.0.0.1:8081 --against answers.ndjson

Exit code 0: all is right; 1: something is not, each a line; 2: a place that cannot be read.
"""

from __future__ import annotations

import argparse
import http.client
import json
import sys
from itertools import zip_longest
from pathlib import Path

from compared import differences
from visitor import Visitor
from walk import walk


def main() -> int:
    """Walks, compares, reports."""
    wanted = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    wanted.add_argument("url", help="the site to be held to it")
    wanted.add_argument("--against", metavar="URL|FILE", help="another site, or a recording of one")
    wanted.add_argument(
        "--record", metavar="FILE", type=Path, help="keep what the site answered, a line a request"
    )
    asked = wanted.parse_args()
    try:
        visitor = walk(asked.url)
        faults = visitor.faults + (_against(visitor, asked.against) if asked.against else [])
    except (OSError, http.client.HTTPException, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if asked.record:
        asked.record.write_text("".join(json.dumps(answer.comparable()) + "\n" for answer in visitor.answers))
    print(
        "\n".join(faults) + ("\n" if faults else "") + f"{len(visitor.answers)} requests, {len(faults)} wrong"
    )
    return 1 if faults else 0


def _against(visitor: Visitor, place: str) -> list[str]:
    if "://" in place:
        return differences(visitor.answers, walk(place).answers)
    kept = [json.loads(line) for line in Path(place).read_text().splitlines()]
    ours = [answer.comparable() for answer in visitor.answers]
    return [
        f"{(mine or theirs)['request']}: differs from the recording"
        for mine, theirs in zip_longest(ours, kept)
        if mine != theirs
    ]


if __name__ == "__main__":
    sys.exit(main())
