"""The load agent: makes load on the host where it runs, as JSON lines on its input tell it.

This file and the engine's module are all that a host needs: `measure/agent_files.py` copies both into one
folder there and `python3 agent.py` runs them. Only the standard library is used. The lines are described in
`docs/reference/agents.md`. The agent ends, and with it its load, when its input ends or nothing was heard on
it for `SILENT_S`: the command that asked for the load is gone, or can no longer be reached.
"""

from __future__ import annotations

import importlib
import io
import json
import os
import platform
import sys
import threading
import time
import types
from pathlib import Path
from typing import Any, BinaryIO

SILENT_S = 15.0
_LOOK_S = 0.25
_NOTICE_S = 0.3
"""A change of the load that is so near comes too late for some thread of the engine."""

Message = dict[str, Any]


class Agent:
    """Runs of the engine, one at a time, and what is said of them."""

    def __init__(self, core: Any, output: BinaryIO) -> None:
        """`core` is the engine's module."""
        self.heard_at = time.monotonic()
        self._core = core
        self._output = output
        self._lock = threading.Lock()
        self._plan = ""
        self._functions: list[Any] = []
        self._unfit: str | None = None
        self._run: Any = None
        self._number = 0
        self._began = 0.0
        self._follower: threading.Thread | None = None

    def say(self, message: Message) -> None:
        """One line, whole."""
        line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        with self._lock:
            self._output.write(line)
            self._output.flush()

    def obey(self, message: Message) -> None:
        """Does what one line asks for; a line that only shows that somebody is there asks for nothing."""
        if "ping" in message:
            self.say({"pong": message["ping"], "at_s": time.monotonic()})
        elif "plan" in message:
            self._prepare(message["plan"], message.get("sources", {}))
        elif "start" in message:
            self._start(message["start"], message["at_s"])
        elif "may" in message:
            self._change(message["may"], message["load"], None, only_asked=True)
        elif "change" in message:
            self._change(message["change"], message["load"], message["at_s"])
        elif "stop" in message:
            self.stop()

    def stop(self) -> None:
        """Ends the run under way, if there is one; what it measured is still said."""
        if self._run is not None:
            self._run.stop()

    def _prepare(self, plan: Message, sources: dict[str, str]) -> None:
        """Takes a plan, and runs the files of the functions that its steps call."""
        self._plan, self._functions, self._unfit = json.dumps(plan), [], None
        modules: dict[str, types.ModuleType] = {}
        for one in plan.get("functions", []):
            file, name = one["file"], one["name"].rpartition(":")[2]
            try:
                if file not in modules:
                    modules[file] = types.ModuleType(f"loadstone_hook_{Path(file).stem}")
                    exec(compile(sources[file], file, "exec", dont_inherit=True), modules[file].__dict__)
                self._functions.append(getattr(modules[file], name))
            except (Exception, SystemExit) as error:
                self._unfit = f"`{one['name']}` does not run here: {type(error).__name__}: {error}"
                return

    def _start(self, number: int, at_s: float) -> None:
        self.stop()
        if self._follower:
            self._follower.join()
        try:
            if self._unfit:
                raise ValueError(self._unfit)
            self._run = self._core.Run(self._plan, at_s, functions=self._functions)
        except ValueError as error:
            late = not self._unfit and time.monotonic() >= at_s
            self.say({"run": number, "late" if late else "refused": str(error)})
            return
        self._number, self._began = number, at_s
        self.say({"run": number, "started": at_s})
        self._follower = threading.Thread(target=self._follow, args=(number, self._run), daemon=True)
        self._follower.start()

    def _change(self, number: int, load: float, at_s: float | None, *, only_asked: bool = False) -> None:
        """Changes the load of the run under way at an instant of it, without one as soon as that can be."""
        said: Message
        try:
            if self._run is None or number != self._number:
                raise ValueError("it has no such run under way")
            if only_asked:
                self._run.may_change(load)
                said = {"may": load}
            elif at_s is not None and time.monotonic() - self._began > at_s - _NOTICE_S:
                said = {"late": at_s}
            else:
                said = {"changed": self._run.change(load, at_s)}
        except ValueError as error:
            said = {"refused": str(error)}
        self.say({"run": number, **said})

    def _follow(self, number: int, run: Any) -> None:
        while True:
            window = run.next(_LOOK_S)
            if window is not None:
                self.say({"run": number, "window": window})
            elif (summary := run.summary()) is not None:
                self.say({"run": number, "summary": summary})
                return


def watch(agent: Agent) -> None:
    """Ends the process when nothing was heard for too long, whatever its other threads wait for."""
    while time.monotonic() - agent.heard_at < SILENT_S:
        time.sleep(1.0)
    os._exit(1)


def main() -> None:
    """Obeys the lines of standard input until they end."""
    own, output = sys.stdin, sys.stdout.buffer
    # What functions that steps call print, or would read, is no line of ours.
    sys.stdin, sys.stdout = io.StringIO(), sys.stderr
    try:
        core = importlib.import_module("_core")
    except ImportError as error:
        output.write(json.dumps({"unfit": str(error)}).encode() + b"\n")
        output.flush()
        return
    agent = Agent(core, output)
    hello = {
        "engine": core.__version__,
        "python": platform.python_version(),
        "hostname": platform.node(),
        "cores": len(os.sched_getaffinity(0)),
        "kernel": platform.release(),
    }
    agent.say({"hello": hello})
    threading.Thread(target=watch, args=(agent,), daemon=True).start()
    for line in own.buffer:
        agent.heard_at = time.monotonic()
        agent.obey(json.loads(line))
    # The engine's threads go with the process: nothing is left that could receive the end of their run.
    os._exit(0)


if __name__ == "__main__":
    main()
