"""A Ray cluster that is there already: joined with its token, its nodes, and which of them make load."""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.parallel import ray_module

RAY = "ray"
"""What `--on` says for the cluster that this machine belongs to, or `RAY_ADDRESS` names."""

_CLIENT = "ray://"
_CONNECT_S = 5.0
_JOIN_S = 60.0
"""Ray itself gives up after 20 to 30 s in most cases, and never in some."""
_LEAVE_S = 5.0
_HEAD = "node:__internal_head__"


@dataclass(frozen=True)
class Node:
    """A machine of the cluster."""

    name: str
    """Of its own among the nodes: what `ray start --node-name` says, else its address."""
    key: str
    """Ray's own name for it."""
    address: str
    cpus: float
    """That Ray may use there; 0 on a head that only rules."""
    head: bool


def require_address(on: str) -> None:
    """LoadstoneError `agents` unless `--on` names a cluster.

    >>> require_address("ray://10.0.0.5:10001")
    """
    host, colon, port = on.removeprefix(_CLIENT).rpartition(":")
    if on == RAY or (on.startswith(_CLIENT) and host and colon and port.isdigit() and int(port) < 65536):
        return
    hint = "`--on ray` is the cluster of this machine or of RAY_ADDRESS, `--on ray://HOST:10001` another one"
    raise LoadstoneError("agents", f"`--on {on}` names no Ray cluster", hint=hint)


@contextlib.contextmanager
def joined(on: str) -> Iterator[Any]:
    """Ray's module, connected to the cluster that `on` names; left at the end.

    LoadstoneError `ray-missing`, `ray-cluster` when it cannot be reached, has another token or another Ray.
    """
    address = on if on.startswith(_CLIENT) else os.environ.get("RAY_ADDRESS") or "auto"
    ray = ray_module("leave out --on")
    _require_listener(address)
    with tempfile.TemporaryFile() as said, _stderr_to(said.fileno()):
        error = _within(_JOIN_S, lambda: _join(ray, address))
        said.seek(0)
        words = said.read(1 << 20).decode(errors="replace")
    try:
        if error is not None:
            raise _refused(address, error, words)
        yield ray
    finally:
        _within(_LEAVE_S, ray.shutdown)


def nodes_of(ray: Any) -> list[Node]:
    """The nodes that are up: the head last, the others by name."""
    up = [node for node in ray.nodes() if node["Alive"]]
    common = Counter(node["NodeName"] for node in up)
    nodes = [
        Node(
            node["NodeName"] if common[node["NodeName"]] == 1 else f"{node['NodeName']}-{node['NodeID'][:6]}",
            node["NodeID"],
            node["NodeManagerAddress"],
            float(node["Resources"].get("CPU", 0)),
            _HEAD in node["Resources"],
        )
        for node in up
    ]
    return sorted(nodes, key=lambda node: (node.head, node.name))


def chosen(nodes: Sequence[Node], asked: str | None) -> list[Node]:
    """The nodes that make load. `asked`: how many, or their names or addresses with commas; else every node
    that has a processor for Ray's work.

    LoadstoneError `agents` when the cluster does not have them.
    """
    workers = [node for node in nodes if node.cpus >= 1]
    there = ", ".join(f"{node.name} ({node.cpus:g} CPU)" for node in nodes) or "none"
    hint = f"the nodes of the cluster: {there}"
    if asked is None or asked.strip().isdigit():
        if not workers:
            raise LoadstoneError("agents", "no node of the cluster has a CPU for an agent", hint=hint)
        count = len(workers) if asked is None else int(asked)
        if not 1 <= count <= len(workers):
            message = f"{count} agents on a cluster of which {len(workers)} nodes have a CPU: one a node"
            raise LoadstoneError("agents", message, hint=hint)
        return workers[:count]
    by_name = {node.address: node for node in nodes} | {node.name: node for node in nodes}
    names = [name.strip() for name in asked.split(",")]
    for name in names:
        if name not in by_name:
            raise LoadstoneError("agents", f"the cluster has no node `{name}`", hint=hint)
        if by_name[name].cpus < 1:
            raise LoadstoneError("agents", f"node `{name}` has no CPU for an agent", hint=hint)
    found = [by_name[name] for name in names]
    if len({node.key for node in found}) < len(found):
        raise LoadstoneError("agents", "name each node once: a node has one agent")
    return found


def words_of(error: BaseException) -> str:
    """An error of Ray's in a line: what became of the actor, where that is what it says."""
    text = " ".join(str(error).split()) or type(error).__name__
    if type(error).__name__ == "ActorUnavailableError":
        return "its node, or Ray there, is gone or cannot be reached any more"
    _, because, why = text.partition(" is dead because ")
    return (why.partition(". ")[0].rstrip(".") if because else text)[:300]


def _join(ray: Any, address: str) -> None:
    own = {} if address.startswith(_CLIENT) else {"log_to_driver": False}
    ray.init(address=address, logging_level="ERROR", **own)


def _require_listener(address: str) -> None:
    """Ray itself tries an address at which nobody listens for minutes, and fills the terminal."""
    host, colon, port = address.removeprefix(_CLIENT).rpartition(":")
    if not colon or not port.isdigit():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_S).close()
    except OSError as error:
        raise LoadstoneError(
            "ray-cluster",
            f"nobody answers at {address}: {error}",
            hint="the head's port is 6379, and 10001 with ray://; does the cluster run, and may we reach it?",
        ) from error


def _refused(address: str, error: BaseException, words: str) -> LoadstoneError:
    """Why the cluster was not joined. `words` were said to the terminal meanwhile."""
    where = "the Ray cluster of this machine" if address == "auto" else f"the Ray cluster at {address}"
    token = "its token is in RAY_AUTH_TOKEN, in the file of RAY_AUTH_TOKEN_PATH, or in ~/.ray/auth_token"
    if type(error).__name__ == "AuthenticationError":
        message = f"there is no token for {where}"
        return LoadstoneError(
            "ray-cluster", message, hint=f"{token}; with RAY_AUTH_MODE=disabled none is used"
        )
    if "InvalidAuthToken" in words:
        return LoadstoneError("ray-cluster", f"{where} refuses our token", hint=token)
    hint = "`ray status` on its head shows whether it runs"
    if address == "auto":
        hint = "start one with `ray start`, or name one: RAY_ADDRESS=HOST:6379, or --on ray://HOST:10001"
    elif address.startswith(_CLIENT):
        hint = f"10001 is the port of Ray's client server, which needs `ray[client]` there; {token}"
    return LoadstoneError("ray-cluster", f"cannot join {where}: {words_of(error)}", hint=hint)


def _within(limit_s: float, work: Callable[[], object]) -> BaseException | None:
    """Does it, but goes on after `limit_s`, whatever it waits for. The error, if there was one.

    In a thread of its own: in the process's main thread Ray would take SIGTERM, by which a run is ended.
    """
    errors: list[BaseException] = []

    def do() -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    worker = threading.Thread(target=do, daemon=True)
    worker.start()
    worker.join(limit_s)
    if worker.is_alive():
        return TimeoutError(f"no answer within {limit_s:g} s")
    return errors[0] if errors else None


@contextlib.contextmanager
def _stderr_to(file: int) -> Iterator[None]:
    """What is written to the terminal meanwhile, also by Ray's own C++, goes to `file`."""
    own = os.dup(2)
    os.dup2(file, 2)
    try:
        yield
    finally:
        os.dup2(own, 2)
        os.close(own)
