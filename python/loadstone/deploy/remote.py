"""The fast path: `host/control.py` over the open ssh connection, without Ansible."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.resources import files as package_files
from typing import Any, Literal, TypeVar

from loadstone.deploy.outcome import host_error, refusal
from loadstone.ssh import SSH_FAILED, Ssh, refuse

PYTHON = "/usr/bin/python3"
"""Debian's, on every host; Ansible uses it too."""

_CONTROL = (
    *("home", "processes", "data", "logs", "systemd", "units", "program", "content", "renew", "control"),
)
WATCH = (
    *("home", "processes", "data", "logs", "systemd", "program", "counting", "system"),
    *("rates", "quota", "watch"),
)
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
_SIGNALLED = 128
"""A shell says so of a command that a signal ended, and adds the signal's number."""
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
    words = _told(ssh, host, command(ssh, verb, service, consent))
    done = ssh.run(host, words, send=_sent(given), timeout_s=_LONGEST_S)
    ended(ssh, host, verb, service, done.code, done.words)
    answer: dict[str, Any] = json.loads(done.out)
    if "refused" in answer:
        raise refusal(answer, service, host)
    return answer


def start(ssh: Ssh, host: str, verb: str, service: str, given: Any) -> subprocess.Popen[bytes]:
    """Starts a verb whose answer is a stream; what it is given is sent. Its end is the caller's."""
    process = ssh.start(host, _told(ssh, host, command(ssh, verb, service)))
    assert process.stdin
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(_sent(given).encode())
        process.stdin.close()
    return process


def ended(ssh: Ssh, host: str, verb: str, service: str, code: int, words: str) -> None:
    """Refuses a verb that did not come to its end.

    LoadstoneError `helper-killed` (by a kernel that is short of memory, say), `service-failed`, or as
    `Ssh.run`.
    """
    if code == SSH_FAILED:
        refuse(host, ssh.addresses[host], words)
    if code > _SIGNALLED:
        message = f"{verb}: our program was killed by signal {code - _SIGNALLED}"
        raise host_error("helper-killed", message, service, host)
    if code:
        raise host_error("service-failed", f"{verb} failed: {words.strip()[-600:]}", service, host)


def at_once(work: Callable[[_Item], _T], items: Iterable[_Item]) -> list[_T]:
    """What `work` makes of each item, all at the same time, in order."""
    wanted = list(items)
    with ThreadPoolExecutor(max_workers=max(1, min(16, len(wanted)))) as pool:
        return list(pool.map(work, wanted))


def command(ssh: Ssh, verb: str, service: str, consent: Consent = "keep") -> list[str]:
    """Words of a command that runs a verb on a host; its input is `program` and then the verb's own."""
    who = ssh.identity
    return booted(program(), verb, service, who.topology, consent, who.number, who.origin)


def booted(sent: str, *arguments: str) -> list[str]:
    """Words of a command that runs on a host what `program` made; its input begins with `sent`."""
    return [PYTHON, "-I", "-c", _BOOT, str(len(sent)), *arguments]


def _told(ssh: Ssh, host: str, words: list[str]) -> list[str]:
    """The command as root, so that a signal which ends it is told apart from a connection that broke."""
    return ["sh", "-c", '"$@"; exit $?', "sh", *ssh.as_root(host), *words]


def _sent(given: Any) -> str:
    return program() + (json.dumps(given) if given is not None else "")


@cache
def program(modules: tuple[str, ...] = _CONTROL) -> str:
    """Modules of `host/`, in ASCII: characters are bytes."""
    folder = package_files("loadstone.deploy.host")
    return json.dumps({name: (folder / f"{name}.py").read_text("utf-8") for name in modules})
