"""What servers count themselves, asked for by each one's own means: a client, a port, a socket file.

Levels (how it is now) keep their name; what only grows becomes a rate, named `..._per_s`.
"""

from __future__ import annotations

import os
import select
import socket
import subprocess
import time
from typing import Callable, Dict, List, Mapping, Tuple

from .home import Home, Unit
from .program import client, connected

Figures = Dict[str, float]
Counts = Tuple[Figures, Figures]
"""Levels, and sums since the server started."""

_WAIT_S = 2.0
_MARK = "loadstone-has-all"

_MARIADB_ASK = f"SHOW GLOBAL STATUS; SELECT 'max_connections', @@max_connections; SELECT '{_MARK}';\n"
# Beside them on a replica; the user of other databases may not ask. Empty where the primary is not reached.
_MARIADB_LAG = "SHOW SLAVE STATUS;\n"
_MARIADB_BEHIND = 32
"""The column `Seconds_Behind_Master`: the client tells no names."""
_MARIADB_LEVELS = {
    "Threads_connected": "connections",
    "max_connections": "connections_most",
    "Threads_running": "running",
    "Innodb_row_lock_current_waits": "lock_waits",
}
_MARIADB_SUMS = {
    "Questions": "queries", "Slow_queries": "slow_queries", "Connections": "connects",
    "Aborted_connects": "refused_connects", "Com_commit": "commits", "Com_rollback": "rollbacks",
    "Innodb_buffer_pool_read_requests": "page_reads", "Innodb_buffer_pool_reads": "page_misses",
    "Innodb_row_lock_time": "lock_wait_ms", "Innodb_os_log_fsyncs": "log_syncs",
    "Bytes_received": "in_bytes", "Bytes_sent": "out_bytes",
}  # fmt: skip

# One line: name, value. Sums over all databases; a row without a database is of shared objects.
_POSTGRESQL_ASK = f"""\
SELECT 'connections', count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'
UNION ALL SELECT 'connections_most', setting::bigint FROM pg_settings WHERE name = 'max_connections'
UNION ALL SELECT 'running', count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()
UNION ALL SELECT 'lock_waits', count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'
UNION ALL SELECT 'replica_lag_s', CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
  ELSE coalesce(round(extract(epoch FROM now() - pg_last_xact_replay_timestamp()), 3), 0) END
  WHERE EXISTS (SELECT FROM pg_stat_wal_receiver)
UNION ALL SELECT * FROM (SELECT unnest(array['commits', 'rollbacks', 'page_reads', 'page_misses', 'rows_read',
  'rows_written', 'deadlocks', 'spilled_bytes']), unnest(array[sum(xact_commit), sum(xact_rollback),
  sum(blks_hit + blks_read), sum(blks_read), sum(tup_returned), sum(tup_inserted + tup_updated + tup_deleted),
  sum(deadlocks), sum(temp_bytes)]) FROM pg_stat_database) AS sums;
SELECT '{_MARK}';
"""
_POSTGRESQL_LEVELS = ("connections", "connections_most", "running", "lock_waits", "replica_lag_s")

_MEMCACHED_LEVELS = {
    "curr_connections": "connections", "max_connections": "connections_most", "curr_items": "items",
    "bytes": "stored_bytes", "limit_maxbytes": "stored_bytes_most",
}  # fmt: skip
_MEMCACHED_SUMS = {
    "cmd_get": "gets", "cmd_set": "sets", "get_hits": "hits", "get_misses": "misses",
    "evictions": "evictions", "total_connections": "connects", "listen_disabled_num": "refusals",
    "bytes_read": "in_bytes", "bytes_written": "out_bytes",
}  # fmt: skip
_HAPROXY_FRONT = {
    "stot": "sessions",
    "req_tot": "requests",
    "hrsp_5xx": "answers_5xx",
    "ereq": "bad_requests",
}
_HAPROXY_BACK = {
    "econ": "connect_errors",
    "eresp": "answer_errors",
    "wretr": "retries",
    "wredis": "redispatches",
}


