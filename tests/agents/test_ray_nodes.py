"""Agents by way of Ray, with a module in Ray's place; `test_on_ray.py` has the real one."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path

import pytest
import threaded_ray
from following import counted, follow
from threaded_ray import AuthenticationError, node, put_in_place
from walked import Walked

from loadstone.cli.measuring import placed
from loadstone.errors import LoadstoneError
from loadstone.measure.ray_cluster import chosen, joined, nodes_of, words_of
from loadstone.measure.ray_nodes import ray_fleet
from loadstone.scenario import load_scenario


@pytest.fixture(autouse=True)
def own_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))


def test_two_nodes_make_one_run(monkeypatch: pytest.MonkeyPatch, site: Walked) -> None:
    ray = put_in_place(monkeypatch, [node("1", head=True), node("3"), node("2"), node("4", alive=False)])
    with ray_fleet("ray", "2") as engine:
        run = engine.start(json.dumps(site.plan(steady_s=1.0)))
        [started] = run.events()
        windows, summary = follow(run)
    assert [agent["host"] for agent in started["agents"]] == ["2", "3"], "the head comes last"
    assert (summary["outcome"], list(summary["agents"])) == ("complete", ["2", "3"])
    assert site.walks.keys() == set(range(8)) and 0 < counted(windows) <= site.requests
    assert set(ray.actors) == {"id-of-2", "id-of-3"} and ray.left
    for [actor] in ray.actors.values():
        assert actor.dead, "nothing stays on the nodes"


def test_a_plan_with_a_secret_stays_in_memory(
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    cache: Path,
    site: Walked,
) -> None:
    """Ray puts what has 100 KiB into its object store, which goes to disk when it is full."""
    secret, largest = "t0k3n-of-the-shop", 100 << 10
    monkeypatch.setenv("SHOP_TOKEN", secret)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    ray = put_in_place(monkeypatch, [node("1"), node("2")])
    plan = site.plan(steady_s=0.5) | {"secrets": {"token": {"env": "SHOP_TOKEN"}}}
    for step in (operation["steps"][0] for operation in plan["operations"]):
        step["headers"] = [["X-Long", "x" * (largest // 2)], ["X-Token", "{secret.token}"]]
    with ray_fleet("ray", None) as engine:
        run = engine.start(json.dumps(plan))
        run.events()
        _, summary = follow(run)
    assert summary["outcome"] == "complete" and site.tokens == {secret}
    handed = [line for [actor] in ray.actors.values() for line in actor.taken]
    assert sum(map(len, handed)) > 3 * largest // 2 and max(map(len, handed)) < largest
    assert b"".join(handed).count(secret.encode()) == 2 * len(plan["operations"])
    said = capfd.readouterr()
    assert secret not in said.out + said.err
    files = [path for folder in (tmp_path, cache) for path in folder.rglob("*") if path.is_file()]
    assert files and not [path for path in files if secret.encode() in path.read_bytes()]


def test_a_node_that_dies_and_comes_back(monkeypatch: pytest.MonkeyPatch, site: Walked) -> None:
    ray = put_in_place(monkeypatch, [node("1"), node("2")])
    with ray_fleet("ray", None) as engine:
        run = engine.start(json.dumps(site.plan(steady_s=3.0)))
        run.events()
        windows, summary = follow(
            run, lambda window: window["second"] == 0 and ray.kill(ray.actors["id-of-2"][0])
        )
        [lost] = run.events()
        assert (lost["kind"], lost["agent"]) == ("agent-lost", "2")
        assert lost["reason"] == "its node has died"
        assert (summary["outcome"], list(summary["agents"])) == ("complete", ["1"])
        assert set(windows[0]["agents"]) == {"1", "2"} and counted(windows[:1]) > 0, "what came was kept"
        _, summary = follow(engine.start(json.dumps(site.plan(steady_s=0.2))))
    assert list(summary["agents"]) == ["1", "2"], "the next run has all of them"


def test_the_load_of_all_nodes_changes_together(monkeypatch: pytest.MonkeyPatch, site: Walked) -> None:
    put_in_place(monkeypatch, [node("1"), node("2")])
    changed: list[float] = []
    with ray_fleet("ray", None) as engine:
        run = engine.start(json.dumps(site.plan(steady_s=6.0)))
        run.events()
        windows, _ = follow(run, lambda window: window["second"] == 0 and changed.append(run.change(12)))
        assert not run.events()
    [at_s] = changed
    assert [windows[0]["users"], windows[-1]["users"]] == [8, 12] and 1 < at_s < 6
    assert {name: agent["users"] for name, agent in windows[-1]["agents"].items()} == {"1": 6, "2": 6}


def test_an_agent_that_ends_by_itself(monkeypatch: pytest.MonkeyPatch, site: Walked) -> None:
    ray = put_in_place(monkeypatch, [node("1"), node("2")])

    def kill(window: dict[str, object]) -> None:
        if window["second"] == 0:
            ray.actors["id-of-1"][0].made._process.kill()  # type: ignore[attr-defined]

    with ray_fleet("ray", None) as engine:
        run = engine.start(json.dumps(site.plan(steady_s=3.0)))
        run.events()
        follow(run, kill)
        [lost] = run.events()
    assert (lost["agent"], lost["reason"]) == ("1", "it ended with -9")


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (None, ["2", "3", "3-bbbbbb", "1"]),
        ("1", ["2"]),
        ("4", ["2", "3", "3-bbbbbb", "1"]),
        ("3-bbbbbb, 1", ["3-bbbbbb", "1"]),
        ("10.0.0.2", ["2"]),
        ("5", "5 agents on a cluster of which 4 nodes have a CPU: one a node"),
        ("0", "0 agents on a cluster"),
        ("7", "7 agents on a cluster"),
        ("2,9", "the cluster has no node `9`"),
        ("0cpu", "node `0cpu` has no CPU for an agent"),
        ("2,10.0.0.2", "name each node once"),
    ],
)
def test_which_nodes(monkeypatch: pytest.MonkeyPatch, asked: str | None, found: list[str] | str) -> None:
    twins = [node("3-aaaaaa"), node("3-bbbbbb")]
    same = [
        {**twin, "NodeName": "3", "NodeID": key} for twin, key in zip(twins, ("a" * 9, "b" * 9), strict=True)
    ]
    ray = put_in_place(monkeypatch, [node("1", head=True), *same, node("2"), node("0cpu", 0)])
    nodes = nodes_of(ray)
    if isinstance(found, str):
        with pytest.raises(LoadstoneError) as refused:
            chosen(nodes, asked)
        assert refused.value.slug == "agents" and found in str(refused.value)
    else:
        names = [node.name for node in chosen(nodes, asked)]
        assert names == [name if name != "3" else "3-aaaaaa" for name in found]


def test_no_node_has_a_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = put_in_place(monkeypatch, [node("1", 0, head=True)])
    with pytest.raises(LoadstoneError, match="no node of the cluster has a CPU") as refused:
        chosen(nodes_of(ray), None)
    assert refused.value.slug == "agents"


@pytest.mark.parametrize(
    "on", ["rey", "ray://", "ray://host", "ray://:1", "ray://host:x", "ray://host:99999", ""]
)
def test_what_names_no_cluster(on: str) -> None:
    scenario = load_scenario("page", {"target.url": "http://192.0.2.9"})
    with pytest.raises(LoadstoneError, match="names no Ray cluster") as refused:
        placed(scenario, None, None, on)
    assert (refused.value.slug, refused.value.exit_code) == ("agents", 2)


def test_a_service_of_this_machine_only() -> None:
    scenario = load_scenario("page", {"target.url": "http://127.0.0.1:80"})
    with pytest.raises(LoadstoneError, match="can be reached from this machine only"):
        placed(scenario, None, None, "ray")


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # type: ignore[arg-type]
    with pytest.raises(LoadstoneError, match="Ray is not installed") as refused, joined("ray"):
        pass
    assert refused.value.slug == "ray-missing" and "loadstone[ray]" in str(refused.value.hint)


def test_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    put_in_place(monkeypatch, [])
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))  # and does not listen
        port = bound.getsockname()[1]
        told = f"nobody answers at ray://127.0.0.1:{port}"
        with pytest.raises(LoadstoneError, match=told) as refused, joined(f"ray://127.0.0.1:{port}"):
            pass
        assert (refused.value.slug, refused.value.exit_code) == ("ray-cluster", 3)
        monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{port}")
        with pytest.raises(LoadstoneError, match=f"nobody answers at 127.0.0.1:{port}"), joined("ray"):
            pass


@pytest.mark.parametrize(
    ("said", "error", "words"),
    [
        (
            "",
            AuthenticationError("Token authentication is enabled but"),
            "there is no token for the Ray cluster",
        ),
        (
            "W 1 gcs_client.cc:210: Unauthenticated: RPC error: InvalidAuthToken: Authentication token\n",
            ConnectionError("Failed to connect to Ray cluster at 10.0.0.5:6379"),
            "of this machine refuses our token",
        ),
        (
            "",
            RuntimeError("Version mismatch:\n Ray: 2.52.0"),
            "of this machine: Version mismatch: Ray: 2.52.0",
        ),
        ("", ConnectionError("Could not find any running Ray"), "hint: start one with `ray start`"),
    ],
)
def test_a_cluster_that_does_not_let_us_in(
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    said: str,
    error: Exception,
    words: str,
) -> None:
    def join() -> None:
        import os

        os.write(2, said.encode())  # as Ray's C++ does
        raise error

    ray = put_in_place(monkeypatch, [], join)
    with pytest.raises(LoadstoneError) as refused, joined("ray"):
        pass
    assert refused.value.slug == "ray-cluster" and words in str(refused.value)
    assert capfd.readouterr().err == "" and ray.left


def test_its_words_are_a_line() -> None:
    assert words_of(threaded_ray.Dead()) == "its node has died"
    assert words_of(RuntimeError("one\n  two")) == "one two"
    assert words_of(RuntimeError()) == "RuntimeError"
