"""PostgreSQL with one database, `loadstone`."""

from __future__ import annotations

from collections.abc import Mapping

from loadstone.deploy.role import Place, Role, Service, Unit
from loadstone.deploy.settings import Database

# Debian and Ubuntu keep them out of PATH, by version, and each release has another one.
_PROGRAMS = "/usr/lib/postgresql/*/bin"


class PostgresqlSettings(Database):
    """Of PostgreSQL."""


class Postgresql(Role):
    """The PostgreSQL of the host's release."""

    name = "postgresql"
    settings = PostgresqlSettings
    port = 5432
    packages = ("postgresql",)
    secret_keys = ("password",)

    def files(self, service: Service) -> Mapping[str, str]:
        """The server's own, who may come in, and what is run after each start."""
        return {
            "postgresql.conf": "postgresql/templates/postgresql.conf.j2",
            "pg_hba.conf": "postgresql/templates/pg_hba.conf.j2",
            "pg_ident.conf": "postgresql/templates/pg_ident.conf.j2",
            "start.sql": "postgresql/templates/start.sql.j2",
        }

    def unit(self, service: Service, place: Place) -> Unit:
        """Any change is a restart, which keeps the data. Ready is when a query is answered."""
        # Made beside and moved: data are there as a whole or not at all.
        draft, server = "{run}/draft", "{bin}/postgres"
        make = ["{bin}/initdb", "-D", draft, "-U", "postgres", "-A", "scram-sha-256",
                "--auth-local=peer", "--no-sync", "--locale=C.UTF-8", "--encoding=UTF8"]  # fmt: skip
        query = ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", "{run}", "-p", str(service.port),
                 "-U", "postgres"]  # fmt: skip
        return Unit(
            role=self.name,
            port=service.port,
            start=[server, "--config-file={conf}/postgresql.conf"],
            programs=[server, "{bin}/initdb", "psql"],
            check=[server, "--config-file={conf}/postgresql.conf", "-C", "data_directory"],
            prepare=[["rm", "-rf", draft], make, ["mv", draft, "{data}/main"]],
            after=[[*query, "-f", "{conf}/start.sql"]],
            # SIGINT ends what users do; SIGTERM would wait for them.
            stop_signal=2,
            ready={"command": [*query, "-c", "SELECT 1"]},
            version=[server, "--version"],
            counts={"kind": "postgresql", "client": [*query, "-At", "-F", "\t"]},
            bin=_PROGRAMS,
            user="postgres",
            room_mib=32,
            secret=["start.sql"],
            ready_s=60,
            stop_s=60,
        )
