"""MariaDB with one database, `loadstone`."""

from __future__ import annotations

from collections.abc import Mapping

from loadstone.deploy.role import Place, Role, Service, Unit
from loadstone.deploy.settings import Database


class MariadbSettings(Database):
    """Of MariaDB with InnoDB, utf8mb4, no binary log."""


class Mariadb(Role):
    """Debian's mariadb-server."""

    name = "mariadb"
    settings = MariadbSettings
    port = 3306
    packages = ("mariadb-server",)
    secret_keys = ("password",)

    def files(self, service: Service) -> Mapping[str, str]:
        """The server's own, what it runs at each start, and how to reach it as the user `loadstone`."""
        return {
            "server.cnf": "mariadb/templates/server.cnf.j2",
            "start.sql": "mariadb/templates/start.sql.j2",
            "client.cnf": "mariadb/templates/client.cnf.j2",
        }

    def unit(self, service: Service, place: Place) -> Unit:
        """Any change is a restart, which keeps the data. Ready is when the user's own query is answered."""
        # Made beside and moved: data are there as a whole or not at all.
        draft = "{run}/draft"
        make = ["mariadb-install-db", "--no-defaults", "--auth-root-authentication-method=socket",
                "--auth-root-socket-user=mysql", "--skip-test-db", f"--datadir={draft}"]  # fmt: skip
        return Unit(
            role=self.name,
            port=service.port,
            start=["mariadbd", "--defaults-file={conf}/server.cnf"],
            programs=["mariadbd", "mariadb", "mariadb-install-db"],
            check=["mariadbd", "--defaults-file={conf}/server.cnf", "--help", "--verbose"],
            prepare=[["rm", "-rf", draft], make, ["mv", draft, "{data}/main"]],
            ready={"command": ["mariadb", "--defaults-file={conf}/client.cnf", "-e", "SELECT 1"]},
            version=["mariadbd", "--version"],
            counts={"kind": "mariadb", "client": ["mariadb", "--defaults-file={conf}/client.cnf", "-NBn"]},
            user="mysql",
            room_mib=32,
            secret=["start.sql", "client.cnf"],
            ready_s=60,
            stop_s=60,
        )
