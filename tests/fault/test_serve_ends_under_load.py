"""SIGTERM to `loadstone serve` under load: every request that has begun to arrive is answered."""

from __future__ import annotations

import http.client
import json
import signal
import socketserver
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest

CLIENTS = 24


class Behind(socketserver.ThreadingTCPServer):
    """A server that answers only once its gate is open."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Slow)
        self.gate = threading.Event()
        self.asked = threading.Semaphore(0)


class Slow(socketserver.StreamRequestHandler):
    """Answers requests with empty heads behind them."""

    server: Behind

    def handle(self) -> None:
        while self.rfile.readline():
            while self.rfile.readline().strip():
                pass
            self.server.asked.release()
            self.server.gate.wait(60)
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate")


@pytest.mark.parametrize("connector", ["hybrid", "threaded"])
def test_no_request_is_lost(connector: str) -> None:
    with Behind() as behind:
        threading.Thread(target=behind.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{behind.server_address[1]}"
        command = [sys.executable, "-m", "loadstone", "serve", "proxy", url, "--port", "0", "--json"]
        command += ["--connector", connector, "--workers", "4", "--admission", "none"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None and process.stderr is not None
            address = urlsplit(json.loads(process.stdout.readline())["url"])
            sent = threading.Semaphore(0)

            def ask(_number: int) -> tuple[int, bytes, str | None]:
                client = http.client.HTTPConnection(str(address.hostname), address.port, timeout=60)
                client.request("GET", "/")
                sent.release()
                answer = client.getresponse()
                return answer.status, answer.read(), answer.headers["Connection"]

            with ThreadPoolExecutor(CLIENTS) as clients:
                answers = [clients.submit(ask, number) for number in range(CLIENTS)]
                for _ in range(CLIENTS):
                    assert sent.acquire(timeout=60)
                for _ in range(4):
                    assert behind.asked.acquire(timeout=60)
                process.send_signal(signal.SIGTERM)
                # What the server does on its way out it does before any answer can come.
                behind.gate.set()
                assert [one.result(60)[:2] for one in answers] == [(200, b"late")] * CLIENTS
            assert process.wait(60) == 0
            assert f"responses_2xx {CLIENTS}" in process.stderr.read()
        behind.shutdown()
