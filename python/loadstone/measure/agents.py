"""The load engine on other hosts: agents that stay for many runs, started together at one instant."""

from __future__ import annotations

import contextlib
import json
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from loadstone.errors import LoadstoneError
from loadstone.measure.agent_files import install, unfit
from loadstone.measure.agent_link import Inbox, Link, Message, Said
from loadstone.measure.engine import RustEngine
from loadstone.measure.remote_run import RemoteRun, Slice
from loadstone.measure.ssh_wire import OverSsh
from loadstone.measure.wire import Gone, Reach
from loadstone.scenario.secrets import Secrets
from loadstone.ssh import Ssh

_LEADS_S = (0.5, 4.0)
"""From the word to the start: agents have that long to make their users. One that was too slow for the
first gets the second."""

_BEAT_S = 2.0
_HELLO_S = 30.0
_READY_S = 30.0

_T = TypeVar("_T")


@contextlib.contextmanager
def fleet(ssh: Ssh, hosts: Sequence[str]) -> Iterator[RemoteEngine]:
    """Starts an agent on each of `hosts`. Together they are an engine for any number of runs.

    LoadstoneError `agents` (a host that is not there, or twice), `agent-start`, or those of `Ssh.run`.
    """
    if unknown := [host for host in hosts if host not in ssh.hosts]:
        hint = f"it has {', '.join(ssh.hosts)}"
        raise LoadstoneError("agents", f"the topology has no host `{unknown[0]}`", hint=hint)
    if not hosts or len(set(hosts)) < len(hosts):
        raise LoadstoneError("agents", "name at least one host, and each host once")
    with agents_on(OverSsh(ssh), hosts) as engine:
        yield engine


@contextlib.contextmanager
def agents_on(reach: Reach, hosts: Sequence[str]) -> Iterator[RemoteEngine]:
    """As `fleet`, on hosts that are known to be there, however they are reached."""
    engine = RemoteEngine(reach, hosts)
    try:
        engine.bring_up()
        yield engine
    finally:
        engine.close()


