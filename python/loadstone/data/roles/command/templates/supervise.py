"""Starts the instances of a program, starts those again that end, and tells whether all are well.

    supervise.py run ORDERS         until a signal ends it (SIGTERM)
    supervise.py check ORDERS       whether what is to be started is there
    supervise.py ready ORDERS       succeeds when every instance is well
    supervise.py prepare ORDERS     makes the data
    supervise.py reset ORDERS       brings them back to the start
    supervise.py version ORDERS     what was brought

An instance that ends before all were well ends the service: it would not get better. One that ends later is
started again, after a pause that doubles while it keeps ending. Hosts need nothing but Python 3.9.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

SIGNALS = {signal.SIGTERM, signal.SIGINT, signal.SIGCHLD}
PAUSE_S = 0.1
LONGEST_PAUSE_S = 5.0
# An instance that lived so long has not ended because of how it was started.
LONG_S = 10.0
ANSWER_S = 5.0


def main() -> int:
    """One of the words above; the exit code."""
    verb, path = sys.argv[1], Path(sys.argv[2])
    orders = json.loads(path.read_text())
    if verb in ("prepare", "reset"):
        return data(orders, verb)
    return {"run": run, "check": check, "ready": ready, "version": version}[verb](orders)


class Instance:
    """A process of the program, or the time when there is to be one again."""

    def __init__(self, orders: dict[str, Any], number: int) -> None:
        """Not started yet."""
        self.own = orders["instances"][number]
        self.name = f"instance {number + 1}"
        self.orders = orders
        self.process: subprocess.Popen[bytes] | None = None
        self.started = self.due = time.monotonic()
        self.failures = 0

    def start(self) -> None:
        """Starts it, in a process group of its own."""
        self.clear()
        self.started = time.monotonic()
        with contextlib.ExitStack() as stack:
            log = stack.enter_context(open(self.own["log"], "ab")) if self.own["log"] else None
            self.process = subprocess.Popen(
                self.own["words"], cwd=self.orders["app"], env=environment(self.orders, self.own),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=_own_group,
            )  # fmt: skip

    def ended(self) -> int | None:
        """Its exit code (128 and a signal), once; None while it lives or waits."""
        if self.process is None or self.process.poll() is None:
            return None
        code = self.process.returncode
        # What it has started goes with it: the next one needs its port.
        self.kill()
        self.process = None
        self.failures = 0 if time.monotonic() - self.started > LONG_S else self.failures + 1
        self.due = time.monotonic() + min(LONGEST_PAUSE_S, PAUSE_S * 2 ** (self.failures - 1))
        return 128 - code if code < 0 else code

    def kill(self) -> None:
        """Ends its group without asking."""
        if self.process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.clear()

    def clear(self) -> None:
        """Ends what is not its child: a container is the engine's."""
        if self.own["end"]:
            subprocess.run(
                self.own["end"], stdin=subprocess.DEVNULL, capture_output=True, check=False,
                env=environment(self.orders, self.own),
            )  # fmt: skip


def run(orders: dict[str, Any]) -> int:
    """Keeps the instances up."""
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    well = Path(orders["run"], "well")
    with contextlib.suppress(FileNotFoundError):
        well.unlink()
    instances = [Instance(orders, number) for number in range(len(orders["instances"]))]
    try:
        for one in instances:
            one.start()
        while True:
            got = signal.sigtimedwait(SIGNALS, 0.1 if any(not one.process for one in instances) else 5.0)
            if got and got.si_signo != signal.SIGCHLD:
                return stop(orders, instances)
            for one in instances:
                lived_s = time.monotonic() - one.started
                if (code := one.ended()) is not None:
                    say(f"{one.name} ended with exit code {code} after {lived_s:.1f} s")
                    if not well.exists():
                        return code or 1
                if one.process is None and time.monotonic() >= one.due:
                    one.start()
                    say(f"{one.name} started again")
    finally:
        for one in instances:
            one.kill()


