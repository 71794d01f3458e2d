"""A program of one's own under the commands that deploy, measure and break."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from labs import lab, loadstone

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

HOSTS = """
[[host]]
name = "client"
kind = "client"
[[host]]
name = "lb"
[[host]]
name = "node1"
kind = "node"
[[host]]
name = "node2"
kind = "node"
"""
SERVICES = """
[[service]]
name = "front"
role = "haproxy"
hosts = ["lb"]
settings = { backends = "shop", check_interval_s = 0.2 }
[[service]]
name = "shop"
role = "command"
kind = "node"
[service.settings]
source = "shop"
command = "python3 -m http.server {port}"
env = { WORD = "one" }
prepare = "echo made >{data}/rows"
health = { http = "/page" }
"""
SCENARIO = """
format = 1
name = "page"
[target]
url = "http://127.0.0.1:8080"
[load]
users = 2
ramp_up_s = 1
steady_s = 3
[pacing]
think = { kind = "neg-exp", mean_s = 0.5 }
[mix]
Page.Page = 1.0
[[operation]]
name = "Page"
limit_s = 2
[[operation.step]]
get = "/page"
expect = { status = 200, contains = "a page" }
"""
CHAOS = """
format = 1
name = "tiny"
topology = "site.toml"
nodes = "shop"
balancer = "front"
path = "/page"
contains = "a page"
life = "8s"
lives = 2
users = 2
pause_ms = 100
[[cluster]]
name = "passive, repaired"
needed = 1
active = 1
pool = 1
crash = "1/4s"
failover = "1s"
repair = "2s"
[quick]
life = "8s"
lives = 2
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("lab")
    with lab(folder, "t-measured", HOSTS) as file:
        (folder / "shop").mkdir()
        (folder / "shop" / "page").write_text("a page\n")
        found = folder / "site.toml"
        found.write_text(file.read_text() + SERVICES)
        # The lab is up from the file that the services are in.
        loadstone("lab", "down", "t-measured")
        loadstone("lab", "up", found)
        yield found


def test_a_plan_says_what_would_change_and_what_is_refused(site: Path) -> None:
    def planned(*more: str) -> list[dict[str, object]]:
        done = loadstone("deploy", site, "--check", "--json", "--only", "shop", *more)
        steps: list[dict[str, object]] = json.loads(done.stdout)["steps"]
        return steps

    text = site.read_text()
    assert [step["action"] for step in planned()] == ["started", "started"]
    assert "+" in str(planned()[0]["difference"])
    loadstone("deploy", site, timeout_s=300)
    assert [(step["action"], step["changed"]) for step in planned()] == [("unchanged", False)] * 2
    try:
        site.write_text(text.replace('WORD = "one"', 'WORD = "two"'))
        for step in planned():
            assert step["action"] == "restarted"
            assert '-    "WORD": "one"' in str(step["difference"]) and '"two"' in str(step["difference"])
        (site.parent / "shop" / "page").write_text("a page, changed\n")
        assert '"content"' in str(planned()[0]["difference"]), "what would be brought is another"
        site.write_text(text.replace("echo made", "echo other"))
        refused = loadstone("deploy", site, "--check", "--json", "--only", "shop", check=False)
        assert refused.returncode == 2 and "error[data-loss]" in refused.stderr
        assert all("made in another way" in str(step["loses"]) for step in planned("--replace-data"))
    finally:
        site.write_text(text)
        (site.parent / "shop" / "page").write_text("a page\n")
    assert [step["action"] for step in planned()] == ["unchanged"] * 2, "nothing was done"


def test_a_capacity_is_found_over_it(site: Path, tmp_path: Path) -> None:
    scenario = tmp_path / "page.toml"
    scenario.write_text(SCENARIO)
    loadstone("deploy", site, timeout_s=300)
    words = ["--topology", site, "--service", "front", "--from", "2", "--to", "4", "--max-runs", "2"]
    out = tmp_path / "found"
    done = loadstone(
        "capacity", scenario, *words, "--window", "3", "--probe", "2", "--out", out, "--json",
        check=False, timeout_s=400,
    )  # fmt: skip
    assert done.returncode in (0, 1, 6), done.stderr
    assert json.loads(done.stdout)
    runs = sorted(out.rglob("run.json"))
    assert runs
    for run in runs:
        seen = json.loads(run.read_text())["operations"]["Page"]
        assert not sum(seen["failed"].values())
        kept = json.loads(run.with_name("deployment.json").read_text())["services"]["shop"]
        assert kept["hosts"]["node2"]["version"].startswith("content ")


def test_its_nodes_die_and_come_back(site: Path, tmp_path: Path) -> None:
    chaos = site.with_name("chaos.toml")
    chaos.write_text(CHAOS)
    loadstone("deploy", site, timeout_s=300)
    done = loadstone("chaos", chaos, "--quick", "--out", tmp_path / "out", check=False, timeout_s=500)
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "out" / "lives.ndjson").read_text("utf-8").splitlines()
    lives = [json.loads(line) for line in lines]
    assert len(lives) == 2 and sum(len(life["crashes"]) for life in lives) > 0
    for life in lives:
        assert life["requests_ok"] > 0 and life["wrong_bodies"] == 0
        # What was seen from outside is what was done: nobody was up for all of a life with a crash in it.
        assert not life["crashes"] or life["requests_lost"] > 0 or life["availability"] < 1
    states = json.loads(loadstone("status", site, "--json", check=False).stdout)
    assert {one["state"] for one in states} == {"absent"}, "it removes what it brought"
