"""Between hosts: round trips, jitter, loss, bandwidth and path, repeated; and what can be inferred from them.

`docs/reference/probe.md` is the contract.
"""

from loadstone.probe.folder import append, begin, conclude
from loadstone.probe.measure import Prober
from loadstone.probe.options import Options
from loadstone.probe.pairs import Pair
from loadstone.probe.preflight import check_hosts

__all__ = ["Options", "Pair", "Prober", "append", "begin", "check_hosts", "conclude"]
