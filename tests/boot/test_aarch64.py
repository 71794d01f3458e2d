"""Images for Arm on QEMU's `virt`: the answers, ends and refusals that images have on PCs."""

from __future__ import annotations

import contextlib
import json
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from booted import BOOT_S, OLIO, disk
from compared import differences
from folder_image import ask, get, until_end
from own_crate import own_crate
from shared_sites import Browser, load, serving
from test_rubis_databases import load as load_rubis
from test_rubis_databases import walk as walk_rubis
from walk import walk

from loadstone.errors import LoadstoneError
from loadstone.image.arch import AARCH64
from loadstone.image.build import Built, build
from loadstone.image.contents import drivers, places
from loadstone.image.guest import CLEAN, PANIC, REFUSED, Guest, free_port
from loadstone.image.qemu import Disk, Machine

pytestmark = [pytest.mark.long, pytest.mark.timeout(1200)]

FIXED = ("ip=10.0.2.15/24", "gw=10.0.2.2")
CLOSE = "Connection: close"


@pytest.fixture(scope="module", autouse=True)
def tools() -> None:
    """What this machine may lack: the compiler's core is no Debian package."""
    missing = [one for one in (AARCH64.emulator, f"{AARCH64.prefix}gcc") if not shutil.which(one)]
    if missing or not AARCH64.has_core():
        pytest.skip(f"not installed: {missing[0] if missing else AARCH64.target}")


def _machine(image: Path, *words: str, block: Disk | None = None, memory_mib: int = 16) -> Machine:
    ports = {80: free_port(), 9100: free_port()}
    return Machine(image, "virt", memory_mib, words=words, disk=block, ports=ports)


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """A service that does what its path says, all of which is wrong, and answers all others."""
    folder = own_crate(tmp_path_factory.mktemp("own") / "faulty", _FAULTY)
    return build(str(folder), folder / "faulty.elf", arch="aarch64")


def test_it_serves_obeys_and_counts(faulty: Built) -> None:
    """At an address by DHCP, with figures, until the console says that it is enough."""
    assert faulty.stripped.arch is AARCH64 and faulty.stripped.warnings == []
    assert {"virtio-net", "DHCP", "TCP"} <= set(drivers(faulty.symbols))
    with Guest(_machine(faulty.stripped.path, "metrics=9100")) as guest:
        guest.wait_for("^serving faulty at 10.0.2.15:80", BOOT_S)
        ports = guest.machine.ports
        for _ in range(5):
            assert ask(ports[80], get("/", CLOSE)).endswith(b"\r\n\r\nfaulty")
        assert b"\nloadstone_requests_total 5\n" in ask(ports[9100], get("/metrics", CLOSE))
        assert "6 requests" in guest.order("status", r"^status: up \d+ ms, halted \d+ ms, ", BOOT_S)
        guest.say("shutdown")
        assert guest.wait_for_end(BOOT_S) == CLEAN
        assert "appliance: off" in guest.console()


@pytest.mark.parametrize(
    "words, why",
    [
        (("ip=10.0.2.15",), "refused: `ip=10.0.2.15` is not understood"),
        ((*FIXED, "port=0"), "refused: `port=0` is not understood"),
    ],
)
def test_what_it_cannot_use_is_refused(faulty: Built, words: tuple[str, ...], why: str) -> None:
    with Guest(_machine(faulty.stripped.path, *words)) as guest:
        assert guest.wait_for_end(BOOT_S) == REFUSED
        assert why in guest.console()


@pytest.mark.parametrize(
    "path, said, where",
    [
        ("/panic", "faulty/src/lib.rs", "faulty::"),
        ("/write-code", ": code and constants cannot be written", "faulty::"),
        ("/write-constant", ": code and constants cannot be written", "faulty::"),
        ("/run-data", "appliance: page fault at 0x", "faulty::"),
        ("/null", ": nothing is at zero", "faulty::"),
        ("/overflow", ": the stack has overflowed", "faulty::"),
    ],
)
def test_a_fault_ends_it_and_its_trace_leads_to_the_source(
    faulty: Built, path: str, said: str, where: str
) -> None:
    """Pages: what is code cannot be written, what is data cannot be run, nothing is at zero and below the
    stack."""
    with Guest(_machine(faulty.stripped.path, *FIXED)) as guest:
        guest.wait_for("^serving ", BOOT_S)
        with contextlib.suppress(AssertionError, OSError):
            ask(guest.machine.ports[80], get(path, CLOSE), 1)
        assert guest.wait_for_end(BOOT_S) == PANIC
        console = guest.console()
    assert said in console, console
    trace = [line for line in console.split("backtrace")[1].splitlines() if line.startswith("  0x")]
    found = places(faulty.symbols, [int(line, 16) for line in trace])
    assert any(where in place for place in found), (console, found)


