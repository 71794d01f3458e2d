"""One PostgreSQL and one MariaDB for all tests of this folder."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from certificates import Authority
from servers import MariaDb, Postgres, Server, missing


@pytest.fixture(scope="session")
def database_servers() -> Iterator[dict[str, Server]]:
    """Running servers by name, `postgres` and `mariadb`."""
    with _folder() as folder, _servers(folder) as made:
        yield made


@pytest.fixture(scope="module")
def secure_servers() -> Iterator[tuple[dict[str, Server], Path]]:
    """Servers that take TLS only, and the folder with what `Authority` makes."""
    with _folder() as folder:
        Authority(folder)
        for path in folder.glob("server.*"):
            _give(path)
        with _servers(folder, (folder / "server.pem", folder / "server.key")) as made:
            yield made, folder


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    if reason := missing():
        pytest.skip(reason)
    # Not below pytest's folder: the servers run as another user, who may not pass through it.
    folder = Path(tempfile.mkdtemp(prefix="loadstone-servers-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextlib.contextmanager
def _servers(folder: Path, certificate: tuple[Path, Path] | None = None) -> Iterator[dict[str, Server]]:
    made: dict[str, Server] = {}
    try:
        for name, kind in (("postgres", Postgres), ("mariadb", MariaDb)):
            place = folder / name
            place.mkdir()
            _give(place)
            made[name] = kind(place, certificate=certificate)
            made[name].install()
        yield made
    finally:
        for server in made.values():
            server.stop()


def _give(path: Path) -> None:
    """To the user whom the servers run as."""
    if path.is_file():
        path.chmod(0o600)
    if not os.geteuid():
        shutil.chown(path, "nobody", "nogroup")
