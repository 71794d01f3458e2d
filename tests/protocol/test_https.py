"""HTTPS against real servers: versions, certificates, resumption, and what a run says of each."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import nginx_site
import pytest
from certificates import Authority

SCENARIO = """
format = 1
name = "secure"
[target]
url = "https://127.0.0.1:{port}"
[target.tls]
{tls}
[load]
users = 2
ramp_up_s = 0
steady_s = 600
ramp_down_s = 0
timeout_s = 60
operations = {operations}
[pacing]
think = 0.01
[sla]
window_s = 600
[[operation]]
name = "Page"
limit_s = 60
step = [{{ get = "/page.html", page = true, expect.contains = "the very end" }}]
"""
PAGE = "<html><img src=/big.png>" + "<p>words</p>" * 3_000 + "the very end"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@contextmanager
def secure_nginx(folder: Path, authority: Authority, more: str, name: str = "server") -> Iterator[int]:
    """An nginx with TLS and the page; its port."""
    root = folder / "root"
    root.mkdir(exist_ok=True)
    (root / "page.html").write_text(PAGE)
    (root / "big.png").write_bytes(b"\x89PNG" + b"x" * 300_000)
    certificate, key = authority.certificates[name]
    port = nginx_site.free_port()
    server = f"""server {{ listen {port} ssl; root {root}; ssl_certificate {certificate};
        ssl_certificate_key {key}; {more} }}"""
    with nginx_site.nginx(folder, server, port):
        yield port


def run(folder: Path, port: int, tls: str, operations: int = 20, *more: str) -> dict[str, Any]:
    """The record of a run."""
    done = command(folder, port, tls, operations, *more)
    assert done.stdout, done.stderr
    return dict(json.loads(done.stdout))


def command(
    folder: Path, port: int, tls: str, operations: int, *more: str
) -> subprocess.CompletedProcess[str]:
    scenario = folder / "secure.toml"
    scenario.write_text(SCENARIO.format(port=port, tls=tls, operations=operations))
    loadstone = [
        sys.executable,
        "-m",
        "loadstone",
        "run",
        str(scenario),
        "--out",
        str(folder / "run"),
        "--json",
    ]
    return subprocess.run([*loadstone, *more], capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_pages_of_nginx_arrive_by_each_version(tmp_path: Path, authority: Authority, version: str) -> None:
    with secure_nginx(tmp_path, authority, f"ssl_protocols TLSv{version};") as port:
        told = run(tmp_path, port, f'ca = "{authority.ca}"')
    page = told["operations"]["Page"]
    assert (page["ok"], page["counters"]["images"]) == (20, 2), told["failures"]
    (agreed,) = told["tls"]["negotiated"]
    assert (agreed["protocol"], agreed["full"], agreed["resumed"]) == (f"TLS {version}", 2, 0)
    assert "GCM" in agreed["cipher"] or "CHACHA20" in agreed["cipher"]
    assert agreed["group"] == "X25519"
    full = told["tls"]["full"]
    assert full["count"] == 2
    assert full["ms"]["p50"] > 0
    # The wire carries more than the bodies, and not much more.
    bodies = page["counters"]["body_bytes"]
    assert bodies < page["counters"]["bytes_in"] < bodies * 1.1 + 50_000


@pytest.mark.long
def test_handshakes_are_steps_of_their_own(tmp_path: Path, authority: Authority) -> None:
    with secure_nginx(tmp_path, authority, "keepalive_timeout 0;") as port:
        told = run(tmp_path, port, f'ca = "{authority.ca}"')
    steps = {part["part"]: part for part in told["operations"]["Page"]["steps"]}
    assert list(steps) == ["connect", "handshake", "answer", "files"]
    assert steps["connect"]["count"] == steps["handshake"]["count"] == 20
    assert abs(sum(part["share"] for part in steps.values()) - 1) < 0.01
    kinds = duckdb.sql(f"SELECT DISTINCT kind FROM '{tmp_path}/run/histograms.parquet'").fetchall()
    assert {("handshake_full",), ("handshake_resumed",)} <= set(kinds)


@pytest.mark.long
@pytest.mark.parametrize("version", ["1.2", "1.3"])
@pytest.mark.parametrize("resume", [True, False])
def test_a_session_resumes_its_own_tls(
    tmp_path: Path, authority: Authority, version: str, resume: bool
) -> None:
    settings = f"keepalive_timeout 0; ssl_protocols TLSv{version}; ssl_session_cache shared:a:1m;"
    with secure_nginx(tmp_path, authority, settings) as port:
        told = run(tmp_path, port, f'ca = "{authority.ca}"\nresume = {json.dumps(resume)}')
    # Two users; each page and image has a connection of its own.
    full, resumed = told["tls"]["full"]["count"], told["tls"]["resumed"]["count"]
    assert full + resumed == 22
    assert full == (2 if resume else 22)


@pytest.mark.long
def test_users_show_their_certificate(tmp_path: Path, authority: Authority) -> None:
    asks = f"ssl_client_certificate {authority.ca}; ssl_verify_client on;"
    certificate, key = authority.certificates["client"]
    with secure_nginx(tmp_path, authority, asks) as port:
        tls = f'ca = "{authority.ca}"'
        known = run(tmp_path, port, f'{tls}\ncertificate = "{certificate}"\nkey = "{key}"')
        assert known["operations"]["Page"]["ok"] == 20
        unknown = run(tmp_path, port, tls, 2, "--out", str(tmp_path / "unknown"))
    assert unknown["operations"]["Page"]["failed"]["status"] == 2
    recorded = "".join(path.read_text(errors="ignore") for path in (tmp_path / "run").iterdir())
    assert "PRIVATE KEY" not in recorded


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "tls", "said"),
    [
        ("other-host", "ca", "is not for 127.0.0.1, but for shop.example"),
        ("expired", "ca", "has expired"),
        ("self-signed", "ca", "is not trusted, or self-signed"),
        ("server", "", "is not trusted, or self-signed"),
    ],
)
def test_certificates_that_do_not_hold_are_failures(
    tmp_path: Path, authority: Authority, name: str, tls: str, said: str
) -> None:
    with secure_nginx(tmp_path, authority, "", name) as port:
        told = run(tmp_path, port, f'ca = "{authority.ca}"' if tls else "", 2)
        assert told["operations"]["Page"]["failed"]["tls"] == 2
        assert any(said in failure["example"] for failure in told["failures"]), told["failures"]
        believed = run(tmp_path, port, "insecure = true", 2, "--out", str(tmp_path / "insecure"))
    assert believed["operations"]["Page"]["ok"] == 2


@pytest.mark.long
def test_another_name_may_be_asked_for(tmp_path: Path, authority: Authority) -> None:
    with secure_nginx(tmp_path, authority, "", "other-host") as port:
        told = run(tmp_path, port, f'ca = "{authority.ca}"\nserver_name = "shop.example"', 2)
    assert told["operations"]["Page"]["ok"] == 2


HTTP = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"


@pytest.mark.long
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (HTTP, "the server's answer is not TLS"),
        (b"", "closed the connection in the TLS handshake"),
        (b"\x16\x03\x03\x00\x7a\x02\x00", "closed the connection in the TLS handshake"),
        (b"\x15\x03\x03\x00\x02\x02\x28", "the alert `handshake failure`"),
    ],
)
def test_what_is_not_tls_is_told(tmp_path: Path, authority: Authority, answer: bytes, said: str) -> None:
    with _answering(answer) as port:
        told = run(tmp_path, port, f'ca = "{authority.ca}"', 2)
    assert told["operations"]["Page"]["failed"]["tls"] == 2
    assert any(said in failure["example"] for failure in told["failures"]), told["failures"]


@contextmanager
def _answering(answer: bytes) -> Iterator[int]:
    """Sends this to whoever says something, and closes."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(1 << 16)
                    connection.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)