class Asked:
    """One server, asked again and again."""

    def __init__(self, home: Home, unit: Unit) -> None:
        """Its way of being asked is the unit's `counts`. KeyError when this version does not know it."""
        self._home, self._unit, self._way = home, unit, unit["counts"]
        self._parse = PARSERS[self._way["kind"]]
        self._client: "subprocess.Popen[bytes] | None" = None

    def counts(self) -> Counts:
        """Levels and sums now. OSError or ValueError when it does not answer."""
        kind = self._way["kind"]
        if "client" in self._way:
            lag = _MARIADB_LAG if self._unit["lag"] else ""
            return self._parse(self._by_client(lag + _MARIADB_ASK if kind == "mariadb" else _POSTGRESQL_ASK))
        return self._parse(self._by_socket(*_QUESTIONS[kind]))

    def close(self) -> None:
        """Ends the client, if there is one."""
        if self._client:
            self._client.kill()
            self._client.wait()
        self._client = None

    def _by_client(self, statements: str) -> str:
        """One client stays for the whole run: a new one each second would be load of its own."""
        if self._client is None or self._client.poll() is not None:
            self._client = client(self._home, self._unit, self._way["client"])
        assert self._client.stdin and self._client.stdout
        try:
            self._client.stdin.write(statements.encode())
            self._client.stdin.flush()
            said, deadline, end = b"", time.monotonic() + _WAIT_S, f"{_MARK}\n".encode()
            while not said.endswith(end):
                left = deadline - time.monotonic()
                if left <= 0 or not select.select([self._client.stdout], [], [], left)[0]:
                    raise OSError("no answer in time")
                more = os.read(self._client.stdout.fileno(), 1 << 16)
                if not more:
                    raise OSError("the client ended")
                said += more
        except OSError:
            self.close()
            raise
        return said.decode(errors="replace")

    def _by_socket(self, question: str, end: str) -> str:
        with self._connected() as connection:
            connection.sendall(question.encode())
            said = b""
            while not (end and said.endswith(end.encode())):
                more = connection.recv(1 << 16)
                if not more:
                    break
                said += more
        return said.decode(errors="replace")

    def _connected(self) -> socket.socket:
        if "socket" not in self._way:
            return connected(self._home, self._way["port"], self._way, _WAIT_S)
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.settimeout(_WAIT_S)
            connection.connect(self._home.fill([self._way["socket"]])[0])
        except OSError:
            connection.close()
            raise
        return connection


_QUESTIONS = {
    "memcached": ("stats\r\n", "END\r\n"),
    "haproxy": ("show stat\n", ""),
    "nginx": ("GET / HTTP/1.0\r\n\r\n", ""),
}
"""What is sent, and how the answer ends; empty: with the connection."""


def _named(pairs: Mapping[str, str], levels: Mapping[str, str], sums: Mapping[str, str]) -> Counts:
    return (
        {name: float(pairs[key]) for key, name in levels.items() if key in pairs},
        {name: float(pairs[key]) for key, name in sums.items() if key in pairs},
    )


def mariadb(text: str) -> Counts:
    """Of `SHOW GLOBAL STATUS` without heads: name, tab, value."""
    levels, sums = _named(_pairs(text, "\t"), _MARIADB_LEVELS, _MARIADB_SUMS)
    if "running" in levels:
        levels["running"] -= 1.0  # our own question
    for row in [line.split("\t") for line in text.splitlines()]:
        if len(row) > _MARIADB_BEHIND and row[_MARIADB_BEHIND].isdigit():
            levels["replica_lag_s"] = float(row[_MARIADB_BEHIND])
    return levels, sums


def postgresql(text: str) -> Counts:
    """Of our own query: name, tab, value."""
    found = {name: float(value) for name, value in _pairs(text, "\t").items()}
    return (
        {name: value for name, value in found.items() if name in _POSTGRESQL_LEVELS},
        {name: value for name, value in found.items() if name not in _POSTGRESQL_LEVELS},
    )


def memcached(text: str) -> Counts:
    """Of `stats`: `STAT name value`."""
    words = [line.split() for line in text.splitlines() if line.startswith("STAT ")]
    return _named({word[1]: word[2] for word in words if len(word) == 3}, _MEMCACHED_LEVELS, _MEMCACHED_SUMS)


def haproxy(text: str) -> Counts:
    """Of `show stat`: a table in CSV; front ends and back ends have a row each, and every server."""
    head, *rows = [line.split(",") for line in text.splitlines() if line]
    head[0] = head[0].lstrip("# ")
    found = [dict(zip(head, row)) for row in rows]
    levels: Figures = {"backends": 0.0, "backends_up": 0.0}
    sums: Figures = {}

    def add(to: Figures, one: Mapping[str, str], key: str, name: str) -> None:
        to[name] = to.get(name, 0.0) + float(one.get(key) or 0)

    for one in found:
        if one["svname"] == "FRONTEND":
            add(levels, one, "scur", "connections")
            add(levels, one, "slim", "connections_most")
            for key, name in _HAPROXY_FRONT.items():
                add(sums, one, key, name)
        elif one["svname"] == "BACKEND":
            add(levels, one, "qcur", "queued")
            for key, name in _HAPROXY_BACK.items():
                add(sums, one, key, name)
        else:
            levels["backends"] += 1
            levels["backends_up"] += one["status"].startswith(("UP", "no check"))
    return levels, sums


def nginx(text: str) -> Counts:
    """Of its stub status page: `Active connections: 1`, three sums, `Reading: 0 Writing: 1 Waiting: 0`."""
    lines: List[List[str]] = [line.split() for line in text.partition("\r\n\r\n")[2].splitlines()]
    accepted, handled, requests = map(float, lines[2])
    now = lines[3]
    levels = {"connections": float(lines[0][2]), "reading": float(now[1]), "writing": float(now[3])}
    return levels, {"connects": accepted, "dropped_connects": accepted - handled, "requests": requests}


PARSERS: Dict[str, Callable[[str], Counts]] = {
    "mariadb": mariadb, "postgresql": postgresql, "memcached": memcached, "haproxy": haproxy, "nginx": nginx,
}  # fmt: skip


def _pairs(text: str, mark: str) -> Dict[str, str]:
    return {name: value for name, tab, value in (line.partition(mark) for line in text.splitlines()) if tab}
