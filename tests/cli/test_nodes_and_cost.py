"""`loadstone nodes` and `loadstone cost` from the outside: stdout, stderr, exit code, files.

`LOADSTONE_UPDATE_GOLDEN=1 pytest tests/cli` writes the golden files anew: read the difference.
"""

import json
import os
import re
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from loadstone import cli

GOLDEN = Path(__file__).parent / "golden"
CAPACITY = {
    "format": 1, "kind": "capacity", "name": "olio",
    "SLA-1": {
        "users": 500, "low": 500, "high": 510, "throughput_ops_per_s": 100.5, "bytes_in_per_op": 20000.0,
    },
    "SLA-2": {
        "users": 250, "low": 250, "high": None, "throughput_ops_per_s": 50.25, "bytes_in_per_op": 20000.0,
    },
    "runs": [], "warnings": ["not compliant: short window (20 s instead of 300 s)"],
}  # fmt: skip
OWN_PRICES = """\
book,provider,region,kind,sku,vcpu,memory_gib,unit,from_gb,to_gb,price_usd,as_of,source,power_w,life_months
ours,acme,hall-1,owned,r640,16,64,machine,,,3600,2026-01,quote,250,36
ours,acme,hall-1,power,grid,,,kWh,,,0.20,2026-01,bill,,
"""

TYPED = ["nodes", "--users-per-node", "1", "--users", "10"]
SCALED = ["nodes", "--from", "FOLDER", "--users", "2600"]
SOLD = ["cost", "--book", "aws-2008", "--users-sla-1", "500"]
RAN = ["cost", "--from", "FOLDER/wave", "--book", "aws-2026", "--instance"]
PRINTED = {
    "nodes-typed": [
        *TYPED,
        "--year",
        "365d",
        "--node-type",
        "native",
        "--node-type",
        "tx",
        "--fault-rate",
        "0.9/day",
    ],
    "nodes-unmet": [*TYPED, "--crash-rate", "1/183d", "--failover", "30min", "--deployment", "PF cloud"],
    "nodes-measured": ["nodes", "--from", "FOLDER", "--users", "5000"],
    "nodes-study": [
        *TYPED,
        "--year",
        "365d",
        "--criterion",
        "first-year",
        "--without-spares",
        "never-returns",
    ],
    "nodes-throughput": ["nodes", "--throughput-per-node", "40.2", "--load", "500", "--target", "five nines"],
    "nodes-scale": [*SCALED, "--scale", "1=FOLDER", "--scale", "2=FOLDER/two", "--scale", "4=FOLDER/four"],
    "nodes-scale-few": [*SCALED, "--scale", "1=FOLDER", "--scale", "4=FOLDER/four"],
    "cost-paper": [*SOLD, "--users-sla-2", "250", "--instance", "c1.xlarge:2"],
    "cost-planned": ["cost", "--from", "FOLDER", "--book", "aws-2026", "--instance", "m7i.xlarge"],
    "cost-terms": [
        "cost",
        "--from",
        "FOLDER",
        "--book",
        "gcp-2026",
        "--instance",
        "e2-standard-4:4",
        "--instance",
        "forwarding-rules",
    ],
    "cost-profile": [
        "cost",
        "--from",
        "FOLDER",
        "--book",
        "gcp-2026",
        "--instance",
        "e2-standard-4",
        "--profile",
        "10h:1,14h:0.3",
    ],
    "cost-elastic": [*RAN, "m7i.large"],
    "cost-owned": ["cost", "--from", "FOLDER", "--prices", "FOLDER/own.csv", "--instance", "r640:3"],
}
REFUSED = {
    "nodes-criterion": [*TYPED, "--criterion", "someday"],
    "nodes-without-spares": [*TYPED, "--without-spares", "vanishes"],
    "nodes-duration": [*TYPED, "--failover", "5parsecs"],
    "nodes-rate": [*TYPED, "--crash-rate", "often"],
    "nodes-target": [*TYPED, "--target", "99.9"],
    "nodes-no-load": ["nodes", "--users-per-node", "1"],
    "nodes-type": [*TYPED, "--node-type", "irl"],
    "nodes-folder": ["nodes", "--from", "FOLDER/none", "--users", "5"],
    "nodes-scale-text": [*SCALED, "--scale", "two=FOLDER"],
    "nodes-scenario": ["nodes", "FOLDER/wrong.toml", "--users", "5"],
    "cost-sku": [*SOLD, "--instance", "c1.xlrge:2"],
    "cost-book": ["cost", "--book", "aws-208", "--instance", "c1.xlarge:2", "--users-sla-1", "5"],
    "cost-no-book": ["cost", "--instance", "c1.xlarge:2", "--users-sla-1", "5"],
    "cost-count": [*SOLD, "--instance", "c1.xlarge:none"],
    "cost-no-users": ["cost", "--book", "aws-2008", "--instance", "c1.xlarge:2"],
    "cost-profile-hours": [*SOLD, "--instance", "c1.xlarge:2", "--profile", "10h:1,4h:0.3"],
    "cost-profile-text": [*SOLD, "--instance", "c1.xlarge:2", "--profile", "nights"],
    "cost-profile-duty": [*SOLD, "--instance", "c1.xlarge:2", "--profile", "24h:1", "--duty", "1"],
    "cost-duty": [*SOLD, "--instance", "c1.xlarge:2", "--duty", "2"],
    "cost-elastic-count": [*RAN, "m7i.large:2"],
    "cost-elastic-duty": [*RAN, "m7i.large", "--duty", "0.5"],
}
# A wave of five minutes: a second server for half of it.
WAVE = {
    "format": 2, "kind": "run", "name": "wave", "operations": {}, "sla": {}, "throughput_ops_per_s": 40.0,
    "load": {"users": 20, "ramp_up_s": 0, "steady_s": 300, "ramp_down_s": 0},
    "goals": {sla: {"name": sla, "verdict": "met", "limit": 0.9} for sla in ("SLA-1", "SLA-2")},
    "bytes": {"in_per_op": 20000.0, "out_per_op": 0.0},
    "validity": {"state": "valid", "checks": []},
    "elasticity": {
        "service": "app", "policy": "target-utilisation", "least": 1, "most": 3, "removed": 1,
        "servers": [{"at_s": 0, "servers": 1}, {"at_s": 70, "servers": 2}, {"at_s": 210, "servers": 1}],
        "started": [{"host": "web2", "asked_s": 60, "serving_s": 70, "start_s": 4}],
        "windows": [
            {
                "start_s": start, "end_s": start + 150, "users": users, "servers": 1.5,
                "within": {"Home": 0.95}, "kept": {"SLA-1": True, "SLA-2": False},
            }
            for start, users in ((0, 40), (150, 100))
        ],
        "machine_h": 0.125, "fixed_machine_h": 0.25, "saved_share": 0.5,
    },
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "capacity.json").write_text(json.dumps(CAPACITY))
    (tmp_path / "own.csv").write_text(OWN_PRICES)
    (tmp_path / "wrong.toml").write_text('[nodes]\ncrash_rat = "1/year"\n')
    (tmp_path / "right.toml").write_text(
        '[nodes]\ntarget = 0.9999\ndeployment = ["PF on-prem", "ARA cloud"]\n'
    )
    (tmp_path / "wave").mkdir()
    (tmp_path / "wave" / "run.json").write_text(json.dumps(WAVE))
    for name, users in (("two", 920), ("four", 1560)):
        held = {"SLA-1": CAPACITY["SLA-1"] | {"users": users, "low": users, "high": round(users * 1.02)}}
        (tmp_path / name).mkdir()
        (tmp_path / name / "capacity.json").write_text(json.dumps(CAPACITY | held))
    return tmp_path


