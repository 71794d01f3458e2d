"""The connectors' study: its file, its order, what the results amount to, its page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sessions_made_up as made_up

from loadstone.errors import LoadstoneError
from loadstone.judge.estimates import median
from loadstone.scenario.findings import ScenarioError
from loadstone.study.connectors import ENTRY, servers
from loadstone.study.connectors.description import FILE, load_description
from loadstone.study.connectors.findings import cells, findings
from loadstone.study.connectors.httperf import read
from loadstone.study.connectors.offered import figures
from loadstone.study.connectors.parts import require_programs
from loadstone.study.connectors.study import Connectors
from loadstone.study.order import Order, take_up
from loadstone.study.page import study_article, study_page
from loadstone.study.results import Results
from loadstone.study.run import begin


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("connectors")


@pytest.fixture(scope="module")
def content(folder: Path) -> dict[str, Any]:
    plan = made_up.planned(folder)
    return made_up.written(plan, made_up.measure(plan))


def test_the_file_is_the_experiment_of_the_issue() -> None:
    found = load_description()
    dynamic = found.experiment_of("dynamic")
    capacity = found.database.slots / found.database.service_ms * 1000
    assert dynamic.capacity_sessions_per_s == pytest.approx(capacity / 12, abs=0.01)
    named = {"threaded", "hybrid-none", "hybrid-session", "tomcat-threads", "tomcat-nio-150"}
    at_80 = [load for load in dynamic.full if load.sessions_per_s == 80 and load.client == "loadstone"]
    (often,) = [load for load in at_80 if load.repetitions >= 5]
    assert named <= set(often.servers or ())
    everybody = {name for load in at_80 for name in load.servers or ()}
    assert everybody == {one.name for one in found.server}
    assert {one.place for one in found.paper} == {f"Figure {number}" for number in range(3, 10)}


@pytest.mark.parametrize(
    ("before", "after", "slug", "words"),
    [
        ("seed = 2005", "sed = 2005", "unknown-key", "did you mean `seed`?"),
        ('kind = "own"', 'kind = "mine"', "wrong-type", "own"),
        ('against = "threaded"', 'against = "treaded"', "study-server", "no server `treaded`"),
        ('compare = ["hybrid-session"', 'compare = ["hybrid"', "study-server", "no server `hybrid`"),
        ('experiment = "static"', 'experiment = "stats"', "study-server", "no experiment `stats`"),
        (
            'servers = ["threaded", "hybrid-session", "event", "apache-event", "nginx"]',
            'servers = ["tomcat-nio"]',
            "study-server",
            "cannot serve",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    tmp_path: Path, before: str, after: str, slug: str, words: str
) -> None:
    text = FILE.read_text("utf-8")
    assert before in text
    path = tmp_path / "connectors.toml"
    path.write_text(text.replace(before, after, 1))
    with pytest.raises(ScenarioError) as refused:
        load_description(path)
    assert slug in refused.value.slugs
    assert words in str(refused.value)
    assert f"{path}:" in str(refused.value)


def test_a_server_or_part_that_there_is_not_is_refused(tmp_path: Path) -> None:
    for only, chosen, slug in (("walls",), None, "study-part"), (None, ("iis",), "study-server"):
        with pytest.raises(LoadstoneError) as refused:
            begin(ENTRY, Order(tmp_path / "out", "quick", only, variants=chosen))
        assert refused.value.slug == slug
    assert not (tmp_path / "out").exists()


def test_missing_programs_are_named_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(servers, "_SBIN", str(tmp_path))
    plan = made_up.planned(tmp_path / "out")
    with pytest.raises(LoadstoneError) as refused:
        require_programs(load_description(), plan.tasks)
    assert refused.value.slug == "program-missing"
    assert "apache-event: `apache2` is not installed" in str(refused.value)
    assert "scripts/setup-connectors" in str(refused.value)


def test_every_repetition_has_every_server_in_another_order(tmp_path: Path) -> None:
    plan = made_up.planned(tmp_path)
    often = [
        task
        for task in plan.tasks
        if (task.part, task.case["sessions_per_s"], task.case["client"]) == ("dynamic", 80, "loadstone")
    ]
    orders = [[t.case["server"] for t in often[7 * index : 7 * index + 7]] for index in range(5)]
    assert all(sorted(order) == sorted(orders[0]) for order in orders)
    assert len({tuple(order) for order in orders}) > 1
    assert plan.expected_s < 55 * 60


def test_servers_and_parts_of_an_order_survive_an_interruption(tmp_path: Path) -> None:
    order = Order(tmp_path / "out", "quick", ("dynamic",), variants=("threaded", "hybrid-none"))
    plan = begin(ENTRY, order)
    assert isinstance(plan, Connectors)
    assert {task.case["server"] for task in plan.tasks} == {"threaded", "hybrid-none"}
    made_up.written(plan, Results(order.folder))
    again = Connectors(take_up(order.folder, "connectors"))
    assert [task.key for task in again.tasks] == [task.key for task in plan.tasks]
    with pytest.raises(LoadstoneError) as refused:
        take_up(order.folder, "balancers")
    assert refused.value.slug == "study-resume"


def test_targets_are_judged_by_medians(content: dict[str, Any]) -> None:
    ours = [
        one
        for one in content["targets"]
        if one["experiment"] == "dynamic" and one["server"] == "hybrid-session"
    ]
    by_what = {one["what"].rpartition(", ")[2]: one for one in ours}
    own = by_what["against our own threaded connector"]
    assert own["measured"]["value"] == pytest.approx(16 / 9, rel=0.05) and own["verdict"] == "met"
    assert own["measured"]["low"] <= own["measured"]["value"] <= own["measured"]["high"]
    assert by_what["against Tomcat limited as the paper's"]["measured"]["value"] == pytest.approx(4, rel=0.05)
    best = by_what["against the best of all other servers"]
    assert best["verdict"] == "met" and best["measured"]["value"] == pytest.approx(16 / 14, rel=0.05)
    share = next(one for one in ours if one["value"])
    assert share["measured"]["value"] == pytest.approx(0.96, rel=0.04) and share["verdict"] == "met"
    assert all(one["verdict"] == "met" for one in ours)
    steady = [one for one in content["targets"] if one["experiment"] == "overload"]
    assert len(steady) == 6 and all(one["replaces"] for one in steady)
    refused = [one for one in content["targets"] if one["server"] == "hybrid-session-refuse"]
    assert [one["verdict"] for one in refused] == ["open", "met", "missed", "missed", "met", "met"]


def test_a_target_that_is_missed_is_said_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(made_up.RATES, "hybrid-session", 9.0)
    plan = made_up.planned(tmp_path)
    found = made_up.written(plan, made_up.measure(plan))
    verdicts = [
        one["verdict"]
        for one in found["targets"]
        if (one["figure"], one["server"]) == ("sessions_per_s", "hybrid-session")
    ]
    assert verdicts == ["missed"] * 4
    assert "✗ missed" in study_page(tmp_path)


def test_below_saturation_the_worst_of_ours_counts(content: dict[str, Any]) -> None:
    (one,) = [one for one in content["targets"] if one["server"] == "own"]
    assert one["measured"]["value"] == 1 and one["verdict"] == "open"  # each was measured once


def test_nothing_completed_has_no_ratio_and_no_life(content: dict[str, Any]) -> None:
    (cell,) = [
        one
        for one in content["parts"]["dynamic"]["cells"]
        if (one["server"], one["sessions_per_s_offered"]) == ("hybrid-none", 80)
    ]
    assert cell["figures"]["completed"]["value"] == 0
    assert cell["figures"]["life_s_mean"] is None
    assert cell["figures"]["asked_in_vain_share"]["value"] == 1


def test_the_papers_findings_stand_beside_ours(content: dict[str, Any]) -> None:
    (closed,) = [one for one in content["paper"] if one["place"] == "Figure 7"]
    assert closed["ours"]["sessions_per_s_offered"] == 80
    assert closed["ours"]["hybrid"]["value"] > closed["ours"]["threaded"]["value"]
    assert content["peer"] and all(one["agree"] for one in content["peer"])


def test_the_page_has_the_papers_figures(content: dict[str, Any], folder: Path) -> None:
    part = study_article(folder)
    titles = [figure.title for figure in part.figures.values()]
    for number in range(3, 10):
        assert any(title.startswith(f"Figure {number}:") for title in titles), number
    page = study_page(folder)
    assert "hybrid, sessions first" in part.sentence
    asked = [one["verdict"] for one in content["targets"] if not one["replaces"]]
    assert f"{asked.count('met')} of {len(asked)} targets met" in page
    assert "targets of a later definition met" in page
    assert len(page.encode()) < 3_000_000


def test_nothing_measured_is_still_a_page(tmp_path: Path) -> None:
    plan = made_up.planned(tmp_path)
    found = made_up.written(plan, Results(tmp_path))
    assert all(one["verdict"] is None for one in found["targets"])
    assert [section.title for section in study_article(tmp_path).sections] == ["How it was measured"]


def test_medians_have_intervals_of_order_statistics() -> None:
    five = median([5.0, 1.0, 4.0, 2.0, 3.0])
    assert (five.value, five.low, five.high) == (3, 1, 5)
    nine = median([float(value) for value in range(1, 10)])
    assert (nine.low, nine.high) == (2, 8)  # P(second to eighth hold the median) = 96.1 %
    assert median([7.0]).low is None
    with pytest.raises(ValueError, match="no repetition"):
        median([])


def test_seconds_of_a_run_make_its_figures() -> None:
    empty = {"bucket": [], "count": []}
    second = {
        "second": 1,
        "operations": [
            {"ok": 20, "failed": [0, 0, 0, 1, 2, 0], "response": {"bucket": [1000], "count": [20]}}
        ],
        "sessions": [
            {"begun": 3, "completed": 1, "lost": [0, 0, 0, 1, 0, 0], "dropped": 0,
             "life_ms": {"bucket": [2000], "count": [1]}, "operations": {"bucket": [12], "count": [1]}},
            {"begun": 1, "completed": 0, "lost": [0] * 6, "dropped": 1, "life_ms": empty,
             "operations": empty},
        ],
        "connects": 5, "reconnects": 1, "closed_idle": 2, "closed_with_answer": 1,
        "cpu_user_s": 0.1, "cpu_sys_s": 0.1,
    }  # fmt: skip
    found = figures([second, second], 4.0)
    assert (found["begun"], found["completed"], found["dropped"]) == (8, 2, 2)
    assert found["sessions_per_s"] == 0.5 and found["steady_sessions_per_s"] is None
    assert figures([second, second | {"second": 3}], 4.0, (1, 3))["steady_sessions_per_s"] == 0.5
    assert (found["life_s_mean"], found["calls_completed_mean"]) == (2.0, 12.0)
    assert found["response_ms_p50"] == 1.0
    assert (found["lost"], found["failed"]) == ({"timeout": 2}, {"timeout": 2, "status": 4})
    assert found["closed_by_server"] == 6


HTTPERF = """Total: connections 640 requests 2400 replies 1716 test-duration 15.939 s
Reply time [ms]: response 74.4 transfer 0.0
Errors: total 222 client-timo 222 socket-timo 0 connrefused 0 connreset 3
Session rate [sess/s]: min 0.00 avg 6.15 max 33.80 stddev 10.21 (98/320)
Session lifetime [s]: 8.0
"""


def test_what_httperf_prints() -> None:
    found = read(HTTPERF)
    assert (found["sessions"], found["completed"], found["timeouts"], found["reset"]) == (320, 98, 222, 3)
    assert found["sessions_per_s"] == pytest.approx(98 / 15.939)
    assert found["life_s_mean"] == 8.0
    with pytest.raises(LoadstoneError) as refused:
        read("httperf: command not understood")
    assert refused.value.slug == "peer"


def test_cells_hold_what_their_client_counts() -> None:
    plan_rows = [
        {"case": {"sessions_per_s": 80, "server": "nginx", "client": "httperf"}, "repetition": 1,
         "measured": {"completed": 0, "sessions": 640, "sessions_per_s": 0.0, "replies": 0, "timeouts": 640,
                      "refused": 0, "server_cpu_s": 0.1, "replies_per_s": 0.0}},
    ]  # fmt: skip
    (cell,) = cells(plan_rows)
    assert cell["figures"]["completed_share"]["value"] == 0
    assert cell["figures"]["timeouts"]["value"] == 640
    assert cell["figures"]["closed_by_server"] is None


def test_findings_of_nothing(tmp_path: Path) -> None:
    assert findings(load_description(), Results(tmp_path))["parts"] == {}
