"""Labs: several hosts on this machine, each reached by ssh as a real one would be.

A topology file describes hosts and links; `up` makes them, `down` removes them without a trace. Other rooms
use the names below and no module beneath. They are imported when they are asked for: the switch is a process
of this package, and needs none of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loadstone.lab.bring_up import current, up
    from loadstone.lab.calibrate import Measured, RoundTrip, lateness
    from loadstone.lab.calibrate import calibrate as calibrate_links
    from loadstone.lab.cgroups import QuotaError
    from loadstone.lab.cgroups import counted as quota_group
    from loadstone.lab.cgroups import limit as limit_host
    from loadstone.lab.folder import Folder
    from loadstone.lab.hosts import within
    from loadstone.lab.listing import labs
    from loadstone.lab.live import kill as kill_host
    from loadstone.lab.live import repair as repair_host
    from loadstone.lab.live import restart as restart_host
    from loadstone.lab.live import restore_link, set_link
    from loadstone.lab.state import Identity
    from loadstone.lab.state import authority as kept_authority
    from loadstone.lab.state import forget as forget_state
    from loadstone.lab.state import identity as identify
    from loadstone.lab.state import kept as kept_state
    from loadstone.lab.status import HostStatus
    from loadstone.lab.status import status as lab_status
    from loadstone.lab.take_down import down, require
    from loadstone.lab.take_down import only as only_lab
    from loadstone.lab.topology import Topology, load_topology

__all__ = [
    "Folder",
    "HostStatus",
    "Identity",
    "Measured",
    "QuotaError",
    "RoundTrip",
    "Topology",
    "calibrate_links",
    "current",
    "down",
    "forget_state",
    "identify",
    "kept_authority",
    "kept_state",
    "kill_host",
    "lab_status",
    "labs",
    "lateness",
    "limit_host",
    "load_topology",
    "only_lab",
    "quota_group",
    "repair_host",
    "require",
    "restart_host",
    "restore_link",
    "set_link",
    "up",
    "within",
]

_PLACES = {
    "Folder": "folder.Folder",
    "HostStatus": "status.HostStatus",
    "Identity": "state.Identity",
    "Measured": "calibrate.Measured",
    "QuotaError": "cgroups.QuotaError",
    "RoundTrip": "calibrate.RoundTrip",
    "Topology": "topology.Topology",
    "calibrate_links": "calibrate.calibrate",
    "current": "bring_up.current",
    "down": "take_down.down",
    "forget_state": "state.forget",
    "kept_authority": "state.authority",
    "identify": "state.identity",
    "kept_state": "state.kept",
    "kill_host": "live.kill",
    "lab_status": "status.status",
    "labs": "listing.labs",
    "lateness": "calibrate.lateness",
    "limit_host": "cgroups.limit",
    "load_topology": "topology.load_topology",
    "only_lab": "take_down.only",
    "quota_group": "cgroups.counted",
    "repair_host": "live.repair",
    "require": "take_down.require",
    "restart_host": "live.restart",
    "restore_link": "live.restore_link",
    "set_link": "live.set_link",
    "up": "bring_up.up",
    "within": "hosts.within",
}


def __getattr__(name: str) -> Any:
    """A name of the face, from the module that has it. AttributeError for any other."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, own = _PLACES[name].partition(".")
    return getattr(import_module(f"{__name__}.{module}"), own)
