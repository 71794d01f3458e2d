"""`python -m loadstone.site.stack STACK PLACE OPTIONS`: a stack in the foreground, for a measurement.

Prints `{"url": …}` when requests are taken, and ends with its standard input or by SIGTERM.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from loadstone import leave
from loadstone.errors import LoadstoneError
from loadstone.site.stack.running import Wanted, database_of, prepared, running


def main(folder: str, place: str, options: dict[str, Any]) -> None:
    """Serves until standard input ends."""
    host, _, port = str(options.get("address", "127.0.0.1:0")).rpartition(":")
    with prepared(options["data"]) as (files, state):
        wanted = Wanted(folder, database_of(place), files, state, host, int(port), options.get("site", {}))
        with running(wanted) as stack:
            print(json.dumps({"url": stack.url}), flush=True)
            sys.stdin.buffer.read()


if __name__ == "__main__":
    leave.watch()
    try:
        main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
    except LoadstoneError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
