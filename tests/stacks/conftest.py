"""The databases on which every stack is tried."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from servers import MariaDb, Postgres, Server, missing
from shared_sites import load

DATABASES = ("sqlite", "postgres", "mariadb")


@pytest.fixture(scope="session")
def servers() -> Iterator[dict[str, Server]]:
    """Running database servers by name."""
    if reason := missing():
        pytest.skip(reason)
    with contextlib.ExitStack() as stack:
        made: dict[str, Server] = {}
        for name, kind in (("postgres", Postgres), ("mariadb", MariaDb)):
            # Not below pytest's folder: the servers run as another user, who may not pass through it.
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="loadstone-stacks-")))
            if not os.geteuid():
                os.chown(folder, 65534, 65534)
            server = made[name] = kind(folder)
            stack.callback(server.stop)
            server.install()
        yield made


@pytest.fixture
def fresh(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The place of an unchanged data set, in the database that the test names as `request.param`."""
    if request.param == "sqlite":
        done = load(str(tmp_path / "data"))
        assert done.returncode == 0, done.stderr
        return str(tmp_path / "data")
    url = request.getfixturevalue("servers")[request.param].url
    done = load(url, "--replace")
    assert done.returncode == 0, done.stderr
    return str(url)
