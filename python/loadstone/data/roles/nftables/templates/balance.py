"""Balances TCP connections in the kernel by a table of nftables, and checks the servers behind it.

    balance.py run SETTINGS       puts the table in, keeps it right, takes it out when told to end (SIGTERM)
    balance.py check SETTINGS     asks the kernel whether it would take the table; changes nothing
    balance.py serves SETTINGS    succeeds when the table in use is made from these settings
    balance.py clear SETTINGS     takes out what a `run` left that was killed

The kernel sends connections where the table says and never looks whether a server lives; this process does,
and replaces the table in one step when the answer changes. SIGHUP has it read the settings again. Connections
that exist stay where they are, whatever the table says. Hosts need nothing but Python 3.9 and nft.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import signal
import string
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

FORWARD = Path("/proc/sys/net/ipv4/ip_forward")
SIGNALS = {signal.SIGHUP, signal.SIGTERM, signal.SIGINT}
# One lost check is a hiccup; two in a row take a server out.
FAILURES = 2
# Any constant: the kernel would draw another with each change, and users would change servers.
SEED = "0x10ad5704"

TABLE = string.Template("""
table ip $table
delete table ip $table
table ip $table {
    chain choose {
        ip daddr $address tcp dport $port $choice
    }
    chain others {
        type nat hook prerouting priority dstnat;
        jump choose
    }
    chain own {
        type nat hook output priority -100;
        jump choose
    }
    # Answers must come back through here, so servers see this host as their user.
    chain back {
        type nat hook postrouting priority srcnat;
        ct status dnat masquerade
    }
    # Users on the servers' own network would be told of a shorter way, which does not exist.
    chain quiet {
        type filter hook output priority 0;
        icmp type redirect drop
    }
}
""")


def main() -> int:
    """One of the words above; the exit code."""
    verb, path = sys.argv[1], Path(sys.argv[2])
    settings = json.loads(path.read_text())
    if verb == "run":
        return run(path)
    if verb == "check":
        return nft(table(settings, settings["servers"]), "--check")
    if verb == "clear":
        return clear(settings)
    applied = Path(settings["run"], "applied")
    return 0 if applied.exists() and applied.read_text() == digest(path) else 1


def run(path: Path) -> int:
    """Keeps the table right until a signal ends it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    settings, read = json.loads(path.read_text()), digest(path)
    forward(settings)
    failures: dict[str, int] = {}
    shown = ""
    while True:
        alive = [one for one in settings["servers"] if failures.get(one["name"], 0) < FAILURES]
        if (wanted := table(settings, alive)) != shown:
            if nft(wanted):
                return 1
            shown = wanted
            print("alive:", ", ".join(one["name"] for one in alive) or "none", flush=True)
        Path(settings["run"], "applied").write_text(read)
        got = signal.sigtimedwait(SIGNALS, settings["check_interval_s"])
        if got and got.si_signo != signal.SIGHUP:
            return clear(settings)
        if got:
            settings, read = json.loads(path.read_text()), digest(path)
        else:
            failures = checked(settings, failures)


def forward(settings: dict[str, Any]) -> None:
    """Has the kernel pass packets on, and keeps what it did before."""
    kept = Path(settings["run"], "ip_forward")
    if not kept.exists():
        kept.write_text(FORWARD.read_text())
    FORWARD.write_text("1")


def clear(settings: dict[str, Any]) -> int:
    """Takes the table out, and puts forwarding back to what it was."""
    name, kept = settings["table"], Path(settings["run"], "ip_forward")
    # Added first, because only what exists can be deleted.
    code = nft(f"add table ip {name}\ndelete table ip {name}\n")
    with contextlib.suppress(FileNotFoundError):
        FORWARD.write_text(kept.read_text())
        kept.unlink()
        Path(settings["run"], "applied").unlink()
    return code


def nft(commands: str, *options: str) -> int:
    """Hands commands over, all or none."""
    done = subprocess.run(
        ["nft", *options, "-f", "-"], input=commands, stderr=subprocess.PIPE, text=True, check=False
    )
    if "not supported" in done.stderr or "No such file" in done.stderr:
        print("this kernel lacks a part of nf_tables: nat, masquerade, numgen or hash", file=sys.stderr)
    print(done.stderr, end="", file=sys.stderr, flush=True)
    return done.returncode


def table(settings: dict[str, Any], alive: list[dict[str, Any]]) -> str:
    """The table, as commands that replace it."""
    slots = spread(settings, alive)
    dice = "jhash ip saddr mod {} seed {}" if hashed(settings) else "numgen inc mod {}"
    places = (
        "{" + ", ".join(f"{i} : {slot['address']} . {slot['port']}" for i, slot in enumerate(slots)) + "}"
    )
    # When no back end is alive, the host itself refuses the connection.
    choice = f"dnat ip to {dice.format(len(slots), SEED)} map {places}" if slots else "accept"
    return TABLE.substitute(settings, choice=choice)


def hashed(settings: dict[str, Any]) -> bool:
    """Whether a user's address chooses the server."""
    return bool(settings["algorithm"] == "source-hash")


def spread(settings: dict[str, Any], alive: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The server that each outcome of the dice means; one outcome for a unit of weight."""
    new = [server for server in alive if not server["drained"]]
    if not new or not hashed(settings):
        return [server for server in new for _ in range(server["weight"])]
    # Each keeps its outcomes, and only those of the missing move: other users stay where they are.
    every = [server for server in settings["servers"] for _ in range(server["weight"])]
    return [server if server in new else new[i % len(new)] for i, server in enumerate(every)]


def checked(settings: dict[str, Any], failures: dict[str, int]) -> dict[str, int]:
    """Checks that failed in a row, by server."""
    servers = settings["servers"]
    with ThreadPoolExecutor(max_workers=len(servers)) as pool:
        well = list(
            pool.map(
                lambda server: answers(server, settings["check_path"], settings["check_interval_s"]), servers
            )
        )
    found = {}
    for index, good in enumerate(well):
        name = servers[index]["name"]
        found[name] = 0 if good else failures.get(name, 0) + 1
    return found


def answers(server: dict[str, Any], path: str, interval_s: float) -> bool:
    """Whether it answers a request with anything but an error of its own; or connects, without a path."""
    connection = http.client.HTTPConnection(server["address"], server["port"], timeout=max(1.0, interval_s))
    try:
        if not path:
            connection.connect()
            return True
        connection.request("GET", path)
        return connection.getresponse().status < 500
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def digest(path: Path) -> str:
    """Of the settings."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
