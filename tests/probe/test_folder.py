"""The folder of a probe: what is in it after a good end, an early one and none; and its page."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from probe_lines import pings, tcp, udp

from loadstone import cli
from loadstone.errors import LoadstoneError
from loadstone.probe import Options, Pair, append, begin, conclude
from loadstone.probe.folder import read_lines
from loadstone.report.probe import pair_table, probe_page
from loadstone.stages.probe import Probe

Json = dict[str, Any]


def made(folder: Path, lines: list[Json]) -> Path:
    pairs = [Pair("a", "b", "left → right"), Pair("a", "c", "left → <far>")]
    hosts = {name: {"kind": "x", "address": f"198.18.0.{index}"} for index, name in enumerate("abc", 1)}
    begin(folder, "wire", ["loadstone", "probe"], hosts, pairs, Options(), None)
    for line in lines:
        append(folder, line)
    return folder


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    path: Json = {"kind": "path", "round": 1, "from": "a", "to": "b", "at": "2026-11-21T20:00:00+00:00"}
    path |= {"hops": ["198.18.0.2"], "reached": True, "mtu": 1500}
    near = [*pings(1.0, 0.1, tail=0.05), *tcp(19.1), *udp(19.4, 0.2), *udp(9.5, over=False), path]
    far = [line | {"to": "c"} for line in pings(40.0, 2.0, loss=0.1, seed=3)]
    return made(tmp_path / "probe", near + far)


def test_pairs_groups_and_sentences(whole: Path) -> None:
    found = conclude(whole, "complete").content()
    assert (found["kind"], found["outcome"], found["format"]) == ("probe", "complete", 2)
    near, far = found["pairs"]
    assert near["icmp"]["sent"] == 300 and near["icmp"]["lost"] == 0
    assert near["bandwidth"]["to"]["mbit_per_s"]["repeats"] == 10 and near["bandwidth"]["back"] is None
    assert far["tcp"] is None and far["icmp"]["loss_low"] < 0.1 < far["icmp"]["loss_high"]
    assert [group["name"] for group in found["groups"]] == ["left → right", "left → <far>"]
    said = {(one["where"], one["about"]) for one in found["sentences"] if one["said"]}
    assert {("a → b", "link"), ("a → b", "path"), ("a → c", "distance"), ("", "groups")} <= said
    assert all(one["text"] for one in found["sentences"])
    assert json.loads((whole / "probe.json").read_text()) == found
    jsonschema.validate(found, Probe.json_schema(), jsonschema.Draft202012Validator)


def test_a_record_of_format_1_has_the_same_page(whole: Path) -> None:
    """A text that has the old name in each place of the new ones."""
    new = conclude(whole, "complete")
    text = (whole / "probe.json").read_text().replace('"format": 2', '"format": 1')
    for name in ("mbit", "steady_mbit", "offered_mbit", "tcp_steady_mbit", "udp_mbit"):
        assert f'"{name}_per_s": ' in text
        text = text.replace(f'"{name}_per_s": ', f'"{name}": ')
    text = text.replace('"mbit_per_s_by_round": ', '"mbit_by_round": ').replace('"box_ms": ', '"box": ')
    (whole / "probe.json").write_text(text)
    old = conclude(whole)
    assert old.content() == new.content()
    assert probe_page([(whole, old)]) == probe_page([(whole, new)])


def test_no_point_is_left_out_in_silence(whole: Path) -> None:
    picture = conclude(whole, "complete").content()["pictures"]["round_trips"]
    assert picture["axis"]["log"], "1 ms and 40 ms share no linear axis"
    for ways in picture["groups"].values():
        for found in ways.values():
            shown = len(found["points_ms"])
            assert shown <= 40 and found["outside"] >= shown
            assert found["beyond_axis"] <= found["outside"]
    page = probe_page([(whole, conclude(whole))])
    assert "lie beyond the whiskers" in page and "lie beyond the axis" in page


def test_the_page_stands_alone_and_names_cannot_break_it(whole: Path) -> None:
    page = probe_page([(whole, conclude(whole, "complete"))])
    assert "left → <far>" not in page and "left → &lt;far&gt;" in page
    assert "http://" not in page.split('<script type="application/octet-stream"')[0].replace(
        "http://www.w3.org", ""
    )
    assert len(page) < 3_000_000
    for words in ("What it says", "Round trips", "Jitter", "Bandwidth", "Under load", "How it was measured"):
        assert words in page


def test_a_killed_probe_is_concluded_from_its_lines(whole: Path) -> None:
    lines = whole / "measurements.ndjson"
    count = len(read_lines(whole))
    lines.write_bytes(lines.read_bytes() + b'{"kind": "icmp", "round": 11, "fr')
    assert len(read_lines(whole)) == count, "a line that was cut off is none"
    found = conclude(whole).content()
    assert found["outcome"] == "crashed" and found["pairs"][0]["icmp"]["sent"] == 300
    assert conclude(whole, "complete").outcome == "crashed", "it is concluded once"


def test_a_broken_line_in_the_middle_is_told(whole: Path) -> None:
    lines = whole / "measurements.ndjson"
    lines.write_bytes(b"{\n" + lines.read_bytes())
    with pytest.raises(LoadstoneError) as broken:
        conclude(whole)
    assert broken.value.slug == "probe-folder" and str(broken.value.place).endswith("measurements.ndjson:1")


def test_a_plan_that_was_changed_is_told_in_a_sentence(whole: Path) -> None:
    plan = json.loads((whole / "probe-plan.json").read_text())
    plan["machine"]["cores"], plan["versions"] = "two", []
    (whole / "probe-plan.json").write_text(json.dumps(plan))
    with pytest.raises(LoadstoneError) as broken:
        conclude(whole)
    assert broken.value.slug == "probe-folder" and broken.value.place == str(whole)
    assert broken.value.message == "it is not as its stage writes it: `cores` should be a valid number"


def test_nothing_measured_is_still_a_report(tmp_path: Path) -> None:
    folder = made(tmp_path / "none", [])
    found = conclude(folder, "interrupted")
    assert found.pairs[0].icmp is None and found.sentences == []
    assert "ended early by Ctrl-C" in probe_page([(folder, found)])
    assert [row["rounds"] for row in pair_table(found).rows] == ["0 of 10", "0 of 10"]


def test_nothing_came_back(tmp_path: Path) -> None:
    folder = made(tmp_path / "silent", [line | {"replies": []} for line in pings(1.0)])
    found = conclude(folder, "complete")
    icmp = found.pairs[0].icmp
    assert icmp and icmp.loss == 1.0 and icmp.mean_ms is None
    assert not any(one.said for one in found.sentences)
    probe_page([(folder, found)])


def test_lost_hosts_are_on_the_page(tmp_path: Path) -> None:
    lost = {"kind": "lost", "host": "c", "round": 4, "at": "2026-11-21T20:00:00+00:00", "words": "no route"}
    failed = {"kind": "failed", "what": "icmp", "round": 4, "from": "a", "to": "c", "words": "gone"}
    folder = made(tmp_path / "lost", [*pings(1.0), failed, lost])
    found = conclude(folder, "complete")
    assert found.lost["c"].round == 4
    page = probe_page([(folder, found)])
    assert "lost c in round 4" in page and "1 measurements failed" in page


def test_report_concludes_a_killed_probe_and_makes_its_page(
    whole: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, code in [([], 0), (["--csv", "tables"], 2), ([str(whole.parent)], 2)]:
        monkeypatch.setattr(sys, "argv", ["loadstone", "report", str(whole), *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert (ended.value.code or 0) == code
        assert ("error[report-folder]" in capsys.readouterr().err) == bool(code)
    assert "the probe was killed" in (whole / "report.html").read_text()
