"""A campaign on a server: each injection starts it anew, turns a bit in mid-traffic and compares answers."""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import socket
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import accumulate, count, islice
from pathlib import Path
from typing import Any

from loadstone import _core, record
from loadstone.errors import LoadstoneError
from loadstone.inject.asked import Asked, checked
from loadstone.inject.conduct import Told, shown
from loadstone.inject.journal import Journal
from loadstone.inject.sample import Profile, for_traffic, silent
from loadstone.inject.seam import refusing
from loadstone.inject.tally import tally
from loadstone.inject.traffic import HOST, Answers, Traffic, drive
from loadstone.stages.inject import Golden, Inject, Traced

Json = dict[str, Any]
PORT = "{port}"
PASSES = 3
"""The first fills the server's memory, the bit turns in the second, and the third shows what has stayed."""
_START_S = 20.0
_PROFILE_STEPS = 600_000
_PROFILE_S = 120.0
_MOST_IDLE_STEPS = 100_000_000
"""The time ends it."""
_DRAWS = 30
"""Of places for an injection, until one is hit."""
_FAIL_STOP = 86
_PORTS = range(20_000, 32_000)
"""Where connections that go out have none: below those that the kernel gives them."""


_MANY = 10_000


class _Enough(Exception):
    """Enough was seen."""


@dataclass(frozen=True)
class Serving:
    """A server, and what it is asked. patience_s: an answer that takes longer is a hang."""

    asked: Asked
    traffic: Traffic
    patience_s: float = 5.0


def serving(wanted: Serving, folder: Path, jobs: int, told: Told, name: str = "") -> Inject:
    """Makes the campaign, or the rest of it. Errors and Ctrl-C as `loadstone.inject.conduct.campaign`."""
    asked = checked(wanted.asked)
    if not any(PORT in word for word in asked.arguments):
        message = "the server's arguments do not say where it listens"
        raise LoadstoneError("inject-input", message, hint="write {port} where its port stands: -p {port}")
    if asked.only == ("all",):
        raise LoadstoneError("inject-input", "a server is hit in its own code", place="--only", hint="own")
    began, started_at = time.monotonic(), record.now()
    reference, golden = _golden(wanted)
    told.unharmed(golden)
    profile, traced = _profile(wanted)
    told.traced(traced)
    identity = asked.identity() | {
        "program": golden["program"], "requests": wanted.traffic.digest, "output": golden["output"],
    }  # fmt: skip
    journal = Journal(folder, identity)
    before, todo = time.monotonic(), journal.missing(asked.runs)
    try:
        status = _all(wanted, reference, profile, journal, todo, jobs, told)
    finally:
        journal.close()
    took_s = time.monotonic() - before
    shares, missed = tally(line for line in journal.lines if line["index"] < asked.runs)
    starts = [line["start_s"] for line in journal.lines]
    made = len(todo) - len(journal.missing(asked.runs))
    found = Inject(
        name=name or asked.program.name,
        command=["loadstone", *sys.argv[1:]],
        program=[shown(asked.program), *asked.arguments],
        digest=golden["program"],
        variant=golden["hardened"] or "native",
        counts_corrections=golden["counts"],
        server=True,
        only=list(asked.only),
        seed=asked.seed,
        runs=asked.runs,
        injected=sum(one.count for one in shares),
        missed=missed,
        status=status,
        shares=shares,
        golden=Golden(output=golden["output"], took_s=golden["took_s"], runs=asked.limits.golden_runs),
        traced=Traced.model_validate(traced),
        throughput=float(asked.throughput) if asked.throughput else None,
        restart_s=sum(starts) / len(starts) if starts else None,
        took_s=time.monotonic() - began,
        injections_per_s=made / took_s if made and took_s else None,
        started_at=started_at,
        ended_at=record.now(),
        machine=record.machine(),
        versions=record.versions(),
        warnings=_warnings(missed, len(journal.lines)),
    )
    record.write_stage(folder, found)
    return found


def _warnings(missed: int, of: int) -> list[str]:
    if missed <= 0.05 * of:
        return []
    return [
        f"{missed} of {of} injections hit nothing in {_DRAWS} draws each: what was sampled was not executed "
        "in the traffic again; ask the server for longer, or name functions that answer, with --only"
    ]


