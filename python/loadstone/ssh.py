"""Reaching the hosts of a topology: commands over one ssh connection a host, which stays open.

A lab host is a name in the `ssh_config` of the topology's folder. A real machine is reached as ssh reaches
it for the user, by their own `~/.ssh/config`. For everybody else both are a name of the topology.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

from loadstone.errors import LoadstoneError
from loadstone.lab import Folder, Identity, Topology, current, identify
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
        ports: Mapping[str, int] | None = None,
        aliases: Mapping[str, str] | None = None,
        jumped: Collection[str] = (),
        identity: Callable[[], Identity] | None = None,
    ) -> None:
        """`addresses` of all hosts by name; `sockets` is a folder of ours for ssh's own; `users` we log in as
        on real machines, at `ports` where the topology gives one, by `aliases` that only our ssh may know;
        `topology` is the name in which we come, and `identity` tells more of it; `jumped` are hosts that ssh
        reaches by way of another one.
        """
        self.topology = topology
        self.config = config
        self.addresses = dict(addresses)
        self._sockets = sockets
        self._users = dict(users or {})
        self._ports = dict(ports or {})
        self._aliases = dict(aliases or {})
        self._jumped = frozenset(jumped)
        self._identity = identity

    @property
    def hosts(self) -> list[str]:
        """Names of all hosts, in the order of the file."""
        return list(self.addresses)

    @cached_property
    def identity(self) -> Identity:
        """Whose services ours are. LoadstoneError `cannot-write`."""
        return self._identity() if self._identity else Identity(self.topology)

    def address(self, host: str) -> str:
        """The IP address or name under which other hosts reach it."""
        return self.addresses[host]

    def direct(self, host: str) -> bool:
        """Whether we are on its network, as far as ssh's own way tells: a jump host says that we are not."""
        return host not in self._jumped

    def as_root(self, host: str) -> list[str]:
        """Words that make a command there run as root; none where we are."""
        return ["sudo", "-n"] if self._users.get(host, "root") != "root" else []

    def options(self, host: str) -> list[str]:
        """Options with which ssh reaches it and shares the open connection."""
        shared = {
            "BatchMode": "yes", "ControlMaster": "auto", "ControlPath": f"{self._sockets}/%C",
            "ControlPersist": "600", "ServerAliveInterval": "5", "ServerAliveCountMax": "3",
            "LogLevel": "ERROR",
        }  # fmt: skip
        if host not in self._users:
            return ["-F", str(self.config), *_set(shared)]
        # Of the user's own configuration, what is meant for a person at a terminal is left out.
        own = {"ConnectTimeout": "10", "ClearAllForwardings": "yes", "RemoteCommand": "none"}
        port = ["-p", str(self._ports[host])] if host in self._ports else []
        return [*_set(shared | own), "-l", self._users[host], *port]

    def destination(self, host: str) -> str:
        """What ssh is told to reach, with `options`."""
        return self._aliases.get(host, self.addresses[host]) if host in self._users else host

    def run(
        self,
        host: str,
        command: Sequence[str] | str,
        *,
        send: bytes | str | Path = b"",
        hold: bool = False,
        timeout_s: float = _TIMEOUT_S,
    ) -> Answer:
        """Runs a command there to its end: a list of words, or a line for the shell; `send` is its input, or
        the file that has it. With `hold` its input is empty and open until it ends or we die.

        LoadstoneError `host-unreachable`, `host-refused` (it does not let us in, or is not who it was).
        """
        try:
            with given(send, hold) as keys:
                done = subprocess.run(
                    self._ssh(host, command), capture_output=True, check=False, timeout=timeout_s, **keys
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
            command = ["ssh", *self.options(host), "-O", "exit", self.destination(host)]
            subprocess.run(command, capture_output=True, check=False, timeout=_TIMEOUT_S)

    def _ssh(self, host: str, command: Sequence[str] | str) -> list[str]:
        return ["ssh", *self.options(host), "-T", self.destination(host), "--", _line(command)]


_open: dict[str, Ssh] = {}
"""What the outermost block of each topology holds."""


@contextlib.contextmanager
def ssh(topology: Topology) -> Iterator[Ssh]:
    """Connections to the hosts of a topology that is up, opened when first used and closed with the block.

    Blocks within each other share them: a login costs more than most commands.
    LoadstoneError `lab-missing` or `lab-exists` when it is not up from this very file.
    """
    record = current(topology)
    if shared := _open.get(record.name):
        yield shared
        return
    aliases = {host.name: _plain(host.address) for host in record.hosts if host.real}
    addresses = {host.name: aliases.get(host.name, host.address) for host in record.hosts}
    with ThreadPoolExecutor(max_workers=max(1, len(aliases))) as pool:
        own = dict(zip(aliases, pool.map(_configured, aliases.values()), strict=True))
    addresses |= {name: found.get("hostname", aliases[name]) for name, found in own.items()}
    jumped = [name for name, found in own.items() if {"proxyjump", "proxycommand"} & found.keys()]
    users = {host.name: host.address.partition("@")[0] for host in record.hosts if host.real}
    ports = {host.name: port for host in record.hosts if host.real and (port := _port(host.address))}
    config = Folder(record.name).path / "ssh_config"
    with scratch("ssh", _end_masters) as sockets:
        hosts = _open[record.name] = Ssh(
            config,
            addresses,
            sockets,
            users,
            record.name,
            ports,
            aliases,
            jumped,
            lambda: identify(topology),
        )
        try:
            yield hosts
        finally:
            del _open[record.name]


def _end_masters(sockets: Path) -> None:
    """Ends the connections behind these sockets, ours or those of a command that was killed."""
    for path in sockets.iterdir():
        command = ["ssh", "-F", "none", "-o", f"ControlPath={path}", "-O", "exit", "nobody"]
        subprocess.run(command, capture_output=True, check=False, timeout=_TIMEOUT_S)


@contextlib.contextmanager
def given(send: bytes | str | Path, hold: bool) -> Iterator[dict[str, Any]]:
    """How `subprocess` is told of a command's input; a file is not read into memory."""
    if hold:
        end, ours = os.pipe()
        try:
            yield {"stdin": end}
        finally:
            os.close(end)
            os.close(ours)
    elif isinstance(send, Path):
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


def _configured(alias: str) -> dict[str, str]:
    """What the user's own `~/.ssh/config` makes of a name: other hosts do not know the alias."""
    told = subprocess.run(
        ["ssh", "-G", alias], capture_output=True, text=True, check=False, timeout=_TIMEOUT_S
    )
    words = [line.split(maxsplit=1) for line in told.stdout.splitlines()]
    return {word[0]: word[1] for word in words if len(word) == 2 and word[1] != "none"}


def _port(address: str) -> int | None:
    """The port of an address that has one.

    >>> _port("admin@db.example:2222"), _port("admin@db.example")
    (2222, None)
    """
    _, colon, port = address.rpartition("@")[2].rpartition(":")
    return int(port) if colon and port.isdigit() else None


def _set(options: Mapping[str, str]) -> list[str]:
    return [word for name, value in options.items() for word in ("-o", f"{name}={value}")]


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
