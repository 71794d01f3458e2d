"""A site that remembers who asked for what: paths are `/USER/OPERATION`."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Walked(ThreadingHTTPServer):
    """Answers everything."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Page)
        self.lock = threading.Lock()
        self.walks: dict[int, list[str]] = defaultdict(list)
        """Operations of each user, in order."""
        self.tokens: set[str | None] = set()
        """What requests had in `X-Token`."""
        self.first: float | None = None
        """When the first request came, on the monotonic clock."""

    @property
    def requests(self) -> int:
        return sum(map(len, self.walks.values()))

    def plan(
        self, *, users: int = 8, steady_s: float = 3.0, cycle_s: float = 0.1, **load: Any
    ) -> dict[str, Any]:
        """A plan of three operations in random order."""
        port = self.server_address[1]
        row = {"a": 0.5, "b": 0.3, "c": 0.2}
        return {
            "name": "walked",
            "seed": 7,
            "target": {"host": "127.0.0.1", "port": port, "authority": f"127.0.0.1:{port}", "base_path": ""},
            "load": {
                "users": users,
                "ramp_up_s": 0.0,
                "steady_s": steady_s,
                "ramp_down_s": 0.0,
                "timeout_s": 30.0,
                "profile": [],
                "threads": 1,
            }
            | load,
            "slice": {"index": 0, "of": 1},
            "pacing": {"kind": "cycle", "law": {"kind": "fixed", "value_s": cycle_s}},
            "session": {"first": "a"},
            "browser": {"warm_share": 0.0, "revalidate": True, "cached": [], "user_agent": "test"},
            "operations": [
                {"name": name, "limit_s": 30.0, "steps": [{"method": "GET", "path": f"/{{user}}/{name}"}]}
                for name in row
            ],
            "mix": dict.fromkeys(row, row),
        }


class _Page(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        server: Any = self.server
        _, user, operation = self.path.split("/")
        with server.lock:
            server.first = server.first or time.monotonic()
            server.walks[int(user)].append(operation)
            server.tokens.add(self.headers.get("X-Token"))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def walked() -> Iterator[Walked]:
    """The site, listening."""
    with Walked() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