@contextlib.contextmanager
def _up(wanted: Serving) -> Iterator[tuple[_core.InjectedServer, int, float]]:
    """The server on a port of its own; the port; seconds until it listened. Raises `inject-server`."""
    port = _free_port()
    words = [word.replace(PORT, str(port)) for word in wanted.asked.arguments]
    config = {"program": str(wanted.asked.program), "arguments": words, "only": wanted.asked.only}
    began = time.monotonic()
    with refusing():
        server = _core.InjectedServer(json.dumps(config))
    try:
        while True:
            with contextlib.suppress(OSError):
                wanted.traffic.open(port, wanted.patience_s).close()
                break
            state = server.state()
            if state["ended"] is not None or time.monotonic() - began > _START_S:
                said = f"; it said: {state['said']}" if state["said"] else ""
                what = "has ended at once" if state["ended"] is not None else f"does not listen on {port}"
                message = f"`{wanted.asked.program.name}` {what}{said}"
                raise LoadstoneError("inject-server", message, hint="start it by hand with these arguments")
            time.sleep(0.005)
        yield server, port, time.monotonic() - began
    finally:
        server.end(0.0)


def _golden(wanted: Serving) -> tuple[list[bytes], Json]:
    """The answers of unharmed servers. Raises `inject-unsteady` and `inject-server`."""
    known: list[bytes] | None = None
    longest, state = 0.0, Json()
    for run in range(1, wanted.asked.limits.golden_runs + 1):
        with _up(wanted) as (server, port, _):
            began = time.monotonic()
            answers = drive(wanted.traffic, port, PASSES, wanted.patience_s, lambda _: None)
            longest = max(longest, time.monotonic() - began)
            state = server.state()
        if answers.gone or answers.silent or answers.dropped:
            raise LoadstoneError(
                "inject-server", "the server does not answer all requests, without any fault",
                hint="look at its answers by hand; or raise --patience",
            )  # fmt: skip
        if known is not None and known != answers.digests:
            at = next(
                at for at, (one, other) in enumerate(zip(known, answers.digests, strict=True)) if one != other
            )
            request = wanted.traffic.requests[at % len(wanted.traffic.requests)][:80].decode(errors="replace")
            raise LoadstoneError(
                "inject-unsteady", f"the answer to `{request.strip()}` in run {run} is not the one of before",
                hint="leave out requests whose answers hold times or random numbers",
            )  # fmt: skip
        known = answers.digests
    assert known is not None
    output = hashlib.sha256(b"".join(known)).hexdigest()
    return known, {
        "program": state["program"], "hardened": state["hardened"], "counts": state["counts"],
        "output": output, "took_s": longest,
    }  # fmt: skip


def _profile(wanted: Serving) -> tuple[Profile, Json]:
    """Where the server executes what under this traffic. Raises `inject-server` when nothing was seen."""
    began, filled, ended = time.monotonic(), threading.Event(), threading.Event()

    def go_on(number: int) -> None:
        if number == len(wanted.traffic.requests):
            filled.set()
        if ended.is_set():
            raise _Enough

    def load(port: int) -> None:
        # On the same connections all the time, as injections have it: what opens them is seldom executed.
        with contextlib.suppress(_Enough):
            while not ended.is_set():
                drive(wanted.traffic, port, _MANY, _PROFILE_S, go_on)

    with _up(wanted) as (server, port, _):
        driver = threading.Thread(target=load, args=(port,))
        driver.start()
        try:
            filled.wait(_PROFILE_S)
            before = time.monotonic()
            with refusing():
                busy = server.profile(_PROFILE_STEPS, _PROFILE_S)
            busy_s = time.monotonic() - before
        finally:
            ended.set()
            driver.join()
        with silent(wanted.traffic, port, wanted.patience_s), refusing():
            idle = server.profile(_MOST_IDLE_STEPS, busy_s)
    seen = for_traffic(busy, idle)
    if not seen:
        message = "nothing of the server's own code was executed while it answered"
        raise LoadstoneError("inject-server", message, hint="name functions that answer, with --only")
    addresses, counts = zip(*seen, strict=True)
    hit = sum(counts)
    traced = {
        "instructions": sum(count for _, count in busy), "can_be_hit": hit, "addresses": len(addresses),
        "took_s": time.monotonic() - began,
    }  # fmt: skip
    return Profile(list(addresses), list(accumulate(counts))), traced


