"""A module in Ray's place: its nodes are this machine, its actors objects whose methods run in threads."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from concurrent.futures import TimeoutError as Late
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest


class AuthenticationError(Exception):
    """As Ray's, by its name."""


class Dead(Exception):
    """In the words of Ray's `ActorDiedError`."""

    def __init__(self) -> None:
        super().__init__(
            "The actor died unexpectedly before finishing this task.\n\tclass_name: Relay\n"
            "The actor is dead because its node has died. Node Id: 31c2"
        )


class Actor:
    """What `.remote()` gives. `dies` is its node's end; `hangs` that nothing of it arrives any more."""

    def __init__(self, made: object) -> None:
        self.made = made
        self.dead = False
        self.taken: list[bytes] = []
        """What its program was handed."""
        self._threads = ThreadPoolExecutor(8)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.made, name)

        def work(*given: Any) -> Any:
            if self.dead:
                raise Dead
            if name == "take":
                self.taken.extend(given)
            answer = method(*given)
            if self.dead:
                raise Dead
            return answer

        return SimpleNamespace(remote=lambda *given: self._threads.submit(work, *given))


class Threaded(ModuleType):
    """`sys.modules["ray"]`."""

    def __init__(self, nodes: list[dict[str, Any]], join: Callable[[], None]) -> None:
        super().__init__("ray")
        self.actors: dict[str, list[Actor]] = {}
        self.left = False
        self._nodes = nodes
        self._join = join
        self.exceptions = SimpleNamespace(GetTimeoutError=Late)

    def init(self, **_: Any) -> None:
        self._join()

    def shutdown(self) -> None:
        self.left = True

    def nodes(self) -> list[dict[str, Any]]:
        return self._nodes

    def put(self, content: bytes) -> bytes:
        return content

    def get(self, answer: Future[Any], timeout: float | None = None) -> Any:
        return answer.result(timeout)

    def wait(self, answers: list[Future[Any]], timeout: float) -> tuple[list[Future[Any]], None]:
        return list(wait(answers, timeout).done), None

    def kill(self, actor: Actor) -> None:
        """With the actor's process its pipes go."""
        actor.dead = True
        if process := actor.made._process:  # type: ignore[attr-defined]
            process.stdin.close()

    def remote(self, made: type) -> Any:
        def options(*, num_cpus: int, max_concurrency: int, scheduling_strategy: str) -> Any:
            assert num_cpus == 1 < max_concurrency

            def place() -> Actor:
                actor = Actor(made())
                self.actors.setdefault(scheduling_strategy, []).append(actor)
                return actor

            return SimpleNamespace(remote=place)

        return SimpleNamespace(options=options)


def node(
    name: str, cpus: float = 2, *, head: bool = False, alive: bool = True, key: str = ""
) -> dict[str, Any]:
    """As `ray.nodes()` tells one."""
    resources = ({"CPU": cpus} if cpus else {}) | ({"node:__internal_head__": 1.0} if head else {})
    return {
        "NodeName": name, "NodeID": key or f"id-of-{name}", "Alive": alive,
        "NodeManagerAddress": f"10.0.0.{name}", "Resources": resources,
    }  # fmt: skip


def put_in_place(
    monkeypatch: pytest.MonkeyPatch, nodes: list[dict[str, Any]], join: Callable[[], None] = lambda: None
) -> Threaded:
    """From now on `import ray` gives this one."""
    fake = Threaded(nodes, join)
    strategies = SimpleNamespace(NodeAffinitySchedulingStrategy=lambda key, soft: key)
    monkeypatch.setitem(sys.modules, "ray", fake)
    monkeypatch.setitem(
        sys.modules, "ray.cloudpickle", SimpleNamespace(register_pickle_by_value=lambda _: None)
    )  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "ray.util", SimpleNamespace())  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "ray.util.scheduling_strategies", strategies)  # type: ignore[arg-type]
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    return fake
