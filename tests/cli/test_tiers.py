"""`nodes --tiers` and `cost --tiers` from the outside: a site of four tiers, each refusal with its line.

`LOADSTONE_UPDATE_GOLDEN=1 pytest tests/cli` writes the golden files anew: read the difference.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from loadstone import cli

BROKEN = Path(__file__).parent / "tiers"
GOLDEN = Path(__file__).parent / "golden"
FILES = sorted(path.stem for path in BROKEN.glob("*.toml"))
SITE = """\
format = 1

[tier.balancer]
capacity = { requests_per_s = 9000, low = 8800, high = 9200 }
demand = { from = "search" }
instance = "m5.large"

[tier.web]
from = "search"
instance = "m7i.xlarge"

[tier.cache]
capacity = { cpu_us_per_request = 40, cores = 2 }
demand = { requests_per_s_per_user = 1.5 }
instance = "m5.large"

[tier.database]
capacity = { users = 24000 }
scales = false
crash_rate = "2/year"
failover = "1min"
instance = "m7i.xlarge"
"""
CAPACITY = {
    "format": 1, "kind": "capacity", "name": "olio",
    "SLA-1": {
        "users": 500, "low": 490, "high": 510, "throughput_ops_per_s": 100.5, "bytes_in_per_op": 20000.0,
    },
    "runs": [{"folder": "runs/0001-500", "users": 500, "valid": True, "verdict": {"SLA-1": "pass"}}],
    "warnings": ["not compliant: short window (20 s instead of 300 s)"],
}  # fmt: skip
RUN = {
    "format": 1, "kind": "run", "load": {"users": 500, "ramp_up_s": 5, "steady_s": 60, "ramp_down_s": 0},
    "requests_per_s": 450.0, "operations": {}, "sla": {}, "validity": {"valid": True, "checks": []},
}  # fmt: skip

PLAN = ["--tiers", "FOLDER/tiers.toml", "--users", "20000", "--target", "five nines"]
PRINTED = {
    "tiers-nodes": ["nodes", *PLAN],
    "tiers-cost": ["cost", *PLAN, "--book", "aws-2026", "--instance", "database=c7i.2xlarge"],
    "tiers-exceeded": ["nodes", "--tiers", "FOLDER/tiers.toml", "--users", "25000"],
    "tiers-ceiling": ["nodes", "--tiers", "FOLDER/ceiling.toml", "--users", "900", "--target", "seven nines"],
}
REFUSED = {
    "tiers-no-file": ["nodes", "--tiers", "FOLDER/none.toml", "--users", "5"],
    "tiers-no-users": ["nodes", "--tiers", "FOLDER/tiers.toml"],
    "tiers-half-a-user": ["nodes", "--tiers", "FOLDER/tiers.toml", "--users", "0.5"],
    "tiers-sla": ["nodes", "--tiers", "FOLDER/tiers.toml", "--users", "5", "--sla", "SLA-3"],
    "tiers-beside": ["nodes", *PLAN, "--crash-rate", "6/year"],
    "tiers-no-instance": ["cost", "--tiers", "FOLDER/ceiling.toml", "--users", "5", "--book", "aws-2026"],
    "tiers-instance-name": ["cost", *PLAN, "--book", "aws-2026", "--instance", "wbe=m5.large"],
    "tiers-instance-text": ["cost", *PLAN, "--book", "aws-2026", "--instance", "m5.large:3"],
    "tiers-instance-sku": ["cost", *PLAN, "--book", "aws-2026", "--instance", "web=m5.lrge"],
    "tiers-sku-of-the-file": ["cost", *PLAN, "--book", "aws-2008"],
    "tiers-rented-on-premises": [
        "cost", "--tiers", "FOLDER/ceiling.toml", "--users", "5", "--book", "aws-2026",
        "--instance", "web=m5.large", "--instance", "database=m5.large",
    ],
    "tiers-cost-unmet": ["cost", "--tiers", "FOLDER/tiers.toml", "--users", "25000", "--book", "aws-2026"],
    "tiers-cost-beside": ["cost", *PLAN, "--book", "aws-2026", "--users-sla-1", "5"],
    "tiers-cost-without": ["cost", "--book", "aws-2026", "--instance", "m5.large:1", "--users", "5"],
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tiers.toml").write_text(SITE)
    (tmp_path / "ceiling.toml").write_text(
        'format = 1\ndeployment = "PF on-prem + repair"\n[tier.web]\ncapacity = { users = 500 }\n'
        '[tier.database]\ncapacity = { users = 1000 }\ndeployment = "ARA cloud"\n'
    )
    (tmp_path / "search" / "runs" / "0001-500").mkdir(parents=True)
    (tmp_path / "search" / "capacity.json").write_text(json.dumps(CAPACITY))
    (tmp_path / "search" / "runs" / "0001-500" / "run.json").write_text(json.dumps(RUN))
    return tmp_path


def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path, arguments: list[str]
) -> tuple[int, str, str]:
    typed = [each.replace("FOLDER", str(folder)) for each in arguments]
    # The prices of the books grow old.
    monkeypatch.setattr("loadstone.cost.age.today", lambda: date(2026, 11, 24))
    monkeypatch.setattr(sys, "argv", ["loadstone", *typed])
    with pytest.raises(SystemExit) as exit_:
        cli.main()
    out, err = (text.replace(str(folder), "FOLDER") for text in capsys.readouterr())
    return int(exit_.value.code or 0), out, err


def check(file: Path, text: str) -> None:
    if os.environ.get("LOADSTONE_UPDATE_GOLDEN"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PRINTED)
def test_what_is_printed(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(monkeypatch, capsys, folder, PRINTED[name])
    check(GOLDEN / f"{name}.out", out)
    check(GOLDEN / f"{name}.err", err)
    assert code == (1 if name in ("tiers-exceeded", "tiers-ceiling") else 0)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(monkeypatch, capsys, folder, REFUSED[name])
    assert (code, out) == (2, "")
    check(GOLDEN / f"{name}.err", err)
    assert not list(folder.glob("*.json"))


@pytest.mark.parametrize("name", FILES)
def test_a_broken_file_is_refused_with_its_lines(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(BROKEN, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    code, out, err = run(
        monkeypatch, capsys, tmp_path, ["nodes", "--tiers", f"{name}.toml", "--users", "5000"]
    )
    check(BROKEN / f"{name}.err", err)
    assert (code, out) == (2, "")
    assert re.search(rf"  at {name}\.toml:\d+", err)
    assert not (tmp_path / "nodes.json").exists()


def test_the_records_hold_what_their_reference_lists(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def record(arguments: list[str]) -> dict[str, Any]:
        code, out, _ = run(monkeypatch, capsys, folder, [*arguments, "--json"])
        assert code == 0
        written: dict[str, Any] = json.loads((folder / f"{arguments[0]}.json").read_text())
        assert json.loads(out.replace("FOLDER", str(folder))) == written
        return written

    nodes, cost = record(PRINTED["tiers-nodes"]), record(PRINTED["tiers-cost"])
    assert nodes["service"]["total"] == sum(tier["total"] for tier in nodes["tiers"])
    assert sum(tier["downtime_part"] for tier in nodes["tiers"]) == pytest.approx(1)
    plan = cost["plan"]
    machines = sum(line["usd_per_month"]["12"] for line in cost["lines"] if not line["transfer"])
    assert machines == pytest.approx(sum(tier["usd_per_month"]["12"] for tier in plan["tiers"]))
    assert cost["per_user"]["SLA-1"]["usd_per_month"]["12"] == pytest.approx(machines / 20_000, abs=1e-6)
    at_users = [step for step in plan["growth"] if step["users_from"] <= 20_000 <= step["users_to"]]
    assert all(step["usd_per_month"]["12"] == pytest.approx(machines) for step in at_users) and at_users
    text = (Path(__file__).parents[2] / "docs" / "reference" / "nodes.md").read_text()
    listed = set(re.findall(r"`(\w+)(?:\[\])?`", text))
    shown = [nodes, nodes["service"], nodes["inputs"], nodes["tiers"][0], nodes["tiers"][0]["limit"]]
    shown += [nodes["one_more"][0], nodes["growth"][0]]
    assert {key for each in shown for key in each} - {"format", "kind"} <= listed
    text = (Path(__file__).parents[2] / "docs" / "reference" / "cost.md").read_text()
    assert set(cost) - {"format", "kind"} <= set(re.findall(r"`(\w+)(?:\[\])?`", text))


def test_the_example_of_the_reference_is_what_is_printed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = Path(__file__).parents[2]
    shutil.copy(root / "examples" / "plan" / "tiers.toml", folder / "tiers.toml")
    _, out, _ = run(monkeypatch, capsys, folder, PRINTED["tiers-nodes"])
    text = (root / "docs" / "reference" / "nodes.md").read_text("utf-8")
    shown = re.search(r"```\n(20,000 users through.*?)```", text, re.S)
    assert shown
    assert set(shown[1].splitlines()) - {"…"} <= set(out.splitlines())
