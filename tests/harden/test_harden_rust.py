"""Programs in Rust: what goes together, the built-in container, and rustc with the plugin."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from loadstone.errors import LoadstoneError
from loadstone.harden import build_server, read_statistics, rust_plugin, try_server
from loadstone.sources import checkout


def _rustc(folder: Path, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on `rustc -vV` says this."""
    program = folder / "bin" / "rustc"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\nprintf '{says}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    monkeypatch.setenv("LOADSTONE_HARDEN_BUILT", str(folder))
    monkeypatch.delenv("LOADSTONE_HARDEN_LLVM", raising=False)


_RUSTC = "rustc 1.95.0 (5980 2026)\\nhost: {}-unknown-linux-gnu\\nrelease: 1.95.0\\nLLVM version: {}\\n"


@pytest.mark.parametrize(
    ("machine", "llvm", "asked", "says"),
    [
        ("aarch64", "22.1.2", "", "x86-64 only, and rustc is for aarch64"),
        ("x86_64", "21.1.8", "", "rustc 1.95.0 has LLVM 21, and the plugin is written for 22 and 19"),
        ("x86_64", "22.1.2", "19", "has LLVM 22, and LOADSTONE_HARDEN_LLVM is 19"),
        ("x86_64", "22.1.2", "", "has LLVM 22, and the plugin for it is not built"),
    ],
)
def test_a_rustc_that_no_plugin_fits_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, machine: str, llvm: str, asked: str, says: str
) -> None:
    _rustc(tmp_path, _RUSTC.format(machine, llvm), monkeypatch)
    if asked:
        monkeypatch.setenv("LOADSTONE_HARDEN_LLVM", asked)
    with pytest.raises(LoadstoneError, match=says) as caught:
        rust_plugin()
    assert caught.value.slug == "harden-missing"


def test_the_plugin_that_fits_rustc_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _rustc(tmp_path, _RUSTC.format("x86_64", "22.1.2"), monkeypatch)
    for version in ("19", "22"):
        (tmp_path / version).mkdir()
        (tmp_path / version / "loadstone-harden.so").touch()
    assert rust_plugin() == tmp_path / "22" / "loadstone-harden.so"


@pytest.mark.parametrize(
    ("machine", "llvm", "says"),
    [("aarch64", "22.1.2", "x86-64 only"), ("x86_64", "20.1.1", "has LLVM 20, and there is no plugin")],
)
def test_the_scripts_for_rust_refuse_alike(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, machine: str, llvm: str, says: str
) -> None:
    _rustc(tmp_path, _RUSTC.format(machine, llvm), monkeypatch)
    words = [checkout() / "hardening" / "servers" / "build", "container", "ilr", tmp_path / "into"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=20)
    assert done.returncode == 2 and says in done.stderr
    assert not (tmp_path / "into").exists()


def test_programs_in_rust_have_no_transactions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("loadstone.harden.servers.compiler", lambda _: tmp_path)
    with pytest.raises(LoadstoneError, match="not built with transactions"):
        build_server("container", "tx", "cmp", tmp_path / "into")


def test_the_containers_tests_are_of_two_forms(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The walk as `prove` says it, and the crates' tests as Cargo does."""
    script = tmp_path / "hardening" / "servers" / "test"
    script.parent.mkdir(parents=True)
    said = "Files=1, Tests=3, 9 wallclock secs\nrunning 2 tests\ntest a ... ok\ntest b ... FAILED\n"
    said += "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured\n"
    script.write_text(f"#!/bin/sh\ncat >$1/tests.log <<'END'\n{said}END\n$PYTHON -c 'import loadstone'\n")
    script.chmod(0o755)
    (tmp_path / "built").write_text("server=container\nmode=ilr\nloads=cmp\nversion=0.1.0 (rustc 1.95.0)\n")
    monkeypatch.setattr("loadstone.harden.servers.checkout", lambda: tmp_path)
    found, code = try_server(tmp_path)
    assert (found.files, found.tests, found.failed, found.failures, code) == (2, 5, 1, ["b"], 0)


_PROGRAM = """use std::collections::BTreeMap;
fn main() {
    let word = |n: u64| format!("{:x}", n.wrapping_mul(0x9E3779B97F4A7C15));
    let mut words: Vec<String> = (0..300).map(word).collect();
    words.sort();
    let mut lengths = BTreeMap::new();
    for each in &words { *lengths.entry(each.len()).or_insert(0.0) += each.as_bytes()[0] as f64 / 3.0; }
    let caught = std::panic::catch_unwind(|| words[words.len() + lengths.len()].clone());
    println!("{:?} {:?} {}", words[7], lengths, caught.is_err());
}
"""


@pytest.mark.hardening
@pytest.mark.parametrize("mode", ["ilr", "tmr"])
def test_rust_is_hardened_with_its_library(tmp_path: Path, mode: str) -> None:
    """Behind the optimisation of the whole program; a panic still unwinds. By file, only our own code is."""
    plugin = rust_plugin()
    (tmp_path / "p.rs").write_text(_PROGRAM)
    said, functions = [], []
    for name, words, at in (
        ("native", [], ""),
        ("own", [f"-Zllvm-plugins={plugin}"], "file"),
        ("all", [f"-Zllvm-plugins={plugin}", "-Clto=fat"], "link"),
    ):
        asked = {"RUSTC_BOOTSTRAP": "1", "LOADSTONE_HARDEN": mode, "LOADSTONE_HARDEN_AT": at}
        asked["LOADSTONE_HARDEN_STATS"] = str(tmp_path / name)
        command = ["rustc", "-O", "-Ccodegen-units=1", *words, "p.rs", "-o", str(tmp_path / f"p-{name}")]
        subprocess.run(command, cwd=tmp_path, check=True, timeout=300, env=os.environ | asked)
        done = subprocess.run([tmp_path / f"p-{name}"], capture_output=True, text=True, timeout=20)
        assert done.returncode == 0, done.stderr
        said.append(done.stdout)
        if words:
            functions.append(read_statistics(tmp_path / name).functions[mode])
    assert said[0].endswith("true\n") and said == [said[0]] * 3
    assert functions[1] > 2 * functions[0]


@pytest.mark.hardening
def test_rustc_stops_where_the_pass_does(tmp_path: Path) -> None:
    """It drops errors of passes, and would make a program that is not protected."""
    (tmp_path / "p.rs").write_text("fn main() {}")
    words = ["rustc", "-O", f"-Zllvm-plugins={rust_plugin()}", "p.rs"]
    asked = {"RUSTC_BOOTSTRAP": "1", "LOADSTONE_HARDEN": "dmr"}
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, env=os.environ | asked)
    assert done.returncode != 0 and "mode `dmr` is none of off, ilr, tmr, tx" in done.stderr
    assert not (tmp_path / "p").exists()
