"""What an agent needs on its host: its two files, copied when they are not there, and a Python that fits."""

from __future__ import annotations

import hashlib
import platform
import re
from functools import cache
from pathlib import Path

from loadstone import agent
from loadstone.errors import LoadstoneError
from loadstone.measure.wire import Reach

_LEAST_PYTHON = (3, 11)
_COPY_NAMES = ("agent.py", "_core.abi3.so")


@cache
def _files() -> tuple[dict[str, Path], str]:
    """Our files by the name that their copy gets, and the digest of their contents."""
    from loadstone import _core

    # `__file__` is typed for every module, and this one is a file.
    paths = dict(zip(_COPY_NAMES, (Path(agent.__file__), Path(str(_core.__file__))), strict=True))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in paths.values())).hexdigest()
    return paths, digest[:16]


def install(reach: Reach, host: str) -> list[str]:
    """Makes sure that the agent's files are on `host`. Returns the command that runs it there.

    The folder's name holds the digest of what is in it, so that files that are there need not be looked at.
    LoadstoneError `agent-start` when the host does not fit, `host-write`, or those of `Reach.run`.
    """
    paths, digest = _files()
    answer = reach.run(
        host,
        f'above="${{XDG_CACHE_HOME:-$HOME/.cache}}/loadstone"; folder="$above/agent-{digest}"; uname -sm; '
        # Copies that nobody has asked for since yesterday go; one that runs has all that it needs in memory.
        'touch -c "$folder"; find "$above" -maxdepth 1 -name "agent-*" ! -path "$folder" -mtime +0 '
        "-exec rm -rf {} + 2>/dev/null; "
        "python3 -c 'import sys; print(*sys.version_info[:2])' 2>/dev/null || echo; echo \"$folder\"; "
        'cd "$folder" 2>/dev/null && ls',
    )
    said = answer.out.splitlines()
    if len(said) < 3:
        raise LoadstoneError("agent-start", f"`{host}` has no usual shell: {answer.words}")
    _check(host, said[0], said[1])
    folder, there = said[2], said[3:]
    for name, path in paths.items():
        if name not in there:
            reach.write(host, f"{folder}/{name}", path.read_bytes())
    return ["python3", f"{folder}/agent.py"]


def unfit(host: str, words: str) -> LoadstoneError:
    """Why the engine's module cannot be loaded there, from the linker's words.

    >>> unfit("web1", "/lib/libc.so.6: version `GLIBC_2.34' not found").message
    'the agent does not run on `web1`: its C library is older than 2.34, with which our engine was built'
    """
    versions = re.findall(r"GLIBC_(\d+)\.(\d+)", words)
    if not versions:
        return LoadstoneError("agent-start", f"the agent does not run on `{host}`: {words}")
    needed = "{}.{}".format(*max((int(major), int(minor)) for major, minor in versions))
    message = f"its C library is older than {needed}, with which our engine was built"
    hint = "make the load on newer hosts, or install Loadstone here from a wheel built on the oldest system"
    return LoadstoneError("agent-start", f"the agent does not run on `{host}`: {message}", hint=hint)


def _check(host: str, system: str, version: str) -> None:
    """Refuses a host on which the files cannot run."""
    own = f"{platform.system()} {platform.machine()}"
    if system != own:
        raise LoadstoneError(
            "agent-start",
            f"`{host}` is {system}, and the agent that this machine has is for {own}",
            hint="use hosts like this one, or run `loadstone` on a machine like that one",
        )
    needed = ".".join(map(str, _LEAST_PYTHON))
    numbers = tuple(int(part) for part in version.split())
    if not numbers:
        raise LoadstoneError("agent-start", f"`{host}` has no python3", hint=f"install Python {needed}")
    if numbers < _LEAST_PYTHON:
        found = ".".join(map(str, numbers))
        message = f"`{host}` has Python {found}, an agent needs {needed}"
        raise LoadstoneError("agent-start", message, hint=f"install Python {needed} as python3")