def _all(
    wanted: Serving, reference: list[bytes], profile: Profile, journal: Journal, todo: list[int], jobs: int,
    told: Told,
) -> str:  # fmt: skip
    left, running = iter(todo), set[Future[Json]]()
    began, done = time.monotonic(), 0
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while True:
                while len(running) < jobs and (index := next(left, None)) is not None:
                    running.add(pool.submit(_one, wanted, reference, profile, index))
                if not running:
                    return "complete"
                ended, running = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
                for future in ended:
                    line = future.result()
                    journal.add(line)
                    done += 1
                    left_s = (time.monotonic() - began) / done * (len(todo) - done)
                    told.injected(line, len(journal.lines), wanted.asked.runs, left_s)
        except KeyboardInterrupt:
            return "interrupted"


def _one(wanted: Serving, reference: list[bytes], profile: Profile, index: int) -> Json:
    """One injection. Everything that is chosen follows from the seed and its number.

    What the server does by the clock was executed while it was stepped and is not in a pass of the traffic:
    an address that is not executed again is drawn anew, so that hits fall where the traffic executes most.
    """
    chance = random.Random(f"{wanted.asked.seed}-{index}")
    began = time.monotonic()
    misses, line = 0, _drawn(wanted, reference, profile, chance)
    while line["outcome"] == "missed" and (misses := misses + 1) < _DRAWS:
        line = _drawn(wanted, reference, profile, chance)
    return {"index": index, **line, "misses": misses, "took_s": time.monotonic() - began}


def _drawn(wanted: Serving, reference: list[bytes], profile: Profile, chance: random.Random) -> Json:
    """A server of its own, a place in its code and in its traffic, and what came of a fault there."""
    address, pick = profile.draw(chance), chance.randrange(1 << 63)
    when = chance.randrange(len(wanted.traffic.requests))
    first = len(wanted.traffic.requests)
    with _up(wanted) as (server, port, start_s):

        def before(number: int) -> None:
            if number == first + when:
                server.arm(address, pick)

        answers = drive(wanted.traffic, port, PASSES, wanted.patience_s, before)
        state = _settled(server, answers, wanted.patience_s)
    wrong = sum(one != other and one != b"" for one, other in zip(answers.digests, reference, strict=False))
    hit = state["hit"] or {}
    return {
        "request": when, **hit, "outcome": _outcome(state, answers, wrong), "end": state["ended"],
        "lost": state["lost"], "corrected": state["corrected"], "wrong": wrong, "dropped": answers.dropped,
        "start_s": start_s,
    }  # fmt: skip


def _settled(server: _core.InjectedServer, answers: Answers, patience_s: float) -> Json:
    """The state, after the end of a server that is about to end; on a busy machine that takes its time."""
    until = time.monotonic() + (patience_s if answers.gone else 2.0 if answers.dropped else 0.0)
    while True:
        state = server.state()
        if state["ended"] is not None or state["lost"] or time.monotonic() >= until:
            return state
        time.sleep(0.01)


def _outcome(state: Json, answers: Answers, wrong: int) -> str:
    """The class: a wrong answer that a client took for right weighs most."""
    ends = [end for end in (state["ended"], *state["lost"]) if end is not None]
    if state["hit"] is None:
        return "missed"
    if wrong:
        return "corrupt"
    if {"exit": _FAIL_STOP} in ends:
        return "detected"
    if ends or answers.gone or answers.dropped:
        return "crash"
    if answers.silent:
        return "hang"
    return "recovered" if state["corrected"] else "masked"


_next_port = count(random.randrange(len(_PORTS)))


def _free_port() -> int:
    """One that nobody listens on, and that no other injection of this command was given lately."""
    for turn in islice(_next_port, len(_PORTS)):
        port = _PORTS[turn % len(_PORTS)]
        with socket.socket() as one, contextlib.suppress(OSError):
            one.bind((HOST, port))
            return port
    raise LoadstoneError("inject-server", f"no port from {_PORTS[0]} to {_PORTS[-1]} is free on {HOST}")
