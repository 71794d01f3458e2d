"""A run spread over agents: their windows summed second by second, and what became of each agent."""

from __future__ import annotations

import json
import queue
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from loadstone.measure.agent_link import Clock, Inbox, Link, Message, Said
from loadstone.measure.wire import Gone
from loadstone.scenario.secrets import Secrets

_ANSWER_S = 4.0
"""For all agents to answer: meanwhile nobody writes the run down."""
_LEAD_S = 1.0
"""From the word to a change of the load: by then every agent has it."""
_ANSWERS = {"may", "changed", "late", "refused"}


@dataclass
class Slice:
    """One agent's slice of a run."""

    link: Link
    clock: Clock
    hello: Message
    """What it said of itself and its host."""
    threads: int
    last: int = -1
    """The last second it delivered."""
    summary: Message | None = None
    lost: str | None = None
    """Why it was given up."""
    overdue_since: float | None = None

    @property
    def running(self) -> bool:
        """Whether more is to come from it."""
        return self.summary is None and self.lost is None


class RemoteRun:
    """An `EngineRun` whose windows also hold `agents`: each agent's part of the figures that judge it."""

    def __init__(
        self,
        number: int,
        start: float,
        slices: Sequence[Slice],
        inbox: Inbox,
        early: Sequence[Said] = (),
        secrets: Secrets | None = None,
    ) -> None:
        """`number` is what the agents call the run; its first second begins at `start` on our clock.

        `early` was taken out of `inbox` already; `secrets` are hidden in what the agents say at the end.
        """
        self._masked = (secrets or Secrets({})).masked
        self._number = number
        self._start = start
        self._slices = list(slices)
        self._inbox = inbox
        self._pending: dict[int, dict[str, Message]] = {}
        self._answered = False
        self._events = [self._described()]
        for link, message in early:
            self._take(link, message)

    def next(self, timeout_s: float) -> dict[str, Any] | None:
        """The next second of all agents that are not lost; None after `timeout_s` or at the end."""
        until = time.monotonic() + timeout_s
        while (window := self._complete()) is None and any(each.running for each in self._slices):
            try:
                link, message = self._inbox.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                # All that was sent has been read: an agent that is overdue now is really silent.
                self._give_up_the_silent(time.monotonic())
                return self._complete()
            self._take(link, message)
        return window

    def stop(self) -> None:
        """Ends the run early; windows up to now are still delivered."""
        for each in self._slices:
            if each.running:
                try:
                    each.link.send({"stop": self._number})
                except Gone as gone:
                    self._lose(each, str(gone))

    def change(self, load: float) -> float:
        """Changes the load of all agents at one instant; seconds since the run began.

        ValueError when one of them is lost, refuses or does not answer: then nothing has changed.
        """
        for each in self._slices:
            if not each.running:
                how = f"was lost: {each.lost}" if each.lost else "has ended its part of the run"
                raise ValueError(f"the load cannot be changed: agent {each.link.host} {how}")
        answers = self._asked({"may": self._number, "load": load})
        for each in self._slices:
            host = each.link.host
            if "may" not in (said := answers.get(host, {})):
                why = said.get("refused") or each.lost or f"it did not answer within {_ANSWER_S:g} s"
                raise ValueError(f"the load cannot be changed: agent {host}: {why}")
        at_s = time.monotonic() + _LEAD_S - self._start
        answers = self._asked({"change": self._number, "load": load, "at_s": at_s})
        late = [each for each in self._slices if "changed" not in answers.get(each.link.host, {})]
        if late:
            self._change_late(late, load, at_s)
        return at_s

    def _change_late(self, late: Sequence[Slice], load: float, at_s: float) -> None:
        """The others change at `at_s`; these do as soon as they can."""
        answers = self._asked({"change": self._number, "load": load, "at_s": None}, late)
        for each in late:
            if each.running:
                host, own = each.link.host, answers.get(each.link.host, {}).get("changed")
                then = "nobody knows when" if own is None else f"only at {own:.1f} s"
                note = f"agent {host} changed its load {then}, not at {at_s:.1f} s"
                self._events.append({"kind": "agent-late", "agent": host, "second": int(at_s), "note": note})

    def _asked(self, message: Message, of: Sequence[Slice] | None = None) -> dict[str, Message]:
        """What these agents, or all, answer; those that are lost meanwhile, or too slow, are not there."""
        asked = self._slices if of is None else of
        for each in asked:
            if each.running:
                try:
                    each.link.send(message)
                except Gone as gone:
                    self._lose(each, str(gone))
        answers: dict[str, Message] = {}
        until = time.monotonic() + _ANSWER_S
        while any(each.running and each.link.host not in answers for each in asked):
            try:
                link, said = self._inbox.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                break
            if said and said.get("run") == self._number and said.keys() & _ANSWERS:
                answers[link.host] = said
            else:
                self._take(link, said)
        return answers

    def summary(self) -> dict[str, Any] | None:
        """How it ended, once it has and all windows were taken; `agents` holds each one's own summary."""
        if self._pending or any(each.running for each in self._slices):
            return None
        summaries = {each.link.host: each.summary for each in self._slices if each.summary}
        examples = sorted(
            (example for one in summaries.values() for example in one["examples"]),
            key=lambda example: -float(example["at_s"]),
        )
        # Of agents that were all lost nothing but their windows tells how far they came.
        heard = max(each.last for each in self._slices) + 1.0
        return {
            "outcome": self._outcome(),
            "ended_s": max((one["ended_s"] for one in summaries.values()), default=heard),
            "threads": sum(
                each.summary["threads"] if each.summary else each.threads for each in self._slices
            ),
            # The earliest of each kind, which comes last and replaces the others.
            "examples": list({(one["operation"], one["of"]): one for one in examples}.values()),
            "tls": _agreed(summaries.values()),
            "http2": _spoken(summaries.values()),
            "read_later": sum(one.get("read_later", 0) for one in summaries.values()),
            "agents": summaries,
        }

    def events(self) -> list[dict[str, Any]]:
        """What happened since this was asked last: the agents at first, then those that were lost."""
        events, self._events = self._events, []
        return events

    def _outcome(self) -> str:
        outcomes = {each.summary["outcome"] for each in self._slices if each.summary and not each.lost}
        if not outcomes:
            return "agents-lost"
        if outcomes == {"unreachable"}:
            return "unreachable"
        return "stopped" if "stopped" in outcomes else "complete"

    def _described(self) -> dict[str, Any]:
        """The event that opens the run: who makes the load, and how well their clocks are known."""
        agents = [
            {
                "host": each.link.host,
                "clock_offset_s": each.clock.offset_s,
                "clock_error_s": each.clock.error_s,
                "threads": each.threads,
                **{key: each.hello[key] for key in ("hostname", "cores", "kernel", "python")},
            }
            for each in self._slices
        ]
        listed = ", ".join(
            f"{each.link.host} (± {1000 * each.clock.error_s:.2f} ms)" for each in self._slices
        )
        return {"kind": "agents", "agents": agents, "note": f"load from {listed}"}

    def _take(self, link: Link, message: Message | None) -> None:
        each = next((each for each in self._slices if each.link is link), None)
        if each is None or not each.running:
            return
        if message is None:
            self._lose(each, link.last_words())
        elif message["run"] != self._number:
            return
        elif "window" in message:
            window = message["window"]
            each.last, each.overdue_since = window["second"], None
            self._pending.setdefault(each.last, {})[link.host] = window
            self._answered |= window["requests"] > 0
        elif "summary" in message:
            each.summary = self._masked(message["summary"])
        if self._answered:
            self._give_up_the_cut_off()

    def _complete(self) -> dict[str, Any] | None:
        """The earliest second, once every agent that is still running has delivered it."""
        if not self._pending:
            return None
        second = min(self._pending)
        if any(each.running and each.last < second for each in self._slices):
            return None
        from loadstone import _core

        windows = self._pending.pop(second)
        merged = _core.merge_windows(json.dumps(list(windows.values())))
        assert merged is not None  # there is at least one
        return {**merged, "agents": {host: _own(window) for host, window in windows.items()}}

    def _give_up_the_silent(self, now: float) -> None:
        for each in self._slices:
            if not each.running or now < self._start + each.last + 2:
                continue
            # Counted from when we first saw it: a pause of ours is not the agent's.
            each.overdue_since = each.overdue_since or now
            if now - each.overdue_since > each.link.silent_s:
                self._lose(each, f"nothing was heard from it for {each.link.silent_s:g} s")

    def _give_up_the_cut_off(self) -> None:
        """An agent that never reached a service which answers others makes no load."""
        for each in self._slices:
            if each.summary and each.summary["outcome"] == "unreachable" and not each.lost:
                self._lose(each, "it never got a connection to the service")

    def _lose(self, each: Slice, reason: str) -> None:
        each.lost = reason = self._masked(reason)
        if each.summary is None:
            # Whatever still runs there must not go on making load that nobody counts.
            each.link.close(wait_s=0.1)
        host, second = each.link.host, each.last + 1
        note = f"agent {host} lost after {second} s: {reason}; its users are missing from here on"
        self._events.append(
            {"kind": "agent-lost", "agent": host, "second": second, "reason": reason, "note": note}
        )


