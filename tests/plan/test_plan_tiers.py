"""Several tiers with shared crews: the cheapest of all small plans, the product form, users served."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from loadstone.cli import app
from loadstone.errors import LoadstoneError
from loadstone.parallel import Threads
from loadstone.plan.candidate import Candidate, best, candidate, cheapest, cheapest_only, down_of, sharing
from loadstone.plan.inputs import Inputs
from loadstone.plan.part import Part, alone_s, base, needed_nodes
from loadstone.plan.read import read_plan
from loadstone.plan.served import served
from loadstone.plan.uncertain import draws, uncertainty

EXAMPLE = Path(__file__).parents[2] / "examples" / "plan" / "shop-tiers.toml"
COLUMNS = "book,provider,region,kind,sku,vcpu,memory_gib,unit,from_gb,to_gb,price_usd,as_of,source"
PRICES = f"""{COLUMNS},power_w,life_months
b,p,r,instance,vm,1,1,hour,,,0.5,2026,s,,
b,p,r,owned,box,1,1,machine,,,1200,2026,s,0,12
b,p,r,owned,big,1,1,machine,,,2000,2026,s,0,12
"""
TIERS = """
format = 1
name = "tiers"
prices = "p.csv"
[load]
users = 30
[target]
availability = "0.998"
[failures]
crash = "12/year"
failover = "5min"
repair = "1d"
crews = 1
first = ["data"]
[tier.web]
capacity = { users = 10 }
[[tier.web.option]]
name = "boxes"
deployment = "mixed"
instance = "box"
[[tier.web.option]]
name = "rented"
deployment = "active"
instance = "vm"
[tier.data]
capacity = { requests_per_s = 100 }
demand = { requests_per_s_per_user = 2 }
scales = false
crash = "6/year"
[[tier.data.option]]
name = "big ones"
deployment = "active"
instance = "big"
"""


def small(folder: Path, *changes: tuple[str, str]) -> Path:
    text = TIERS
    for before, after in changes:
        assert before in text
        text = text.replace(before, after, 1)
    (folder / "p.csv").write_text(PRICES)
    path = folder / "plan.toml"
    path.write_text(text)
    return path


def every(inputs: Inputs) -> list[Candidate]:
    """All plans with few nodes, each solved as one chain."""
    values, choices = base(inputs), []
    for at, tier in enumerate(inputs.tiers):
        own = []
        for way in tier.ways:
            needed = needed_nodes(inputs, values, at, way)
            assert needed is not None
            pools: list[int | None] = [None] if way.endless else [0]
            pools = list(range(8)) if way.deployment != "active" else pools
            own += [Part(at, way, needed, needed + extra, pool) for extra in range(3) for pool in pools]
        choices.append(own)
    return [candidate(inputs, values, parts) for parts in itertools.product(*choices)]


@pytest.mark.parametrize(
    "change",
    [
        ("crews = 1", "crews = 1"),
        ('first = ["data"]', 'first = ["web"]'),
        ('first = ["data"]', ""),
        ("crews = 1", "crews = 2"),
        ('repair = "1d"', 'repair = "2d"'),
        ("0.998", "0.9995"),
        ('instance = "vm"', 'instance = "vm"\nfailover = "2h"'),
    ],
)
def test_the_choice_is_the_cheapest_of_all_small_plans(tmp_path: Path, change: tuple[str, str]) -> None:
    inputs = read_plan(small(tmp_path, change))
    meeting = [one for one in every(inputs) if one.down_s <= inputs.allowed_s]
    least = min(meeting, key=lambda one: (round(one.usd_per_month, 6), one.nodes))
    found = cheapest(inputs, base(inputs))
    assert found.chosen is not None
    assert found.chosen.usd_per_month == pytest.approx(least.usd_per_month)
    assert found.chosen.nodes == least.nodes
    assert found.chosen.down_s <= inputs.allowed_s
    only = cheapest_only(inputs, base(inputs))
    assert only is not None and only.usd_per_month == pytest.approx(found.chosen.usd_per_month)


def test_shared_crews_cost_more_than_crews_for_each(tmp_path: Path) -> None:
    """Plans that would do with a crew for each tier do not always do with one for both."""
    changes = (('repair = "1d"', 'repair = "2d"'), ('crash = "6/year"', 'crash = "12/year"'))
    inputs = read_plan(small(tmp_path, *changes))
    values = base(inputs)
    fooled = 0
    for one in every(inputs):
        parts = sharing(inputs, one.parts)
        alone = 1 - math.prod(1 - alone_s(inputs, values, part) / inputs.year_s for part in one.parts)
        if parts:
            assert one.down_s / inputs.year_s >= alone * (1 - 1e-6)
            fooled += alone * inputs.year_s <= inputs.allowed_s < one.down_s
        else:
            assert one.down_s / inputs.year_s == pytest.approx(alone, rel=1e-6)
    assert fooled > 0


def test_plenty_of_crews_are_the_product_form(tmp_path: Path) -> None:
    inputs = read_plan(small(tmp_path, ("crews = 1", "crews = 7")))
    values, (web, data) = base(inputs), inputs.tiers
    parts = [Part(0, web.ways[0], 3, 4, 1), Part(1, data.ways[0], 1, 2, 0)]
    assert sharing(inputs, parts) == []
    product = down_of(inputs, values, parts)
    # One crew less than there are nodes: nearly the same, by the chain of all of them.
    tied = replace(inputs, crews=6)
    assert sharing(tied, parts) == parts
    assert down_of(tied, values, parts) == pytest.approx(product, rel=1e-6)
    assert down_of(tied, values, parts) >= product * (1 - 1e-7)


def test_users_served_add_up_to_the_year(tmp_path: Path) -> None:
    inputs = read_plan(small(tmp_path))
    plan = cheapest(inputs, base(inputs)).chosen
    assert plan is not None
    found = served(inputs, base(inputs), plan)
    assert sum(level.share for level in found.levels) + found.rest == pytest.approx(1)
    assert sum(level.share for level in found.levels[1:]) == pytest.approx(
        plan.down_s / inputs.year_s, rel=1e-5
    )
    assert [(level.at, level.nodes, level.users) for level in found.levels] == [
        (None, None, 30), (0, 2, 20), (0, 1, 10), (1, 0, 0),
    ]  # fmt: skip
    lost = sum((30 - level.users) * level.share for level in found.levels) * inputs.year_s / 3600
    assert found.user_hours_lost == pytest.approx(lost, rel=1e-9)


def test_draws_vary_every_tier(tmp_path: Path) -> None:
    change = ("{ users = 10 }", "{ users = 10, low = 8, high = 13 }")
    inputs = read_plan(
        small(tmp_path, change, ('crash = "6/year"', "crash = { seen = 3, node_time = '1year' }"))
    )
    plan = cheapest_only(inputs, base(inputs))
    assert plan is not None
    drawn = draws(inputs, 60, seed=3)
    assert len({one.per_node[0] for one in drawn}) == 60
    assert {one.per_node[1] for one in drawn} == {50.0}
    found = uncertainty(inputs, plan, drawn, Threads())
    assert [sum(wins.values()) + found.unmet for wins in found.wins] == pytest.approx([1, 1])
    assert found.chosen_holds < 0.95
    assert found.sure is None or (found.sure_holds or 0) >= 0.95
    # One after the other and over threads: the same numbers in the same order.
    assert uncertainty(inputs, plan, drawn, lambda work, over: [work(one) for one in over]) == found


def test_a_tier_that_does_not_scale_is_refused_beyond_its_node(tmp_path: Path) -> None:
    inputs = read_plan(small(tmp_path, ("users = 30", "users = 51")))
    found = best(inputs, base(inputs), [tier.ways for tier in inputs.tiers])
    assert isinstance(found, list) and "a second adds no throughput" in found[0].why


def test_crews_that_all_tiers_together_wear_out_are_named(tmp_path: Path) -> None:
    changes = (('crash = "12/year"', 'crash = "90/year"'), ('crash = "6/year"', 'crash = "200/year"'))
    path = small(tmp_path, *changes, ('instance = "vm"', 'instance = "vm"\nfailover = "30d"'))
    ran = CliRunner().invoke(app, ["plan", str(path), "--draws", "0"])
    assert ran.exit_code == 1, ran.output
    assert "1 crews would have to mend" in ran.stdout


def test_the_example_is_planned_reported_and_written_as_a_chain(tmp_path: Path) -> None:
    out = tmp_path / "plan"
    ran = CliRunner().invoke(app, ["plan", str(EXAMPLE), "--draws", "8", "--out", str(out), "--json"])
    assert ran.exit_code == 0, ran.output
    content: dict[str, Any] = json.loads(ran.stdout)
    assert [part["tier"] for part in content["chosen"]["parts"]] == ["balancer", "web", "database"]
    assert set(content["share_crews"]) == {"web", "database"}
    assert {one["tier"] for one in content["options"]} == {"balancer", "web", "database"}
    page = (out / "report.html").read_text("utf-8")
    for words in ("1 crew mends the nodes of web, database", "In every degraded state", "web 10 up"):
        assert words in page
    asked = ["solve", str(out / "chosen.prism"), "--long-run", "--of", "down", "--json"]
    [answer] = json.loads(CliRunner().invoke(app, asked).stdout)["answers"]
    year_s = content["inputs"]["year_s"]
    assert answer["high"] * year_s == pytest.approx(content["chosen"]["down_s_per_year"], rel=1e-5)


@pytest.mark.parametrize(
    ("change", "slug", "words"),
    [
        (('first = ["data"]', 'first = ["dta"]'), "plan-input", "`dta` is not a tier to be mended first"),
        (("crews = 1", ""), "plan-input", "without `crews` no tier waits"),
        (("[tier.web]", '[node]\nusers = 3\n[tier.web]'), "plan-input", "`node` cannot be used with tiers"),
        (("demand = { requests_per_s_per_user = 2 }", ""), "missing-key", "`demand` is missing"),
        (("scales = false", "scales = false\ncurve = [[2, 5]]"), "plan-input", "has no curve"),
        (('name = "rented"', 'name = "boxes"'), "plan-input", "two options are named `boxes`"),
        (("[tier.web]", "[tier.web]\nspeed = 3"), "unknown-key", "speed"),
        (("[tier.web]", "[tier.Web]"), "bad-name", "`Web` is not a name"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(
    tmp_path: Path, change: tuple[str, str], slug: str, words: str
) -> None:
    path = small(tmp_path, change)
    with pytest.raises(LoadstoneError) as refused:
        read_plan(path)
    said = str(refused.value)
    assert slug in said and words in said
    assert f"{path}:" in said
