"""The fast path: `host/control.py` over the open ssh connection, without Ansible."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.resources import files as package_files
from typing import Any, Literal, TypeVar

from loadstone.deploy.outcome import refusal
from loadstone.errors import LoadstoneError
from loadstone.ssh import Ssh

PYTHON = "/usr/bin/python3"
"""Debian's, on every host; Ansible uses it too."""

_CONTROL = ("home", "processes", "data", "program", "content", "control")
WATCH = ("home", "processes", "data", "program", "counting", "system", "watch")
"""Modules of `host/`, each after those it imports; the last one is run."""

# The program comes on its input, in front of what it is given: nothing of ours stays on the host.
_BOOT = """
import json, sys, types
parts = json.loads(sys.stdin.buffer.read(int(sys.argv.pop(1))))
sys.modules["host"] = types.ModuleType("host")
sys.modules["host"].__path__ = []
for name, text in parts.items():
    module = sys.modules["host." + name] = types.ModuleType("host." + name)
    module.__package__ = "host"
    exec(compile(text, name + ".py", "exec"), module.__dict__)
module.main()
"""
_LONGEST_S = 3600.0
"""Data sets are made in it; a host that is gone shows earlier, by ssh's own signs of life."""

Consent = Literal["keep", "replace", "discard"]
"""Whether data may give way to new ones: not at all, after a backup on their host, or without one."""

_Item = TypeVar("_Item")
_T = TypeVar("_T")


def ask(
    ssh: Ssh, host: str, verb: str, service: str, given: Any = None, consent: Consent = "keep"
) -> dict[str, Any]:
    """The answer of a verb of `control.py`, asked in the name of the topology.

    LoadstoneError with the slug of the refusal, or as `Ssh.run`.
    """
    sent = program() + (json.dumps(given) if given is not None else "")
    done = ssh.run(
        host, [*ssh.as_root(host), *command(ssh, verb, service, consent)], send=sent, timeout_s=_LONGEST_S
    )
    if done.code:
        message = f"`{service}` on `{host}`: {verb} failed: {done.words}"
        raise LoadstoneError("service-failed", message)
    answer: dict[str, Any] = json.loads(done.out)
    if "refused" in answer:
        raise refusal(answer, service, host)
    return answer


def at_once(work: Callable[[_Item], _T], items: Iterable[_Item]) -> list[_T]:
    """What `work` makes of each item, all at the same time, in order."""
    wanted = list(items)
    with ThreadPoolExecutor(max_workers=max(1, min(16, len(wanted)))) as pool:
        return list(pool.map(work, wanted))


def command(ssh: Ssh, verb: str, service: str, consent: Consent = "keep") -> list[str]:
    """Words of a command that runs a verb on a host; its input is `program` and then the verb's own."""
    return booted(program(), verb, service, ssh.topology, consent)


def booted(sent: str, *arguments: str) -> list[str]:
    """Words of a command that runs on a host what `program` made; its input begins with `sent`."""
    return [PYTHON, "-I", "-c", _BOOT, str(len(sent)), *arguments]


@cache
def program(modules: tuple[str, ...] = _CONTROL) -> str:
    """Modules of `host/`, in ASCII: characters are bytes."""
    folder = package_files("loadstone.deploy.host")
    return json.dumps({name: (folder / f"{name}.py").read_text("utf-8") for name in modules})