class RemoteEngine:
    """An `Engine` whose users are spread over agents: user `i` is agent `i % number of agents`'s."""

    def __init__(self, reach: Reach, hosts: Sequence[str]) -> None:
        """Nothing is started yet."""
        self._reach = reach
        self._hosts = list(hosts)
        self._inbox: Inbox = queue.SimpleQueue()
        self._links: dict[str, Link] = {}
        self._hellos: dict[str, Message] = {}
        self._runs = 0
        self._closed = threading.Event()
        threading.Thread(target=self._beat, daemon=True).start()

    def bring_up(self) -> None:
        """Starts the agents that do not run: all at first, later those that were lost in a run.

        LoadstoneError `agent-start`, or those of `Reach.run`.
        """
        self._each(
            self._launch,
            [host for host in self._hosts if host not in self._links or not self._links[host].alive],
        )

    def start(self, plan_json: str) -> RemoteRun:
        """Starts a run on all agents at the same instant, as well as their clocks are known.

        LoadstoneError `agent-start`, `agents` (fewer users than agents), `plan-refused`.
        """
        written = json.loads(plan_json)
        secrets = Secrets(written)
        plan = _with_files(secrets.revealed(written))
        sources = _sources(plan)
        count = len(self._hosts)
        users = plan["load"].get("users")
        if users is not None and users < count:
            raise LoadstoneError("agents", f"{count} agents for {users} users", hint="take fewer agents")
        self.bring_up()
        with self._naming_the_gone():
            slices = [{**plan, "slice": {"index": index, "of": count}} for index in range(count)]
            ready = self._each(lambda plan: self._prepare(plan, sources), slices)
            for lead in _LEADS_S:
                start = time.monotonic() + lead
                early = self._go(ready, start, lead, secrets)
                if early is not None:
                    return RemoteRun(self._runs, start, ready, self._inbox, early, secrets)
        raise LoadstoneError("agent-start", f"the agents were not ready within {_LEADS_S[-1]:g} s")

    def expectations(self, plan_json: str) -> dict[str, dict[str, float]]:
        """Stationary `mix` and `pace_mean_s` by operation. Error `plan-refused`."""
        return RustEngine().expectations(plan_json)

    def close(self) -> None:
        """Ends all agents."""
        self._closed.set()
        self._each(Link.close, self._links.values())

    def _launch(self, host: str) -> None:
        link = Link(host, self._reach.start(host, install(self._reach, host)), self._inbox)
        self._links[host] = link
        try:
            _, message = link.answer(_HELLO_S)
        except Gone as gone:
            link.close()
            raise LoadstoneError("agent-start", f"the agent on `{host}` did not start: {gone}") from None
        if "unfit" in message:
            link.close()
            raise unfit(host, message["unfit"])
        self._hellos[host] = message["hello"]

    def _prepare(self, plan: dict[str, Any], sources: dict[str, str]) -> Slice:
        host = self._hosts[plan["slice"]["index"]]
        link = self._links[host]
        # A clock drifts: its offset is measured before each run.
        clock = link.clock()
        link.send({"plan": plan, **({"sources": sources} if sources else {})})
        return Slice(link, clock, self._hellos[host], plan["load"]["threads"] or 1)

    def _go(self, ready: Sequence[Slice], start: float, lead: float, secrets: Secrets) -> list[Said] | None:
        """Tells all to start; what they said of the run so far, None when one was too late for it.

        Error `plan-refused`.
        """
        self._runs += 1
        for each in ready:
            each.link.send({"start": self._runs, "at_s": start + each.clock.offset_s})
        answers, early = self._answers(ready, time.monotonic() + lead + _READY_S)
        if all("started" in answer for answer in answers.values()):
            return early
        for each in ready:
            each.link.send({"stop": self._runs})
        for host in self._hosts:
            if why := answers[host].get("refused"):
                message = f"the agent on `{host}` refuses the plan: {secrets.masked(why)}"
                raise LoadstoneError("plan-refused", message)
        return None

    def _answers(self, ready: Sequence[Slice], deadline: float) -> tuple[dict[str, Message], list[Said]]:
        """What each agent says of the start that it was just told to make, and what came before the last."""
        answers: dict[str, Message] = {}
        early: list[Said] = []
        links = {each.link for each in ready}
        while len(answers) < len(ready):
            try:
                link, message = self._inbox.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                silent = next(each.link.host for each in ready if each.link.host not in answers)
                raise Gone(f"{silent} does not answer") from None
            if link in links and message is None:
                raise Gone(f"{link.host}: {link.last_words()}")
            if message is None or message["run"] != self._runs:
                continue
            if link.host in answers:
                early.append((link, message))
            else:
                answers[link.host] = message
        return answers, early

    @contextlib.contextmanager
    def _naming_the_gone(self) -> Iterator[None]:
        try:
            yield
        except Gone as gone:
            for link in self._links.values():
                link.close()
            raise LoadstoneError("agent-start", f"an agent was lost before the run: {gone}") from None

    def _beat(self) -> None:
        while not self._closed.wait(_BEAT_S):
            for link in list(self._links.values()):
                link.beat()

    def _each(self, work: Callable[[Any], _T], items: Any) -> list[_T]:
        """Does it for all at once. Raises the first error when all have ended."""
        items = list(items)
        with ThreadPoolExecutor(max_workers=max(1, len(items))) as pool:
            return list(pool.map(work, items))


def _sources(plan: dict[str, Any]) -> dict[str, str]:
    """The files of the functions that steps call, as they are now. LoadstoneError `hook`."""
    try:
        return {one["file"]: Path(one["file"]).read_text() for one in plan.get("functions", [])}
    except (OSError, UnicodeDecodeError) as error:
        raise LoadstoneError("hook", f"the file of a function cannot be read any more: {error}") from error


def _with_files(plan: dict[str, Any]) -> dict[str, Any]:
    """The plan with what is in its files, which its agents do not have.

    LoadstoneError `tls` when one of them cannot be read any more.
    """
    tls = plan["target"].get("tls")
    if not tls:
        return plan
    try:
        brought = {
            key: value | {"text": Path(value["file"]).read_text()} if isinstance(value, dict) else value
            for key, value in tls.items()
        }
    except OSError as error:
        raise LoadstoneError("tls", f"{error.filename}: {error.strerror}") from error
    return {**plan, "target": {**plan["target"], "tls": brought}}
