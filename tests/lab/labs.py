"""Labs as their users meet them: by the command line and by ssh."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Command = Callable[..., "subprocess.CompletedProcess[str]"]
Topology = Callable[..., Path]


def loadstone(*arguments: str | Path, check: bool = True) -> "subprocess.CompletedProcess[str]":
    """The command line as its own process."""
    command = [sys.executable, "-m", "loadstone", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert not check or done.returncode == 0, done.stderr
    return done


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
