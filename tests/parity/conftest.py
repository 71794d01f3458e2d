"""One PostgreSQL and one MariaDB for all tests of this folder."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from servers import MariaDb, Postgres, Server, missing


@pytest.fixture(scope="session")
def database_servers() -> Iterator[dict[str, Server]]:
    """Running servers by name, `postgres` and `mariadb`."""
    if reason := missing():
        pytest.skip(reason)
    # Not below pytest's folder: the servers run as another user, who may not pass through it.
    folder = Path(tempfile.mkdtemp(prefix="loadstone-servers-"))
    folder.chmod(0o755)
    made: dict[str, Server] = {}
    try:
        for name, kind in (("postgres", Postgres), ("mariadb", MariaDb)):
            place = folder / name
            place.mkdir()
            if not os.geteuid():
                shutil.chown(place, "nobody", "nogroup")
            made[name] = kind(place)
            made[name].install()
        yield made
    finally:
        for server in made.values():
            server.stop()
        shutil.rmtree(folder)
