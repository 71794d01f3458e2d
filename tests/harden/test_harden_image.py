"""`loadstone image build --harden`: what goes together, what Cargo is told, and images that boot."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tiny import tiny_image
from typer.testing import CliRunner

from loadstone.cli import app
from loadstone.errors import LoadstoneError
from loadstone.harden import read_statistics
from loadstone.image import (
    ADDRESS,
    CLEAN,
    GATEWAY,
    HTTP_PORT,
    Built,
    Guest,
    Machine,
    build_image,
    checkout,
    free_port,
    hardened,
    read_image,
)
from loadstone.image.arch import AARCH64, X86_64
from loadstone.image.guest import PANIC
from loadstone.image.monitor import Monitor

BOOT_S = 120.0


@pytest.fixture
def pretended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A plugin, a compiler that makes empty files, and a Cargo that writes down what it is told."""
    (tmp_path / "22").mkdir()
    (tmp_path / "22" / "loadstone-harden.so").write_text("one")
    for name, script in (
        ("cc", f'echo "$@" > {tmp_path}/cc.words; for word; do out=$word; done; touch "$out"'),
        ("cargo", f'for word; do echo "$word"; done > {tmp_path}/words; env > {tmp_path}/env; exit 101'),
    ):
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(hardened, "rust_plugin", lambda: tmp_path / "22" / "loadstone-harden.so")
    monkeypatch.setattr(hardened, "compiler", lambda _: tmp_path / "cc")
    return tmp_path


def _refused(*words: str) -> LoadstoneError:
    result = CliRunner().invoke(app, ["image", "build", *words])
    assert isinstance(result.exception, LoadstoneError), result.output
    return result.exception


