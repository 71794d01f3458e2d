"""Ansible's progress as one line of JSON for each host and task, on stdout."""

from __future__ import annotations

import json
import time
from typing import Any

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: loadstone_events
type: stdout
short_description: one line of JSON for each host and task
description: read by loadstone.deploy.playbook
"""


class CallbackModule(CallbackBase):  # type: ignore[misc]
    """Writes `service`, `host`, `task`, whether that is the role's `own`, `outcome`, `changed`, `took_s`,
    `answer`, and what a failure says."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "loadstone_events"

    def __init__(self) -> None:
        """Nothing has begun."""
        super().__init__()
        self._service = ""
        self._started: dict[tuple[str, str], float] = {}

    def v2_playbook_on_play_start(self, play: Any) -> None:
        """A play is a service."""
        self._service = play.get_name()

    def v2_runner_on_start(self, host: Any, task: Any) -> None:
        """Notes when a task began on a host."""
        self._started[host.get_name(), task._uuid] = time.monotonic()

    def v2_runner_on_ok(self, result: Any) -> None:
        """It is done."""
        self._write(result, "ok")

    def v2_runner_on_skipped(self, result: Any) -> None:
        """It is not needed."""
        self._write(result, "skipped")

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        """It failed."""
        self._write(result, "failed")

    def v2_runner_on_unreachable(self, result: Any) -> None:
        """The host was not reached."""
        self._write(result, "unreachable")

    def _write(self, result: Any, outcome: str) -> None:
        host, said = result._host.get_name(), result._result
        started = self._started.pop((host, result._task._uuid), None)
        line = {
            "service": self._service,
            "host": host,
            "task": result._task.name,
            "own": _of_the_role(result._task),
            "outcome": outcome,
            "changed": bool(said.get("changed")),
            "took_s": round(time.monotonic() - started, 3) if started is not None else None,
            "answer": _answer(said),
            "message": _words(said) if outcome in ("failed", "unreachable") else None,
        }
        print(json.dumps(line, default=str), flush=True)


def _of_the_role(task: Any) -> bool:
    """Whether it is a task of the service's role, and none of those that all services share."""
    return task._role is not None and task._role.get_name() != "service"


def _answer(said: dict[str, Any]) -> Any:
    """What `host/control.py` answered, where the task was one of its verbs."""
    try:
        return json.loads(said.get("stdout") or "null")
    except ValueError:
        return None


def _words(said: dict[str, Any]) -> str:
    """Why a task failed: of a loop, what its failed items say."""
    items = [item for item in said.get("results") or [] if item.get("failed")]
    parts = [_words(item) for item in items] or [
        str(said[key]).strip() for key in ("msg", "stderr", "module_stderr") if said.get(key)
    ]
    return "\n".join(dict.fromkeys(parts))
