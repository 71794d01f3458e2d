"""`loadstone image new`, and what is refused of crates before anything is compiled."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from loadstone.cli import app
from loadstone.errors import LoadstoneError
from loadstone.sources import checkout

LIBRARY = "#![no_std]\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _refused(*words: str) -> LoadstoneError:
    result = CliRunner().invoke(app, ["image", *words])
    assert isinstance(result.exception, LoadstoneError), result.output
    return result.exception


def _crate(folder: Path, manifest: str, source: str = LIBRARY) -> None:
    (folder / "mine/src").mkdir(parents=True)
    (folder / "mine/Cargo.toml").write_text(manifest)
    (folder / "mine/src/lib.rs").write_text(source)


PACKAGE = '[package]\nname = "mine"\nversion = "0.1.0"\nedition = "2024"\n[workspace]\n'


def test_a_new_crate_has_a_service_records_tests_and_a_fuzz_target(folder: Path) -> None:
    done = CliRunner().invoke(app, ["image", "new", "guest-book", "--json"])
    assert done.exit_code == 0, done.output
    files = json.loads(done.stdout)
    assert files == sorted(
        str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()
    ) and {
        "guest-book/Cargo.toml",
        "guest-book/Cargo.lock",
        "guest-book/.gitignore",
        "guest-book/src/lib.rs",
        "guest-book/src/main.rs",
        "guest-book/tests/exchange.rs",
        "guest-book/tests/process.rs",
        "guest-book/fuzz/fuzz_targets/requests.rs",
    } <= set(files)
    text = {file: (folder / file).read_text() for file in files}
    assert not re.findall(r"@[A-Z]+@", "".join(text.values()))
    assert "impl Service for" in text["guest-book/src/lib.rs"]
    assert "#[derive(Entity)]" in text["guest-book/src/lib.rs"]
    assert f'path = "{checkout()}/crates/http"' in text["guest-book/Cargo.toml"]
    assert '"guest-book", guest_book::open' in text["guest-book/src/main.rs"]


@pytest.mark.parametrize(
    "name", ["", "Guest", "9book", "guest book", "guest--book", "../x", "gästebuch", "-", "a" * 49]
)
def test_what_is_no_name_for_a_crate_is_refused(name: str, folder: Path) -> None:
    refusal = _refused("new", "--", name)
    assert refusal.slug == "image-crate" and f"`{name}` is no name" in str(refusal)
    assert not list(folder.iterdir())


@pytest.mark.parametrize("name", ["fn", "std", "data", "olio", "virtio-mmio", "proc_macro"])
def test_a_name_that_means_something_else_is_refused(name: str, folder: Path) -> None:
    refusal = _refused("new", name)
    assert refusal.slug == "image-crate" and "already means something else" in str(refusal)
    assert not list(folder.iterdir())


def test_a_folder_that_is_there_is_left_as_it_is(folder: Path) -> None:
    (folder / "mine").mkdir()
    (folder / "mine/notes").write_text("dear")
    assert _refused("new", "mine").slug == "image-crate"
    assert [file.name for file in (folder / "mine").iterdir()] == ["notes"]


def test_a_folder_that_is_no_crate_is_no_image(folder: Path) -> None:
    (folder / "mine").mkdir()
    refusal = _refused("build", "mine")
    assert refusal.slug == "image-app" and "any folder with a Cargo.toml" in str(refusal.hint)


@pytest.mark.parametrize(
    ("manifest", "why"),
    [
        ("[package\n", "Cargo cannot read it"),
        ('[workspace]\nmembers = ["other"]\n', "it has no package of its own"),
        (PACKAGE, "`mine` does not use loadstone-application, so it has no Service to open"),
        (
            f'{PACKAGE}[dependencies]\nloadstone-application = {{ path = "other" }}\n',
            "Loadstone's crates are in",
        ),
    ],
)
def test_a_crate_without_a_service_is_refused_before_it_is_compiled(
    manifest: str, why: str, folder: Path
) -> None:
    _crate(folder, manifest)
    other = folder / "mine/other"
    shutil.copytree(folder / "mine/src", other / "src")
    (other / "Cargo.toml").write_text('[package]\nname = "loadstone-application"\nversion = "0.1.0"\n[lib]\n')
    refusal = _refused("build", "mine")
    assert refusal.slug == "image-crate" and why in str(refusal), str(refusal)
    assert not (folder / "mine/target").exists()


def test_a_program_without_a_library_is_refused(folder: Path) -> None:
    _crate(folder, PACKAGE)
    (folder / "mine/src/lib.rs").rename(folder / "mine/src/main.rs")
    assert "`mine` is no library" in str(_refused("build", "mine"))


def test_only_files_takes_a_folder_to_serve(folder: Path) -> None:
    _crate(folder, PACKAGE)
    assert _refused("build", "mine", "--folder", ".").slug == "image-options"


def test_without_a_rust_toolchain_it_says_how_to_get_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _crate(folder, PACKAGE)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(shutil, "which", lambda name, path=None: None)
    refusal = _refused("build", "mine")
    assert refusal.slug == "program-missing" and "cargo" in str(refusal)
