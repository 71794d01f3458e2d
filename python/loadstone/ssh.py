"""Reaching the hosts of a topology: commands over one ssh connection a host, which stays open.

A lab host and a real machine are the same from here on: a name in the `ssh_config` of the topology's folder.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from loadstone.errors import LoadstoneError
from loadstone.lab import Folder, Topology, current
from loadstone.scratch import scratch

SSH_FAILED = 255
_TIMEOUT_S = 60.0
_KEY = re.compile(r"host key|permission denied|too many authentication|bad permissions|known_hosts", re.I)


@dataclass(frozen=True)
class Answer:
    """How a command on a host ended."""

    code: int
    out: str
    err: str

    @property
    def words(self) -> str:
        """What it said last, for a message."""
        return (self.err.strip() or self.out.strip() or f"exit code {self.code}")[-600:]


class Ssh:
    """Open connections to hosts; make one with `ssh`."""

    def __init__(
        self,
        config: Path,
        addresses: Mapping[str, str],
        sockets: Path,
        users: Mapping[str, str] | None = None,
        topology: str = "",
    ) -> None:
        """`addresses` of all hosts by name; `sockets` is a folder of ours for ssh's own; `users` we log in as
        where that is not root; `topology` is the name in which we come.
        """
        self.topology = topology
        self.config = config
        self.addresses = dict(addresses)
        self._sockets = sockets
        self._users = dict(users or {})

    @property
    def hosts(self) -> list[str]:
        """Names of all hosts, in the order of the file."""
        return list(self.addresses)

    def address(self, host: str) -> str:
        """The IP address or name under which other hosts reach it."""
        return self.addresses[host]

    def as_root(self, host: str) -> list[str]:
        """Words that make a command there run as root; none where we are."""
        return ["sudo", "-n"] if self._users.get(host, "root") != "root" else []

    def options(self) -> list[str]:
        """Options that make ssh and scp share the open connections."""
        return [
            *("-F", str(self.config), "-o", "BatchMode=yes", "-o", "ControlMaster=auto"),
            *("-o", f"ControlPath={self._sockets}/%C", "-o", "ControlPersist=600"),
            *("-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3", "-o", "LogLevel=ERROR"),
        ]

    def run(
        self,
        host: str,
        command: Sequence[str] | str,
        *,
        send: bytes | str | Path = b"",
        timeout_s: float = _TIMEOUT_S,
    ) -> Answer:
        """Runs a command there to its end: a list of words, or a line for the shell; `send` is its input, or
        the file that has it.

        LoadstoneError `host-unreachable`, `host-refused` (it does not let us in, or is not who it was).
        """
        try:
            with _input(send) as given:
                done = subprocess.run(
                    self._ssh(host, command), capture_output=True, check=False, timeout=timeout_s, **given
                )
        except subprocess.TimeoutExpired:
            message = f"`{_line(command)[:80]}` on `{host}` did not end within {timeout_s:g} s"
            raise LoadstoneError("host-unreachable", message) from None
        answer = Answer(
            done.returncode, *(part.decode(errors="replace") for part in (done.stdout, done.stderr))
        )
        if answer.code == SSH_FAILED:
            refuse(host, self.addresses[host], answer.err)
        return answer

    def start(self, host: str, command: Sequence[str] | str) -> subprocess.Popen[bytes]:
        """Starts a command there with pipes for its input, output and errors; its end is the caller's."""
        pipe = subprocess.PIPE
        return subprocess.Popen(
            self._ssh(host, command), stdin=pipe, stdout=pipe, stderr=pipe, process_group=0
        )

    def write(self, host: str, path: str, content: bytes | str, mode: int = 0o644) -> None:
        """Replaces a file there in one step. LoadstoneError `host-write` with the reason, or as `run`."""
        # Hosts may share a file system: each has a draft of its own.
        draft, target = shlex.quote(f"{path}.loadstone-draft-{host}"), shlex.quote(path)
        folder = shlex.quote(str(Path(path).parent))
        # A disk that is full shows at the end of the write: the file in use is replaced only after it.
        line = f"mkdir -p {folder} && cat >{draft} && chmod {mode:o} {draft} && mv {draft} {target}"
        answer = self.run(host, f"{line} || {{ rm -f {draft}; exit 1; }}", send=content)
        if answer.code:
            raise LoadstoneError("host-write", f"cannot write {path} on `{host}`: {answer.words}")

    def check(self, hosts: Sequence[str] | None = None) -> dict[str, LoadstoneError]:
        """Opens the connections to `hosts` (all) at once; the errors of those that cannot be reached."""
        wanted = self.hosts if hosts is None else list(dict.fromkeys(hosts))
        found: dict[str, LoadstoneError] = {}

        def one(host: str) -> None:
            try:
                self.run(host, ["true"], timeout_s=30.0)
            except LoadstoneError as error:
                found[host] = error

        with ThreadPoolExecutor(max_workers=max(1, min(16, len(wanted)))) as pool:
            list(pool.map(one, wanted))
        return {host: found[host] for host in wanted if host in found}

    def close(self) -> None:
        """Closes the connections."""
        for host in self.hosts:
            command = ["ssh", *self.options(), "-O", "exit", host]
            subprocess.run(command, capture_output=True, check=False, timeout=_TIMEOUT_S)

    def _ssh(self, host: str, command: Sequence[str] | str) -> list[str]:
        return ["ssh", *self.options(), "-T", host, "--", _line(command)]


