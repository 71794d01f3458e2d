"""The roles: one module each."""

from loadstone.deploy.kinds.apache import Apache
from loadstone.deploy.kinds.caddy import Caddy
from loadstone.deploy.kinds.haproxy import Haproxy
from loadstone.deploy.kinds.mariadb import Mariadb
from loadstone.deploy.kinds.memcached import Memcached
from loadstone.deploy.kinds.nftables import Nftables
from loadstone.deploy.kinds.nginx import Nginx
from loadstone.deploy.kinds.olio import Olio
from loadstone.deploy.kinds.postgresql import Postgresql
from loadstone.deploy.kinds.varnish import Varnish
from loadstone.deploy.role import Role

_EVERY: tuple[Role, ...] = (
    *(Apache(), Caddy(), Haproxy(), Mariadb(), Memcached(), Nftables(), Nginx(), Olio(), Postgresql()),
    Varnish(),
)

ROLES: dict[str, Role] = {role.name: role for role in _EVERY}