def _own(window: Message) -> dict[str, Any]:
    """The figures of one agent that a sum would hide."""
    kept = {key: window[key] for key in ("users", "in_flight", "requests", "wake_lag")}
    hooks = sum(one["cpu_s"] for one in window.get("hooks", []))
    return {**kept, "cpu_s": window["cpu_user_s"] + window["cpu_sys_s"], "hooks_cpu_s": hooks}


def _agreed(summaries: Iterable[Message]) -> list[dict[str, Any]]:
    """What all agents agreed on in TLS handshakes, the most frequent first."""
    counts: Counter[tuple[str, str, str | None, str]] = Counter()
    for one in (one for summary in summaries for one in summary.get("tls", [])):
        for kind in ("full", "resumed"):
            counts[one["protocol"], one["cipher"], one["group"], kind] += one[kind]
    sums = [
        {"protocol": protocol, "cipher": cipher, "group": group}
        | {kind: counts[protocol, cipher, group, kind] for kind in ("full", "resumed")}
        for protocol, cipher, group in dict.fromkeys(key[:3] for key in counts)
    ]
    return sorted(sums, key=lambda one: -(one["full"] + one["resumed"]))


def _spoken(summaries: Iterable[Message]) -> dict[str, Any] | None:
    """What all agents saw of HTTP/2, the most frequent first; None if the plan did not ask for it."""
    seen = [one["http2"] for one in summaries if one.get("http2")]
    if not seen:
        return None
    counts: Counter[tuple[str, str, str]] = Counter()
    for one in (one for each in seen for one in each["given_up"]):
        counts[one["by"], one["frame"], one["code"]] += one["count"]
    keys = ("connections", "http1_connections")
    given_up = [
        {"by": by, "frame": frame, "code": code, "count": count}
        for (by, frame, code), count in counts.most_common()
    ]
    return {key: sum(each[key] for each in seen) for key in keys} | {"given_up": given_up}
