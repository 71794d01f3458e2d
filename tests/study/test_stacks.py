"""The study of stacks: its file, the hosts it asks for, and what follows from rows made up by hand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import stacks_made_up as made_up

from loadstone.deploy import load_site
from loadstone.errors import LoadstoneError
from loadstone.record import write_json
from loadstone.scenario.findings import ScenarioError
from loadstone.study.order import Order, header
from loadstone.study.page import study_article, study_page
from loadstone.study.record import NAME
from loadstone.study.results import Results
from loadstone.study.run import conclusion
from loadstone.study.schedule import Task
from loadstone.study.stacks.description import FILE, load_description
from loadstone.study.stacks.findings import findings
from loadstone.study.stacks.hosts import driven, topology
from loadstone.study.stacks.money import whole
from loadstone.study.stacks.page import tables
from loadstone.study.stacks.study import Stacks
from loadstone.study.stacks.words import per_month, users

DESCRIPTION = load_description()


def test_every_configuration_of_the_paper_has_a_translation() -> None:
    assert [one.number for one in DESCRIPTION.paper] == list(range(1, 8))
    assert {one.paper for one in DESCRIPTION.configuration if one.paper} == set(range(1, 8))
    for one in DESCRIPTION.configuration:
        assert one.first <= one.most and one.accounts >= 1000


@pytest.mark.parametrize("one", DESCRIPTION.configuration, ids=lambda one: one.name)
def test_the_hosts_of_a_configuration_are_a_site_that_can_be_deployed(one: Any, tmp_path: Path) -> None:
    path = tmp_path / "hosts.toml"
    path.write_text(topology(one, DESCRIPTION))
    site = load_site(path)
    served = [host for host in site.topology.file.host if host.kind != "client"]
    assert all(host.cpus for host in served), "every host that serves has a quota"
    assert len(site.service("app").hosts) == one.servers
    front = site.service(driven(one))
    assert len(front.hosts) == 1, "a run drives one address"
    assert (front.hosts == ("front",)) == bool(one.front)
    assert (front.name == "front") == bool(one.balancer)


@pytest.mark.parametrize(
    ("before", "after", "slug", "words"),
    [
        ("format = 1", "format = 2", "format-version", "format 2 is not known"),
        ("workers = 4", "worker = 4", "unknown-key", "did you mean `workers`?"),
        ("cpus = 0.25", "cpus = -1", "out-of-range", "[machine.compute.cpus]"),
        ('name = "olio"', 'name = "olio"\nfront = "compute"', "study-file", "where there is none"),
        ('name = "olio"', 'name = "php-fpm"', "study-file", "two configurations are named `php-fpm`"),
        ("first = 45", "first = 5000", "study-file", "fewer than 10 accounts each"),
        ('balancer = "nginx"', "", "study-file", "3 servers have no balancer"),
        ('now = "c7i.large"', 'now = "c9.large"', "price-sku", "c9.large"),
        ('now = "aws-2026"', 'now = "aws-1999"', "price-book", "aws-1999"),
        ('configurations = ["olio"]', 'configurations = ["oleo"]', "study-file", "no configuration `oleo`"),
        ('cache = "page"\nstore = "files"', 'store = "files"', "study-file", "where nothing is"),
        ('role = "olio"', 'role = "olio"\ncache = "page"\nstore = "files"', "study-file", "own memory only"),
        ('role = "olio-php-fpm"', 'role = "olio-php-fpm"\nwarm_up_s = 5', "study-file", "compiles nothing"),
        ("paper = 3", "paper = 9", "study-file", "no configuration 9 of the paper"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    before: str, after: str, slug: str, words: str, tmp_path: Path
) -> None:
    text = FILE.read_text("utf-8")
    assert before in text
    path = tmp_path / "stacks.toml"
    path.write_text(text.replace(before, after, 1))
    with pytest.raises(LoadstoneError) as refused:
        load_description(path)
    slugs = refused.value.slugs if isinstance(refused.value, ScenarioError) else [refused.value.slug]
    assert slug in slugs and words in str(refused.value)
    assert f"{path}:" in str(refused.value)


def test_dollars_are_those_of_whole_machines(tmp_path: Path) -> None:
    found = findings(DESCRIPTION, made_up.written(tmp_path, php_fpm=made_up.PHP))["parts"]["php-fpm"]
    php = DESCRIPTION.of("php-fpm")
    assert whole(php, DESCRIPTION, "now") == 8 and whole(php, DESCRIPTION, "then") == 32
    # Two machines at $0.08925 for 720 hours, over 400 users on an eighth of one.
    now = found["SLA-1"]["usd"]["now"]
    assert now["value"]["without_egress"]["12"] == pytest.approx(2 * 0.08925 * 720 / 3200, abs=1e-6)
    assert now["cheap"]["without_egress"]["1"] == pytest.approx(2 * 0.08925 * 720 / 3600, abs=1e-6)
    assert now["value"]["with_egress"]["12"] > now["value"]["without_egress"]["12"]
    # The paper's: two at $0.80, on a 32nd.
    then = found["SLA-1"]["usd"]["then"]["value"]["without_egress"]["36"]
    assert then == pytest.approx(2 * 0.80 * 720 / 12_800, abs=1e-6)


def test_a_larger_quota_is_that_of_all_hosts_and_less_of_a_whole_machine(tmp_path: Path) -> None:
    thin = DESCRIPTION.of("rails-thin-m")
    path = tmp_path / "hosts.toml"
    path.write_text(topology(thin, DESCRIPTION))
    assert {host.name: host.cpus for host in load_site(path).topology.file.host} == {
        "client": None, "app1": 0.4, "db": 1.0
    }  # fmt: skip
    row = made_up.row(made_up.held(25, 30), made_up.held(10, 12), [])
    content = findings(DESCRIPTION, made_up.written(tmp_path / "a", rails_thin_m=row))
    then = content["parts"]["rails-thin-m"]["SLA-1"]["usd"]["then"]["value"]["without_egress"]["12"]
    assert then == pytest.approx(2 * 0.80 * 720 / (25 * 8), abs=1e-6), "an eighth of one, not a 32nd"
    table = tables.users_of([content["parts"]["rails-thin-m"]])
    assert table.rows[0]["hosts"] == "1 (memory, 4 times the quota) behind apache"


def test_a_bracket_is_no_number(tmp_path: Path) -> None:
    found = findings(DESCRIPTION, made_up.written(tmp_path, rails=made_up.RAILS))["parts"]["rails"]
    assert users(found["SLA-1"]) == "40 (< 46)"
    second = found["SLA-2"]
    assert not second["decided"] and second["usd"]["now"]["value"] is None
    assert users(second) == ("undecided: held at 20, never seen to break (the search ran out of runs)")
    assert per_month(second, "now").startswith("? to $")


@pytest.mark.parametrize(
    ("earlier", "said"),
    [
        (made_up.held(355, 400), "undecided: held at 355, broken at 450 (two searches of it differ)"),
        (made_up.held(470, 520), "undecided: held at 400, broken at 520 (two searches of it differ)"),
        (made_up.held(None, 390), "undecided: never seen to hold, broken at 450 (two searches of it differ)"),
        (made_up.held(350, 420), "400 (< 450)"),
        (made_up.held(350, None, "interrupted"), "400 (< 450)"),
    ],
)
def test_searches_that_differ_are_no_number(earlier: Any, said: str, tmp_path: Path) -> None:
    results = made_up.written(tmp_path, php_fpm=made_up.PHP | {"SLA-1": earlier, "folder": "search/before"})
    again = Task("php-fpm", {"configuration": "php-fpm"}, 1, 1.0)
    # The search under way went on: what it had said before is no other search.
    for first in (made_up.held(10, 20), made_up.held(400, 450)):
        results.add(again, "2026-11-26", 1.0, {"measured": made_up.PHP | {"SLA-1": first}})
    found = findings(DESCRIPTION, results)["parts"]["php-fpm"]
    assert users(found["SLA-1"]) == said
    assert found["SLA-1"]["decided"] == (said == "400 (< 450)")
    assert users(found["SLA-2"]) == "300 (< 340)", "of which both say the same"


@pytest.mark.parametrize(
    ("later", "said"),
    [
        (made_up.held(300, None, "interrupted"), "400 (< 450)"),
        (made_up.held(380, 470, "interrupted"), "400 (< 450)"),
        (made_up.held(395, 440), "395 (< 440)"),
    ],
)
def test_a_later_search_that_knows_less_hides_nothing(later: Any, said: str, tmp_path: Path) -> None:
    first = made_up.PHP | {"SLA-1": made_up.held(400, 450), "folder": "search/before", "took_s": 11.0}
    results = made_up.written(tmp_path, php_fpm=first)
    cut = made_up.PHP | {"SLA-1": later, "SLA-2": made_up.held(None, None, "interrupted"), "took_s": 22.0}
    task = Task("php-fpm", {"configuration": "php-fpm"}, 1, 1.0)
    results.add(task, "2026-11-26", 1.0, {"measured": cut})
    found = findings(DESCRIPTION, results)["parts"]["php-fpm"]
    assert users(found["SLA-1"]) == said
    assert users(found["SLA-2"]) == "300 (< 340)"
    assert found["took_s"] == (11.0 if said == "400 (< 450)" else 22.0), "of the search that the number is of"


def test_an_operation_costs_what_the_tiers_used(tmp_path: Path) -> None:
    results = made_up.written(tmp_path, php_fpm=made_up.PHP, rails=made_up.RAILS)
    content = findings(DESCRIPTION, results)
    php = content["parts"]["php-fpm"]["cpu_ms_per_op"]
    assert php["app"]["value"] == pytest.approx(2.1) and php["database"]["value"] == pytest.approx(1.0)
    ratio = next(one for one in content["findings"] if one["key"] == "rails-php")
    assert ratio["figures"]["ratio"]["value"] == pytest.approx(10.0)
    # Two runs each: the intervals are wide, but even their nearest ends are far apart or the claim is open.
    assert ratio["status"] == ("shown" if ratio["figures"]["ratio"]["low"] > 2 else "undecided")


def test_where_no_number_is_found_the_headline_counts(tmp_path: Path) -> None:
    ends = {"php_fpm": (232, 393), "olio": (345, 514), "java": (141, None), "django": (None, 54)}
    rows = {
        name: made_up.row(made_up.held(low, high, "interrupted"), made_up.held(20, 23), [])
        for name, (low, high) in ends.items()
    }
    first = findings(DESCRIPTION, made_up.written(tmp_path, **rows))["findings"][0]
    assert (first["key"], first["status"], first["rows"]) == ("most", "undecided", 4)
    assert first["text"] == (
        "None of 4 searches found its users at SLA-1: 2 saw it held and broken, 1 only held, 1 only broken."
    )


def test_what_broke_below_every_number_found_carries_fewer(tmp_path: Path) -> None:
    """A search without a number says all the same where its stack breaks."""
    rows = {
        "php_fpm": made_up.PHP,
        "java": made_up.row(made_up.held(800, 860, limit=None), made_up.held(20, 23), []),
        "django": made_up.row(made_up.held(41, 62, "max-runs"), made_up.held(20, 23), []),
    }
    first, second = findings(DESCRIPTION, made_up.written(tmp_path, **rows))["findings"][:2]
    assert "Java servlets on Tomcat carries the most users at SLA-1: 800 (< 860)" in first["text"]
    assert first["text"].endswith(" No number is found for 1 of 3 configurations.")
    assert first["status"] == second["status"] == "shown"
    assert second["text"] == (
        "Fewer users at SLA-1 than any number that is found carry Django 5, gunicorn (broken at 62)."
    )


@pytest.mark.parametrize(
    ("held", "status"),
    [(46, "shown"), (45, "undecided"), (None, "undecided")],
    ids=["above", "beside", "not"],
)
def test_the_fewest_are_shown_where_all_others_held_more(held: Any, status: str, tmp_path: Path) -> None:
    other = made_up.row(made_up.held(held, None, "interrupted"), made_up.held(20, 23), [])
    rows = {"php_fpm": made_up.PHP, "rails": made_up.RAILS, "olio": other}
    found = findings(DESCRIPTION, made_up.written(tmp_path, **rows))["findings"]
    fewest = next(one for one in found if one["key"] == "fewest")
    assert fewest["status"] == status
    assert fewest["text"].startswith(
        "Rails 6.1, puma behind nginx carries the fewest users at SLA-1: 40 (< 46)"
    )


def test_what_held_above_every_number_found_carries_more(tmp_path: Path) -> None:
    """A search without a number says all the same what its stack held."""
    rows = {
        "php_fpm": made_up.PHP,
        "java": made_up.row(made_up.held(450, None, "noisy"), made_up.held(20, 23), []),
        "olio": made_up.row(made_up.held(900, 999, "max-runs"), made_up.held(20, 23), []),
    }
    first = findings(DESCRIPTION, made_up.written(tmp_path, **rows))["findings"][0]
    assert first["text"].startswith(
        "On 0.25 of a core Rust, in process (held at 900) and Java servlets on Tomcat (held at 450) carry "
        "more users at SLA-1 than any number that is found; of these PHP 8, php-fpm behind nginx has the "
        "most: 400 (< 450), $0.0402 "
    )
    assert first["text"].endswith(" No number is found for 2 of 3 configurations.")
    for high, status in (401, "undecided"), (399, "shown"):
        beside = rows | {"rails": made_up.row(made_up.held(380, high, limit=None), made_up.held(20, 23), [])}
        found = findings(DESCRIPTION, made_up.written(tmp_path / status, **beside))["findings"][0]
        assert found["status"] == status, "among the numbers that are found"


def test_nodes_follow_from_what_was_measured(tmp_path: Path) -> None:
    results = made_up.written(tmp_path, php_fpm=made_up.PHP, rails=made_up.RAILS)
    parts = findings(DESCRIPTION, results)["parts"]
    rails = parts["rails"]["nodes"]
    # 40 users on a host are 320 on a whole machine; the database had used 3 ms for the application's 20.
    assert rails["users_per_node"]["app"] == pytest.approx(320)
    assert rails["users_per_node"]["database"] == pytest.approx(320 * 20 / 3)
    assert rails["tiers"]["app"]["needed"] == 7 and rails["tiers"]["database"]["needed"] == 1
    assert rails["nodes"] == sum(one["nodes"] for one in rails["tiers"].values())
    busy = made_up.row(made_up.held(40, 46), made_up.held(20, 23), [made_up.a_run(40, 20, 15)])
    few = findings(DESCRIPTION, made_up.written(tmp_path / "few", rails=busy))["parts"]["rails"]["nodes"]
    assert few["why"] == "one database carries 427 of the 2,000 users"
    bracket = made_up.row(made_up.held(40, 80, "max-runs"), made_up.held(20, 30), [made_up.a_run(40, 20, 3)])
    again = findings(DESCRIPTION, made_up.written(tmp_path / "b", rails=bracket))["parts"]["rails"]
    assert again["nodes"] is None, "no nodes can rest on a bracket"


def test_sentences(tmp_path: Path) -> None:
    wrong = made_up.a_run(46, 22.0, 3.2, wrong_bodies=2, failed={"marker": 2, "timeout": 3})
    rails = made_up.row(
        made_up.held(40, 46, limit=None), made_up.held(20, 23), [wrong], compliant=False, window_s=60.0
    )
    results = made_up.written(tmp_path, php_fpm=made_up.PHP, rails=rails)
    told = {one["key"]: (one["status"], one["text"]) for one in findings(DESCRIPTION, results)["findings"]}
    assert told["most"] == (
        "shown",
        "On 0.25 of a core PHP 8, php-fpm behind nginx carries the most users at SLA-1: 400 (< 450), $0.0402 "
        "($0.0357–$0.0402) each a month on whole machines (aws-2026).",
    )
    assert told["fewest"] == (
        "shown",
        "Rails 6.1, puma behind nginx carries the fewest users at SLA-1: 40 (< 46), $0.402 ($0.349–$0.402) "
        "each a month.",
    )
    assert told["limits"] == (
        "undecided",
        "When SLA-1 broke, the record names as the limit: cpu of the site: PHP 8, php-fpm behind nginx; no "
        "limit named: Rails 6.1, puma behind nginx.",
    )
    assert told["bodies"][0] == "not shown"
    assert told["bodies"][1].startswith("2 wrong bodies in 53,760 operations")
    assert told["bodies"][1].endswith("Failed otherwise: 3 by timeout.")
    assert told["rules"] == (
        "not shown",
        "1 of 2 configurations were searched by the rules (ramp-up, window, accounts), 1 of them to their "
        "number at SLA-1; trials are Rails 6.1, puma behind nginx.",
    )
    assert "1.5 to 1.5 cores of the machine were busy" in told["machine"][1]
    assert told["machine"][1].endswith(
        " The same piece of work took it 210 to 210 µs for arithmetic and 280 to 280 µs for reads of memory."
    )


def test_more_servers_are_told_with_what_was_at_its_limit(tmp_path: Path) -> None:
    database = made_up.LIMIT | {"tier": "database", "host": "db"}
    two = made_up.row(made_up.held(500, 560, limit=database), made_up.held(300, 340), [])
    rows: dict[str, Any] = {"php_fpm": made_up.PHP, "rails": made_up.RAILS}
    alone = findings(DESCRIPTION, made_up.written(tmp_path / "a", **rows))["findings"]
    assert "growth" not in [one["key"] for one in alone], "one number of servers is no growth"
    grown = findings(DESCRIPTION, made_up.written(tmp_path / "b", **rows, php_fpm_2=two))["findings"]
    (told,) = [one for one in grown if one["key"] == "growth"]
    assert told["status"] == "shown" and told["rows"] == 2
    assert (
        "PHP 8, php-fpm behind nginx: 1 400 (< 450), cpu of the site, 2 500 (< 560), cpu of the database. "
        in told["text"]
    )
    most = next(one["text"] for one in grown if one["key"] == "most")
    assert "PHP 8, php-fpm behind nginx carries the most" in most, "two servers are not one beside one"
    two["SLA-1"]["limit"] = made_up.LIMIT
    left = findings(DESCRIPTION, made_up.written(tmp_path / "c", **rows, php_fpm_2=two))["findings"]
    assert [one["status"] for one in left if one["key"] == "growth"] == ["undecided"]


def test_a_balancer_on_a_host_of_its_own_is_told_with_its_limit(tmp_path: Path) -> None:
    limit = made_up.LIMIT | {"tier": "web server", "host": "front", "service": "front"}
    run = made_up.a_run(200, 1.0, 2.0)
    run["tiers"]["front"] = run["tiers"]["app"] | {"cpu_cores": 0.08, "quota_cores": 0.1}
    behind = made_up.row(made_up.held(200, 230, limit=limit), made_up.held(150, 170), [run])
    content = findings(DESCRIPTION, made_up.written(tmp_path, php_fpm=made_up.PHP, olio_apache=behind))
    told = {one["key"]: (one["status"], one["text"]) for one in content["findings"]}
    assert told["balancer"][0] == "shown"
    assert (
        "Rust, in process, behind Apache's mod_proxy 200 (< 230), cpu of the web server."
        in told["balancer"][1]
    )
    assert "PHP 8, php-fpm behind nginx carries the most" in told["most"][1], "behind a balancer is not alone"
    part = content["parts"]["olio-apache"]
    assert part["cpu_ms_per_op"]["front"]["value"] == pytest.approx(2.0)
    assert set(part["nodes"]["tiers"]) == {"app", "database", "front"}
    machines = part["SLA-1"]["usd"]["now"]["machines"]
    assert len(machines) == 3 and "m7i.large" in machines[2], "a balancer of its own is paid for"
    behind["SLA-1"]["limit"] = made_up.LIMIT
    left = findings(DESCRIPTION, made_up.written(tmp_path / "b", olio_apache=behind))["findings"]
    assert [one["status"] for one in left if one["key"] == "balancer"] == ["undecided"]


def test_an_old_record_has_the_configurations_that_were_measured() -> None:
    then = DESCRIPTION.of("olio-link").model_dump(mode="json") | {"link_mbit": 5}
    gone = DESCRIPTION.of("rails").model_dump(mode="json") | {"name": "rails-9"}
    file = DESCRIPTION.with_those_of({"configuration": [then, gone]})
    assert file.of("olio-link").link_mbit == 5 and file.of("rails-9").role == "olio-rails"
    assert file.of("php-fpm") == DESCRIPTION.of("php-fpm")


def test_a_narrow_link_is_told_with_its_limit(tmp_path: Path) -> None:
    limit = made_up.LIMIT | {"resource": "network", "tier": "application"}
    narrow = made_up.row(made_up.held(150, 170, limit=limit), made_up.held(20, 23), [], compliant=False)
    told = findings(DESCRIPTION, made_up.written(tmp_path, olio_link=narrow))["findings"]
    (link,) = [one for one in told if one["key"] == "link"]
    assert (link["status"], link["text"]) == (
        "shown",
        "Users at SLA-1 where the link of a server has a rate, and the limit that the record names: Rust, in "
        "process, on a narrow link (40 Mbit/s) 150 (< 170), network of the application.",
    )
    php = made_up.written(tmp_path / "c", olio_link=narrow, php_none=made_up.PHP | {"compliant": False})
    (most,) = [one for one in findings(DESCRIPTION, php)["findings"] if one["key"] == "most"]
    assert "PHP 8, php-fpm, nothing cached carries the most users" in most["text"], "a link is no stack's own"
    narrow["SLA-1"]["limit"] = made_up.LIMIT
    left = findings(DESCRIPTION, made_up.written(tmp_path / "b", olio_link=narrow))["findings"]
    assert [one["status"] for one in left if one["key"] == "link"] == ["undecided"]


def test_processor_is_told_against_memory_of_the_same_price(tmp_path: Path) -> None:
    def trial(low: float, high: float, ended_by: str = "tolerance") -> dict[str, Any]:
        return made_up.row(made_up.held(low, high, ended_by), made_up.held(20, 23), [], compliant=False)

    rows = {"php_page_m": trial(160, 180), "php_page": trial(400, 450), "php_none": trial(390, 440)}
    told = findings(DESCRIPTION, made_up.written(tmp_path, **rows))["findings"]
    (machines,) = [one for one in told if one["key"] == "machines"]
    assert machines["status"] == "shown" and machines["rows"] == 2
    assert (
        "olio-php-fpm on mariadb, page cached: 0.25 of a core 400 (< 450), $0.0900 ($0.0800–$0.0900) each, "
        "cpu of the site, 0.1 of a core 160 (< 180), $0.225 ($0.200–$0.225) each, cpu of the site. "
        "The paper: twice as many" in machines["text"]
    )
    rows["php_page_m"] = trial(100, 180, "interrupted")
    left = findings(DESCRIPTION, made_up.written(tmp_path / "b", **rows))["findings"]
    assert [one["status"] for one in left if one["key"] == "machines"] == ["undecided"]


def test_what_caches_change_is_told_of_trials_alone(tmp_path: Path) -> None:
    def trial(low: float, high: float, **more: Any) -> dict[str, Any]:
        run = made_up.a_run(low, 2.0, 1.0)
        first = made_up.held(low, high, **more)
        return made_up.row(first, made_up.held(20, 23), [run], compliant=False, window_s=120.0)

    rows = {
        "php_none": trial(300, 340),
        "php_page": trial(600, 680),
        "php_page_memcached": trial(500, 560),
        "rails": made_up.RAILS,
    }
    content = findings(DESCRIPTION, made_up.written(tmp_path, **rows))
    told = {one["key"]: (one["status"], one["text"]) for one in content["findings"]}
    assert told["caches"] == (
        "shown",
        "Users at SLA-1 by what is cached: olio-php-fpm on mariadb: none 300 (< 340), page 600 (< 680), "
        "page in memcached 500 (< 560).",
    )
    assert "Rails 6.1, puma behind nginx carries the most" in told["most"][1], "trials are apart"
    assert told["rules"] == (
        "shown",
        "1 of 1 configurations were searched by the rules (ramp-up, window, accounts), 1 of them to their "
        "number at SLA-1; 3 more are trials, in windows of 120 s.",
    )

    def machines(name: str) -> list[str]:
        found: list[str] = content["parts"][name]["SLA-1"]["usd"]["now"]["machines"]
        return found

    assert machines("php-page") == machines("php-none"), "memory of the process costs nothing"
    usd = {
        name: content["parts"][name]["SLA-1"]["usd"]["now"]["value"]["without_egress"]["12"] * low
        for name, low in (("php-page", 600), ("php-page-memcached", 500))
    }
    assert usd["php-page-memcached"] == pytest.approx(1.5 * usd["php-page"]), "two machines and a third"
    rows["php_page"]["SLA-1"] = made_up.held(600, 900, "max-runs")
    left = findings(DESCRIPTION, made_up.written(tmp_path / "left", **rows))["findings"]
    assert [one["status"] for one in left if one["key"] == "caches"] == ["undecided"]


def test_the_page_has_the_papers_table_and_ours(tmp_path: Path) -> None:
    order = Order(tmp_path, "full", ("php-fpm", "rails"))
    made = Stacks(order)
    results = made_up.written(tmp_path, php_fpm=made_up.PHP, rails=made_up.RAILS)
    begun = header(order, made.name, made.summary, made.seed, ["loadstone"])
    write_json(tmp_path / NAME, conclusion(made, begun, "complete", results))
    page = study_page(tmp_path)
    assert "What a user costs a month" in page and "400 (&lt; 450)" in page
    tables = {one.slug: one for part in study_article(tmp_path).sections for one in part.tables}
    (four,) = [row for row in tables["paper"].rows if row["number"] == 4]
    assert (four["sla_1"], four["usd_2"], four["ours"]) == (500, 4.61, "not measured")
    (three,) = [row for row in tables["paper"].rows if row["number"] == 3]
    assert three["users"] == "40 (< 46)"
    assert tables["users"].rows[0]["limit"] == made_up.LIMIT["said"]
    assert tables["users"].rows[0]["hosts"] == "1 (compute)"


def test_the_page_marks_runs_that_the_machine_slowed(tmp_path: Path) -> None:
    order = Order(tmp_path, "full", ("php-fpm",))
    made = Stacks(order)
    begun = header(order, made.name, made.summary, made.seed, ["loadstone"])
    runs = [made_up.a_run(400, 2.0, 1.0, slowed=True), made_up.a_run(450, 2.0, 1.0, slowed=False)]
    results = made_up.written(tmp_path, php_fpm=made_up.PHP | {"runs": runs})
    write_json(tmp_path / NAME, conclusion(made, begun, "complete", results))
    (table,) = [t for part in study_article(tmp_path).sections for t in part.folded if t.slug == "runs"]
    assert [row["state"] for row in table.rows] == ["valid, slow machine", "valid"]


def test_the_page_draws_servers_added(tmp_path: Path) -> None:
    database = made_up.LIMIT | {"tier": "database", "host": "db"}
    two = made_up.row(made_up.held(350, 560, "noisy", limit=database), made_up.held(300, 340), [])
    three = made_up.row(made_up.held(None, 700), made_up.held(None, 340), [])
    order = Order(tmp_path, "full", ("php-fpm", "php-fpm-2", "php-fpm-3", "rails"))
    made = Stacks(order)
    begun = header(order, made.name, made.summary, made.seed, ["loadstone"])
    rows = {"php_fpm": made_up.PHP, "php_fpm_2": two, "php_fpm_3": three, "rails": made_up.RAILS}
    results = made_up.written(tmp_path, **rows)
    write_json(tmp_path / NAME, conclusion(made, begun, "complete", results))
    (growth,) = [one for one in study_article(tmp_path).sections if one.slug == "f1-growth"]
    (drawn,) = growth.wide.values()
    # What was never seen to hold has no dot, and a bracket a hollow one that no line joins to a number.
    told = [(line["mode"], line["x"], line["y"], line["error_y"]["array"]) for line in drawn.traces]
    assert told == [("lines+markers", [1], [400], [50]), ("markers", [2], [350], [210])]
    assert [line["marker"]["symbol"] for line in drawn.traces] == ["circle", "circle-open"]
    words = [one["text"] for one in drawn.layout["annotations"]]
    assert words == ["PHP 8, php-fpm behind nginx", "cpu of the site", "cpu of the database"]
    assert [row["servers"] for row in growth.tables[0].rows] == [1, 2, 3]


def test_a_study_without_rows_has_a_page(tmp_path: Path) -> None:
    order = Order(tmp_path, "full", None)
    made = Stacks(order)
    begun = header(order, made.name, made.summary, made.seed, ["loadstone"])
    write_json(tmp_path / NAME, conclusion(made, begun, "interrupted", Results(tmp_path)))
    assert "nothing was measured yet" in study_page(tmp_path)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_the_smallest_part_from_end_to_end(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("a lab needs root")
    out = tmp_path / "out"
    command = [sys.executable, "-m", "loadstone", "study", "stacks", "--quick", "--out", str(out), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=280)
    assert done.returncode == 0, done.stderr
    content = json.loads(done.stdout)
    one = content["parts"]["olio"]
    assert content["outcome"] == "complete" and one["compliant"] is False
    assert one["wrong_bodies"] == 0 and one["operations"] > 0
    assert set(one["cpu_ms_per_op"]) == {"app", "database", "client"}
    assert all(end["value"] > 0 for end in one["cpu_ms_per_op"].values())
    assert "run 1 at" in done.stderr, "how far it has come"
    assert (out / "search/olio-1/capacity.json").is_file() and (out / "report.html").is_file()
    assert not Path("/run/loadstone/stacks-olio").exists(), "the lab is down"
