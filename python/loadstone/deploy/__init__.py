"""Services on the hosts of a topology: Ansible brings them there, open ssh connections change them.

Other rooms use the names below and no module beneath.
"""

from loadstone.deploy.deploy import deploy
from loadstone.deploy.kinds import ROLES
from loadstone.deploy.operate import Change, State, configure, reconfigure, restart, status, undeploy
from loadstone.deploy.outcome import Outcome, SiteError, Step
from loadstone.deploy.recording import collect_logs, record
from loadstone.deploy.remote import ask, at_once
from loadstone.deploy.render import render as rendered
from loadstone.deploy.role import Service
from loadstone.deploy.site import Site, load_site

__all__ = [
    "ROLES",
    "Change",
    "Outcome",
    "Service",
    "Site",
    "SiteError",
    "State",
    "Step",
    "ask",
    "at_once",
    "collect_logs",
    "configure",
    "deploy",
    "load_site",
    "reconfigure",
    "record",
    "rendered",
    "restart",
    "status",
    "undeploy",
]
