"""Chaos from beginning to end: a lab that is up, lives of every cluster in turn, what they amount to."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone import record
from loadstone.availability.cluster import Cluster
from loadstone.chaos.beside import beside
from loadstone.chaos.description import Order, Played
from loadstone.chaos.live import Hands, Life, live
from loadstone.chaos.machine import Machine
from loadstone.chaos.probe import Prober, Seen
from loadstone.chaos.served import wait_until_served
from loadstone.deploy import Site, load_site
from loadstone.errors import LoadstoneError
from loadstone.measure import Interrupt, on_topology, put_back
from loadstone.remaining import Remaining
from loadstone.scenario import load_scenario
from loadstone.study.bench import Bench, bench
from loadstone.study.offered import Offered, follow

FORMAT = 1
NAME = "chaos.json"
LINES = "lives.ndjson"
Json = dict[str, Any]
Say = Callable[[str], None]


@dataclass(frozen=True)
class _Field:
    """Where clusters live."""

    bench: Bench
    hands: Hands
    order: Order
    interrupt: Interrupt


def run(order: Order, folder: Path, seed: int, command: Sequence[str], say: Say) -> Json:
    """Plays every cluster; returns the content of `chaos.json`. Every life is on disk before the next.

    LoadstoneError `chaos-input` when the topology has too few nodes, `folder-in-use`, `service-unreachable`
    when the balancer serves no page before a life, `tls`, and those of the lab.
    """
    site = load_site(order.topology)
    site.require_plain("`chaos`")
    _check(site, order)
    on_topology(order.topology, order.faults)
    record.require_unused(folder)
    record.make_folder(folder)
    shutil.copyfile(order.path, folder / "chaos.toml")
    shutil.copyfile(order.topology, folder / "topology.toml")
    header = {
        "format": FORMAT, "kind": "chaos", "machine": record.machine(), "versions": record.versions(),
        "command": list(command), "seed": seed, "life_s": order.life_s, "lives": order.lives,
        "users": order.users, "started_at": record.now(),
    }  # fmt: skip
    interrupt = Interrupt()
    lives: dict[str, list[Json]] = {one.name: [] for one in order.clusters}
    start_s = None
    with interrupt, bench(site, say) as up:
        hands = Hands(up.ssh, order.nodes, up.servers(order.nodes))
        start_s = hands.start_s()
        say(f"a node takes {start_s:.2f} s to start")
        field = _Field(up, hands, order, interrupt)
        # In turn, in an order drawn anew: what drifts meets all clusters alike.
        shuffled = random.Random(seed)
        remaining = Remaining(order.lives * len(order.clusters))
        for number in range(order.lives):
            for played in shuffled.sample(order.clusters, len(order.clusters)):
                if interrupt.requested:
                    break
                life = _life(field, played, seed * 10_007 + number * 101 + len(lives[played.name]), start_s)
                lives[played.name].append(life)
                _keep(folder, played, number, life)
                left = remaining.after(sum(map(len, lives.values())))
                say(_told(played, number, order.lives, life, left))
    content = header | {
        "outcome": "interrupted" if interrupt.requested else "complete",
        "ended_at": record.now(),
        "start_s": start_s,
        "clusters": [_summary(one, order, lives[one.name]) for one in order.clusters if lives[one.name]],
    }
    record.write_json(folder / NAME, content)
    return content


def _check(site: Site, order: Order) -> None:
    hosts = len(site.service(order.nodes).hosts)
    site.service(order.balancer)
    for one in order.clusters:
        wanted = one.cluster.active + (one.cluster.pool or 0)
        if wanted > hosts:
            message = f"`{one.name}` has {wanted} nodes and `{order.nodes}` runs on {hosts} hosts"
            raise LoadstoneError(
                "chaos-input", message, place=str(order.path), hint="add hosts to the topology"
            )


def _life(field: _Field, played: Played, seed: int, start_s: float) -> Json:
    """One life under load, seen from outside."""
    order, hands = field.order, field.hands
    cluster = played.cluster
    hands.only(set(range(cluster.active)))
    entry = field.bench.target(order.balancer)
    wait_until_served((entry.address, entry.port), order.page, order.marker, order.balancer)
    port = field.bench.site.service(order.nodes).port
    nodes = range(cluster.active + (cluster.pool or 0))
    addresses = {node: (field.bench.ssh.address(hands.hosts[node]), port) for node in nodes}
    overrides = {
        "data.path": order.page, "operation.Page.step.1.page": "false",
        "operation.Page.step.1.expect.contains": order.marker,
    }  # fmt: skip
    plan = load_scenario("page", overrides).plan(
        load=order.users, seed=seed, target=(entry.address, entry.port)
    )
    law = {"kind": "uniform", "low_s": order.pause_s / 2, "high_s": order.pause_s * 1.5}
    plan["pacing"] = {"kind": "think", "law": law}
    plan["load"] |= {"ramp_up_s": 0.1, "steady_s": order.life_s, "ramp_down_s": 0.0, "timeout_s": 5.0}
    run = field.bench.fleets(1).start(json.dumps(plan))
    with Prober(addresses) as prober:
        faults = on_topology(order.topology, [one for one in order.faults if one.at_s < order.life_s])
        stopped = lambda: field.interrupt.requested  # noqa: E731
        found = live(Machine(cluster, seed, start_s), hands, order.life_s, stopped, faults)
    offered = follow(run, 1)
    put_back(order.topology, faults.done)
    return _figures(cluster, order.life_s, found, prober.seen, offered)


def _figures(cluster: Cluster, life_s: float, found: Life, seen: Seen, offered: Offered) -> Json:
    spent = seen.time_up(cluster.active, life_s)
    total = sum(spent)
    return {
        "availability": sum(spent[cluster.needed :]) / total,
        "nodes_up": sum(count * time for count, time in enumerate(spent)) / total,
        "time_up_s": [round(time, 3) for time in spent],
        "samples": len(seen.at_s),
        "crashes": [[round(at, 3), node] for at, node in sorted(found.crashes)],
        "starts": [[round(meant, 3), round(up, 3), node] for meant, up, node in sorted(found.starts)],
        "late_s": round(found.late_s, 3),
        "events": found.events,
        "requests_ok": offered.ok,
        "requests_lost": sum(offered.failed.values()),
        "lost_by": offered.failed,
        "wrong_bodies": offered.failed.get("marker", 0),
        "requests_per_s": offered.requests_per_s,
    }


def _keep(folder: Path, played: Played, number: int, life: Json) -> None:
    line = json.dumps({"cluster": played.name, "life": number} | life) + "\n"
    with (folder / LINES).open("a", encoding="utf-8") as file:
        file.write(line)


def _told(played: Played, number: int, lives: int, life: Json, left: str) -> str:
    return (
        f"{number + 1}/{lives} {played.name}: enough up {100 * life['availability']:.1f} % of the time, "
        f"{len(life['crashes'])} crashes, {life['requests_lost']} of {life['requests_ok']:,} requests lost"
        + left
        + "".join(f"\n    {event['note']}" for event in life["events"])
    )


def _summary(played: Played, order: Order, lives: list[Json]) -> Json:
    cluster = played.cluster
    return {
        "name": played.name,
        "needed": cluster.needed,
        "active": cluster.active,
        "pool": cluster.pool,
        "crash_per_s": cluster.crash,
        "repair_s": 1 / cluster.repair if cluster.repair else None,
        **beside(cluster, order.life_s, lives),
        "requests_ok": sum(life["requests_ok"] for life in lives),
        "requests_lost": sum(life["requests_lost"] for life in lives),
        "wrong_bodies": sum(life["wrong_bodies"] for life in lives),
        "lives": lives,
    }
