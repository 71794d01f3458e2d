"""Disks: formatted, loaded, and what is refused."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from loadstone.cli import app
from loadstone.errors import LoadstoneError
from loadstone.image.disks import Form, blank, loaded


def _run(*words: str | Path) -> str:
    result = CliRunner().invoke(app, ["image", "disk", *map(str, words)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout


@pytest.mark.parametrize("mode", ["log", "journal"])
def test_a_disk_is_formatted_in_place_of_nothing(tmp_path: Path, mode: str) -> None:
    file = tmp_path / "new.disk"
    _run(file, "--size", "8M", "--mode", mode)
    assert file.stat().st_size == 8 << 20
    assert file.stat().st_blocks * 512 < 1 << 20, "only what was written takes room"
    with pytest.raises(LoadstoneError, match="there already") as caught:
        _run(file, "--size", "8M")
    assert caught.value.slug == "image-disk"


def test_both_forms_hold_the_same_rows(tmp_path: Path) -> None:
    found = json.loads(_run(tmp_path / "olio.disk", "--size", "32M", "--load", "olio:100", "--json"))
    assert found["rows"]["user"] == 100
    forms: tuple[Form, ...] = ("journal", "ext4")
    for form in forms:
        assert loaded(tmp_path / form, 64, form, "olio", 100) == found["rows"]
    assert loaded(tmp_path / "again", 64, "log", "rubis", 0.001) == loaded(
        tmp_path / "ext4", 64, "ext4", "rubis", 0.001
    )
    listed = subprocess.run(
        ["/usr/sbin/debugfs", "-R", "ls -l /", tmp_path / "ext4"], capture_output=True, text=True, check=True
    )
    assert "rubis.db" in listed.stdout


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "new.disk"
    for words, slug in (
        (("--size", "large"), "image-disk"),
        (("--size", "64K"), "image-disk"),
        (("--load", "olio"), "image-disk"),
        (("--load", "tomcat:1"), "image-app"),
        (("--size", "1M", "--load", "olio:100"), "image-disk"),
    ):
        with pytest.raises(LoadstoneError) as caught:
            _run(file, *words)
        assert caught.value.slug == slug, words
        file.unlink(missing_ok=True)
    with pytest.raises(LoadstoneError) as caught:
        blank(tmp_path / "none" / "disk", 8, "log")
    assert caught.value.slug == "image-disk"
