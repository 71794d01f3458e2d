"""The roles: one module each."""

from loadstone.deploy.kinds.nginx import Nginx
from loadstone.deploy.role import Role

ROLES: dict[str, Role] = {role.name: role for role in (Nginx(),)}
