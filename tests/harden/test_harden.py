"""The compilers as people call them, the statistics, and what is refused."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from loadstone.cli import app
from loadstone.errors import LoadstoneError
from loadstone.harden import build_server, compiler, read_statistics
from loadstone.sources import checkout

KERNELS = checkout() / "hardening" / "kernels"
SCRIPT = checkout() / "hardening" / "bin" / "loadstone-harden-cc"


def _line(**changed: object) -> str:
    line = {
        "format": 1,
        "module": "a.c",
        "mode": "ilr",
        "functions": {"ilr": 2},
        "counts": {"loads": 3, "store": 1},
        "functions_not_protected": [{"function": "jump", "construct": "a computed goto (indirectbr)"}],
        "protected_in_part": [{"function": "swap", "construct": "inline assembly", "times": 2}],
        "outside_functions": [],
        "left_as_asked": ["clock"],
    }
    return json.dumps(line | changed) + "\n"


def _loadstone(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "loadstone", *words],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | environment,
    )


def test_statistics_are_sums_over_files(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(_line() + _line(module="b.c", counts={"loads": 4}, left_as_asked=[]))
    found = read_statistics(tmp_path / "s.json")
    assert (found.files, found.functions["ilr"], found.counts["loads"]) == (2, 4, 7)
    assert found.whole == [("jump", "a computed goto (indirectbr)")] * 2
    shown = _loadstone("harden", "statistics", str(tmp_path / "s.json"))
    assert "2 files, 4 functions hardened, 2 not" in shown.stdout
    assert "in part: inline assembly (4 times)" in shown.stdout and "as asked" in shown.stdout
    record = json.loads(_loadstone("harden", "statistics", str(tmp_path / "s.json"), "--json").stdout)
    assert record["counts"] == {"loads": 7, "store": 1}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has no line"),
        (_line() + "{", "no line of the hardening pass"),
        (_line(format=7), "format 7 is not 1"),
    ],
)
def test_what_is_no_statistics_is_refused(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "s.json").write_text(text)
    with pytest.raises(LoadstoneError, match=says) as caught:
        read_statistics(tmp_path / "s.json")
    assert caught.value.slug == "harden-statistics"


def test_without_the_plugin_it_says_what_to_run(tmp_path: Path) -> None:
    done = _loadstone("harden", "cc", "-c", "a.c", LOADSTONE_HARDEN_BUILT=str(tmp_path))
    assert done.returncode == 4 and "error[harden-missing]" in done.stderr
    assert "scripts/setup-hardening" in done.stderr


def test_a_server_that_does_not_build_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = tmp_path / "hardening" / "servers" / "build"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\nexit 3\n")
    script.chmod(0o755)
    monkeypatch.setattr("loadstone.harden.servers.checkout", lambda: tmp_path)
    monkeypatch.setattr("loadstone.harden.servers.compiler", lambda _: script)
    with pytest.raises(LoadstoneError, match="redis was not built in mode tmr") as caught:
        build_server("redis", "tmr", "cmp", tmp_path / "into")
    assert caught.value.slug == "harden-build"


def _tested(folder: Path, says: str, code: int, monkeypatch: pytest.MonkeyPatch) -> Result:
    """`--only-test` on a server whose tests say this."""
    script = folder / "hardening" / "servers" / "test"
    script.parent.mkdir(parents=True)
    script.write_text(f"#!/bin/sh\ncat >$1/tests.log <<'END'\n{says}\nEND\nexit {code}\n")
    script.chmod(0o755)
    (folder / "built").write_text("server=redis\nmode=tmr\nloads=cmp\nversion=5:7.0.15-1\n")
    monkeypatch.setattr("loadstone.harden.servers.checkout", lambda: folder)
    words = ["harden", "server", "redis", "--mode", "tmr", "--into", str(folder), "--only-test"]
    return CliRunner().invoke(app, words)


def test_what_a_servers_tests_say_is_kept_as_numbers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = "[ok]: SET (2 ms)\n[ok]: GET (1 ms)\n[1/1 done]: unit/a (1 seconds)"
    done = _tested(tmp_path, said, 0, monkeypatch)
    assert done.exit_code == 0 and "2 tests in 1 files: 2 passed, 0 failed" in done.output
    found = json.loads((tmp_path / "tests.json").read_text())
    assert (found["server"], found["mode"], found["tests"], found["passed"]) == ("redis", "tmr", 2, 2)


@pytest.mark.parametrize(
    ("said", "code", "words"),
    [
        ("[ok]: SET (2 ms)\n[err]: GET in tests/unit/a.tcl", 1, "does not pass its own tests"),
        ("[ok]: SET (2 ms)", 3, "does not pass its own tests"),
        ("no tclsh", 1, "did not run: the script ended with 1"),
    ],
)
def test_tests_that_fail_or_break_off_are_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: str, code: int, words: str
) -> None:
    done = _tested(tmp_path, said, code, monkeypatch)
    assert isinstance(done.exception, LoadstoneError) and words in str(done.exception)


def test_only_what_was_built_is_tested(tmp_path: Path) -> None:
    words = ["harden", "server", "httpd", "--mode", "tmr", "--into", str(tmp_path), "--only-test"]
    assert "no server that was built to its end" in str(CliRunner().invoke(app, words).exception)
    (tmp_path / "built").write_text("server=redis\nmode=tmr\nloads=cmp\nversion=1\n")
    assert "redis in mode tmr was built there" in str(CliRunner().invoke(app, words).exception)


def test_another_version_of_llvm_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOADSTONE_HARDEN_LLVM", "18")
    with pytest.raises(LoadstoneError, match="written for LLVM 22 and 19, not 18"):
        compiler("c")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--mode", "dmr", "a.c"], "mode `dmr` is none of"),
        (["--loads=all", "a.c"], "loads `all` are none of"),
        (["--llvm", "18", "a.c"], "LLVM 18 is none of 22, 19"),
        ([], "no arguments for the compiler"),
        (["a.c"], "there is no plugin for LLVM 22"),
    ],
)
def test_the_script_refuses_in_words(tmp_path: Path, words: list[str], says: str) -> None:
    done = subprocess.run(
        [SCRIPT, *words],
        capture_output=True,
        text=True,
        timeout=20,
        env=os.environ | {"LOADSTONE_HARDEN_BUILT": str(tmp_path)},
    )
    assert done.returncode == 2 and says in done.stderr


@pytest.mark.skipif(shutil.which("cc") is None, reason="not installed: cc")
def test_a_kernel_computes_what_it_says(tmp_path: Path) -> None:
    """SHA-256 beside Python's own; the digest is FNV-1a over the eight words."""
    subprocess.run(["cc", "-O1", KERNELS / "sha256.c", "-o", tmp_path / "k"], check=True)
    state, size = 3, 1000
    text = bytearray()
    mask = 2**64 - 1
    for _ in range(size):
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        text.append((z ^ (z >> 31)) & 0xFF)
    words = hashlib.sha256(text).digest()
    digest = 0xCBF29CE484222325
    for at in range(0, 32, 4):
        for byte in words[at : at + 4][::-1] + bytes(4):
            digest = ((digest ^ byte) * 0x100000001B3) & mask
    said = subprocess.run([tmp_path / "k", "1000", "3"], capture_output=True, text=True, check=True).stdout
    assert said == f"sha256 1000 3 {digest:016x}\n"