@contextlib.contextmanager
def ssh(topology: Topology) -> Iterator[Ssh]:
    """Connections to the hosts of a topology that is up, opened when first used and closed with the block.

    LoadstoneError `lab-missing` or `lab-exists` when it is not up from this very file.
    """
    record = current(topology)
    addresses = {host.name: _plain(host.address) for host in record.hosts}
    users = {host.name: host.address.partition("@")[0] for host in record.hosts if host.real}
    with scratch("ssh", _end_masters) as sockets:
        yield Ssh(Folder(record.name).path / "ssh_config", addresses, sockets, users, record.name)


def _end_masters(sockets: Path) -> None:
    """Ends the connections behind these sockets, ours or those of a command that was killed."""
    for path in sockets.iterdir():
        command = ["ssh", "-F", "none", "-o", f"ControlPath={path}", "-O", "exit", "nobody"]
        subprocess.run(command, capture_output=True, check=False, timeout=_TIMEOUT_S)


@contextlib.contextmanager
def _input(send: bytes | str | Path) -> Iterator[dict[str, Any]]:
    """How `subprocess` is told of it; a file is not read into memory."""
    if isinstance(send, Path):
        with send.open("rb") as file:
            yield {"stdin": file}
    else:
        yield {"input": send.encode() if isinstance(send, str) else send}


def _plain(address: str) -> str:
    """The address without user and port.

    >>> _plain("admin@db.example:2222"), _plain("198.18.7.20")
    ('db.example', '198.18.7.20')
    """
    name = address.rpartition("@")[2]
    head, colon, port = name.rpartition(":")
    return head if colon and port.isdigit() else name


def _line(command: Sequence[str] | str) -> str:
    return command if isinstance(command, str) else shlex.join(command)


def refuse(host: str, address: str, words: str) -> NoReturn:
    """Says why a host was not reached: LoadstoneError `host-unreachable`, `host-refused`."""
    said = " ".join(words.split())[-300:] or "no answer"
    if _KEY.search(words):
        hint = "check the key and user in the topology; `ssh-keygen -R` forgets a machine that was replaced"
        raise LoadstoneError("host-refused", f"`{host}` ({address}) does not let us in: {said}", hint=hint)
    hint = "is it up, and does its network lead there?"
    raise LoadstoneError("host-unreachable", f"`{host}` ({address}) cannot be reached: {said}", hint=hint)
