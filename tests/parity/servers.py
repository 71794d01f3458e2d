"""Database servers as private processes: started, stopped and started again by a test, gone after it."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from free_ports import free_row

POSTGRES = Path("/usr/lib/postgresql/15/bin")
WAIT_S = 60.0
USER = "olio"
PASSWORD = "p@ss:w0rd"
"""As a URL has it: `p%40ss%3Aw0rd`."""


def missing() -> str | None:
    """What is not installed, as a sentence."""
    have_maria = shutil.which("mariadbd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if have_maria and (POSTGRES / "postgres").is_file():
        return None
    return "MariaDB or PostgreSQL is not installed; scripts/setup-servers installs them"


def _free_port() -> int:
    """None of those that the system hands out: on 127.0.0.2, too, somebody may have one for a while."""
    return free_row(1)


def _has_ended(process: psutil.Process) -> bool:
    """Also where nobody has asked yet how it ended."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@dataclass
class Server:
    """A database server on loopback; `folder` holds all of it."""

    folder: Path
    port: int = field(default_factory=_free_port)
    process: subprocess.Popen[bytes] | None = None
    certificate: tuple[Path, Path] | None = None
    """Of a server that takes TLS only, on 127.0.0.2, too; with its key."""

    scheme = ""

    @property
    def url(self) -> str:
        """The database `olio` of its user."""
        return f"{self.scheme}://{USER}:p%40ss%3Aw0rd@127.0.0.1:{self.port}/olio"

    def install(self) -> None:
        """Makes the data directory, user and database, and starts."""
        raise NotImplementedError

    def command(self) -> list[str]:
        """The server itself, in the foreground."""
        raise NotImplementedError

    @property
    def listens(self) -> str:
        """Its addresses."""
        return "127.0.0.1,127.0.0.2" if self.certificate else "127.0.0.1"

    def start(self) -> None:
        """Starts; returns when connections are taken."""
        log = (self.folder / "log").open("ab")
        self.process = subprocess.Popen(
            self.as_other(self.command()), stdout=log, stderr=log, cwd=self.folder, start_new_session=True
        )
        end = time.monotonic() + WAIT_S
        while time.monotonic() < end and self.process.poll() is None:
            if all(self._accepts(address) for address in self.listens.split(",")):
                return
            time.sleep(0.05)
        raise RuntimeError((self.folder / "log").read_text())

    def _accepts(self, address: str) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex((address, self.port)) == 0

    def stop(self) -> None:
        """Ends it at once, as a crash would; connections break."""
        if self.process is None or self.process.poll() is not None:
            return
        # PostgreSQL's processes have sessions of their own, and would hold its shared memory after its end.
        whole = psutil.Process(self.process.pid)
        family = [whole, *whole.children(recursive=True)]
        for one in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                one.kill()
        self.process.wait(WAIT_S)
        end = time.monotonic() + WAIT_S
        while not all(_has_ended(one) for one in family):
            if time.monotonic() > end:
                raise TimeoutError(f"a process of {self.folder} did not end")
            time.sleep(0.01)
        self.process = None

    def as_other(self, command: list[str]) -> list[str]:
        """As a user that these servers are willing to run as."""
        if os.geteuid():
            return command
        return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", *command]

    def run(self, *command: str, text: str | None = None) -> None:
        """Runs a tool to its end; its talk is in the error."""
        done = subprocess.run(
            self.as_other(list(command)),
            cwd=self.folder,
            # psql looks for files of TLS there, which another user may not read.
            env={**os.environ, "HOME": str(self.folder)},
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{command[0]}: {done.stdout}{done.stderr}")


class Postgres(Server):
    """PostgreSQL; log-in by SCRAM."""

    scheme = "postgres"

    def install(self) -> None:
        secret = self.folder / "secret"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        self.run(
            *(str(POSTGRES / "initdb"), "-D", str(self.folder / "data"), "--no-sync", "--locale=C.UTF-8"),
            *("-U", USER, "--pwfile", str(secret), "--auth=scram-sha-256"),
        )
        if self.certificate:
            (self.folder / "data" / "pg_hba.conf").write_text("hostssl all all all scram-sha-256\n")
        self.start()
        single = f"PGPASSWORD={PASSWORD} psql -h 127.0.0.1 -p {self.port} -U {USER} -d postgres -q"
        end = time.monotonic() + WAIT_S
        while True:
            try:
                self.run("sh", "-c", single, text="CREATE DATABASE olio;")
                return
            except RuntimeError:
                # It listens before it has recovered.
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def command(self) -> list[str]:
        secure = self.certificate and [
            *("-c", "ssl=on", "-c", f"ssl_cert_file={self.certificate[0]}"),
            *("-c", f"ssl_key_file={self.certificate[1]}"),
        ]
        return [
            *(str(POSTGRES / "postgres"), "-D", str(self.folder / "data"), "-p", str(self.port)),
            *("-c", f"listen_addresses={self.listens}", "-c", f"unix_socket_directories={self.folder}"),
            *("-c", "fsync=off", *(secure or [])),
        ]


class MariaDb(Server):
    """MariaDB."""

    scheme = "mysql"

    def install(self) -> None:
        self.fill()
        self.start()
        self.run(
            *("mariadb", "--no-defaults", f"--socket={self.folder / 'socket'}", "-uroot"),
            text=f"CREATE DATABASE olio; CREATE USER {USER}@'127.0.0.1' IDENTIFIED BY '{PASSWORD}';"
            f" GRANT ALL ON *.* TO {USER}@'127.0.0.1';",
        )

    def fill(self) -> None:
        """Makes the folder of data."""
        self.run(
            *("mariadb-install-db", "--no-defaults", "--auth-root-authentication-method=normal"),
            *("--skip-test-db", f"--datadir={self.folder / 'data'}", f"--tmpdir={self.folder}"),
        )

    def command(self) -> list[str]:
        secure = self.certificate and [
            *("--require-secure-transport=ON", f"--ssl-cert={self.certificate[0]}"),
            f"--ssl-key={self.certificate[1]}",
        ]
        return [
            *("mariadbd", "--no-defaults", f"--datadir={self.folder / 'data'}", f"--port={self.port}"),
            *(f"--socket={self.folder / 'socket'}", f"--bind-address={self.listens}", "--skip-log-bin"),
            *(f"--pid-file={self.folder / 'pid'}", "--innodb-flush-log-at-trx-commit=0"),
            # One that starts deletes what it takes for its own in there.
            f"--tmpdir={self.folder}",
            *(secure or []),
        ]
