"""The roles: one module each; `site.py` is that of every built-in site."""

from loadstone.deploy.kinds.apache import Apache
from loadstone.deploy.kinds.caddy import Caddy
from loadstone.deploy.kinds.command import Command
from loadstone.deploy.kinds.container import Container
from loadstone.deploy.kinds.haproxy import Haproxy
from loadstone.deploy.kinds.mariadb import Mariadb
from loadstone.deploy.kinds.memcached import Memcached
from loadstone.deploy.kinds.nftables import Nftables
from loadstone.deploy.kinds.nginx import Nginx
from loadstone.deploy.kinds.postgresql import Postgresql
from loadstone.deploy.kinds.site import SiteRole
from loadstone.deploy.kinds.varnish import Varnish
from loadstone.deploy.role import Role
from loadstone.site import SITES

_EVERY: tuple[Role, ...] = (
    *(
        Apache(),
        Caddy(),
        Command(),
        Container(),
        Haproxy(),
        Mariadb(),
        Memcached(),
        Nftables(),
        Nginx(),
        Postgresql(),
    ),
    Varnish(),
    *(SiteRole(site) for site in SITES.values()),
)

ROLES: dict[str, Role] = {role.name: role for role in _EVERY}
