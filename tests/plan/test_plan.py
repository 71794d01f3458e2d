"""The planner: the cheapest that meets the targets, the front, what uncertainty does, who is served."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from loadstone.availability.criterion import CRITERIA
from loadstone.availability.down import down_s, watched
from loadstone.cli import app
from loadstone.errors import LoadstoneError
from loadstone.parallel import OverRay, Threads
from loadstone.plan.candidate import Candidate, best, cheapest, cheapest_only
from loadstone.plan.candidate import candidate as built
from loadstone.plan.conduct import plan
from loadstone.plan.estimate import Estimate, rate_seen
from loadstone.plan.front import front
from loadstone.plan.growth import growth
from loadstone.plan.inputs import Inputs, Way
from loadstone.plan.part import Part, Values, base, held, holds, needed_nodes
from loadstone.plan.read import read_plan
from loadstone.plan.served import served
from loadstone.plan.uncertain import draws, uncertainty

EXAMPLE = Path(__file__).parents[2] / "examples" / "plan" / "shop.toml"
SMALL = """
format = 1
name = "small"
[load]
users = 30
[target]
availability = "three nines"
[node]
users = 10
[failures]
crash = "6/year"
failover = "10min"
repair = "12h"
[[option]]
name = "own"
deployment = "mixed"
instance = "box"
[[option]]
name = "rented"
deployment = "active"
instance = "vm"
"""
COLUMNS = "book,provider,region,kind,sku,vcpu,memory_gib,unit,from_gb,to_gb,price_usd,as_of,source"
PRICES = f"""{COLUMNS},power_w,life_months
b,p,r,instance,vm,1,1,hour,,,1,2026,s,,
b,p,r,owned,box,1,1,machine,,,1200,2026,s,0,12
"""


def small(folder: Path, *changes: tuple[str, str]) -> Path:
    text = SMALL.replace('name = "small"', 'name = "small"\nprices = "p.csv"')
    for before, after in changes:
        assert before in text
        text = text.replace(before, after, 1)
    (folder / "p.csv").write_text(PRICES)
    path = folder / "plan.toml"
    path.write_text(text)
    return path


def candidate(
    inputs: Inputs, way: Way, values: Values, needed: int, active: int, pool: int | None
) -> Candidate:
    return built(inputs, values, [Part(0, way, needed, active, pool)])


def test_the_choice_is_the_cheapest_of_all_small_plans(tmp_path: Path) -> None:
    inputs = read_plan(small(tmp_path))
    values = base(inputs)
    found = cheapest(inputs, values)
    own, rented = inputs.tiers[0].ways
    tried = [
        candidate(inputs, own, values, 3, 3 + extra, pool)
        for extra, pool in itertools.product(range(5), range(5))
    ] + [candidate(inputs, rented, values, 3, 3 + extra, None) for extra in range(5)]
    meeting = [one for one in tried if one.down_s <= inputs.allowed_s]
    best = min(meeting, key=lambda one: (one.usd_per_month, one.nodes))
    assert found.chosen is not None
    assert (found.chosen.usd_per_month, found.chosen.nodes) == (best.usd_per_month, best.nodes)
    assert cheapest_only(inputs, values) == found.chosen
    # A machine of 1,200 dollars that lives for a year is 100 a month; an hour of a VM costs 720 a month.
    assert candidate(inputs, own, values, 3, 4, 1).usd_per_month == pytest.approx(500)
    assert candidate(inputs, rented, values, 3, 3, None).usd_per_month == pytest.approx(2160)


def test_nothing_on_the_front_is_beaten_and_nothing_off_it_is_better(tmp_path: Path) -> None:
    inputs = read_plan(small(tmp_path))
    found = front(inputs, base(inputs), Threads())
    for earlier, later in itertools.pairwise(found.best):
        assert earlier.usd_per_month < later.usd_per_month
        assert earlier.down_s > later.down_s
    for one in found.seen:
        assert any(
            best.usd_per_month <= one.usd_per_month and best.down_s <= one.down_s for best in found.best
        )


def test_curves_say_what_several_nodes_hold() -> None:
    curve = ((1.0, 100.0), (2.0, 190.0), (4.0, 360.0))
    assert [held(n, curve) for n in (0, 1, 2, 3, 4, 8)] == [0, 100, 190, 275, 360, 720]


def test_the_load_needs_exactly_so_many(tmp_path: Path) -> None:
    inputs = read_plan(small(tmp_path))
    [tier] = inputs.tiers
    way = tier.ways[0]

    def needed(users: float, given: Inputs = inputs, built: Way = way) -> int | None:
        return needed_nodes(given, replace(base(given), users=users), 0, built)

    assert [needed(users) for users in (1, 10, 10.5, 30, 31)] == [1, 1, 2, 3, 4]
    slower = replace(way, node=replace(way.node, throughput=Fraction(92, 100)))
    assert needed(30, inputs, slower) == 4
    curved = replace(inputs, tiers=(replace(tier, curve=((1.0, 10.0), (2.0, 18.0), (4.0, 32.0))),))
    assert [needed(users, curved) for users in (18, 25, 32, 33)] == [2, 3, 4, 5]


@pytest.mark.parametrize("curve", [((1.0, 10.0),), ((1.0, 10.0), (3.0, 26.0), (7.0, 70.0))])
def test_the_nodes_that_thousands_of_users_need_are_those_found_one_by_one(
    tmp_path: Path, curve: tuple[tuple[float, float], ...]
) -> None:
    inputs = read_plan(small(tmp_path))
    [tier] = inputs.tiers
    tier = replace(tier, curve=curve)
    way, curved = tier.ways[0], replace(inputs, tiers=(tier,))
    for users in (1.0, 25.9, 26.0, 26.1, 70.0, 70.1, 999.0, 4_321.0):
        found = needed_nodes(curved, replace(base(curved), users=users), 0, way)
        assert found == next(
            n for n in itertools.count(1) if holds(tier, way, 10.0, n) >= users * (1 - 1e-12)
        )


def test_thousands_of_nodes_are_planned_with_a_few_models(tmp_path: Path) -> None:
    """Counted, not timed: the search begins at a guess, and what no pool can reach is not searched for."""
    path = small(
        tmp_path, ("users = 30", "users = 30000"), ('failover = "10min"', 'failover = "15s"'),
        ('repair = "12h"', 'repair = "12h"\ncrews = 200'), ("three nines", "two nines"),
        ('"mixed"', '"passive"'),
    )  # fmt: skip
    inputs = read_plan(path)
    models: list[object] = []
    down_s.cache_clear()
    with watched(models.append):
        found = cheapest_only(inputs, base(inputs))
    assert found is not None and found.parts[0].needed == 3000
    assert len(models) <= 12
    models.clear()
    with watched(models.append):
        strict = replace(inputs, availability=Fraction(999, 1000))
        [own] = [way for way in inputs.tiers[0].ways if way.name == "own"]
        refused = best(strict, base(strict), [[own]])
    assert isinstance(refused, list) and "waiting for failover (15 s) alone costs" in refused[0].why
    assert len(models) <= 2


def test_common_causes_of_hundreds_of_nodes_are_refused(tmp_path: Path) -> None:
    cause = 'repair = "12h"\ncommon_cause = { rate = "1/year", share = 0.01 }'
    inputs = read_plan(small(tmp_path, ("users = 30", "users = 1510"), ('repair = "12h"', cause)))
    found = best(inputs, base(inputs), [inputs.tiers[0].ways])
    assert isinstance(found, list)
    assert "it needs 151 nodes; common causes are modelled for up to 150" in found[0].why
    # The search for more nodes ends there too.
    nearly = replace(
        inputs, users=replace(inputs.users, value=1490.0), availability=Fraction(10**9 - 1, 10**9)
    )
    assert isinstance(best(nearly, base(nearly), [nearly.tiers[0].ways[1:]]), list)


def test_uncertain_inputs_become_intervals_that_hold_the_plan(tmp_path: Path) -> None:
    path = small(tmp_path, ("users = 30", "users = 30\nlow = 20\nhigh = 45"))
    inputs = read_plan(path)
    chosen = cheapest(inputs, base(inputs)).chosen
    assert chosen is not None
    drawn = draws(inputs, 300, seed=7)
    users = sorted(one.users for one in drawn)
    # 2.5 % on each side lie outside the stated interval: 300 draws, so 7.5 expected, 20 would be a miracle.
    assert sum(one < 20 for one in users) < 20 and sum(one > 45 for one in users) < 20
    found = uncertainty(inputs, chosen, drawn, Threads())
    assert found.nodes is not None and found.nodes.low <= chosen.nodes <= found.nodes.high
    assert found.nodes.low < found.nodes.high
    # More than 30 users are as likely as fewer, and three nodes hold no more.
    assert 0.3 < found.chosen_holds < 0.7
    assert found.sure is not None and found.sure_holds is not None
    assert found.sure_holds >= 0.95 and found.sure.nodes > chosen.nodes
    assert sum(found.wins[0].values()) + found.unmet == pytest.approx(1)


def test_what_has_no_interval_does_not_move(tmp_path: Path) -> None:
    inputs = read_plan(small(tmp_path))
    assert {(one.users, one.per_node) for one in draws(inputs, 20, seed=1)} == {(30.0, (10.0,))}


def test_a_rate_that_was_seen_has_the_interval_of_its_count() -> None:
    from scipy.stats import gamma

    for count in (0, 3, 100):
        found = rate_seen(count, Fraction(50))
        assert found.low is not None and found.high is not None
        assert gamma.cdf(found.low, count + 0.5, scale=1 / 50) == pytest.approx(0.025)
        assert gamma.cdf(found.high, count + 0.5, scale=1 / 50) == pytest.approx(0.975)


def test_an_estimate_moves_by_its_own_side() -> None:
    one = Estimate(100.0, 90.0, 150.0)
    assert one.at(0.0) == 100.0
    assert one.at(1.959963984540054) == 150.0 and one.at(-1.959963984540054) == 90.0
    assert 90 < one.at(-1) < 100 < one.at(1) < 150
    assert Estimate(5.0).at(3.0) == 5.0


def test_users_served_add_up_to_the_year(tmp_path: Path) -> None:
    inputs = read_plan(small(tmp_path))
    chosen = cheapest(inputs, base(inputs)).chosen
    assert chosen is not None
    found = served(inputs, base(inputs), chosen)
    [part] = chosen.parts
    assert sum(level.share for level in found.levels) + found.rest == pytest.approx(1)
    users = [level.users for level in found.levels]
    assert users == sorted(users, reverse=True) and users[-1] == 0
    assert [level.nodes for level in found.levels] == [None, *range(part.needed - 1, -1, -1)]
    short = sum(level.share for level in found.levels[1:])
    assert short == pytest.approx(chosen.down_s / inputs.year_s, rel=1e-5)
    assert found.outages and found.outages.per_s is not None and found.outages.length_s is not None
    assert found.outages.per_s.high * found.outages.length_s.high == pytest.approx(short, rel=1e-5)


def example() -> Inputs:
    return read_plan(EXAMPLE)


def test_the_example_is_planned_and_drawn(tmp_path: Path) -> None:
    out = tmp_path / "plan"
    ran = CliRunner().invoke(app, ["plan", str(EXAMPLE), "--draws", "8", "--out", str(out), "--json"])
    assert ran.exit_code == 0, ran.output
    content: dict[str, Any] = json.loads((out / "plan.json").read_text("utf-8"))
    assert json.loads(ran.stdout) == content
    assert content["chosen"]["parts"][0]["option"] == "rented"
    assert content["bill"][0]["row"].startswith("example x4.large")
    assert any("corrupt" in one.get("why", "") for one in content["options"])
    assert {bar["input"] for bar in content["sensitivity"]} >= {"users", "crashes of a node", "common cause"}
    page = (out / "report.html").read_text("utf-8")
    assert content["inputs"]["criterion"] == "long-run"
    for words in (
        "What better availability costs",
        "Which input matters",
        "Judged in the long run",
        "Growth",
    ):
        assert words in page
    assert 'label "down"' in (out / "chosen.prism").read_text("utf-8")
    again = CliRunner().invoke(app, ["report", str(out), "--json"])
    assert json.loads(again.stdout) == content
    again = CliRunner().invoke(app, ["plan", str(EXAMPLE), "--out", str(out)])
    assert isinstance(again.exception, LoadstoneError) and again.exception.slug == "folder-in-use"


def test_the_table_on_the_terminal_answers_first(tmp_path: Path) -> None:
    ran = CliRunner().invoke(app, ["plan", str(small(tmp_path)), "--draws", "20"])
    assert ran.exit_code == 0, ran.output
    assert ran.stdout.startswith("30 users, up 0.999 of the year: ")
    assert "Over 20 draws" in ran.stdout and "nodes up" in ran.stdout
    assert "Growth, the cheapest plan for so many users" in ran.stdout


def test_growth_is_the_cheapest_plan_at_both_ends_of_each_step(tmp_path: Path) -> None:
    inputs = read_plan(small(tmp_path))
    values = base(inputs)
    steps = growth(inputs, values, 2 * values.users, Threads()).steps
    assert steps[0].users_from == 1 and steps[-1].users_to >= 2 * values.users
    for step in steps:
        assert step.answer.chosen is not None
        for users in (step.users_from, step.users_to):
            found = cheapest_only(inputs, replace(values, users=float(users)))
            assert found is not None and found.usd_per_month == step.answer.chosen.usd_per_month


def test_a_plan_from_before_growth_is_still_reported(tmp_path: Path) -> None:
    out = tmp_path / "plan"
    assert CliRunner().invoke(app, ["plan", str(EXAMPLE), "--draws", "0", "--out", str(out)]).exit_code == 0
    content = json.loads((out / "plan.json").read_text("utf-8"))
    del content["growth"]
    (out / "plan.json").write_text(json.dumps(content))
    (out / "report.html").unlink()
    ran = CliRunner().invoke(app, ["report", str(out)])
    assert ran.exit_code == 0, ran.output
    assert "Which input matters" in (out / "report.html").read_text("utf-8")


def test_a_first_year_is_never_judged_worse_than_the_long_run(tmp_path: Path) -> None:
    path, found = str(small(tmp_path)), {}
    for criterion in CRITERIA:
        ran = CliRunner().invoke(app, ["plan", path, "--draws", "0", "--criterion", criterion, "--json"])
        content = json.loads(ran.stdout)
        assert content["inputs"]["criterion"] == criterion
        found[criterion] = content["chosen"]["down_s_per_year"]
    assert 0.9 * found["long-run"] < found["first-year"] < found["long-run"]
    ran = CliRunner().invoke(app, ["plan", path, "--criterion", "someday"])
    assert isinstance(ran.exception, LoadstoneError) and "long-run or first-year" in str(ran.exception)


def test_what_nobody_can_meet_ends_with_one(tmp_path: Path) -> None:
    path = small(
        tmp_path,
        ('[[option]]\nname = "rented"\ndeployment = "active"\ninstance = "vm"', ""),
        ('"mixed"', '"passive"'),
        ("three nines", "six nines"),
    )
    ran = CliRunner().invoke(app, ["plan", str(path)])
    assert ran.exit_code == 1
    assert "nothing in the file meets the targets" in ran.stdout


def test_crews_that_never_keep_up_are_named(tmp_path: Path) -> None:
    inputs = read_plan(
        small(tmp_path, ("6/year", "400/year"), ('repair = "12h"', 'repair = "12h"\ncrews = 1'))
    )
    found = best(inputs, base(inputs), [inputs.tiers[0].ways[:1]])
    assert isinstance(found, list) and "crews would have to mend" in found[0].why


@pytest.mark.parametrize(
    ("change", "slug", "words"),
    [
        (("users = 10", 'users = 10\nfrom = "x"'), "plan-input", "exactly one of `from` and `users`"),
        (("users = 10", 'from = "nowhere"'), "measured", "holds no capacity.json"),
        (("users = 30", "users = 30\nlow = 31"), "plan-input", "`low` = 31 leaves 30 outside"),
        (('crash = "6/year"', "crash = { seen = 3 }"), "plan-input", "is not clear"),
        (('crash = "6/year"', 'crash = "6 a year"'), "rate", "is not a rate"),
        (('name = "rented"', 'name = "own"'), "plan-input", "two options are named `own`"),
        (('instance = "vm"', 'instance = "vmm"'), "price-sku", "no machine `vmm`"),
        (('"active"', '"passive"'), "plan-input", "has no pool of its own"),
        (('"three nines"', '"three nines"\ncorrupt = "0.1%"'), "plan-input", "how often nodes are corrupted"),
        (("[failures]", "[failure]"), "unknown-key", "did you mean `failures`?"),
        (("format = 1", "format = 2"), "format-version", "format 2 is not known"),
        (('prices = "p.csv"', 'prices = "q.csv"'), "price-book", "q.csv"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    tmp_path: Path, change: tuple[str, str], slug: str, words: str
) -> None:
    path = small(tmp_path, change)
    with pytest.raises(LoadstoneError) as refused:
        read_plan(path)
    said = str(refused.value)
    assert slug in said and words in said
    assert f"{path}:" in said


def test_a_run_that_shows_nothing_is_withheld_unless_asked_for(tmp_path: Path) -> None:
    path = small(tmp_path, ("users = 10", 'from = "one"'))
    goals = {sla: {"name": sla, "verdict": "met", "limit": 0.9} for sla in ("SLA-1", "SLA-2")}
    load = {"users": 10, "ramp_up_s": 5, "steady_s": 60, "ramp_down_s": 0}
    run = {"format": 2, "kind": "run", "load": load, "goals": goals, "operations": {}, "sla": {}}
    (path.parent / "one").mkdir()
    (path.parent / "one" / "run.json").write_text(
        json.dumps(run | {"validity": {"state": "invalid", "checks": []}})
    )
    refused = CliRunner().invoke(app, ["plan", str(path), "--draws", "0"])
    assert refused.exit_code != 0
    with pytest.raises(LoadstoneError, match="the run is invalid"):
        read_plan(path)
    taken = read_plan(path, anyway=True)
    assert taken.tiers[0].per_node.value == 10
    assert any("not to be relied on, SLA-1: the run is invalid" in one for one in taken.warnings)
    told = CliRunner().invoke(app, ["plan", str(path), "--draws", "0", "--anyway", "--json"])
    assert told.exit_code == 0, told.output
    assert "not to be relied on" in told.output


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(LoadstoneError, match="cannot read") as refused:
        read_plan(tmp_path / "none.toml")
    assert refused.value.slug == "plan-missing"


def test_without_ray_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(LoadstoneError) as refused:
        OverRay()
    assert refused.value.slug == "ray-missing"


def test_no_draws_leave_the_rest(tmp_path: Path) -> None:
    found = plan(read_plan(small(tmp_path)), 0, 1, Threads())
    assert found.uncertainty is None and found.served is not None and found.bars
