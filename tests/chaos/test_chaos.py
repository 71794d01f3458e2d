"""Chaos: what is wrong in its file, and a short one on real hosts."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from loadstone.chaos import conduct
from loadstone.chaos.description import FILE, read_order
from loadstone.cli import app
from loadstone.errors import LoadstoneError
from loadstone.lab.folder import Folder

LAB = FILE.with_name("lab.toml")
TINY = """
format = 1
name = "tiny"
topology = "lab.toml"
nodes = "nodes"
balancer = "balancer"
life = "12s"
lives = 2
users = 4
pause_ms = 100
[[cluster]]
name = "passive, repaired"
needed = 1
active = 1
pool = 1
crash = "1/2s"
failover = "1s"
repair = "2s"
[quick]
life = "12s"
lives = 2
"""


def tiny(folder: Path, *changes: tuple[str, str]) -> Path:
    text = TINY
    for before, after in changes:
        assert before in text
        text = text.replace(before, after, 1)
    (folder / "lab.toml").write_text(
        LAB.read_text("utf-8").replace('name = "chaos"', 'name = "chaos-tiny"', 1)
    )
    path = folder / "chaos.toml"
    path.write_text(text)
    return path


def test_the_files_of_the_package_fit_each_other() -> None:
    order = read_order(FILE, quick=False)
    assert order.lives >= 5 and len(order.clusters) >= 3
    assert read_order(FILE, quick=True).life_s < order.life_s


@pytest.mark.parametrize(
    ("change", "slug", "words"),
    [
        (("active = 1", "active = 0"), "out-of-range", "active"),
        (("needed = 1", "needed = 2"), "chaos-input", "cannot hold"),
        (('crash = "1/2s"', 'crash = "often"'), "rate", "is not a rate"),
        (("users = 4", "user = 4"), "unknown-key", "did you mean `users`?"),
        (("lives = 2", "lives = 1"), "out-of-range", "lives"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    tmp_path: Path, change: tuple[str, str], slug: str, words: str
) -> None:
    path = tiny(tmp_path, change)
    with pytest.raises(LoadstoneError) as refused:
        read_order(path, quick=False)
    assert slug in str(refused.value) and words in str(refused.value)
    assert f"{path}:" in str(refused.value)


def test_too_few_hosts_are_refused_before_anything_starts(tmp_path: Path) -> None:
    path = tiny(tmp_path, ("pool = 1", "pool = 9"))
    with pytest.raises(LoadstoneError, match="runs on 4 hosts") as refused:
        conduct.run(read_order(path, quick=False), tmp_path / "out", 1, ["loadstone"], lambda _: None)
    assert refused.value.slug == "chaos-input"
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(LoadstoneError) as refused:
        read_order(tmp_path / "none.toml", quick=False)
    assert refused.value.slug == "chaos-missing"


@pytest.mark.long
@pytest.mark.skipif(os.geteuid() != 0, reason="a lab needs root")
def test_nodes_really_crash_and_spares_really_start(tmp_path: Path) -> None:
    path, out = tiny(tmp_path), tmp_path / "out"
    ran = CliRunner().invoke(app, ["chaos", str(path), "--out", str(out), "--seed", "5"])
    assert ran.exit_code == 0, ran.output
    content = json.loads((out / "chaos.json").read_text("utf-8"))
    [cluster] = content["clusters"]
    assert sum(len(life["crashes"]) for life in cluster["lives"]) > 0
    assert sum(len(life["starts"]) for life in cluster["lives"]) > 0
    assert cluster["wrong_bodies"] == 0 and cluster["requests_ok"] > 0
    for life in cluster["lives"]:
        # What was seen from outside is what was done: nobody was up for all of a life with a crash in it.
        assert abs(sum(life["time_up_s"]) - content["life_s"]) < 0.1
        if life["crashes"]:
            assert life["time_up_s"][1] < content["life_s"]
    assert len((out / "lives.ndjson").read_text("utf-8").splitlines()) == 2
    assert "Measured and modelled" in (out / "report.html").read_text("utf-8")
    assert Folder("chaos-tiny").read() is None
