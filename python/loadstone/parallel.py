"""Sharing work out: over this machine's processors, or over a Ray cluster when asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

from loadstone.errors import LoadstoneError

Given = TypeVar("Given")
Made = TypeVar("Made")

Done = Callable[[int], None]
"""Told how many pieces of work are done since it was last told."""


class Parallel(Protocol):
    """How work is shared out: one after the other, over threads, or over a cluster of machines."""

    def __call__(self, work: Callable[[Given], Made], over: Sequence[Given], /) -> list[Made]:
        """`work` of each, in their order."""
        ...


def ray_module(otherwise: str) -> Any:
    """Ray, imported when it is asked for. `otherwise`: what does without. LoadstoneError `ray-missing`."""
    # Ray's own switches: no usage reports, and no other host on the network may run code here.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_AUTH_MODE", "token")
    try:
        import ray
    except ImportError as error:
        hint = f"`pip install 'loadstone[ray]'`, or {otherwise}"
        raise LoadstoneError("ray-missing", "Ray is not installed", hint=hint) from error
    return ray


class Threads:
    """Over this machine's processors. The solver lets go of the interpreter, so threads do share them."""

    def __init__(self, done: Done | None = None, count: int | None = None) -> None:
        """`count`: threads; as many as there are processors without it."""
        self._done, self._count = done, count or os.cpu_count() or 1

    def __call__(self, work: Callable[[Given], Made], over: Sequence[Given], /) -> list[Made]:
        """`work` of each, in order. The first error stops what has not begun."""
        made = []
        with ThreadPoolExecutor(self._count) as pool:
            try:
                for one in pool.map(work, over):
                    made.append(one)
                    if self._done:
                        self._done(1)
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        return made


class OverRay:
    """Over the Ray cluster of RAY_ADDRESS, or one started here: the same numbers in the same order."""

    def __init__(self, done: Done | None = None) -> None:
        """LoadstoneError `ray-missing`, before there is anything to do."""
        self._ray, self._done = ray_module("leave out --ray"), done

    def __call__(self, work: Callable[[Given], Made], over: Sequence[Given], /) -> list[Made]:
        """`work` of each, in order. The work's own LoadstoneError; `ray-failed` for what is Ray's."""
        try:
            return self._shared(work, over)
        except LoadstoneError:
            raise
        # Ray has errors of many kinds, some of them made for the occasion, with traces of other processes.
        except Exception as error:
            cause = getattr(error, "cause", None)
            if isinstance(cause, LoadstoneError):
                raise cause from None
            why = (str(cause or error).strip().splitlines() or [type(error).__name__])[-1]
            hint = "does the cluster run, and have its machines this Loadstone? without --ray it needs none"
            raise LoadstoneError("ray-failed", f"Ray: {why}", hint=hint) from error

    def _shared(self, work: Callable[[Given], Made], over: Sequence[Given]) -> list[Made]:
        ray = self._ray
        if not ray.is_initialized():
            ray.init(log_to_driver=False, include_dashboard=False)
        run = ray.remote(lambda part: [work(one) for one in part])
        # A few parts for each processor: a part a draw would cost more to send than to do.
        parts = max(1, int(ray.cluster_resources().get("CPU", 1)) * 4)
        size = max(1, -(-len(over) // parts))
        made: list[Made] = []
        for part in [run.remote(over[at : at + size]) for at in range(0, len(over), size)]:
            own = ray.get(part)
            made += own
            if self._done:
                self._done(len(own))
        return made
