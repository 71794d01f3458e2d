"""Agents on the nodes of a Ray cluster: an actor a node starts the agent there and relays its lines."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.measure import ray_relay
from loadstone.measure.agents import RemoteEngine, agents_on
from loadstone.measure.ray_cluster import Node, chosen, joined, nodes_of, words_of
from loadstone.measure.wire import SEND_S, Gone
from loadstone.ssh import Answer

_PLACED_S = 30.0
_CALLS = 4
"""At once on a relay: it waits for lines while it takes some."""
_PIECE = 1 << 16
"""Bytes. Plans hold secrets, and what has 100 KiB Ray puts into its object store, which may go to disk."""


@contextlib.contextmanager
def ray_fleet(on: str, asked: str | None) -> Iterator[RemoteEngine]:
    """Agents on nodes of the Ray cluster that `on` names; which of them, or how many, is `asked`.

    LoadstoneError as of `joined`, `chosen` and `RemoteEngine.bring_up`.
    """
    with joined(on) as ray:
        nodes = chosen(nodes_of(ray), asked)
        with agents_on(RayNodes(ray, nodes), [node.name for node in nodes]) as engine:
            yield engine


class RayNodes:
    """Nodes as hosts that can be reached. Each has a relay of its own, and with it one CPU of Ray's."""

    def __init__(self, ray: Any, nodes: Sequence[Node]) -> None:
        """`ray` is connected to the cluster of these nodes."""
        from ray.cloudpickle import register_pickle_by_value

        self._ray = ray
        self._nodes = {node.name: node for node in nodes}
        self._relays: dict[str, Any] = {}
        # The nodes need not have Loadstone: the class goes there as it is.
        register_pickle_by_value(ray_relay)  # type: ignore[no-untyped-call, unused-ignore]

    @property
    def hosts(self) -> list[str]:
        """Names of the nodes."""
        return list(self._nodes)

    def run(self, host: str, command: str) -> Answer:
        """Runs a line of the shell on a node. LoadstoneError `agent-start`."""
        return Answer(*self._asked(host, self._relay(host).run.remote(command)))

    def write(self, host: str, path: str, content: bytes) -> None:
        """Replaces a file on a node in one step. LoadstoneError `host-write`, `agent-start`."""
        # As an object of its own: megabytes among the arguments are slow, and Ray says so aloud.
        stored = self._ray.put(content)
        if why := self._asked(host, self._relay(host).write.remote(path, stored)):
            raise LoadstoneError("host-write", f"cannot write {path} on `{host}`: {why}")

    def start(self, host: str, command: Sequence[str]) -> Relayed:
        """Starts a program on a node. LoadstoneError `agent-start`."""
        relay = self._relay(host)
        self._asked(host, relay.start.remote(list(command)))
        # Its successor has a relay of its own: this one ends with its program.
        del self._relays[host]
        return Relayed(self._ray, relay)

    def _relay(self, host: str) -> Any:
        """The one that is there for this node, or a new one."""
        if host not in self._relays:
            from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

            there = NodeAffinitySchedulingStrategy(self._nodes[host].key, soft=False)
            self._relays[host] = (
                self._ray.remote(ray_relay.Relay)
                .options(num_cpus=1, max_concurrency=_CALLS, scheduling_strategy=there)
                .remote()
            )
        return self._relays[host]

    def _asked(self, host: str, answer: Any) -> Any:
        try:
            return self._ray.get(answer, timeout=_PLACED_S)
        except Exception as error:  # Ray has errors of many kinds, some of them made for the occasion
            self._ray.kill(self._relays.pop(host))
            if isinstance(error, self._ray.exceptions.GetTimeoutError):
                message = f"no agent starts on node `{host}` within {_PLACED_S:g} s"
                hint = "an agent takes one CPU of Ray's: other work may hold all of them, see `ray status`"
                raise LoadstoneError("agent-start", message, hint=hint) from error
            why = words_of(error)
            raise LoadstoneError("agent-start", f"no agent starts on node `{host}`: {why}") from error


class Relayed:
    """A program on a node, by way of its relay."""

    silent_s = 3.0
    """Ray itself notices a node that is cut off after a minute only."""

    def __init__(self, ray: Any, relay: Any) -> None:
        """`relay` has started the program."""
        self._ray = ray
        self._relay = relay
        self._ended: str | None = None
        self._lock = threading.Lock()
        self._beat: Any = None

    @property
    def alive(self) -> bool:
        """Whether it has not ended, as far as is known."""
        return self._ended is None

    def send(self, line: bytes) -> None:
        """Hands it a line, and waits until it has it: lines keep their order. `Gone` when it does not."""
        with self._lock:
            if self._ended is not None:
                raise Gone(self._ended)
            try:
                if self._beat is not None:  # not in the middle of this line
                    self._ray.wait([self._beat], timeout=SEND_S)
                for start in range(0, len(line), _PIECE):
                    taken = self._relay.take.remote(line[start : start + _PIECE])
                    self._ray.get(taken, timeout=SEND_S)
            except self._ray.exceptions.GetTimeoutError:
                raise Gone(f"it took nothing for {SEND_S:g} s") from None
            except Exception as error:
                raise Gone(words_of(error)) from error

    def beat(self, line: bytes) -> None:
        """Hands it a short line, unless another is still on its way."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            with contextlib.suppress(Exception):
                if self._ended is None and (self._beat is None or self._ray.wait([self._beat], timeout=0)[0]):
                    self._beat = self._relay.take.remote(line)
        finally:
            self._lock.release()

    def lines(self) -> Iterator[bytes]:
        """What it says, to its end or that of its node."""
        ended: str | None = None
        while ended is None and self._ended is None:
            try:
                lines, ended = self._ray.get(self._relay.said.remote())
            except Exception as error:
                ended = words_of(error)
                break
            yield from lines
        self._ended = self._ended or ended

    def last_words(self) -> str:
        """How it ended, for a message."""
        return self._ended or "nothing more is known"

    def close(self, wait_s: float) -> None:
        """Ends the relay. Its program sees its input end, and ends, too."""
        self._ended = self._ended or "it was ended"
        # A cluster that is gone may keep us waiting.
        end = threading.Thread(target=self._kill, daemon=True)
        end.start()
        end.join(wait_s)

    def _kill(self) -> None:
        with contextlib.suppress(Exception):
            self._ray.kill(self._relay)
