"""A Ray cluster on hosts of a lab: its head, nodes with addresses of their own, all with one token."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

RAY = Path(sys.executable).with_name("ray")
PORT = 6379
CLIENT_PORT = 10001
_FOLDER = "/tmp/r"
"""Of each host: it has a /tmp of its own."""
_STORE_BYTES = 80_000_000
"""The least that Ray takes is 75 MB."""
_SMALL = ["--num-cpus", "1", "--object-store-memory", str(_STORE_BYTES), "--disable-usage-stats"]
_PATIENCE_S = 120


class RayInLab:
    """Ray on the hosts of one lab that is up, one CPU each."""

    def __init__(self, lab: str, head: str, nodes: Sequence[str]) -> None:
        """Nothing is started yet."""
        self.token = secrets.token_hex(32)
        self._lab = lab
        self._head = head
        self._nodes = list(nodes)
        described = subprocess.run(
            [sys.executable, "-m", "loadstone", "lab", "list", lab, "--json"],
            capture_output=True, check=True,
        ).stdout  # fmt: skip
        self.addresses = {host["name"]: host["address"] for host in json.loads(described)[0]["hosts"]}

    def start(self) -> float:
        """Starts the head, then the nodes. How long it took, seconds."""
        began = time.monotonic()
        head = ["--head", "--port", PORT, "--ray-client-server-port", CLIENT_PORT]
        self._ray(self._head, *head, "--include-dashboard=false", "--temp-dir", _FOLDER)
        where = f"{self.addresses[self._head]}:{PORT}"
        # One after the other: each keeps a processor busy for seconds, and Ray has bounds of its own for it.
        for host in self._nodes:
            self._ray(host, "--address", where)
        return time.monotonic() - began

    @property
    def client(self) -> str:
        """For `--on`, from this machine."""
        return f"ray://{self.addresses[self._head]}:{CLIENT_PORT}"

    def environment(self, token: str | None = None) -> dict[str, str]:
        """That of everybody who belongs to the cluster; with another token, of somebody who does not."""
        own = {
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": token or self.token,
            "RAY_USAGE_STATS_ENABLED": "0",
        }
        return {**os.environ, **own}

    def begun_on_head(self, *command: object, token: str | None = None) -> subprocess.Popen[str]:
        """A command of somebody who is logged in there."""
        address = {"RAY_ADDRESS": f"{self.addresses[self._head]}:{PORT}"}
        return subprocess.Popen(
            [*self._on(self._head), *map(str, command)], env=self.environment(token) | address,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def on_head(self, *command: object, token: str | None = None) -> subprocess.CompletedProcess[str]:
        """The same, to its end."""
        with self.begun_on_head(*command, token=token) as process:
            out, err = process.communicate(timeout=_PATIENCE_S)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def _ray(self, host: str, *options: object) -> None:
        address = ["--node-ip-address", self.addresses[host], "--node-name", host]
        # Each host gets its own copy of what an agent needs.
        own = {
            "XDG_CACHE_HOME": f"{_FOLDER}/cache",
            "RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S": str(_PATIENCE_S),
        }
        # Behind `ray://` each command has a server of its own; a busy machine does not start it within 30 s.
        environment = self.environment() | own
        command = [*self._on(host), str(RAY), "start", *address, *_SMALL, *map(str, options)]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=_PATIENCE_S
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def _on(self, host: str) -> list[str]:
        return [sys.executable, "-m", "loadstone", "lab", "exec", "--lab", self._lab, host, "--"]