def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path, arguments: list[str]
) -> tuple[int, str, str]:
    # The prices of the books grow old.
    monkeypatch.setattr("loadstone.cost.age.today", lambda: date(2026, 11, 24))
    monkeypatch.setattr(
        sys, "argv", ["loadstone", *(each.replace("FOLDER", str(folder)) for each in arguments)]
    )
    with pytest.raises(SystemExit) as exit_:
        cli.main()
    out, err = capsys.readouterr()
    return int(exit_.value.code or 0), out.replace(str(folder), "FOLDER"), err.replace(str(folder), "FOLDER")


def check(name: str, text: str) -> None:
    file = GOLDEN / name
    if os.environ.get("LOADSTONE_UPDATE_GOLDEN"):
        GOLDEN.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PRINTED)
def test_what_is_printed(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if name in ("cost-planned", "cost-profile"):
        run(monkeypatch, capsys, folder, PRINTED["nodes-measured"])
    code, out, err = run(monkeypatch, capsys, folder, PRINTED[name])
    check(f"{name}.out", out)
    assert code == (1 if name == "nodes-unmet" else 0)
    place = "FOLDER/wave" if name == "cost-elastic" else "FOLDER"
    written = f"wrote {place}/{name.split('-')[0]}.json\n" if "--from" in PRINTED[name] else ""
    assert err.startswith(written)
    check(f"{name}.err", err)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(monkeypatch, capsys, folder, REFUSED[name])
    assert (code, out) == (2, "")
    check(f"{name}.err", err)


def test_no_plan_rests_on_servers_that_came_and_went(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(monkeypatch, capsys, folder, ["nodes", "--from", "FOLDER/wave", "--users", "500"])
    assert (code, out) == (6, "")
    assert "no plan can rest on this run: its servers came and went" in err
    assert "without `[scaling]`" in err


PRICED = ["cost", "--from", "FOLDER", "--book", "aws-2026", "--instance", "m7i.xlarge:2"]
UNDECIDED = {"users": None, "low": None, "high": None}


@pytest.mark.parametrize("asked", [PRINTED["nodes-measured"], PRICED])
@pytest.mark.parametrize("held", [UNDECIDED, UNDECIDED | {"users": 0, "low": 0}])
def test_a_search_that_decided_nothing_gives_no_figure(
    asked: list[str],
    held: dict[str, Any],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (folder / "capacity.json").write_text(json.dumps(CAPACITY | {"SLA-1": held, "SLA-2": held}))
    for arguments in (asked, [*asked, "--anyway"]):
        code, out, err = run(monkeypatch, capsys, folder, arguments)
        assert (code, out) == (6, "")
        assert "error[withheld]" in err
        assert "search again with longer runs" in err
        assert not (folder / f"{asked[0]}.json").exists()


def test_dollars_of_the_sla_that_was_decided_name_the_other(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "capacity.json").write_text(json.dumps(CAPACITY | {"SLA-2": UNDECIDED}))
    code, out, _ = run(monkeypatch, capsys, folder, PRICED)
    assert code == 0
    assert "SLA-2 is withheld: the search showed neither" in out
    written = json.loads((folder / "cost.json").read_text())
    assert (list(written["per_user"]), list(written["withheld"])) == (["SLA-1"], ["SLA-2"])


@pytest.mark.parametrize("asked", [PRINTED["nodes-measured"], PRICED])
def test_an_invalid_run_gives_figures_only_with_a_mark(
    asked: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "capacity.json").unlink()
    goals = {sla: {"name": sla, "verdict": "met", "limit": 0.9} for sla in ("SLA-1", "SLA-2")}
    load = {"users": 5, "ramp_up_s": 5, "steady_s": 60, "ramp_down_s": 0}
    measured = {"format": 2, "kind": "run", "load": load, "goals": goals, "operations": {}, "sla": {}}
    (folder / "run.json").write_text(json.dumps(measured | {"validity": {"state": "invalid", "checks": []}}))
    code, out, err = run(monkeypatch, capsys, folder, asked)
    assert (code, out) == (6, "")
    assert "the run is invalid" in err
    assert "--anyway" in err
    code, _, err = run(monkeypatch, capsys, folder, [*asked, "--anyway"])
    assert code == 0
    assert "not to be relied on, SLA-1: the run is invalid" in err
    assert "the run is invalid" in json.loads((folder / f"{asked[0]}.json").read_text())["anyway"][0]


def test_the_records_hold_what_their_reference_lists(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def record(*arguments: str) -> dict[str, Any]:
        code, out, _ = run(monkeypatch, capsys, folder, [*arguments, "--json"])
        assert code == 0
        written: dict[str, Any] = json.loads((folder / f"{arguments[0]}.json").read_text())
        assert json.loads(out.replace("FOLDER", str(folder))) == written
        return written

    nodes = record("nodes", "--from", "FOLDER", "--users", "5000", "--fault-rate", "1/month")
    assert (nodes["format"], nodes["kind"], nodes["chosen"]["total"]) == (1, "nodes", 10)
    assert [option["total"] for option in nodes["options"]] == [10, 45, 10, 28, 11]
    assert nodes["per_sla"]["SLA-2"]["chosen"]["num"] == 20
    cost = record("cost", "--from", "FOLDER", "--book", "aws-2026", "--instance", "m7i.xlarge")
    assert (cost["format"], cost["kind"]) == (3, "cost")
    assert cost["per_user"]["SLA-1"]["usd_per_month"]["1"] == round(10 * 720 * 0.2016 / 5000, 6)
    for name, written in (("nodes", nodes), ("cost", cost)):
        text = (Path(__file__).parents[2] / "docs" / "reference" / f"{name}.md").read_text()
        listed = set(re.findall(r"`(\w+)(?:\[\])?`", text))
        first = [written[key][0] for key in ("options", "lines", "integrity") if key in written]
        assert {key for each in (written, *first) for key in each} - {"format", "kind"} <= listed


def test_a_scenario_gives_defaults_and_what_is_typed_wins(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = ["nodes", "FOLDER/right.toml", "--users-per-node", "1", "--users", "10"]
    _, out, _ = run(monkeypatch, capsys, folder, typed)
    assert "up 0.9999 of" in out
    assert [line.split("  ")[0] for line in out.splitlines()[4:6]] == ["ARA cloud", "PF on-prem"]
    _, out, _ = run(monkeypatch, capsys, folder, [*typed, "--target", "two nines"])
    assert "up two nines of" in out