def test_what_cannot_work_is_refused_before_the_start(tmp_path: Path, authority: Authority) -> None:
    certificate, _ = authority.certificates["client"]
    _, other_key = authority.certificates["server"]
    cut = tmp_path / "cut.pem"
    cut.write_text("# ours\n" + "\n".join(Path(certificate).read_text().splitlines()[:-1]))
    odd = tmp_path / "odd.pem"
    odd.write_text("-----BEGIN CERTIFICATE-----\n%%%\n-----END CERTIFICATE-----\n")
    none = tmp_path / "none.pem"
    none.write_text("nothing\n")
    for tls, said in [
        (f'ca = "{tmp_path}/absent.pem"', "absent.pem: the file cannot be read"),
        (f'ca = "{cut}"', "cut.pem:2: the certificate has no end"),
        (f'ca = "{odd}"', "odd.pem:1: the certificate is not valid base64"),
        (f'ca = "{none}"', "none.pem: there is no certificate in it"),
        (f'certificate = "{certificate}"', "`certificate` and `key` go together"),
        (f'certificate = "{certificate}"\nkey = "{certificate}"', "there is no private key in it"),
        (f'certificate = "{certificate}"\nkey = "{other_key}"', "the key does not go with"),
        (f'insecure = true\nca = "{authority.ca}"', "`ca` has no use"),
    ]:
        done = command(tmp_path, 9, tls, 2)
        assert done.returncode == 2, done.stderr
        assert "error[tls]" in done.stderr
        assert said in done.stderr, done.stderr
        assert "secure.toml:" in done.stderr, done.stderr
    plain = command(tmp_path, 9, "insecure = true", 2, "--set", "target.url=http://127.0.0.1:9")
    assert plain.returncode == 3, "the table belongs to the site of the file"
    kept = command(
        tmp_path, 9, "", 2, "--set", "target.url=http://127.0.0.1:9", "--set", "target.tls.insecure=true"
    )
    assert "error[tls]" in kept.stderr
    assert "is not an https URL" in kept.stderr
