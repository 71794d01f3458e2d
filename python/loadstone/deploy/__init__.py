"""Services on the hosts of a topology: Ansible brings them there, open ssh connections change them."""

from loadstone.deploy.deploy import deploy
from loadstone.deploy.operate import Change, State, configure, reconfigure, restart, status, undeploy
from loadstone.deploy.outcome import Outcome, SiteError, Step
from loadstone.deploy.recording import collect_logs, record
from loadstone.deploy.role import Service
from loadstone.deploy.site import Site, load_site

__all__ = [
    "Change",
    "Outcome",
    "Service",
    "Site",
    "SiteError",
    "State",
    "Step",
    "collect_logs",
    "configure",
    "deploy",
    "load_site",
    "reconfigure",
    "record",
    "restart",
    "status",
    "undeploy",
]