@pytest.mark.hardening
def test_the_command_hardens_and_says_what_it_cannot(tmp_path: Path) -> None:
    source = tmp_path / "jump.c"
    source.write_text(
        "#include <setjmp.h>\nstatic jmp_buf at;\nint twice(void) { return setjmp(at); }\n"
        "int main(void) { return twice(); }\n"
    )
    statistics = tmp_path / "s.json"
    done = _loadstone(
        *("harden", "cc", "--mode", "tmr", "-O2", "-pthread", str(source), "-o", str(tmp_path / "jump")),
        LOADSTONE_HARDEN_STATS=str(statistics),
    )
    assert done.returncode == 0, done.stderr
    assert "`twice` is not hardened: it has a call that may return twice: `_setjmp`" in done.stderr
    assert subprocess.run([tmp_path / "jump"], timeout=20).returncode == 0
    found = read_statistics(statistics)
    assert found.modes == {"tmr": 1} and ("twice", "a call that may return twice: `_setjmp`") in found.whole


@pytest.mark.hardening
def test_cmake_and_configure_take_it_as_their_compiler(tmp_path: Path) -> None:
    """Their trial programs are not hardened, the project is."""
    (tmp_path / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.20)\nproject(k C)\nadd_executable(kv {KERNELS}/kv.c)\n"
    )
    statistics = tmp_path / "s.json"
    environment = os.environ | {
        "CC": str(SCRIPT),
        "LOADSTONE_HARDEN": "ilr",
        "LOADSTONE_HARDEN_STATS": str(statistics),
    }
    for words in (["cmake", "-S", ".", "-B", "b"], ["cmake", "--build", "b"]):
        subprocess.run(words, cwd=tmp_path, check=True, env=environment, capture_output=True, timeout=120)
    assert read_statistics(statistics).files == 1
    assert subprocess.run([tmp_path / "b" / "kv"], capture_output=True, text=True).stdout.startswith(
        "kv 3000 1 "
    )


@pytest.mark.hardening
def test_without_rtm_a_program_with_transactions_refuses_to_start(tmp_path: Path) -> None:
    if " rtm " in Path("/proc/cpuinfo").read_text():
        pytest.skip("this processor has RTM")
    words = ["--mode", "tx", "-O2", str(KERNELS / "qsort.c"), "-o", str(tmp_path / "q")]
    subprocess.run([SCRIPT, *words], check=True, timeout=60)
    done = subprocess.run([tmp_path / "q"], capture_output=True, text=True, timeout=20)
    assert done.returncode == 2 and "has no transactions (RTM)" in done.stderr and not done.stdout


@pytest.mark.hardening
def test_a_flip_is_detected_or_outvoted(tmp_path: Path) -> None:
    """gdb flips a bit of a register in mid-computation until one flip had an effect in each mode."""
    if shutil.which("gdb") is None:
        pytest.skip("not installed: gdb")
    seen = {}
    for mode in ("ilr", "tmr"):
        program = tmp_path / mode
        words = ["--mode", mode, "-O2", "-fno-inline", str(KERNELS / "sha256.c"), "-o", str(program)]
        subprocess.run([SCRIPT, *words], check=True, timeout=60)
        native = subprocess.run([program], capture_output=True, text=True).stdout
        for register in ("rax", "rcx", "rdx", "rsi"):
            script = f"break add_block\nrun\nstepi 60\nset ${register} = ${register} ^ 4\ndelete\n"
            script += (
                "continue\n"
                if mode == "ilr"
                else "break _exit\ncontinue\nprint *(long *)&__loadstone_corrected\nkill\n"
            )
            (tmp_path / "script").write_text(script)
            said = subprocess.run(
                ["gdb", "-batch", "-nx", "-x", tmp_path / "script", program],
                capture_output=True,
                text=True,
                timeout=60,
            ).stdout
            stopped = "exited with code 0126" in said  # octal
            outvoted = native.strip() in said and "$1 = " in said and "$1 = 0" not in said
            seen.setdefault(mode, []).append(stopped if mode == "ilr" else outvoted)
    assert any(seen["ilr"]) and any(seen["tmr"]), seen
