"""Load by our agents: a plan for one page, run to its end, as figures."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.judge import Histogram
from loadstone.measure import Engine, EngineRun
from loadstone.measure.engine import failures_told
from loadstone.scenario import load_scenario
from loadstone.study.windows import take_all

Json = dict[str, Any]

PATH = "/?study"
"""What is asked for: so that packets tell it from the balancers' own questions to their servers."""

CAUSES = ("refused", "reset", "closed", "timeout", "status", "marker")
"""Of failed operations, as the engine orders them."""

_LONGEST_S = 120.0
"""A fixed number of requests that has not been answered by then never will be."""


@dataclass(frozen=True)
class Target:
    """Where requests go."""

    address: str
    port: int


def flat_out(target: Target, *, users: int, requests: int, seed: int, path: str = PATH) -> Json:
    """The plan of `requests` requests by users who do not pause."""
    plan = _plan(target, users, seed, path, pause_s=0.0)
    plan["load"] |= {"operations": requests, "ramp_up_s": 0.0, "steady_s": _LONGEST_S, "ramp_down_s": 0.0}
    return plan


def steady(
    target: Target,
    *,
    users: int,
    pause_s: float,
    seconds: float,
    seed: int,
    timeout_s: float = 10.0,
    path: str = PATH,
) -> Json:
    """The plan of users who pause between an answer and the next request, for some seconds."""
    plan = _plan(target, users, seed, path, pause_s)
    plan["load"] |= {
        "ramp_up_s": min(0.5, pause_s), "steady_s": seconds, "ramp_down_s": 0.0, "timeout_s": timeout_s,
    }  # fmt: skip
    return plan


def _plan(target: Target, users: int, seed: int, path: str, pause_s: float) -> Json:
    """The built-in scenario `page` without what it fetches for a page, at another pace."""
    scenario = load_scenario("page", {"data.path": path, "operation.Page.step.1.page": "false"})
    plan = scenario.plan(load=users, seed=seed, target=(target.address, target.port))
    # Pauses are spread, or users who began together would ask together for ever.
    law: Json = {"kind": "fixed", "value_s": 0.0}
    if pause_s:
        law = {"kind": "uniform", "low_s": pause_s / 2, "high_s": pause_s * 1.5}
    plan["pacing"] = {"kind": "think", "law": law}
    return plan


@dataclass(frozen=True)
class Offered:
    """What came of a plan."""

    outcome: str
    ended_s: float
    """From the first start to the last byte."""
    ok: int
    failed: dict[str, int]
    """By cause, those that occurred."""
    connects: int
    response: Histogram
    generator_cpu_s: float
    """Of all agents."""
    generators: int
    examples: list[str]

    @property
    def requests_per_s(self) -> float:
        """Right answers a second."""
        return self.ok / self.ended_s if self.ended_s else 0.0

    @property
    def generator_share(self) -> float:
        """Of one processor, by each agent on average: near 1 the generator is the limit."""
        return self.generator_cpu_s / self.ended_s / self.generators if self.ended_s else 0.0

    def figures(self) -> Json:
        """As results keep them."""
        found: Json = {
            "ok": self.ok,
            "failed": self.failed,
            "elapsed_s": round(self.ended_s, 6),
            "requests_per_s": self.requests_per_s,
            "connects": self.connects,
            "generator_share": self.generator_share,
            "response_us": _quantiles(self.response),
        }
        return found | ({"examples": self.examples[:3]} if self.examples else {})


def follow(run: EngineRun, generators: int, on_look: Callable[[int], None] | None = None) -> Offered:
    """Takes every second of a run until it ends; `on_look` gets their number several times a second.

    LoadstoneError `sut-unreachable` when no connection ever succeeded, `agents` when one was lost.
    """
    windows, summary = take_all(run, on_look)
    found = _sum(windows, summary, generators)
    if not found.ok and summary["outcome"] == "unreachable":
        raise LoadstoneError(
            "sut-unreachable", "no connection to it: " + "; ".join(failures_told(summary)[:1])
        )
    agents = summary.get("agents")
    if agents is not None and len(agents) < generators:
        raise LoadstoneError(
            "agents", f"{generators - len(agents)} of {generators} agents were lost in the run"
        )
    return found


def offer(engine: Engine, plan: Json, generators: int) -> Offered:
    """Runs a plan to its end. Errors as `follow`, and `plan-refused`."""
    return follow(engine.start(json.dumps(plan)), generators)


def _sum(windows: Sequence[Json], summary: Json, generators: int) -> Offered:
    operations = [operation for window in windows for operation in window["operations"]]
    failed = [sum(operation["failed"][index] for operation in operations) for index in range(len(CAUSES))]
    buckets = [bucket for operation in operations for bucket in operation["response"]["bucket"]]
    counts = [count for operation in operations for count in operation["response"]["count"]]
    return Offered(
        outcome=summary["outcome"],
        ended_s=summary["ended_s"],
        ok=sum(operation["ok"] for operation in operations),
        failed={cause: count for cause, count in zip(CAUSES, failed, strict=True) if count},
        connects=sum(window["connects"] for window in windows),
        response=Histogram.of(buckets, counts),
        generator_cpu_s=sum(window["cpu_user_s"] + window["cpu_sys_s"] for window in windows),
        generators=generators,
        examples=failures_told(summary),
    )


def _quantiles(histogram: Histogram) -> dict[str, float | None]:
    if not histogram.count:
        return dict.fromkeys(("mean", "p50", "p90", "p99", "max"))
    found: dict[str, float | None] = {"mean": round(histogram.mean_s * 1e6, 1)}
    return found | {
        name: histogram.quantile_us(share)
        for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1.0))
    }
