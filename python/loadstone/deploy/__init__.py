"""Services on the hosts of a topology: Ansible brings them there, open ssh connections change them.

Other rooms use the names below and no module beneath.
"""

from loadstone.deploy.deploy import deploy
from loadstone.deploy.disturb import Part, drain_now, drained, halt, part, restarted
from loadstone.deploy.dry_run import Planned, planned
from loadstone.deploy.fetching import collect_logs
from loadstone.deploy.operate import Change, State, configure, reconfigure, restart, status, undeploy
from loadstone.deploy.outcome import Outcome, SiteError, Step
from loadstone.deploy.recording import record
from loadstone.deploy.remote import Consent, ask, at_once
from loadstone.deploy.render import render as rendered
from loadstone.deploy.resetting import Worn, reset, worn
from loadstone.deploy.role import Service
from loadstone.deploy.site import Site, load_site
from loadstone.deploy.watching import WatchedHost, instruct, watch, watched

__all__ = [
    "Change",
    "Consent",
    "Outcome",
    "Part",
    "Planned",
    "Service",
    "Site",
    "SiteError",
    "State",
    "Step",
    "WatchedHost",
    "Worn",
    "ask",
    "at_once",
    "collect_logs",
    "configure",
    "deploy",
    "drain_now",
    "drained",
    "halt",
    "instruct",
    "load_site",
    "part",
    "planned",
    "reconfigure",
    "record",
    "rendered",
    "reset",
    "restart",
    "restarted",
    "status",
    "undeploy",
    "watch",
    "watched",
    "worn",
]
