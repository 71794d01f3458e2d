"""Sharing work out: over this machine's processors, or over a Ray cluster when asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

from loadstone.errors import LoadstoneError

Given = TypeVar("Given")
Made = TypeVar("Made")


class Spread(Protocol):
    """How work is shared out: one after the other, over threads, or over a cluster of machines."""

    def __call__(self, work: Callable[[Given], Made], over: Sequence[Given], /) -> list[Made]:
        """`work` of each, in their order."""
        ...


def over_threads(work: Callable[[Given], Made], over: Sequence[Given], /) -> list[Made]:
    """`work` of each, in order. The solver lets go of the interpreter, so threads do share processors."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(work, over))


def over_ray(work: Callable[[Given], Made], over: Sequence[Given], /) -> list[Made]:
    """The same on the Ray cluster of RAY_ADDRESS, or on one started here. LoadstoneError `ray-missing`."""
    # Ray's own switches: no usage reports, and nobody else on the network may run code here.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_AUTH_MODE", "token")
    try:
        import ray
    except ImportError as error:
        raise LoadstoneError(
            "ray-missing", "Ray is not installed", hint="`pip install 'loadstone[ray]'`, or leave out --ray"
        ) from error
    if not ray.is_initialized():
        ray.init(log_to_driver=False, include_dashboard=False)
    run = ray.remote(lambda part: [work(one) for one in part])
    # A few parts for each processor: a part a draw would cost more to send than to do.
    parts = max(1, int(ray.cluster_resources().get("CPU", 1)) * 4)
    size = -(-len(over) // parts)
    found = [run.remote(over[at : at + size]) for at in range(0, len(over), size)]
    return [made for part in ray.get(found) for made in part]
