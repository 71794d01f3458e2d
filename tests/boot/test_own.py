"""A service of one's own, from `loadstone image new` to an image: the same answers as its process, and
records that outlive a machine that is killed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from booted import BOOT_S, disk
from folder_image import ask, get
from own_crate import own_crate

from loadstone.errors import LoadstoneError
from loadstone.image.build import build
from loadstone.image.contents import drivers, places
from loadstone.image.guest import REFUSED, Guest, free_port
from loadstone.image.new import new_crate
from loadstone.image.qemu import Disk, Machine
from loadstone.sources import checkout

pytestmark = [pytest.mark.long, pytest.mark.timeout(1200)]

CLOSE = "Connection: close"
NAME = "guest-book"
_FORM = "Content-Type: application/x-www-form-urlencoded"


def _write(text: str) -> bytes:
    body = f"text={text}"
    return get("/entries", CLOSE, _FORM, f"Content-Length: {len(body)}", method="POST") + body.encode()


REQUESTS = [
    _write("%3Cb%3Ehello"),
    _write("caf%C3%A9"),
    _write(""),
    get("/", CLOSE),
    get("/no", CLOSE),
    get("/", CLOSE, method="HEAD"),
    get("/entries", CLOSE, method="DELETE"),
]


def _cargo(folder: Path, *words: str) -> None:
    environment = os.environ | {"CARGO_TARGET_DIR": str(checkout() / "target" / "own")}
    subprocess.run(["cargo", *words], cwd=folder, env=environment, check=True)


@pytest.fixture(scope="module")
def crate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new crate whose own tests pass."""
    within = tmp_path_factory.mktemp("own")
    new_crate(NAME, within)
    _cargo(within / NAME, "test", "--quiet")
    return within / NAME


@pytest.fixture(scope="module")
def image(crate: Path) -> Path:
    """Its image."""
    return build(str(crate), crate / f"{NAME}.elf").stripped.path


def _machine(image: Path, block: Disk | None, *words: str) -> Machine:
    words = ("ip=10.0.2.15/24", "gw=10.0.2.2", *words)
    return Machine(image, words=words, disk=block, ports={80: free_port()})


@contextlib.contextmanager
def _serving(machine: Machine) -> Iterator[Guest]:
    with Guest(machine) as guest:
        guest.wait_for(f"^serving {NAME} ", BOOT_S)
        yield guest


@contextlib.contextmanager
def _process(crate: Path, database: Path) -> Iterator[int]:
    program = checkout() / "target/own/debug" / NAME
    command = [str(program), "--port", "0", "--database", str(database)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as serving:
        try:
            assert serving.stderr
            yield int(serving.stderr.readline().rsplit(":", 1)[1])
        finally:
            serving.kill()


def test_it_answers_as_its_process_and_a_record_survives_a_kill(
    crate: Path, image: Path, tmp_path: Path
) -> None:
    with _process(crate, tmp_path / "book.db") as port:
        expected = [ask(port, request, BOOT_S) for request in REQUESTS]
    assert b"&lt;b&gt;hello" in expected[3] and "café".encode() in expected[3]
    block = disk(tmp_path)
    with _serving(_machine(image, Disk(block.file))) as guest:
        port = guest.machine.ports[80]
        assert [ask(port, request, BOOT_S) for request in REQUESTS] == expected
        os.kill(guest.pid, signal.SIGKILL)
    with _serving(_machine(image, Disk(block.file))) as guest:
        assert ask(guest.machine.ports[80], get("/", CLOSE), BOOT_S) == expected[3]


def test_its_words_reach_it_and_others_are_refused(image: Path, tmp_path: Path) -> None:
    with _serving(_machine(image, None, "data.disk=none", f"{NAME}.title=Visitors")) as guest:
        assert b"<h1>Visitors</h1>" in ask(guest.machine.ports[80], get("/", CLOSE), BOOT_S)
    for words, why in (
        (("data.disk=none", f"{NAME}.titel=x"), f"{NAME}.titel=x is not understood by {NAME}"),
        ((), "there is no disk"),
    ):
        with Guest(_machine(image, None, *words)) as guest:
            guest.wait_for(f"refused: {why}", BOOT_S)
            assert guest.wait_for_end(BOOT_S) == REFUSED


def test_the_same_crate_in_two_folders_is_the_same_image_bit_for_bit(
    crate: Path, image: Path, tmp_path: Path
) -> None:
    shutil.copytree(crate, tmp_path / "elsewhere", ignore=shutil.ignore_patterns("*.elf*"))
    again = build(str(tmp_path / "elsewhere"), tmp_path / "again.elf").stripped.path
    assert again.read_bytes() == image.read_bytes()
    assert str(crate.parent).encode() not in image.read_bytes()


def test_it_has_what_it_uses_and_a_trace_names_its_source(crate: Path, tmp_path: Path) -> None:
    """A service without a database that panics: no SQLite, and the trace leads to its line."""
    small = own_crate(tmp_path / "small", _SMALL)
    built = build(str(small), tmp_path / "small.elf")
    assert "SQLite" not in drivers(built.symbols)
    assert built.stripped.bytes < 200_000
    with Guest(_machine(built.stripped.path, None)) as guest:
        guest.wait_for("^serving small ", BOOT_S)
        ask(guest.machine.ports[80], get("/", CLOSE), BOOT_S)
        with contextlib.suppress(AssertionError):
            ask(guest.machine.ports[80], get("/panic", CLOSE), 1)
        guest.wait_for_end(BOOT_S)
        console = guest.console()
    assert "small/src/lib.rs" in console, console
    trace = console.split("backtrace")[1].splitlines()[1:]
    found = places(built.symbols, [int(line, 16) for line in trace if line.startswith("  0x")])
    assert any("small::" in place for place in found), found


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("#![no_std]\npub fn opn() {}\n", "it needs `pub fn open("),
        ("#![no_std]\npub fn open() -> u8 { 1 }\n", "it needs `pub fn open("),
        ("#![no_std]\npub fn open() { nonsense }\n", "could not be compiled"),
    ],
)
def test_a_crate_without_a_function_that_opens_it_is_refused(
    source: str, why: str, crate: Path, tmp_path: Path
) -> None:
    wrong = tmp_path / NAME
    shutil.copytree(crate, wrong, ignore=shutil.ignore_patterns("*.elf*"))
    (wrong / "src/lib.rs").write_text(source)
    with pytest.raises(LoadstoneError) as refusal:
        build(str(wrong), tmp_path / "wrong.elf")
    assert refusal.value.slug == "image-crate"
    assert why in f"{refusal.value} {refusal.value.hint}"


_SMALL = """impl Handler for Own {
    fn handle(&mut self, request: &Request<'_>, response: &mut Response) {
        assert!(request.path != "/panic", "asked to");
        response.text("small");
    }
}
"""