def test_olio_answers_with_the_bytes_of_the_process_and_keeps_what_was_written(tmp_path: Path) -> None:
    folder, block = tmp_path / "data", disk(tmp_path)
    done = load(str(folder))
    assert done.returncode == 0, done.stderr
    with serving(str(folder)) as urls:
        expected = walk(urls[0]).answers
    olio = build("olio", tmp_path / "olio.elf", arch="aarch64").stripped.path
    (tmp_path / "small").mkdir()
    with Guest(_machine(olio, *FIXED, *OLIO, block=disk(tmp_path / "small"), memory_mib=4)) as guest:
        assert guest.wait_for_end(BOOT_S) == REFUSED
        assert "appliance: refused: out of memory: " in guest.console()
        assert "the machine has 4 MiB of memory and needs at least 5" in guest.console()
    paths = ("/events/1", "/users/121", "/media/p121.jpg")
    with Guest(_machine(olio, *FIXED, *OLIO, block=block)) as guest:
        guest.wait_for("^serving ", BOOT_S)
        url = f"http://127.0.0.1:{guest.machine.ports[80]}"
        visitor = walk(url)
        assert visitor.faults == []
        assert differences(visitor.answers, expected) == []
        before = [Browser([url]).get(path) for path in paths]
        guest.kill()
    with Guest(_machine(olio, *FIXED, block=block)) as guest:
        guest.wait_for("^serving ", BOOT_S)
        url = f"http://127.0.0.1:{guest.machine.ports[80]}"
        assert [Browser([url]).get(path) for path in paths] == before
        assert "loading" not in guest.console()


def test_rubis_answers_with_the_bytes_of_the_process(tmp_path: Path) -> None:
    load_rubis(str(tmp_path / "data"))
    with serving(str(tmp_path / "data"), app="rubis") as urls:
        expected = walk_rubis(Browser(urls))
    rubis = build("rubis", tmp_path / "rubis.elf", arch="aarch64").stripped.path
    words = (*FIXED, "data.load=0.001")
    with Guest(_machine(rubis, *words, block=disk(tmp_path), memory_mib=24)) as guest:
        guest.wait_for("^serving ", BOOT_S)
        assert walk_rubis(Browser([f"http://127.0.0.1:{guest.machine.ports[80]}"])) == expected


def test_in_service_it_is_started_again_and_ends_in_good_order(faulty: Built, tmp_path: Path) -> None:
    """`image run`: a fault is an end like any other there, and SIGTERM has the machine finish."""
    state, port = tmp_path / "state", free_port()
    command = [sys.executable, "-m", "loadstone", "image", "run", str(faulty.stripped.path)]
    command += ["--machine", "virt", "--port", str(port), "--state", str(state)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as one:
        try:
            assert ask(port, get("/", CLOSE), BOOT_S).endswith(b"faulty")
            # Once: `ask` asks again while nobody answers.
            with socket.create_connection(("127.0.0.1", port), BOOT_S) as connection:
                connection.sendall(get("/panic", CLOSE))
                with contextlib.suppress(OSError):
                    until_end(connection)
            assert ask(port, get("/", CLOSE), BOOT_S).endswith(b"faulty")
            one.send_signal(signal.SIGTERM)
            assert one.wait(BOOT_S) == 0
        finally:
            one.kill()
    ends = json.loads((state / "1/ends.json").read_text())
    assert [end["exit_code"] for end in ends] == [PANIC, CLEAN]
    assert "stopped" in ends[1]["reason"] and "appliance: off" in "".join(ends[1]["console"])


def test_tls_is_refused_before_anything_is_built(tmp_path: Path) -> None:
    with pytest.raises(LoadstoneError, match="no part `tls` for aarch64"):
        build("files", tmp_path, beside=["tls"], arch="aarch64")


_FAULTY = """use core::hint::black_box;

static CONSTANT: u32 = 7;

#[inline(never)]
fn write(address: usize) {
    unsafe { (black_box(address) as *mut u32).write_volatile(0) };
}

#[inline(never)]
fn run(data: &mut [u32]) {
    data[0] = 0xd65f03c0;
    let code: extern "C" fn() = unsafe { core::mem::transmute(black_box(data.as_ptr())) };
    code();
    black_box(data);
}

#[inline(never)]
#[allow(unconditional_recursion)]
fn deep(depth: u64) -> u64 {
    let room = black_box([depth; 64]);
    deep(depth + 1) + black_box(room)[0]
}

impl Handler for Own {
    fn handle(&mut self, request: &Request<'_>, response: &mut Response) {
        match request.path {
            "/panic" => panic!("asked to"),
            "/write-code" => write(write as *const () as usize),
            "/write-constant" => write(&raw const CONSTANT as usize),
            "/run-data" => run(&mut alloc::vec![0; 4]),
            "/null" => write(8),
            "/overflow" => assert!(deep(0) > 0),
            _ => {}
        }
        response.text("faulty");
    }
}
"""
