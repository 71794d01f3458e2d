"""A database whose disk is full, and what a site on it has to do."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from served_page import until
from servers import MariaDb, Postgres, Server
from shared_sites import SECRETS, Browser

from loadstone._core import usernames

SIZE_MIB = {"postgres": 96, "mariadb": 160}
PATHS = ("/", "/events/1", "/users/1")
_LEAVES = 1 << 20
_MOST = 60


@dataclass
class Small:
    """A file system of its own with a database's data."""

    server: Server
    folder: Path

    @property
    def has_ended(self) -> bool:
        """Whether the server has ended by itself."""
        return self.server.process is None or self.server.process.poll() is not None

    @contextlib.contextmanager
    def full(self) -> Iterator[None]:
        """There is next to no room until the block ends."""
        filler = self.folder / "filler"
        room = os.statvfs(self.folder)
        with filler.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, room.f_bavail * room.f_frsize - _LEAVES)
        try:
            yield
        finally:
            filler.unlink()


class _Postgres(Postgres):
    """Its log is elsewhere: a server that cannot write that ends, and one that cannot write data does not."""

    def install(self) -> None:
        _mount(self.folder / "data", SIZE_MIB["postgres"])
        # initdb wants an empty folder below the mount, and links the log's.
        (self.folder / "data" / "base").mkdir()
        shutil.chown(self.folder / "data" / "base", "nobody", "nogroup")
        super().install()

    def run(self, *command: str, text: str | None = None) -> None:
        if command[0].endswith("initdb"):
            command = (*command, f"--waldir={self.folder / 'wal'}")
            command = tuple(self._moved(word) for word in command)
        super().run(*command, text=text)

    def command(self) -> list[str]:
        return [self._moved(word) for word in super().command()]

    def _moved(self, word: str) -> str:
        return str(self.folder / "data" / "base") if word == str(self.folder / "data") else word


class _MariaDb(MariaDb):
    """Its log is elsewhere, as PostgreSQL's."""

    def install(self) -> None:
        _mount(self.folder / "data", SIZE_MIB["mariadb"])
        (self.folder / "log-files").mkdir()
        shutil.chown(self.folder / "log-files", "nobody", "nogroup")
        super().install()

    def run(self, *command: str, text: str | None = None) -> None:
        if command[0] == "mariadb-install-db":
            command = (*command, f"--innodb-log-group-home-dir={self.folder / 'log-files'}")
        super().run(*command, text=text)

    def command(self) -> list[str]:
        return [*super().command(), f"--innodb-log-group-home-dir={self.folder / 'log-files'}"]


def _mount(folder: Path, mib: int) -> None:
    folder.mkdir()
    owner = f"size={mib}m,mode=755,uid=65534,gid=65534"
    subprocess.run(["mount", "-t", "tmpfs", "-o", owner, "loadstone-test", str(folder)], check=True)


@contextlib.contextmanager
def small(kind: str) -> Iterator[Small]:
    """`postgres` or `mariadb` on a file system of its own; needs root."""
    folder = Path(tempfile.mkdtemp(prefix="loadstone-small-"))
    folder.chmod(0o755)
    shutil.chown(folder, "nobody", "nogroup")
    server = {"postgres": _Postgres, "mariadb": _MariaDb}[kind](folder)
    try:
        server.install()
        yield Small(server, folder / "data")
    finally:
        server.stop()
        subprocess.run(["umount", "--lazy", str(folder / "data")], check=False)
        shutil.rmtree(folder, ignore_errors=True)


FIELDS = {
    **{f"user[{field}]": "x" for field in ("firstname", "lastname", "timezone")},
    **{f"address[{field}]": "x" for field in ("street1", "city", "zip", "country")},
    **{"user[email]": "e@example.org", "_method": "put"},
}


def picture() -> bytes:
    """That no database can make smaller."""
    return b"\x89PNG\r\n\x1a\n" + os.urandom(400_000)


@dataclass
class _Members:
    """Who each upload one picture."""

    url: str
    number: int = 2

    def upload(self, image: bytes) -> tuple[int, bytes]:
        """Status and page of the next one's."""
        self.number += 1
        name, path = usernames(self.number, 1)[0], f"/users/{self.number}"
        browser = Browser([self.url])
        browser.log_in(name, str(self.number))
        browser.get(f"{path}/edit")
        return browser.upload(path, FIELDS | {"user[username]": name}, {"user_image": image})

    def shown(self, number: int) -> bytes:
        """The picture of somebody."""
        return Browser([self.url]).send("GET", f"/media/p{number}.jpg")[1]


def says_that_it_is_full(disk: Small, url: str) -> None:
    """A picture that has no room is 507 with a page, everything else goes on, and all is well afterwards.

    Where the database ends itself instead, all is 503 until it is started again, and then as it was.
    """
    members, stranger = _Members(url), Browser([url])
    assert members.upload(picture())[0] == 200
    before = [SECRETS.sub(b"", stranger.get(path)[1]) for path in PATHS]
    with disk.full():
        kept, code, page = b"", 200, b""
        while code == 200 and members.number < _MOST:
            last, kept = kept, picture()
            code, page = members.upload(kept)
        # MariaDB 10.11 ends itself by an assertion when it cannot store so large a value.
        if code == 503:
            until(lambda: disk.has_ended)
        wanted = 503 if disk.has_ended else 507
        assert (code, b'data-key="error:%d"' % wanted in page) == (wanted, True), page
        assert wanted == 507 or disk.server.scheme == "mysql"
        if wanted == 507:
            # The picture before it is there, whole.
            assert not last or members.shown(members.number - 1) == last
            for path, right in zip(PATHS, before, strict=True):
                assert (stranger.get(path)[0], SECRETS.sub(b"", stranger.get(path)[1])) == (200, right), path
        else:
            assert {stranger.get(path)[0] for path in PATHS} == {503}
    if disk.has_ended:
        disk.server.process = None
        disk.server.start()
        # Each worker finds out for itself, a quarter of a second after it was refused.
        until(lambda: [SECRETS.sub(b"", stranger.get(path)[1]) for path in PATHS] == before)
    kept = picture()
    until(lambda: members.upload(kept)[0] == 200)
    assert members.shown(members.number) == kept
