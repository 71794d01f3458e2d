"""A reader who types what the guides say gets what they say."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import sys
from pathlib import Path

import github_action
import pytest
import yaml
from labs import loadstone, obstacle
from pages import BLOCK, DOCS, failures, follow, workflow
from servers import missing

pytestmark = pytest.mark.timeout(600)


@pytest.mark.long
def test_the_guide_to_four_nines_can_be_followed(tmp_path: Path) -> None:
    said = follow("how-to/four-nines.md", tmp_path)
    assert "Bottleneck" in said
    assert (tmp_path / "runs/plan/report.html").exists()


@pytest.mark.long
@pytest.mark.skipif(platform.machine() != "x86_64", reason="faults are injected on x86-64")
def test_the_guide_to_faults_can_be_followed(tmp_path: Path) -> None:
    said = follow("how-to/inject-faults.md", tmp_path)
    assert "200 faults, one bit each" in said and "400 faults, one bit each" in said


@pytest.mark.long
@pytest.mark.parametrize("guide", ["login", "arrivals", "several-scenarios"])
def test_a_guide_that_measures_can_be_followed_and_no_operation_fails(guide: str, tmp_path: Path) -> None:
    follow(f"how-to/{guide}.md", tmp_path)
    assert failures(tmp_path) == {}


@pytest.mark.long
def test_the_guide_to_tokens_can_be_followed_and_no_operation_fails(tmp_path: Path) -> None:
    said = follow("how-to/token.md", tmp_path)
    assert failures(tmp_path) == {}
    item = json.loads((tmp_path / "runs/renew/run.json").read_text())["operations"]["Item"]
    answers = [one for one in item["steps"] if one["part"] == "answer"]
    asked, renewed = [sum(one["count"] for one in answers if one["step"] == n) for n in range(2)]
    assert asked == item["ok"] + renewed and renewed > 0
    tried = said[: said.index("runs/shop")]
    assert "X-Key: ***" in tried and "Authorization: Bearer " in tried
    assert "c0ffee" not in said


@pytest.mark.long
def test_the_guide_to_functions_can_be_followed_and_no_operation_fails(tmp_path: Path) -> None:
    said = follow("how-to/hook.md", tmp_path)
    assert failures(tmp_path) == {}
    assert said.count("CALL sign.py:payment nonce=") == 4 and "key=***" in said and "c0ffee" not in said
    [hook] = json.loads((tmp_path / "runs/bank/run.json").read_text())["hooks"]
    assert hook["function"] == "sign.py:payment" and hook["returned"] > 3 and hook["failed"] == 0
    assert "Functions that steps called" in said


@pytest.mark.long
def test_the_guide_to_a_chat_can_be_followed_and_no_operation_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("websockets", reason="websockets is not installed")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    said = follow("how-to/websocket.md", tmp_path)
    assert re.search(r"SEND 0: .* ← you said 0: ", said)
    assert failures(tmp_path) == {}


@pytest.mark.long
def test_the_guide_to_a_gate_can_be_followed_and_its_pipelines_run(tmp_path: Path) -> None:
    """What a runner of GitHub or GitLab would do, but the installation and what only they have."""
    from junitparser import JUnitXml

    follow("how-to/ci-gate.md", tmp_path)
    assert failures(tmp_path) == {}
    assert JUnitXml.fromfile(str(tmp_path / "loadstone.xml")).tests > 2
    job = yaml.safe_load((tmp_path / "gate.yml").read_text())["jobs"]["gate"]
    start, measure = (one for one in job["steps"] if one.get("name") in ("Start the site", "Measure"))
    measuring = github_action.step("Measure")
    gitlab = yaml.safe_load((tmp_path / "gitlab-ci.yml").read_text())["load-gate"]
    assert gitlab["before_script"][0] == 'pip install "$LOADSTONE_WHEEL"'
    for name, xml, scripts, inputs in (
        (
            "gate.yml",
            "runs/ci/loadstone.xml",
            [start["run"], measuring["run"]],
            github_action.given(measure["with"]),
        ),
        ("gitlab-ci.yml", "loadstone.xml", [*gitlab["before_script"][1:], *gitlab["script"]], {}),
    ):
        for made in ("loadstone.xml", "report.html", "runs/ci"):
            shutil.rmtree(tmp_path / made) if (tmp_path / made).is_dir() else (tmp_path / made).unlink(True)
        workflow(tmp_path / name, scripts, inputs)
        assert JUnitXml.fromfile(str(tmp_path / xml)).tests > 2
        assert (tmp_path / xml).with_name("report.html").is_file()
        assert (tmp_path / "runs/ci/run.json").is_file()
    assert "SLA-1" in (tmp_path / "step-summary.md").read_text()
    # The wrapper of these tests has made whatever so short a run says a 0.
    assert (tmp_path / "outputs").read_text() == "verdict=0\n"


@pytest.mark.long
def test_the_guide_to_two_releases_can_be_followed_and_ends_with_intervals(tmp_path: Path) -> None:
    said = follow("how-to/two-releases.md", tmp_path)
    assert failures(tmp_path) == {}
    assert (tmp_path / "runs/both.html").exists()
    found = json.loads((tmp_path / "runs/ab/compare.json").read_text("utf-8"))
    assert (found["by"], found["pairs"]) == ("pairs", 3)
    assert re.search(r"^Front +mean +[\d.]+ .* ms ", said, flags=re.M)
    summary = (tmp_path / "summary.md").read_text("utf-8")
    assert "| Front | mean |" in summary


@pytest.mark.long
def test_the_guide_from_logs_can_be_followed(tmp_path: Path) -> None:
    said = follow("how-to/from-your-logs.md", tmp_path)
    assert "shop.toml: shop, " in said and "Event" in said
    for name in ("learned", "named"):
        assert (tmp_path / "runs" / name / "learn.html").exists()


@pytest.mark.long
def test_the_guide_to_agents_can_be_followed_and_no_operation_fails(tmp_path: Path) -> None:
    if reason := obstacle():
        pytest.skip(reason)
    try:
        follow("how-to/agents.md", tmp_path)
    finally:
        loadstone("lab", "down", "agents-guide")
    assert failures(tmp_path) == {}
    agents = json.loads((tmp_path / "runs/agents/run.json").read_text("utf-8"))["agents"]
    assert [agent["host"] for agent in agents] == ["client1", "client2"]


@pytest.mark.long
def test_the_guide_to_programs_of_ones_own_can_be_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if reason := obstacle():
        pytest.skip(reason)
    if not shutil.which("go"):
        pytest.skip("not installed: go")
    # As a reader has it: the build asks `python3` for pip.
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    try:
        follow("how-to/own-service.md", tmp_path)
    finally:
        loadstone("lab", "down", "own-guide")
    assert failures(tmp_path) == {}
    for run, service, said in (
        ("shop", "web2/shop/service-2.log", "Booting worker"),
        ("hello", "front/hello/service.log", "listening on 9000"),
    ):
        assert said in (tmp_path / "runs" / run / "logs" / service).read_text("utf-8")


@pytest.mark.long
def test_the_guide_to_roles_of_ones_own_can_be_followed(tmp_path: Path) -> None:
    if reason := obstacle():
        pytest.skip(reason)
    if not shutil.which("lighttpd", path=f"{os.environ['PATH']}:/usr/sbin:/sbin"):
        pytest.skip("not installed: lighttpd; scripts/setup-servers installs it")
    try:
        follow("how-to/own-role.md", tmp_path)
    finally:
        loadstone("lab", "down", "role-guide")
    assert failures(tmp_path) == {}
    deployed = json.loads((tmp_path / "runs/pages/deployment.json").read_text("utf-8"))["services"]["pages"]
    assert {one["version"].partition("/")[0] for one in deployed["hosts"].values()} == {"lighttpd"}
    assert (tmp_path / "runs/pages/logs/web1/pages/error.log").is_file()


@pytest.mark.long
def test_the_guide_to_replicas_can_be_followed_and_no_operation_fails(tmp_path: Path) -> None:
    if reason := obstacle() or missing():
        pytest.skip(reason)
    try:
        # A copy ends in its midst.
        follow("how-to/replicas.md", tmp_path, "--window 30 --set load.ramp_up_s=1 --set load.ramp_down_s=0")
    finally:
        loadstone("lab", "down", "replicas-guide", check=False)
    assert failures(tmp_path) == {}
    hosts = json.loads((tmp_path / "runs/replicas/run.json").read_text("utf-8"))["hosts"]
    assert {"copy1", "copy2"} <= {host["host"] for host in hosts}


@pytest.mark.long
def test_the_guide_to_elasticity_can_be_followed_and_no_operation_fails(tmp_path: Path) -> None:
    if reason := obstacle() or missing():
        pytest.skip(reason)
    wave = "--set load.steady_s=30 --set load.profile=[[0,5],[5,30],[20,5]] --set sla.window_s=10"
    # So few users are to be too many for one server.
    policy = "--set scaling.target=0.001 --set scaling.every_s=2 --set scaling.cool_down_s=1"
    try:
        follow("how-to/elastic.md", tmp_path, f"{wave} {policy} --set load.ramp_down_s=0")
    finally:
        loadstone("lab", "down", "elastic-guide", check=False)
    assert failures(tmp_path) == {}
    found = json.loads((tmp_path / "runs/wave/run.json").read_text("utf-8"))["elasticity"]
    assert [one["servers"] for one in found["servers"]][:2] == [1, 2]
    assert "Users, servers and response time" in (tmp_path / "runs/wave/report.html").read_text("utf-8")
    # So short a run is nothing to rest dollars on. Where a busy machine broke the SLAs, there are none.
    goals = json.loads((tmp_path / "runs/wave/run.json").read_text("utf-8"))["goals"]
    broken = all(goal["verdict"] == "missed" for goal in goals.values())
    priced = ("--book", "aws-2026", "--instance", "m7i.large", "--anyway")
    done = loadstone("cost", "--from", tmp_path / "runs/wave", *priced, check=False)
    assert done.returncode == (6 if broken else 0), done.stderr
    assert broken or "as many all the time" in done.stdout


@pytest.mark.long
def test_the_guide_to_images_in_service_can_be_followed(tmp_path: Path) -> None:
    if not shutil.which("qemu-system-x86_64"):
        pytest.skip("not installed: qemu-system-x86_64")
    said = follow("how-to/image-in-service.md", tmp_path)
    assert "QEMU was ended by signal 9" in said and "2: renewed" in said
    assert re.search(r"^olio.db +[\d,]+ +sound$", said, flags=re.M)


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_the_guide_to_images_of_ones_own_can_be_followed(tmp_path: Path) -> None:
    if missing := [name for name in ("qemu-system-x86_64", "gdb", "socat") if not shutil.which(name)]:
        pytest.skip(f"not installed: {missing[0]}")
    said = follow("how-to/own-image.md", tmp_path)
    assert said.count("<p>from an image") == 2 and "<p>from a process" in said
    assert "serving guest-book at" in said
    assert "Breakpoint 1, guest_book::Worker::page ()" in said


@pytest.mark.hardening
def test_a_program_is_hardened(tmp_path: Path) -> None:
    said = follow("how-to/harden-server.md", tmp_path)
    assert "42" in said.splitlines()
    assert "1 files, 1 functions hardened, 0 not" in said


def test_every_page_with_commands_is_followed_by_a_test() -> None:
    tests = "".join(file.read_text("utf-8") for file in Path(__file__).parent.glob("test_*.py"))
    pages = [DOCS / "tutorial.md", *sorted((DOCS / "how-to").glob("*.md"))]
    with_commands = [
        page for page in pages if any(kind == "sh" for kind, _, _ in BLOCK.findall(page.read_text()))
    ]
    assert len(with_commands) >= 4
    assert [
        page.stem
        for page in with_commands
        if f"{page.stem}.md" not in tests and f'"{page.stem}"' not in tests
    ] == []
