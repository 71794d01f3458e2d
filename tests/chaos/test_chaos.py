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


FAULTS = """[[fault]]
at_s = 6
host = "node2"
what = "mend"
[[fault]]
at_s = 1
host = "node2"
what = "cut"
[[fault]]
at_s = 2
service = "balancer"
what = "restart"
"""

KILLED = """[[fault]]
at_s = 3
host = "node1"
what = "cut"
[[fault]]
at_s = 5
service = "nodes@node2"
what = "kill"
[[fault]]
at_s = 7
service = "balancer"
what = "restart"
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
        (("[quick]", f"{FAULTS}[quick]"), "fault", "ended after 5 s, before `at_s = 6`"),
        (("[quick]", f"{FAULTS.replace('mend', 'break')}[quick]"), "wrong-type", "`what`"),
        (("[quick]", f"{FAULTS.replace('host', 'hosts', 1)}[quick]"), "unknown-key", "did you mean `host`?"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    tmp_path: Path, change: tuple[str, str], slug: str, words: str
) -> None:
    path = tiny(tmp_path, ('life = "12s"', 'life = "5s"'), change)
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


def test_a_life_has_its_faults_in_the_order_of_time(tmp_path: Path) -> None:
    path = tiny(tmp_path, ("[quick]", f"{FAULTS}[quick]"))
    assert [fault.at_s for fault in read_order(path, quick=False).faults] == [1, 2, 6]


def test_a_fault_of_nobody_is_refused_before_anything_starts(tmp_path: Path) -> None:
    path = tiny(tmp_path, ("[quick]", f"{FAULTS.replace('node2', 'node9')}[quick]"))
    with pytest.raises(LoadstoneError, match="there is no host `node9`") as refused:
        conduct.run(read_order(path, quick=False), tmp_path / "out", 1, ["loadstone"], lambda _: None)
    assert refused.value.slug == "fault"
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


@pytest.mark.long
@pytest.mark.skipif(os.geteuid() != 0, reason="a lab needs root")
def test_faults_are_done_in_each_life_and_undone_after_it(tmp_path: Path) -> None:
    steady = ('crash = "1/2s"', 'crash = "1/1000s"')
    path, out = (
        tiny(tmp_path, steady, ("active = 1", "active = 2"), ("[quick]", f"{KILLED}[quick]")),
        tmp_path / "out",
    )
    text = path.with_name("lab.toml").read_text("utf-8")
    path.with_name("lab.toml").write_text(text.replace('"chaos-tiny"', '"chaos-faults"'))
    ran = CliRunner().invoke(app, ["chaos", str(path), "--out", str(out), "--seed", "5"])
    assert ran.exit_code == 0, ran.output
    [cluster] = json.loads((out / "chaos.json").read_text("utf-8"))["clusters"]
    for life in cluster["lives"]:
        told = [(event["kind"], event.get("host"), event.get("service")) for event in life["events"]]
        assert told == [("fault", "node1", None), ("fault", "node2", "nodes"), ("fault", None, "balancer")]
        # Both nodes were up when each life began, and neither for all of it.
        assert life["time_up_s"][2] > 0 and life["time_up_s"][0] > 0
        assert life["requests_ok"] > 0
    kept = [json.loads(line) for line in (out / "lives.ndjson").read_text("utf-8").splitlines()]
    assert [len(life["events"]) for life in kept] == [3, 3]
    assert "faults were done that the model knows nothing of" in (out / "report.html").read_text("utf-8")
    assert Folder("chaos-faults").read() is None