def test_cargo_makes_it_apart_and_rustc_hardens_the_program(
    pretended: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = pretended / "target"
    whole = hardened.hardened
    monkeypatch.setattr(
        "loadstone.image.build.hardened", lambda mode, arch, _: whole(mode, arch, kept), raising=True
    )
    assert _refused("files", "--harden", "tmr").slug == "image-build"
    words = (pretended / "words").read_text().splitlines()
    folder = Path(words[words.index("--target-dir") + 1])
    assert folder.parent == kept and folder.name.startswith("tmr-")
    program = words[words.index("--") + 1 :]
    assert f"-Zllvm-plugins={pretended}/22/loadstone-harden.so" in program
    assert f"-Clink-arg={folder}/stop.o" in program and (folder / "stop.o").is_file()
    assert "--mode off --llvm 22" in (pretended / "cc.words").read_text()
    told = dict(line.split("=", 1) for line in (pretended / "env").read_text().splitlines() if "=" in line)
    assert (told["LOADSTONE_HARDEN"], told["LOADSTONE_HARDEN_AT"]) == ("tmr", "link")
    assert (told["RUSTC_BOOTSTRAP"], told["CC"]) == ("files", f"{pretended}/cc")


def test_each_form_of_the_pass_has_a_folder_and_old_ones_go(
    pretended: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def folder(mode: Any) -> Path:
        return hardened.hardened(mode, X86_64, pretended / "target").folder

    first, other = folder("ilr"), folder("tmr")
    assert folder("ilr") == first != other
    (pretended / "22" / "loadstone-harden.so").write_text("two")
    second = folder("ilr")
    assert second != first and not first.exists() and other.exists()
    monkeypatch.setenv("LOADSTONE_HARDEN_LOADS", "dup")
    assert folder("ilr") != second


def test_only_images_for_pcs_are_hardened(tmp_path: Path) -> None:
    error = _refused("files", "--harden", "ilr", "--arch", "aarch64")
    assert error.slug == "image-options" and "for x86-64 only, and this image is for aarch64" in str(error)
    with pytest.raises(LoadstoneError, match="x86-64 only"):
        hardened.hardened("ilr", AARCH64, tmp_path)
    assert not list(tmp_path.iterdir())


def test_without_the_plugin_an_image_says_what_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOADSTONE_HARDEN_BUILT", str(tmp_path))
    rustc = tmp_path / "rustc"
    rustc.write_text("#!/bin/sh\nprintf 'host: x86_64-unknown-linux-gnu\\nLLVM version: 22.1.2\\n'\n")
    rustc.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    error = _refused("files", "--harden", "ilr")
    assert error.slug == "harden-missing" and "scripts/setup-hardening 22" in error.hint


def test_an_image_that_the_pass_did_not_see_is_refused(pretended: Path) -> None:
    how = hardened.hardened("ilr", X86_64, pretended / "target")
    with pytest.raises(LoadstoneError, match="without running the pass") as caught:
        how.check(read_image(tiny_image(pretended)))
    assert caught.value.slug == "harden-build"


@pytest.fixture(scope="module", params=["ilr", "tmr"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Built, Path]:
    """The mode, the image `files`, and the statistics of what was protected, where it was built just now."""
    folder = tmp_path_factory.mktemp(request.param)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOADSTONE_HARDEN_STATS", str(folder / "protected.ndjson"))
        return request.param, build_image("files", folder, harden=request.param), folder / "protected.ndjson"


def _machine(image: Built, **options: Any) -> Machine:
    words = [f"ip={ADDRESS}", f"gw={GATEWAY}"]
    return Machine(image.stripped.path, words=words, ports={HTTP_PORT: free_port()}, **options)


def _page(machine: Machine) -> bytes:
    with urllib.request.urlopen(machine.url(machine.ports[HTTP_PORT]), timeout=BOOT_S) as answer:
        return bytes(answer.read())


@pytest.mark.hardening
def test_a_hardened_image_boots_answers_and_ends(made: tuple[str, Built, Path]) -> None:
    """It has less memory than a machine gets by default."""
    mode, image, statistics = made
    if statistics.is_file():
        assert read_statistics(statistics).functions[mode] > 400
    page = (checkout() / "images" / "site" / "index.html").read_bytes()
    machine = _machine(image, memory_mib=12)
    with Guest(machine) as guest:
        guest.wait_for("^serving files", BOOT_S)
        assert _page(machine) == page
        guest.order("shutdown", "off", BOOT_S)
        assert guest.wait_for_end(BOOT_S) == CLEAN


@pytest.mark.hardening
def test_a_flip_in_an_image_stops_it_or_is_outvoted(made: tuple[str, Built, Path], tmp_path: Path) -> None:
    """gdb flips a bit of a register while a page is answered, until one flip had an effect."""
    if shutil.which("gdb") is None:
        pytest.skip("not installed: gdb")
    mode, image, _ = made
    flips = [(steps, register) for steps in (60, 90, 120, 150) for register in ("rax", "rcx", "rdx")]
    assert any(_is_noticed(mode, image, tmp_path, *flip) for flip in flips)


def _is_noticed(mode: str, image: Built, folder: Path, steps: int, register: str) -> bool:
    """Whether a flip so many instructions into the answer was detected, or outvoted with a right answer."""
    monitor = folder / "monitor"
    machine = _machine(image, monitor=monitor)
    with Guest(machine) as guest:
        guest.wait_for("^serving files", BOOT_S)
        with Monitor(monitor) as asked, _flips(asked, image, folder, steps, register) as gdb:
            try:
                page = _page(machine)
            except OSError:
                page = b""
            gdb.wait(BOOT_S)
            if mode == "tmr":
                place = _place(image, r"^__loadstone_corrected$")
                said = asked.ask("human-monitor-command", command_line=f"xp /1gx {place:#x}")
                return bool(page) and int(said.split()[-1], 0) > 0
        code = guest.end_within(10)
        assert code in (None, PANIC)
        return code == PANIC and "loadstone: a fault was detected in hardened code" in guest.console()


@contextlib.contextmanager
def _flips(
    monitor: Monitor, image: Built, folder: Path, steps: int, register: str
) -> Iterator[subprocess.Popen[str]]:
    """gdb, when it waits for the image's handler; it goes after one flip behind that."""
    port = free_port()
    monitor.ask("human-monitor-command", command_line=f"gdbserver tcp:127.0.0.1:{port}")
    place = _place(image, r"loadstone_files.*embedded.*Handler.*handle")
    script = ["set architecture i386:x86-64", f"target remote 127.0.0.1:{port}", f"break *{place:#x}"]
    script += ["continue", f"stepi {steps}", f"set ${register} = ${register} ^ 4", "delete", "detach"]
    (folder / "script").write_text("\n".join(script))
    command = ["gdb", "-batch", "-nx", "-x", str(folder / "script")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as gdb:
        assert gdb.stdout
        for line in gdb.stdout:
            if line.startswith("Breakpoint 1 at"):
                break
        yield gdb
        gdb.kill()


def _place(image: Built, name: str) -> int:
    return next(one.address for one in image.symbols.symbols if re.search(name, one.name))