def stop(orders: dict[str, Any], instances: list[Instance]) -> int:
    """Asks every instance to end, and kills those that do not."""
    alive = [one.process for one in instances if one.process]
    for process in alive:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(orders["stop_signal"])
    deadline = time.monotonic() + orders["stop_s"]
    while any(process.poll() is None for process in alive) and time.monotonic() < deadline:
        signal.sigtimedwait(SIGNALS, 0.1)
    return 0


def check(orders: dict[str, Any]) -> int:
    """What is started must be there, and its folder."""
    word = orders["instances"][0]["words"][0]
    app = Path(orders["app"])
    if not app.is_dir():
        return refused(f"{app} is not there: deploy again")
    path = environment(orders, orders["instances"][0])["PATH"]
    if "/" in word and not os.access(app / word, os.X_OK):
        return refused(f"{app / word} is not there, or cannot be run")
    if "/" not in word and shutil.which(word, path=path) is None:
        return refused(f"`{word}` is not installed")
    return 0


def ready(orders: dict[str, Any]) -> int:
    """Every instance is asked in its way."""
    for number, own in enumerate(orders["instances"]):
        if why := unwell(orders, own):
            return refused(f"instance {number + 1}: {why}")
    Path(orders["run"], "well").touch()
    return 0


def unwell(orders: dict[str, Any], own: dict[str, Any]) -> str:
    """Why an instance is not well; empty when it is."""
    if own["health"]:
        done = shell(orders, own, own["health"], subprocess.PIPE)
        return "" if done.returncode == 0 else f"`{own['health']}` ended with {done.returncode}"
    why = ""
    # Some listen on one address only.
    for address in ("127.0.0.1", orders["address"]):
        try:
            if not orders["check_path"]:
                socket.create_connection((address, own["port"]), ANSWER_S).close()
                return ""
            connection = asked(orders, address, own["port"])
            with contextlib.closing(connection):
                connection.request("GET", orders["check_path"])
                status = connection.getresponse().status
            return "" if 200 <= status < 400 else f"{orders['check_path']} answers {status}"
        except (OSError, http.client.HTTPException) as error:
            why = f"port {own['port']}: {error}"
    return why


def asked(orders: dict[str, Any], address: str, port: int) -> http.client.HTTPConnection:
    """A connection, by TLS where the program is to serve that: with the certificate that it was given."""
    if not orders["authority"]:
        return http.client.HTTPConnection(address, port, timeout=ANSWER_S)
    believed = ssl.create_default_context(cafile=orders["authority"])
    return http.client.HTTPSConnection(address, port, timeout=ANSWER_S, context=believed)


def data(orders: dict[str, Any], verb: str) -> int:
    """Each line that makes the data or resets them, in the folder of what was brought."""
    own = orders["instances"][0]
    for line in own[verb]:
        if code := shell(orders, own, line, None).returncode:
            return refused(f"`{line}` ended with exit code {code}")
    return 0


def version(orders: dict[str, Any]) -> int:
    """Of the content: its program may have none, or say it in any way."""
    print("content", orders["content"])
    return 0


def shell(
    orders: dict[str, Any], own: dict[str, Any], line: str, out: int | None
) -> subprocess.CompletedProcess[bytes]:
    """Runs a line in the folder of what was brought."""
    return subprocess.run(
        ["sh", "-e", "-c", line], cwd=orders["app"], env=environment(orders, own), check=False,
        stdin=subprocess.DEVNULL, stdout=out, stderr=out,
    )  # fmt: skip


def environment(orders: dict[str, Any], own: dict[str, Any]) -> dict[str, str]:
    """Ours, and what the topology says."""
    return {**os.environ, **own["env"]}


def refused(why: str) -> int:
    """Says why; the exit code."""
    print(why, file=sys.stderr, flush=True)
    return 1


def say(line: str) -> None:
    """A line for the service's log."""
    print(time.strftime("%Y-%m-%dT%H:%M:%S"), "supervise:", line, flush=True)


def _own_group() -> None:
    os.setpgid(0, 0)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


if __name__ == "__main__":
    sys.exit(main())
