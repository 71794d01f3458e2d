"""The packages in our module: licences that may enter, and the file that tells of them."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
MATURIN = Path(sys.executable).with_name("maturin")


def _script() -> Any:
    spec = importlib.util.spec_from_file_location("third_party", ROOT / "scripts" / "third_party.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look for the module that they are in.
    sys.modules["third_party"] = module
    spec.loader.exec_module(module)
    return module


third_party = _script()


@pytest.mark.parametrize(
    ("expression", "taken"),
    [
        ("MIT", ["MIT"]),
        ("MIT OR Apache-2.0", ["Apache-2.0"]),
        ("GPL-2.0 OR MIT", ["MIT"]),
        ("Unlicense/MIT", ["MIT"]),
        ("Apache-2.0 AND ISC", ["Apache-2.0", "ISC"]),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", ["Apache-2.0", "Unicode-3.0"]),
        ("Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT", ["Apache-2.0"]),
        ("MPL-2.0", ["MPL-2.0"]),
    ],
)
def test_of_several_licences_the_first_of_ours_is_taken(expression: str, taken: list[str]) -> None:
    assert third_party.chosen(expression) == taken


@pytest.mark.parametrize(
    "expression",
    ["GPL-3.0", "AGPL-3.0-only", "MIT AND GPL-2.0", "", "(MIT", "MIT Apache-2.0", "LGPL-2.1 OR SSPL-1.0"],
)
def test_other_licences_do_not_enter(expression: str) -> None:
    with pytest.raises(third_party.NotAllowed):
        third_party.chosen(expression)


def _metadata(licence: str, tmp_path: Path) -> dict[str, Any]:
    """A module that needs `a`, which needs `b`; `c` only its build does, `d` is a macro."""

    def package(name: str, source: str | None, kind: str = "lib") -> dict[str, Any]:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "LICENSE").write_text(f"Copyright of {name}\n")
        return {
            "id": name, "name": name, "version": "1.0", "license": licence if name == "b" else "MIT",
            "source": source, "repository": None, "manifest_path": str(folder / "Cargo.toml"),
            "targets": [{"kind": [kind]}],
        }  # fmt: skip

    def needs(pairs: list[tuple[str, str | None]]) -> list[dict[str, Any]]:
        return [{"pkg": name, "dep_kinds": [{"kind": kind}]} for name, kind in pairs]

    packages = [package("loadstone-py", None), *(package(name, "crates.io") for name in "abc")]
    packages.append(package("d", "crates.io", "proc-macro"))
    nodes = {
        "loadstone-py": needs([("a", None), ("c", "build"), ("d", None)]),
        "a": needs([("b", None)]),
    }
    resolved = [{"id": one["id"], "deps": nodes.get(one["id"], [])} for one in packages]
    return {"packages": packages, "resolve": {"nodes": resolved}}


def test_what_is_in_the_module_is_listed_with_its_text(tmp_path: Path) -> None:
    found = third_party.packages(_metadata("MPL-2.0", tmp_path))
    assert [one.name for one in found] == ["a", "b"], "not what only builds it"
    text = third_party.document(found)
    assert "| b | 1.0 | MPL-2.0 | MPL-2.0 | https://crates.io/crates/b |" in text
    assert "### a 1.0\n\n```text\nCopyright of a\n```" in text and "Copyright of b" in text


def test_a_package_with_another_licence_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(third_party.NotAllowed, match=r"^b 1\.0: `GPL-3\.0-only` is not made of Apache-2\.0"):
        third_party.document(third_party.packages(_metadata("GPL-3.0-only", tmp_path)))


@pytest.mark.skipif(not shutil.which("cargo"), reason="not installed: cargo")
def test_the_file_is_what_cargo_knows() -> None:
    text = third_party.document(third_party.packages(third_party.read_metadata()))
    assert third_party.FILE.read_text("utf-8") == text, "run scripts/third_party.py"


@pytest.mark.skipif(
    not MATURIN.is_file() or not shutil.which("cargo"), reason="not installed: maturin, cargo"
)
def test_the_wheel_carries_it(tmp_path: Path) -> None:
    command = [
        MATURIN,
        "pep517",
        "write-dist-info",
        "--metadata-directory",
        tmp_path,
        "--interpreter",
        sys.executable,
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    [folder] = tmp_path.glob("loadstone-*.dist-info/licenses")
    for name in ("LICENSE", third_party.FILE.name):
        assert (folder / name).read_bytes() == (ROOT / name).read_bytes()
