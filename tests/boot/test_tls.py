"""Images with TLS under QEMU, and clients as people have them: curl, openssl, Python, Loadstone itself."""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from booted import BOOT_S, image
from certificates import Authority
from folder_image import LARGE, Served, until_end
from gate import no_answer_is_lost

from loadstone.cli.image_machines import own_words
from loadstone.image.build import build
from loadstone.image.guest import REFUSED, Guest, free_port
from loadstone.image.qemu import HTTP_PORT, Machine
from loadstone.image.service import Policy, StateFolder, Supervisor
from loadstone.image.tls import WORD, TlsFiles

# The first test of an image may have to build it.
pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

FIXED = tuple(own_words(False, ""))
SCENARIO = """
format = 1
name = "secure"
[target]
url = "https://127.0.0.1:{port}"
[target.tls]
ca = "{ca}"
[load]
users = 2
ramp_up_s = 0
steady_s = 600
ramp_down_s = 0
timeout_s = 60
operations = 20
[pacing]
think = 0.01
[sla]
window_s = 600
[[operation]]
name = "Page"
limit_s = 60
step = [{{ get = "/", expect.contains = "hello" }}]
"""


@pytest.fixture(scope="module")
def secured(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The image of the small folder, with TLS."""
    return build(
        "files", tmp_path_factory.mktemp("tls") / "files.elf", served.folder, beside=["tls"]
    ).stripped.path


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Whom the clients trust, and the certificates of servers."""
    return Authority(tmp_path_factory.mktemp("authority"))


def _files(authority: Authority, name: str = "server") -> TlsFiles:
    return TlsFiles(*authority.certificates[name])


@contextlib.contextmanager
def _booted(image: Path, tls: TlsFiles, *words: str) -> Iterator[tuple[Guest, int]]:
    machine = Machine(image, words=[*FIXED, *words], tls=tls, ports={HTTP_PORT: free_port()})
    with Guest(machine) as guest:
        guest.wait_for("^serving ", BOOT_S)
        yield guest, machine.ports[HTTP_PORT]


def _until(what: Callable[[], bool]) -> None:
    """Waits for it."""
    deadline = time.monotonic() + BOOT_S
    while not what():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.05)


def _curl(port: int, *options: str | Path, path: str = "/") -> tuple[int, bytes]:
    command = ["curl", "--silent", "--max-time", "60", *map(str, options), f"https://127.0.0.1:{port}{path}"]
    done = subprocess.run(command, capture_output=True, check=False)
    return done.returncode, done.stdout


