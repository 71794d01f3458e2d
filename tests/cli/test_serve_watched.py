"""`loadstone serve` with a certificate, an access log and metrics, and what it does on SIGHUP."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from certificates import make_certificate
from prometheus_client.parser import text_string_to_metric_families

from loadstone.errors import LoadstoneError
from loadstone.serve import serve

SERVE = [sys.executable, "-m", "loadstone", "serve", "files"]


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[tuple[str, subprocess.Popen[str], socket.socket]]:
    """The address, the process, and the service manager's end of what it tells."""
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.settimeout(60)
    manager.bind(str(folder / "notify"))
    (folder / "www").mkdir()
    (folder / "www" / "page.txt").write_text("page")
    process = subprocess.Popen(
        [*SERVE, str(folder / "www"), "--port", "0", "--json", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NOTIFY_SOCKET": str(folder / "notify")},
    )
    with manager, process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())["url"], process, manager
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def test_a_certificate_and_a_log_are_exchanged_on_sighup(tmp_path: Path) -> None:
    make_certificate(tmp_path)
    log = tmp_path / "access.log"
    options = ["--tls-cert", f"{tmp_path}/cert.pem", "--tls-key", f"{tmp_path}/key.pem"]
    options += ["--access-log", str(log), "--access-log-format", "json"]
    with serving(tmp_path, *options) as (url, process, manager):
        assert manager.recv(256) == b"READY=1"
        assert url.startswith("https://127.0.0.1:")
        port = int(url.rsplit(":", 1)[1])

        def connect() -> http.client.HTTPSConnection:
            context = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
            connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=60, context=context)
            connection.connect()
            return connection

        def get(connection: http.client.HTTPSConnection) -> bytes:
            connection.request("GET", "/page.txt")
            return connection.getresponse().read()

        before = connect()
        assert get(before) == b"page"
        # rustls and OpenSSL agree on the newest version.
        assert isinstance(before.sock, ssl.SSLSocket) and before.sock.version() == "TLSv1.3"
        trusted_before = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
        make_certificate(tmp_path)
        log.rename(tmp_path / "old.log")
        process.send_signal(signal.SIGHUP)
        assert manager.recv(256).startswith(b"RELOADING=1\nMONOTONIC_USEC=")
        assert manager.recv(256) == b"READY=1"
        assert get(before) == b"page" and get(connect()) == b"page"
        with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
            urllib.request.urlopen(url + "/page.txt", timeout=60, context=trusted_before)

        (tmp_path / "key.pem").write_text("")
        process.send_signal(signal.SIGHUP)
        assert manager.recv(256).startswith(b"RELOADING=1") and manager.recv(256) == b"READY=1"
        assert process.stderr is not None
        assert "key.pem holds no private key in PEM" in process.stderr.readline()
        assert get(before) == b"page" and get(connect()) == b"page"
        before.close()
    assert manager.fileno() == -1
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["target"] for line in lines] == ["/page.txt"] * 4
    assert len((tmp_path / "old.log").read_text().splitlines()) == 1
    assert all(line["took_us"] >= 0 and line["body_bytes"] == 4 for line in lines)


def test_metrics_are_what_a_prometheus_parser_reads(tmp_path: Path) -> None:
    with serving(tmp_path, "--metrics", "127.0.0.1:0") as (url, process, _):
        for path, status in [("/page.txt", 200), ("/none", 404), ("/page.txt", 200)]:
            connection = http.client.HTTPConnection("127.0.0.1", int(url.rsplit(":", 1)[1]), timeout=60)
            connection.request("GET", path)
            assert connection.getresponse().status == status
            connection.close()
        assert process.stderr is not None
        told = process.stderr.readline()
        # An answer is counted once it is sent: the client may have it a moment before.
        for _ in range(600):
            with urllib.request.urlopen(told.removeprefix("metrics at ").strip(), timeout=60) as answer:
                page = answer.read().decode()
            if all(f'seconds_count{{class="{kind}"}} {n}' in page for kind, n in [("2xx", 2), ("4xx", 1)]):
                break
            time.sleep(0.1)
    families = {family.name: family for family in text_string_to_metric_families(page)}
    assert all(family.documentation and family.type != "unknown" for family in families.values())
    values = {(s.name, *s.labels.values()): s.value for f in families.values() for s in f.samples}
    assert values["loadstone_requests_total",] == values["loadstone_accepted_total",] == 3
    assert values["loadstone_responses_total", "2xx"] == 2
    assert families["loadstone_response_seconds"].type == "histogram"
    assert values["loadstone_response_seconds_bucket", "4xx", "+Inf"] == 1
    assert values["process_resident_memory_bytes",] > 1e6
    assert values["process_cpu_seconds_total",] > 0
    # Every bucket holds those before it.
    buckets = [v for (name, *labels), v in values.items() if name.endswith("_bucket") and labels[0] == "2xx"]
    assert buckets == sorted(buckets) and buckets[-1] == 2


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"tls_cert": "none.pem", "tls_key": "none.pem"}, "cannot read none.pem: No such file"),
        ({"tls_cert": "none.pem"}, "a certificate needs its key"),
        ({"watch": {"log": "none/log"}}, "cannot write the log none/log: No such file"),
        ({"watch": {"metrics": "9100"}}, "no address for metrics `9100`; there are addresses such as"),
    ],
)
def test_what_cannot_be_used_is_refused_and_named(
    options: dict[str, object], sentence: str, tmp_path: Path
) -> None:
    whole = options | {"address": "127.0.0.1:0", "app": "files"}
    with pytest.raises(LoadstoneError, match=re.escape(sentence)) as refused:
        serve(tmp_path, whole, print)
    assert refused.value.slug == "serve-options"
