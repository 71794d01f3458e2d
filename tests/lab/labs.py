"""Labs as their users meet them: by the command line and by ssh."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., "subprocess.CompletedProcess[str]"]
Topology = Callable[..., Path]


def loadstone(
    *arguments: str | Path, check: bool = True, timeout_s: float = 120
) -> "subprocess.CompletedProcess[str]":
    """The command line as its own process."""
    command = [sys.executable, "-m", "loadstone", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout_s)
    assert not check or done.returncode == 0, done.stderr
    return done


@contextmanager
def lab(folder: Path, name: str, hosts: str) -> Iterator[Path]:
    """A lab of `hosts` that is up; yields its topology file. Skips the test where no lab can be."""
    if reason := obstacle():
        pytest.skip(reason)
    path = folder / f"{name}.toml"
    path.write_text(f'format = 1\nname = "{name}"\n{hosts}')
    loadstone("lab", "down", name)  # what a killed run of the same tests has left
    loadstone("lab", "up", path)
    try:
        yield path
    finally:
        loadstone("lab", "down", name)


def ssh(name: str, host: str, script: str) -> "subprocess.CompletedProcess[str]":
    """Runs a script on a host of a lab."""
    config = f"/run/loadstone/{name}/ssh_config"
    return subprocess.run(
        ["ssh", "-F", config, host, script], capture_output=True, text=True, check=False, timeout=60
    )


def described(name: str) -> dict[str, Any]:
    """The lab as `lab list --json` tells it."""
    labs: list[dict[str, Any]] = json.loads(loadstone("lab", "list", name, "--json").stdout)
    return labs[0]


def wait_until(holds: Callable[[], bool], what: str) -> None:
    """Waits for a condition. AssertionError with `what` when it does not come true."""
    deadline = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def obstacle() -> str | None:
    """Why this machine cannot hold a lab; None when it can."""
    if os.geteuid() != 0:
        return "a lab needs root"
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    if missing := [
        tool for tool in ("ip", "ping", "iperf3", "ssh", "sshd") if not shutil.which(tool, path=path)
    ]:
        return f"not installed: {', '.join(missing)}; scripts/setup-lab installs it"
    probe = ["unshare", "--net", "--mount", "--uts", "--ipc", "--pid", "--fork", "true"]
    done = subprocess.run(probe, capture_output=True, text=True, check=False)
    return f"namespaces are not permitted: {done.stderr.strip()}" if done.returncode else None
