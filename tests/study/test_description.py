"""The study's file and its site: what is wrong is told before anything starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadstone.errors import LoadstoneError
from loadstone.lab import QuotaError
from loadstone.scenario.findings import ScenarioError
from loadstone.ssh import Ssh
from loadstone.study import bench as bench_module
from loadstone.study.balancers import ENTRY
from loadstone.study.balancers.description import FILE, load_description
from loadstone.study.balancers.parts import NAMES, parts
from loadstone.study.balancers.site import balancers_of, can, load_bench_site
from loadstone.study.balancers.study import Balancers
from loadstone.study.bench import Bench
from loadstone.study.order import Order, take_up
from loadstone.study.run import begin
from loadstone.study.schedule import schedule

LAB = FILE.with_name("balancers-lab.toml")


def test_the_file_is_the_papers_method() -> None:
    found = load_description()
    one, three = found.full.throughput
    assert (one.generators, one.concurrency) == (1, [100, 200, 300, 400, 500, 600])
    assert (one.requests, one.repetitions, found.page_bytes) == (10_000, 10, 166)
    assert (three.generators, three.concurrency) == (3, [300, 600, 900, 1200])
    assert {paper.place for paper in found.paper} == {"Table 1", "Table 2", "Results", "Discussion"}


@pytest.mark.parametrize(
    ("before", "after", "slug", "words"),
    [
        ("format = 1", "format = 2", "format-version", "format 2 is not known"),
        ("seed = 2011", "sed = 2011", "unknown-key", "did you mean `seed`?"),
        ("[full.peer]", "[full.pear]", "unknown-key", "did you mean `peer`?"),
        ("pause_ms = 60", "pause_ms = -1", "out-of-range", "[full.segments.pause_ms]"),
        ("loss = 0.02", "loss = 2", "out-of-range", "`loss` is 2, must be at most 1"),
        ('place = "Table 1"', 'plaice = "Table 1"', "unknown-key", "did you mean `place`?"),
        ("requests = 10_000", "requests = 10", "out-of-range", "are too few: there are up to 600 users"),
        ("concurrency = [300, 600", "concurrency = [2, 600", "out-of-range", "without users"),
        ("page_bytes = 166", "page_bytes = true", "wrong-type", "`page_bytes` is true"),
        ("seed = 2011", "seed = ", "toml-syntax", ""),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    tmp_path: Path, before: str, after: str, slug: str, words: str
) -> None:
    text = FILE.read_text("utf-8")
    assert before in text
    path = tmp_path / "balancers.toml"
    path.write_text(text.replace(before, after, 1))
    with pytest.raises(LoadstoneError) as refused:
        load_description(path)
    slugs = refused.value.slugs if isinstance(refused.value, ScenarioError) else [refused.value.slug]
    assert slug in slugs
    assert words in str(refused.value)
    assert f"{path}:" in str(refused.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LoadstoneError) as refused:
        load_description(tmp_path / "none.toml")
    assert refused.value.slug == "study-file"


@pytest.mark.parametrize(
    ("leave_out", "words"),
    [
        ('name = "web"\nrole', "has no servers"),
        ("backends", "no service with `backends`"),
        ('"client"', "no host to make"),
    ],
)
def test_a_site_without_what_the_study_needs(tmp_path: Path, leave_out: str, words: str) -> None:
    text = LAB.read_text("utf-8")
    changes = {
        'name = "web"\nrole': ('name = "pages"\nrole', 'backends = "web"', 'backends = "pages"'),
        "backends": ("", "", ""),
        '"client"': ('"user"', "", ""),
    }
    new, also, instead = changes[leave_out]
    if leave_out == "backends":
        text = text[: text.index('[[service]]\nname = "haproxy"')]
    else:
        text = text.replace(leave_out, new)
        text = text.replace(also, instead) if also else text
    path = tmp_path / "lab.toml"
    path.write_text(text)
    with pytest.raises(LoadstoneError) as refused:
        load_bench_site(path)
    assert refused.value.slug == "study-site"
    assert words in str(refused.value)


def test_every_balancer_is_asked_only_what_its_program_can_do() -> None:
    site, size = load_bench_site(LAB), load_description().full
    made, skipped = parts(site, size, None)
    assert list(dict.fromkeys(part.name for part in made)) == list(NAMES)
    assert skipped == {}
    assert len(balancers_of(site)) == 6
    spread = next(part for part in made if part.name == "spread")
    hashed = {case["balancer"] for case in spread.cases if case["algorithm"] == "uri-hash"}
    assert "haproxy" in hashed and "apache" not in hashed
    assert not can(site, "nginx", sticky=True)


def test_parts_without_a_place_are_left_out_with_the_reason(tmp_path: Path) -> None:
    text = LAB.read_text("utf-8")
    start, end = text.index("# Two equal servers"), text.index('[[service]]\nname = "haproxy"')
    path = tmp_path / "lab.toml"
    path.write_text(text[:start] + text[end:])
    made, skipped = parts(load_bench_site(path), load_description().quick, None)
    assert set(skipped) == {"uneven", "growth"}
    assert not {"uneven", "growth"} & {part.name for part in made}


def test_a_quick_study_looks_closer_at_some_only() -> None:
    made, _ = parts(load_bench_site(LAB), load_description().quick, ["throughput", "faults"])
    by_name = {part.name: {case["balancer"] for case in part.cases} for part in made}
    assert len(by_name["throughput"]) == 7
    assert len(by_name["faults"]) == 2
    assert len(schedule(made, 1)) == 7 * 2 * 2 + 2 * 3


def test_an_unknown_part_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with pytest.raises(LoadstoneError) as refused:
        begin(ENTRY, Order(folder, "quick", ("throughput", "walls")))
    assert refused.value.slug == "study-part"
    assert not folder.exists()


def test_an_order_is_taken_up_from_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with pytest.raises(LoadstoneError) as refused:
        take_up(folder, "balancers")
    assert refused.value.slug == "study-resume"
    plan = begin(ENTRY, Order(folder, "quick", ("peer",), topology=LAB))
    (folder / "topology.toml").write_text(LAB.read_text("utf-8").replace("study-balancers", "kept"))
    assert {task.part for task in plan.tasks} == {"peer"}
    assert plan.expected_s > 0
    (folder / "study.json").write_text(
        '{"format": 1, "name": "balancers", "size": "quick", "only": ["peer"], "started_at": "2026-11-21"}'
    )
    again = take_up(folder, "balancers")
    assert again.begun_at == "2026-11-21"
    resumed = Balancers(again)
    assert [task.key for task in resumed.tasks] == [task.key for task in plan.tasks]
    assert resumed.site.topology.name == "kept"


def test_no_quota_on_this_machine_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise QuotaError("cpu: this machine has no such cgroup controller mounted")

    monkeypatch.setattr(bench_module, "limit_host", none)
    site = load_bench_site(LAB)
    bench = Bench(site, Ssh(Path("config"), {}, Path("sockets")), lambda count: pytest.fail("no load"))
    with pytest.raises(LoadstoneError) as refused, bench.limited(("small1",), 0.1):
        pass
    assert refused.value.slug == "study-quota"
