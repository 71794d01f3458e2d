"""The node type `appliance`: its figures typed and from a study, in `nodes`, `cost` and `plan`."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from loadstone.cli import app
from loadstone.errors import LoadstoneError
from loadstone.nodes.appliance import appliance, parse_appliance, warnings
from loadstone.nodes.choices import parse_node_type
from loadstone.nodes.image import Image
from loadstone.plan.candidate import cheapest_only
from loadstone.plan.part import base
from loadstone.plan.read import read_plan

TYPED = {"throughput": "1.5", "start": "200ms", "memory_mib": "16"}
CAPACITY = {
    "format": 1,
    "kind": "capacity",
    "name": "shop",
    "SLA-1": {"users": 100, "low": 100, "high": 100, "throughput_ops_per_s": 50},
    "runs": [],
}
COLUMNS = "book,provider,region,kind,sku,vcpu,memory_gib,unit,from_gb,to_gb,price_usd,as_of,source"
PRICES = f"""{COLUMNS},power_w,life_months
b,p,r,instance,vm,4,16,hour,,,1,2026,s,,
b,p,r,owned,box,4,16,machine,,,1200,2026,s,0,12
b,p,r,owned,thin,4,0.03125,machine,,,1200,2026,s,0,12
"""
PLAN = """
format = 1
name = "images"
prices = "p.csv"
[load]
users = 300
[target]
availability = "five nines"
[node]
users = 100
[failures]
crash = "12/year"
failover = "1min"
repair = "1h"
[[option]]
name = "native"
deployment = "passive"
instance = "box"
[[option]]
name = "images"
deployment = "passive"
instance = "box"
node_type = "appliance"
appliance = { throughput = 1.5, start = "200ms", memory_mib = 16, detect = "500ms" }
"""


def cell(case: dict[str, object], **figures: float) -> dict[str, object]:
    return {"case": case, "figures": {name: {"value": value} for name, value in figures.items()}}


def study(folder: Path) -> Path:
    """As `loadstone study appliance` writes it."""
    own = {"app": "olio", "board": "microvm"}
    http = [
        cell({"page": "home", "connections": users, "guest": guest}, requests_per_s=rate)
        for users, guest, rate in (
            (1, "image", 900),
            (1, "linux", 300),
            (8, "image", 1200),
            (8, "linux", 800),
        )
    ]
    parts = {
        "boot": [
            cell(own | {"guest": "linux"}, boot_ms=3000.0),
            cell(own | {"board": "q35", "guest": "image"}, boot_ms=260.0),
            cell(own | {"guest": "image"}, boot_ms=160.0),
        ],
        "memory": [cell(own | {"guest": "image"}, least_mib=12)],
        "http": http,
    }
    folder.mkdir(exist_ok=True)
    (folder / "study.json").write_text(json.dumps({"format": 1, "name": "appliance", "parts": parts}))
    return folder


def run(*words: str) -> Any:
    return CliRunner().invoke(app, list(words))


def test_a_study_says_what_an_image_carries_and_takes(tmp_path: Path) -> None:
    study(tmp_path / "study")
    kind = appliance({"from": "study", "app": "olio", "page": "home", "detect": "1s"}, tmp_path, "here")
    # Of the most connections, on microvm.
    assert kind.throughput == Fraction(1200, 800)
    assert kind.image is not None and kind.image.memory_mib == 12
    assert kind.image.switch_over_s == Fraction(116, 100)
    assert warnings(kind) == []
    # Corrupted and crashed by faults as a native build is: nothing hardens it.
    native = parse_node_type("native")
    assert (kind.corrupts, kind.crashes) == (native.corrupts, native.crashes)


def test_images_on_a_machine_are_one_a_core_or_what_memory_holds() -> None:
    image = Image(Fraction(1), Fraction(0), Fraction(16), "typed")
    assert image.on("m", Decimal(4), Decimal(16)) == 4
    assert image.on("m", Decimal(4), Decimal("0.046875")) == 3
    with pytest.raises(LoadstoneError, match="does not hold an image"):
        image.on("m", Decimal(4), Decimal("0.01"))
    with pytest.raises(LoadstoneError, match="needs `vcpu` and `memory_gib`"):
        image.on("m", None, Decimal(4))


def test_nodes_start_their_spares_in_the_time_an_image_starts(tmp_path: Path) -> None:
    (tmp_path / "capacity.json").write_text(json.dumps(CAPACITY))
    figures = "throughput=1.5,start=200ms,memory_mib=16"
    ran = run(
        "nodes",
        "--from",
        str(tmp_path),
        "--users",
        "300",
        "--target",
        "four nines",
        "--failover",
        "30min",
        "--appliance",
        figures,
    )
    assert ran.exit_code == 0, ran.output
    assert "add `detect`" in ran.stderr
    options = json.loads((tmp_path / "nodes.json").read_text())["options"]
    down = {(one["node_type"], one["deployment"]): one for one in options}
    # Half an hour at each of three crashes a year is not four nines; a fifth of a second at each of two is.
    assert down["native", "PF cloud"]["total"] is None
    assert down["appliance", "PF cloud"]["total"] == 2
    expected = 2 * 0.2
    assert down["appliance", "PF cloud"]["downtime_s_per_year"] == pytest.approx(expected, rel=1e-3)
    # The provider replaces active nodes of both kinds alike.
    assert down["appliance", "ARA cloud"]["num"] == 2 and down["native", "ARA cloud"]["num"] == 3
    priced = run("cost", "--from", str(tmp_path), "--instance", "vm", "--prices", str(prices(tmp_path)))
    assert priced.exit_code == 0, priced.output
    assert "2 × vm, 4 images each" in priced.stdout
    assert json.loads((tmp_path / "cost.json").read_text())["per_user"]["SLA-1"]["usd_per_month"][
        "12"
    ] == pytest.approx(4.8)
    thin = run("cost", "--from", str(tmp_path), "--instance", "thin", "--prices", str(prices(tmp_path)))
    assert "holds 2 images, fewer than its 4 cores" in str(thin.exception)


def prices(folder: Path) -> Path:
    (folder / "p.csv").write_text(PRICES)
    return folder / "p.csv"


def test_a_plan_chooses_images_where_they_carry_more(tmp_path: Path) -> None:
    prices(tmp_path)
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    inputs = read_plan(path)
    native, images = inputs.tiers[0].ways
    assert native.failover_s == 60 and images.failover_s == Fraction(7, 10)
    found = cheapest_only(inputs, base(inputs))
    assert found is not None
    [part] = found.parts
    assert part.way == images and part.needed == 2 and part.images == 4 * part.nodes
    # A machine with memory for two images on four cores carries half as much, and nothing of it for free.
    path.write_text(PLAN.replace('instance = "box"\nnode_type', 'instance = "thin"\nnode_type'))
    thin = read_plan(path).tiers[0].ways[1]
    assert thin.node.throughput == Fraction(3, 4)


def test_figures_from_a_study_stand_in_a_plan(tmp_path: Path) -> None:
    prices(tmp_path)
    study(tmp_path / "study")
    path = tmp_path / "plan.toml"
    typed = '{ throughput = 1.5, start = "200ms", memory_mib = 16, detect = "500ms" }'
    path.write_text(PLAN.replace(typed, '{ from = "study", app = "olio", page = "home" }'))
    inputs = read_plan(path)
    assert inputs.tiers[0].ways[1].failover_s == Fraction(16, 100)
    assert any("add `detect`" in warning for warning in inputs.warnings)


def capacity(folder: Path, users: int, node: dict[str, Any] | None) -> Path:
    """As `loadstone capacity` writes it."""
    folder.mkdir()
    found = {"users": users, "low": users, "high": users + 1, "throughput_ops_per_s": users / 5}
    (folder / "capacity.json").write_text(json.dumps(CAPACITY | {"SLA-1": found, "node": node}))
    return folder


NODE = {"type": "appliance", "vcpu": 1, "memory_mib": 24, "start_s": 0.25}


def test_a_capacity_of_images_gives_all_figures(tmp_path: Path) -> None:
    own, other = capacity(tmp_path / "own", 150, NODE), capacity(tmp_path / "other", 100, None)
    node = appliance({"from": "own", "against": "other", "detect": "1s"}, tmp_path, "here")
    assert node.throughput == Fraction(3, 2) and node.image
    assert (node.image.switch_over_s, node.image.memory_mib) == (Fraction(5, 4), 24)
    with pytest.raises(LoadstoneError, match="was not measured on an image"):
        appliance({"from": "other", "against": "own"}, tmp_path, "here")
    path = tmp_path / "plan.toml"
    (tmp_path / "p.csv").write_text(PRICES)
    typed = '{ throughput = 1.5, start = "200ms", memory_mib = 16, detect = "500ms" }'
    path.write_text(PLAN.replace(typed, '{ from = "own", against = "other", detect = "1s" }'))
    (way,) = [one for one in read_plan(path).tiers[0].ways if one.node.image]
    assert (way.failover_s, way.node.throughput) == (Fraction(5, 4), Fraction(3, 2))

    compared = run("nodes", "--from", str(other), "--users", "300", "--appliance", f"from={own}", "--json")
    factors = json.loads(compared.stdout)["inputs"]["throughput_factors"]
    assert factors == {"native": 1, "appliance": 1.5}
    alone = run("nodes", "--from", str(own), "--users", "300", "--json")
    inputs = json.loads(alone.stdout)["inputs"]
    assert (inputs["users_per_node"], inputs["throughput_factors"]) == (150, {"appliance": 1})
    assert inputs["images"]["appliance"]["start_s"] == 0.25
    priced = run("cost", "--from", str(own), "--prices", str(tmp_path / "p.csv"), "--instance", "box")
    assert "2 × box, bought, 1 image each" in priced.stdout, priced.stdout
    assert (own / "nodes.json").is_file()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"from": "x", "against": "y", "app": "olio"}, "capacities or a study"),
        ({"from": "x", "against": "y"}, "holds no capacity.json"),
        ({"against": "y"}, "`from` is missing"),
        ({"throughput": "1.5", "start": "1s"}, "`memory_mib` is missing"),
        ({}, "`throughput` is missing"),
        (TYPED | {"from": "x"}, "measured figures or typed ones"),
        (TYPED | {"speed": "2"}, "no `speed`"),
        (TYPED | {"throughput": "0"}, "not a number above 0"),
        (TYPED | {"start": "soon"}, "not a length of time"),
        ({"from": "study", "app": "olio"}, "`page` is missing"),
        ({"from": "nowhere", "app": "olio", "page": "home"}, "holds no study.json"),
        ({"from": "study", "app": "rubis", "page": "home"}, "no `boot_ms` of its part `boot`"),
        ({"from": "study", "app": "olio", "page": "event"}, "did not load the page `event`"),
    ],
)
def test_missing_figures_are_refused(tmp_path: Path, given: dict[str, str], words: str) -> None:
    study(tmp_path / "study")
    with pytest.raises(LoadstoneError) as refused:
        appliance(given, tmp_path, "here")
    assert words in refused.value.message


def test_an_appliance_without_figures_is_refused(tmp_path: Path) -> None:
    ran = run("nodes", "--users-per-node", "1", "--users", "2", "--node-type", "appliance")
    assert isinstance(ran.exception, LoadstoneError) and ran.exception.slug == "nodes-input"
    assert "--appliance" in str(ran.exception)
    with pytest.raises(LoadstoneError, match="is not `NAME=VALUE`"):
        parse_appliance("throughput=1.5,fast")
    prices(tmp_path)
    path = tmp_path / "plan.toml"
    path.write_text("\n".join(line for line in PLAN.splitlines() if not line.startswith("appliance =")))
    with pytest.raises(LoadstoneError, match="add a table `appliance`"):
        read_plan(path)
    path.write_text(PLAN.replace('node_type = "appliance"', 'node_type = "tx"'))
    with pytest.raises(LoadstoneError, match="`node_type` is `tx`"):
        read_plan(path)
