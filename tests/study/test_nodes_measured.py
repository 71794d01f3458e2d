"""The experimental half of the study of nodes: our own records beside the paper's figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from loadstone.errors import LoadstoneError
from loadstone.inject.tally import share_of
from loadstone.measure import Interrupt
from loadstone.nodes.integrity import NODE_TYPES, shares
from loadstone.stages.inject import OUTCOMES
from loadstone.study.nodes.description import FILE, Description, load_description
from loadstone.study.nodes.study import Nodes
from loadstone.study.order import Order
from loadstone.study.page import study_page
from loadstone.study.run import run
from loadstone.study.schedule import Task

RUNS = Path(__file__).parents[2] / "bench" / "runs" / "2026-11-27-x86_64-2core"
LIVE = RUNS / "injection-servers"
MONTH = 30 * 86_400.0
FAULTS = {
    ("one", "native"): {"masked": 60, "corrupt": 30, "crash": 10},
    ("two", "native"): {"masked": 40, "corrupt": 50, "crash": 9, "hang": 1},
    ("one", "ilr cmp"): {"masked": 50, "detected": 49, "corrupt": 1},
    ("two", "ilr cmp"): {"masked": 50, "detected": 40, "crash": 10},
    ("one", "tmr"): {"masked": 40, "recovered": 60},
    ("two", "tmr"): {"masked": 40, "recovered": 55, "crash": 5},
}
MEASURED = """
[measured]
injection = "injection"
kernels = "kernels"
[[measured.server]]
name = "memcached"
rows = "memcached"
faults = "."
[[measured.build]]
name = "native"
beside = "native"
servers = "off"
[[measured.build]]
name = "ilr cmp"
beside = "ilr"
kernels = "cmp"
servers = "ilr"
[[measured.build]]
name = "tmr"
beside = "tx"
kernels = "tmr"
[measured.cost]
book = "aws-2008"
instance = "c1.xlarge"
users = 100
faults = "27/month"
"""


class Unseen:
    """Nobody watches."""

    def begins(self, task: Task, number: int, of: int, left_s: float) -> None: ...

    def ends(self, task: Task, measured: dict[str, Any]) -> None: ...

    def failed(self, task: Task, error: str) -> None:
        pytest.fail(error)


def written(folder: Path, measured: str = MEASURED) -> Path:
    """The study's file with another end, and made-up records beside it."""
    for name in ("injection", "kernels", "memcached"):
        (folder / name).mkdir()
    campaigns = [
        {
            "kernel": kernel, "build": build, "injected": 100,
            "shares": [share_of(each, counts.get(each, 0), 100).content() for each in OUTCOMES],
        }
        for (kernel, build), counts in FAULTS.items()
    ]  # fmt: skip
    (folder / "injection/summary.json").write_text(json.dumps({"command": ["made up"], "kernels": campaigns}))
    ratio = {"one": {"cmp": 2.0, "tmr": 4.0}, "two": {"cmp": 1.25, "tmr": 2.5}}
    (folder / "kernels/summary.json").write_text(json.dumps({"rounds": 5, "ratio": ratio}))
    rows = [
        {
            "variant": f"memcached-{variant}", "load": "A", "round": number, "requests_per_s": rate,
            "response_ms": 1.0, "cpu_us": cpu, "user_us": 1.0,
        }
        for number in range(3)
        for variant, rate, cpu in (("off", 1000.0, 9.0), ("ilr", 900.0, 10.0))
    ]  # fmt: skip
    (folder / "memcached/rows.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows))
    kept = json.loads((LIVE / "memcached-ilr/inject.json").read_text())
    for variant, corrupt in (("off", 50), ("ilr", 2)):
        counts = {"masked": 500 - corrupt, "corrupt": corrupt}
        shares = [share_of(each, counts.get(each, 0), 500).content() for each in OUTCOMES]
        (folder / f"memcached-{variant}").mkdir()
        (folder / f"memcached-{variant}/inject.json").write_text(
            json.dumps(kept | {"shares": shares, "injected": 500})
        )
    path = folder / "nodes.toml"
    path.write_text(FILE.read_text("utf-8").split("\n[measured]")[0] + measured)
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("measured")
    (folder / "out").mkdir()
    study = Nodes(Order(folder / "out", "full", ("measured",)), load_description(written(folder)), folder)
    return run(study, ["loadstone"], Interrupt(), Unseen(), print) | {
        "folder": folder / "out",
        "study": study,
    }


def test_outcomes_are_of_all_programs_together(made: dict[str, Any]) -> None:
    native, ilr, tmr = made["parts"]["measured"]["outcomes"]
    found = {one["outcome"]: one for one in native["shares"]}
    assert native["injected"] == 200 and found["corrupt"] == share_of("corrupt", 80, 200).content()
    assert native["down"]["count"] == 20 and ilr["down"]["count"] == 99
    assert native["paper"] == {"corrupt": 0.2619, "down": 0.1249, "recovered": 0.0}
    assert [one["corrupt"] for one in native["kernels"]] == [0.3, 0.5]
    assert (ilr["beside"], tmr["beside"]) == ("ilr", "tx")


def test_throughput_is_the_geometric_mean_against_native(made: dict[str, Any]) -> None:
    ilr, tmr = made["parts"]["measured"]["throughput"]
    assert ilr["kernels"] == {"one": 0.5, "two": 0.8}
    assert ilr["mean"] == pytest.approx(0.4**0.5) and tmr["mean"] == pytest.approx(0.1**0.5)
    assert (ilr["paper_plans"], tmr["paper_plans"]) == (0.92, 0.71)
    off, ilr = made["parts"]["measured"]["servers"]
    assert (off["cpu"], ilr["cpu"], ilr["throughput"], ilr["build"]) == (1.0, 0.9, 0.9, "ilr cmp")


def test_live_servers_have_outcomes_and_a_throughput(made: dict[str, Any]) -> None:
    native, ilr = made["parts"]["measured"]["live"]
    assert (native["server"], native["build"], native["throughput"]) == ("memcached", "native", 1.0)
    assert (ilr["beside"], ilr["injected"], ilr["throughput"]) == ("ilr", 500, pytest.approx(0.9))
    assert {one["outcome"]: one["count"] for one in ilr["shares"]}["corrupt"] == 2
    paid = {row["node"]: row for row in made["parts"]["measured"]["cost"]}
    assert paid["native, memcached"]["extra"] == 0 and paid["ilr cmp, memcached"]["num"] == 12
    assert paid["ilr cmp, memcached"]["extra"] == pytest.approx(0.2)
    assert paid["ilr cmp, memcached"]["times_less"] == pytest.approx(25, rel=0.1)


def test_shares_of_a_month_follow_from_shares_of_faults(made: dict[str, Any]) -> None:
    native, _, tmr = made["parts"]["measured"]["integrity"]
    for line in (native, tmr):
        for point in line["points"]:
            assert point["corrupt"]["low"] <= point["corrupt"]["value"] <= point["corrupt"]["high"]
    paper = shares(NODE_TYPES["native"], 27 / MONTH, MONTH).corrupt
    point = native["points"][1]
    assert point["faults"] == "27/month" and point["corrupt"]["paper"] == paper < point["corrupt"]["value"]
    assert tmr["points"][1]["corrupt"]["value"] == 0 < tmr["points"][1]["corrupt"]["high"]


def test_protection_has_a_price_and_a_use(made: dict[str, Any]) -> None:
    rows = {row["node"]: row for row in made["parts"]["measured"]["cost"]}
    native, ilr, tmr = (rows[f"{name}, measured"] for name in ("native", "ilr cmp", "tmr"))
    assert native["usd_per_user_month"] == pytest.approx(10 * 0.8 * 720 / 1000)
    assert (ilr["num"], tmr["num"]) == (16, 32)
    assert ilr["extra"] == pytest.approx(0.6) and tmr["extra"] == pytest.approx(2.2)
    assert 50 < ilr["times_less"] < 100 and tmr["times_less"] is None and tmr["times_least"] > 10
    assert rows["ilr, paper"]["num"] == 11


def test_sentences_tables_and_page_follow(made: dict[str, Any]) -> None:
    said = {one["key"]: one for one in made["findings"]}
    assert "40.00 % (33.46–46.92) corrupt silently; Table I has 26.19 %" in said["measured-native"]["text"]
    assert "from 30.0 % (one) to 50.0 % (two)" in said["measured-native"]["text"]
    assert "80 times fewer than native" in said["measured-ilr-cmp"]["text"]
    assert said["measured-ilr-cmp"]["status"] == "undecided"
    assert (
        "at least 21 times fewer" in said["measured-tmr"]["text"]
        and "57.50 %" in said["measured-tmr"]["text"]
    )
    assert "60 % more" in said["cost-ilr-cmp-measured"]["text"]
    assert "at most" in said["cost-tmr-measured"]["text"]
    assert (
        "(geometric means over its loads) 90 % with `ilr cmp` (90 % for A to 90 % for A)"
        in (said["served-memcached"]["text"])
    )
    live = said["measured-memcached-ilr-cmp"]
    assert "in live memcached with `ilr cmp` 0.40 % (0.11–1.45) of 500 faults" in live["text"]
    assert "25 times fewer than native" in live["text"] and live["status"] == "undecided"
    assert "20 % more" in said["cost-ilr-cmp-memcached"]["text"]
    told = "\n".join(block if isinstance(block, str) else block.title for block in made["study"].answer(made))
    assert "Table I, measured" in told and "What protection costs" in told
    page = study_page(made["folder"])
    for words in (
        "Table I, measured",
        "Servers, measured",
        "Table I on live servers",
        "What protection costs",
    ):
        assert words in page


def test_without_records_it_is_the_model_half(tmp_path: Path) -> None:
    study = Nodes(Order(tmp_path / "out", "full", None), load_description(written(tmp_path, "")))
    assert "measured" not in [part.name for part in study.parts]


def test_the_file_that_is_shipped_has_the_records_that_are_kept() -> None:
    description: Description = load_description()
    assert description.measured is not None
    for ours, kept in (
        (description.measured.injection, "injection"),
        ("nodes/hardened-kernels", "hardened-kernels"),
    ):
        assert (FILE.parent / ours / "summary.json").read_bytes() == (
            RUNS / kept / "summary.json"
        ).read_bytes()
    names = [build.servers for build in description.measured.build if build.servers]
    for server in description.measured.server:
        pairs = [(FILE.parent / server.rows / "rows.ndjson", f"hardened-servers/{server.name}/rows.ndjson")]
        for each in names if server.faults else ():
            inject = f"{server.name}-{each}/inject.json"
            pairs.append((FILE.parent / str(server.faults) / inject, f"injection-servers/{inject}"))
        for ours_, kept_ in pairs:
            assert ours_.read_bytes() == (LIVE.parent / kept_).read_bytes()


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('name = "ilr cmp"', 'name = "ilr cnp"', "no injections into the build `ilr cnp`"),
        ('kernels = "cmp"', 'kernels = "cmq"', "no kernels of the variant `cmq`"),
        ('injection = "injection"', 'injection = "nowhere"', "nowhere` holds no summary.json"),
        ('rows = "memcached"', 'rows = "injection"', "injection` holds no rows.ndjson"),
        ('name = "memcached"', 'name = "redis"', "no rows of `redis-off`"),
        ('servers = "ilr"', 'servers = "tmr"', "no rows of `memcached-tmr`"),
        ('faults = "."', 'faults = "nowhere"', "memcached-off` holds no inject.json"),
        ('beside = "native"', 'beside = "ilr"', "the first build is not native"),
        ('instance = "c1.xlarge"', 'instance = "c1.xxlarge"', "no machine `c1.xxlarge`"),
        ('book = "aws-2008"', 'book = "aws-2009"', "there is no price book `aws-2009`"),
        ('faults = "27/month"', 'faults = "27 a month"', "27 a month"),
        ("users = 100", "user = 100", "user"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, before: str, after: str, words: str) -> None:
    assert before in MEASURED
    path = written(tmp_path, MEASURED.replace(before, after, 1))
    with pytest.raises(LoadstoneError) as refused:
        load_description(path)
    assert words in str(refused.value) and f"{path}:" in str(refused.value)


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("injection", "{", "not JSON"),
        ("injection", '{"kernels": 1}', "`kernels` should be"),
        (
            "injection",
            '{"kernels": [{"kernel": "a", "build": "native", "injected": 5, "shares": []}]}',
            "do not sum",
        ),
        ("kernels", '{"rounds": 5, "ratio": {}}', "no ratios above zero"),
        ("kernels", '{"rounds": 5, "ratio": {"one": {"cmp": 0, "tmr": 1}}}', "no ratios above zero"),
    ],
)
def test_a_record_that_is_none_is_told(tmp_path: Path, file: str, content: str, words: str) -> None:
    path = written(tmp_path)
    (tmp_path / file / "summary.json").write_text(content)
    with pytest.raises(LoadstoneError) as refused:
        load_description(path)
    assert words in str(refused.value) and f"[measured.{file}]" in str(refused.value)
