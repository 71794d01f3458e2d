"""The roles that come along: by their manifests in `roles/`; one module each where that takes a program;
`site.py` is that of every built-in site."""

from loadstone.deploy.described import Described, described
from loadstone.deploy.kinds.command import Command
from loadstone.deploy.kinds.container import Container
from loadstone.deploy.kinds.image import ImageRole
from loadstone.deploy.kinds.site import SiteRole
from loadstone.deploy.role import TEMPLATES, Role
from loadstone.site import SITES

_EVERY: tuple[Role, ...] = (
    *(Described(TEMPLATES / name, own=False) for name in described(TEMPLATES)),
    *(Command(), Container(), ImageRole()),
    *(SiteRole(site) for site in SITES.values()),
)

ROLES: dict[str, Role] = {role.name: role for role in _EVERY}