def test_clients_of_both_versions_get_their_answers_and_others_an_alert(
    secured: Path, served: Served, authority: Authority
) -> None:
    page = (served.folder / "index.html").read_bytes()
    trusting = ("--cacert", authority.ca)
    with _booted(secured, _files(authority)) as (guest, port), socket.socket() as silent:
        # Somebody begins a handshake and says nothing more: others do not wait for that.
        silent.connect(("127.0.0.1", port))
        silent.sendall(b"\x16\x03\x01\x02\x00")
        for version in ("1.2", "1.3"):
            exact = (*trusting, f"--tlsv{version}", "--tls-max", version)
            assert _curl(port, *exact) == (0, page)
            assert _curl(port, *exact, path="/large.bin") == (0, LARGE)
            suites = "ECDHE-ECDSA-CHACHA20-POLY1305" if version == "1.2" else "TLS_CHACHA20_POLY1305_SHA256"
            option = "--ciphers" if version == "1.2" else "--tls13-ciphers"
            assert _curl(port, *exact, option, suites) == (0, page)
        code, _ = _curl(port)
        assert code == 60, "who does not know the authority does not go on"
        assert _curl(port, *trusting, "--tls-max", "1.1")[0] == 35
        openssl = f"openssl s_client -connect 127.0.0.1:{port} -CAfile {authority.ca} -alpn http/1.1 -quiet"
        told = subprocess.run(
            [*openssl.split(), "-verify_return_error", "-ign_eof"],
            input=b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert told.returncode == 0 and told.stdout.endswith(page), told.stderr
        with socket.create_connection(("127.0.0.1", port), 60) as plain:
            plain.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert until_end(plain)[:1] == b"\x15", "an alert, and the end"
        assert guest.exit_code is None


def test_the_last_byte_comes_before_the_end_however_slow_the_reader(
    secured: Path, authority: Authority
) -> None:
    context = ssl.create_default_context(cafile=str(authority.ca))
    with _booted(secured, _files(authority), "tx=2048") as (_, port), socket.socket() as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.settimeout(60)
        raw.connect(("127.0.0.1", port))
        # The end of a connection without the end of its session is an error.
        with context.wrap_socket(raw, server_hostname="127.0.0.1", suppress_ragged_eofs=False) as client:
            client.sendall(b"GET /large.bin HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            answer = b""
            while part := client.recv(1000):
                answer += part
        assert answer.endswith(LARGE)


def test_a_client_takes_its_session_up_again(secured: Path, authority: Authority) -> None:
    with _booted(secured, _files(authority)) as (_, port):
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            context = ssl.create_default_context(cafile=str(authority.ca))
            context.minimum_version = context.maximum_version = version
            session, reused = None, []
            for _ in range(3):
                with (
                    socket.create_connection(("127.0.0.1", port), 60) as raw,
                    context.wrap_socket(raw, server_hostname="127.0.0.1", session=session) as client,
                ):
                    client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                    while client.recv(1 << 16):
                        pass
                    reused.append(client.session_reused)
                    session = client.session
            assert reused == [False, True, True], version


def test_what_the_guest_cannot_use_it_refuses(
    secured: Path, served: Served, authority: Authority, tmp_path: Path
) -> None:
    certificate, key = authority.certificates["server"]
    mixed = TlsFiles(certificate, authority.certificates["self-signed"][1])
    empty = tmp_path / "empty.pem"
    empty.touch()
    for machine, why in (
        (Machine(secured, words=FIXED, tls=mixed), "the key is not that of the first certificate"),
        (Machine(secured, words=FIXED, tls=TlsFiles(empty, key)), "holds no certificate in PEM"),
        (Machine(secured, words=[*FIXED, WORD]), "the hypervisor has no file opt/loadstone/tls-cert"),
        (Machine(served.image, words=FIXED, tls=_files(authority)), f"`{WORD}` is not understood"),
    ):
        with Guest(machine) as guest:
            assert guest.wait_for_end(BOOT_S) == REFUSED
            assert why in guest.console()


def test_an_instance_in_service_gets_a_new_certificate(
    secured: Path, authority: Authority, tmp_path: Path
) -> None:
    files = TlsFiles(tmp_path / "cert.pem", tmp_path / "key.pem")

    def install(name: str) -> None:
        for made, used in zip(authority.certificates[name], (files.certificate, files.key), strict=True):
            shutil.copyfile(made, used)

    def shown() -> str:
        return ssl.get_server_certificate(("127.0.0.1", port), timeout=60)

    install("server")
    port = free_port()
    machine = Machine(secured, words=FIXED, tls=files, ports={HTTP_PORT: port})
    told: list[str] = []
    with (
        contextlib.closing(StateFolder(tmp_path / "state")) as state,
        Supervisor(state, [machine], Policy(), told.append, partial(own_words, False)) as supervisor,
    ):
        _until(lambda: supervisor.status()[0]["healthy"])
        assert supervisor.status()[0]["address"] == f"https://127.0.0.1:{port}"
        first = shown()
        install("self-signed")
        supervisor.reload(None, None, 0, told.append)
        assert shown() != first
        assert _curl(port, "--cacert", files.certificate)[0] == 0


def test_loadstone_measures_it(secured: Path, authority: Authority, tmp_path: Path) -> None:
    with _booted(secured, _files(authority)) as (guest, port):
        (tmp_path / "s.toml").write_text(SCENARIO.format(port=port, ca=authority.ca))
        command = [sys.executable, "-m", "loadstone", "run", str(tmp_path / "s.toml"), "--json"]
        done = subprocess.run(
            [*command, "--out", str(tmp_path / "run")], capture_output=True, text=True, check=False
        )
        assert done.stdout, done.stderr
        told = json.loads(done.stdout)
        assert told["operations"]["Page"]["ok"] == 20, told["failures"]
        (agreed,) = told["tls"]["negotiated"]
        assert (agreed["protocol"], agreed["group"]) == ("TLS 1.3", "X25519")
        assert guest.exit_code is None


def test_no_answer_is_lost_with_tls(authority: Authority, tmp_path: Path) -> None:
    """The gate with a handshake for each connection. They take an emulated processor long, so there is a
    quarter of the clients; a session's memory is charged, so there is more than 16 MiB.
    """
    tls = _files(authority)
    options = ("--tls", tls.certificate, tls.key, "--memory", "64", "--light")
    no_answer_is_lost(image("olio", "tls"), tmp_path, *options)
