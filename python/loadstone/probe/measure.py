"""The rounds of a probe: every pair once in each, so that whatever drifts is spread over all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.probe import iperf
from loadstone.probe.connect import connects
from loadstone.probe.hosts import HERE, Hosts
from loadstone.probe.iperf import INTERVAL_S, Flow, Way
from loadstone.probe.options import Options
from loadstone.probe.pairs import Pair, together_sets
from loadstone.probe.path import path
from loadstone.probe.ping import ping
from loadstone.record import now
from loadstone.remaining import Remaining

WAYS: tuple[Way, ...] = ("to", "back")
OVER = 1.2
"""What UDP offers, as a share of what TCP carried: more than fits, so that the link shows what it takes."""
BENEATH = 0.5
"""And where everything should fit: what is lost here, the test has not caused."""
_MARGIN_S = 2
"""Flows at once do not start at the same instant: so much at both ends of each is left out."""
_LOADED_FROM, _LOADED_FOR = 0.25, 0.6
"""Pings under load go out in this part of a bandwidth test: TCP has started, and has not stopped."""


class Prober:
    """Measures pairs and writes each result as it comes."""

    def __init__(
        self,
        hosts: Hosts,
        options: Options,
        write: Callable[[dict[str, Any]], None],
        stop: Callable[[], bool],
        say: Callable[[str], None],
    ) -> None:
        """`stop` tells between two measurements whether to end early."""
        self._hosts, self._options = hosts, options
        self._write, self._stop, self._say = write, stop, say
        self._carried: dict[tuple[str, Way], list[float]] = {}
        """Rates of this round's flows, Mbit/s."""
        self.lost: dict[str, str] = {}
        """Hosts that were lost on the way, with what was heard last."""

    def run(self, pairs: Sequence[Pair]) -> None:
        """All rounds, or as many as there are before `stop`."""
        sets = together_sets(pairs) if self._options.together else {}
        rounds = self._options.repeats
        remaining, done = Remaining(rounds * (len(pairs) + len(sets))), 0
        for number in range(1, self._options.repeats + 1):
            # Each round begins with another pair: none is always the one after the long pause.
            first = (number - 1) % len(pairs)
            for pair in [*pairs[first:], *pairs[:first]]:
                if self._stop():
                    return
                if self._there(pair):
                    self._say(f"round {number} of {rounds}: {pair.name}{remaining.after(done)}")
                    self._pair(number, pair)
                done += 1
            for name, members in sets.items():
                if not self._stop() and all(map(self._there, members)):
                    self._say(f"round {number} of {rounds}: at once, {name}{remaining.after(done)}")
                    self._at_once(number, name, members)
                done += 1

    def _there(self, pair: Pair) -> bool:
        return not {pair.source, pair.target} & set(self.lost)

    def _pair(self, number: int, pair: Pair) -> None:
        chosen = self._options.measures
        steps: list[tuple[str, Callable[[], dict[str, Any] | None]]] = []
        if "path" in chosen and number == 1:
            steps.append(("path", partial(self._path, pair)))
        if "icmp" in chosen:
            steps.append(("icmp", partial(self._icmp, pair)))
        if "tcp" in chosen:
            steps.append(("tcp", partial(self._tcp, pair)))
        if "bandwidth" in chosen:
            steps += [("bandwidth", partial(self._bandwidth, pair, way)) for way in WAYS]
        if "udp" in chosen:
            steps += [("udp", partial(self._udp, pair, way, over)) for over in (True, False) for way in WAYS]
        self._carried.clear()
        for kind, step in steps:
            if self._stop() or not self._there(pair):
                return
            self._try(number, pair, kind, step)

    def _try(self, number: int, pair: Pair, kind: str, step: Callable[[], dict[str, Any] | None]) -> None:
        """One measurement: its result, or why there is none."""
        place = {"round": number, "from": pair.source, "to": pair.target, "at": now()}
        try:
            found = step()
        except LoadstoneError as error:
            if self._stop():
                return  # Ctrl-C reaches the commands under way as well
            self._look_after(number, [pair.source, pair.target])
            self._write({"kind": "failed", "what": kind, "words": str(error)} | place)
            return
        if found and kind == "icmp" and not found["replies"] and self._look_after(number, [pair.target]):
            # Not the network's loss: the host itself is gone.
            found, kind = {"what": kind, "words": "the target went away"}, "failed"
        if found is not None:
            self._write({"kind": kind} | place | found)

    def _look_after(self, number: int, names: Sequence[str]) -> bool:
        """Marks those of the hosts that ssh no longer reaches; whether there are any."""
        if HERE in names:
            return False  # we cannot log in to the targets
        before = len(self.lost)
        for host in dict.fromkeys(names):
            try:
                self._hosts.run(host, ["true"], timeout_s=20)
            except LoadstoneError as error:
                self.lost[host] = error.message
                place = {"host": host, "round": number, "at": now()}
                self._write({"kind": "lost", "words": error.message} | place)
                self._say(f"lost `{host}`: {error.message}")
        return len(self.lost) > before

    def _path(self, pair: Pair) -> dict[str, Any]:
        return asdict(path(self._hosts, pair.source, self._address(pair)))

    def _icmp(self, pair: Pair) -> dict[str, Any]:
        found = ping(
            self._hosts, pair.source, self._address(pair), self._options.packets, self._options.interval_s
        )
        return asdict(found)

    def _tcp(self, pair: Pair) -> dict[str, Any]:
        port = pair.port or self._options.tcp_port
        options = self._options
        found = connects(
            self._hosts, pair.source, self._address(pair), port, options.packets, options.interval_s
        )
        return {"port": port} | asdict(found)

    def _bandwidth(self, pair: Pair, way: Way) -> dict[str, Any]:
        """TCP, and round trips while it runs."""
        seconds, interval = self._options.seconds, self._options.interval_s
        count = max(5, round(_LOADED_FOR * seconds / interval))
        with ThreadPoolExecutor(max_workers=1) as pool:
            loaded = pool.submit(
                ping, self._hosts, pair.source, self._address(pair), count, interval, _LOADED_FROM * seconds
            )
            found = self._flow(pair, way)
            under = loaded.result()
        self._carried[pair.name, way] = [found.mbit]
        return {"way": way, "under_load": asdict(under)} | asdict(found)

    def _udp(self, pair: Pair, way: Way, over: bool) -> dict[str, Any] | None:
        """UDP at more than fits, then at half of what did; None where that rate is unknown."""
        carried = self._carried.get((pair.name, way), [])
        if over:
            offer = self._options.udp_mbit or (OVER * carried[0] if carried else 0)
        else:
            offer = BENEATH * min(carried, default=0)
        if not offer:
            return None
        found = self._flow(pair, way, udp_mbit=offer)
        self._carried.setdefault((pair.name, way), []).append(found.mbit)
        return {"way": way, "over": over} | asdict(found)

    def _flow(
        self, pair: Pair, way: Way, *, port: int = 0, udp_mbit: float | None = None, longer_s: int = 0
    ) -> Flow:
        options = self._options
        return iperf.flow(
            self._hosts, pair.source, pair.target, port or options.port, way, options.seconds + longer_s,
            streams=options.streams, udp_mbit=udp_mbit, serve=options.serve,
        )  # fmt: skip

    def _at_once(self, number: int, name: str, members: Sequence[Pair]) -> None:
        """TCP from all sources at the same time; an entry only when every flow has its figure."""
        place = {"round": number, "set": name, "at": now()}

        def one(numbered: tuple[int, Pair]) -> tuple[Flow, float]:
            # Two servers on one host cannot share a port.
            port = self._options.port + numbered[0]
            return self._flow(numbered[1], "to", port=port, longer_s=2 * _MARGIN_S), time.monotonic()

        try:
            with ThreadPoolExecutor(max_workers=len(members)) as pool:
                found = list(pool.map(one, enumerate(members)))
            flows, ends = [flow for flow, _ in found], [end for _, end in found]
            # All of them last as long, so that they started as far apart as they ended.
            if max(ends) - min(ends) > _MARGIN_S:
                raise LoadstoneError(
                    "probe-failed", f"the flows ran {max(ends) - min(ends):.1f} s apart, not at once"
                )
        except LoadstoneError as error:
            if not self._stop():
                self._look_after(number, [host for pair in members for host in (pair.source, pair.target)])
                self._write({"kind": "failed", "what": "together", "words": str(error)} | place)
            return
        told = [
            {"from": pair.source, "to": pair.target, "mbit": _middle(flow), "busy": flow.busy}
            for pair, flow in zip(members, flows, strict=True)
        ]
        self._write({"kind": "together", "flows": told} | place)

    def _address(self, pair: Pair) -> str:
        return self._hosts.address(pair.target)


def _middle(flow: Flow) -> float:
    """What the receiver got between the margins, Mbit/s; of the whole test where only the sender counted."""
    skipped = round(_MARGIN_S / INTERVAL_S)
    part = flow.intervals_mbit[skipped:-skipped]
    return sum(part) / len(part) if part and flow.intervals_of == "receiver" else flow.mbit
