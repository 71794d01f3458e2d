"""URLs of databases, as their clients read them: with TLS, the server is checked by name."""

from __future__ import annotations

from pathlib import PurePath

from loadstone.deploy.role import Service

SCHEMES = {"mariadb": "mysql", "postgresql": "postgres"}
"""Of databases, by role."""
_CHECKED = {
    "mysql": "?ssl-mode=VERIFY_IDENTITY&ssl-ca={}",
    "postgres": "?sslmode=verify-full&sslrootcert={}",
}


def database_url(database: Service, address: str, password: str, authority: PurePath) -> str:
    """Where the role's user `loadstone` finds the database of the same name; `authority` is a file there.

    >>> from loadstone.deploy.kinds import ROLES
    >>> one = Service("db", ROLES["postgresql"], ("h1",), 5432, None, tls=True)
    >>> database_url(one, "10.0.0.1", "word", PurePath("/a.crt"))
    'postgres://loadstone:word@10.0.0.1:5432/loadstone?sslmode=verify-full&sslrootcert=/a.crt'
    """
    scheme = SCHEMES[database.role]
    checked = _CHECKED[scheme].format(authority) if database.tls else ""
    return f"{scheme}://loadstone:{password}@{address}:{database.port}/loadstone{checked}"
