"""The study of nodes: the published counts, what proves them, and where the paper must be read anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from loadstone.availability import closed
from loadstone.cli import app
from loadstone.errors import LoadstoneError
from loadstone.measure import Interrupt
from loadstone.record import write_json
from loadstone.study.nodes import ENTRY
from loadstone.study.nodes.description import FILE, Description, load_description
from loadstone.study.nodes.study import Nodes
from loadstone.study.nodes.throughput import throughput
from loadstone.study.order import Order
from loadstone.study.page import study_page
from loadstone.study.record import NAME
from loadstone.study.results import Results
from loadstone.study.run import begin, beginning, conclusion, run
from loadstone.study.schedule import Task

DAY = 86_400.0


class Unseen:
    """Nobody watches."""

    def begins(self, task: Task, number: int, of: int, left_s: float) -> None: ...

    def ends(self, task: Task, measured: dict[str, Any]) -> None: ...

    def failed(self, task: Task, error: str) -> None:
        pytest.fail(error)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The whole study; some ten seconds of computing, most of it the pools that nobody mends."""
    folder = tmp_path_factory.mktemp("study") / "nodes"
    command = CliRunner().invoke(app, ["study", "nodes", "--out", str(folder), "--json"])
    assert command.exit_code == 0, command.output
    content: dict[str, Any] = json.loads((folder / "study.json").read_text("utf-8"))
    assert json.loads(command.stdout) == content
    return content | {"folder": folder}


def few(description: Description) -> Description:
    """The file with one cheap table and a point of each figure."""
    table = description.table[1].model_copy(update={"column": description.table[1].column[:1]})
    return description.model_copy(
        update={
            "table": [table],
            "availability": description.availability[:1],
            "corrupt": description.corrupt[:1],
        }
    )


@pytest.mark.long
def test_every_printed_count_is_the_papers_and_is_proved(made: dict[str, Any]) -> None:
    cells = [cell for table in made["parts"]["tables"] for cell in table["cells"]]
    fitting = [cell for cell in cells if cell["fitting"]]
    assert len([cell for cell in fitting if cell["paper"] is not None]) == 54
    assert all(cell["agrees"] is not False for cell in fitting)
    assert all(cell["proof"]["holds"] for cell in fitting)
    lost = {(cell["node"], cell["ours"]) for cell in fitting if cell["paper"] is None}
    assert lost == {("native", 30), ("ilr", 33), ("tx", 42), ("native", 1), ("ilr", 1), ("tx", 1)}
    literal = [cell["ours"] for cell in cells if cell["agrees"] is False]
    assert literal == [6258, 6733, 8594]


@pytest.mark.long
def test_what_differs_is_exactly_this(made: dict[str, Any]) -> None:
    places = [sentence.split(": paper")[0] for sentence in made["disagreements"]]
    assert places == [
        "Figure 5(a), 1 at 12/year",
        "Figure 7, ilr, day range, high",
        *(f"Figure 7, tx, {span} range, {end}" for span in ("month", "day") for end in ("low", "high")),
    ]
    sentences = "\n".join(one["text"] for one in made["findings"])
    for words in ("6,258 / 6,733 / 8,594", "0.99886 (native)", "8.766 h for 365.25d", "TX is the more often"):
        assert words in sentences


@pytest.mark.long
def test_the_page_shows_tables_and_figures(made: dict[str, Any]) -> None:
    page = study_page(made["folder"])
    for words in ("Table II(a)", "Table III", "54 of 54 printed counts", "Percent of a month spent corrupt"):
        assert words in page
    assert len(page) < 3_000_000


def test_a_few_points_and_the_closed_forms_agree(tmp_path: Path) -> None:
    description = few(load_description())
    content = run(
        Nodes(Order(tmp_path, "full", None), description), ["loadstone"], Interrupt(), Unseen(), print
    )
    [table] = content["parts"]["tables"]
    assert [cell["ours"] for cell in table["cells"]] == [35, 37, 46]
    for cell in table["cells"]:
        low, high = cell["proof"]["enough_s"]
        exact = closed.ara_on_premises(cell["num"], cell["ours"], 1 / (365 * DAY), 365 * DAY)
        assert low * (1 - 1e-9) <= exact <= high * (1 + 1e-9)
    [point] = content["parts"]["availability"]
    low, high = point["unavailable"]
    exact = closed.pf_cloud(1, 1 / (365 * DAY), 1 / 15, 365 * DAY) / (365 * DAY)
    assert low * (1 - 1e-9) <= exact <= high * (1 + 1e-9)
    for line in content["parts"]["curves"]["integrity"]:
        sums = map(sum, zip(line["correct"], line["corrupt"], line["down"], strict=True))
        assert all(abs(total - 1) < 1e-9 for total in sums)
    assert content["outcome"] == "complete" and content["tasks"]["done"] == 12
    assert study_page(tmp_path)
    with pytest.raises(LoadstoneError, match="folder"):
        begin(ENTRY, Order(tmp_path, "full", None))


def test_nothing_computed_yet_is_a_page_too(tmp_path: Path) -> None:
    study = Nodes(Order(tmp_path, "full", None))
    content = conclusion(study, beginning(study, []), "interrupted", Results(tmp_path))
    assert content["tasks"]["planned"] > content["tasks"]["done"] == 0
    assert study.answer(content)
    write_json(tmp_path / NAME, content)
    assert study_page(tmp_path)


def test_the_papers_throughputs_average_to_less_than_it_plans_with() -> None:
    own, plain, by_application = throughput(load_description())["averages"]
    assert (own["ilr"], own["tx"]) == (0.92, 0.71)
    assert [round(100 * plain[name]) for name in ("ilr", "tx")] == [81, 59]
    assert [round(100 * by_application[name]) for name in ("ilr", "tx")] == [87, 70]
    assert own["num"] == {"ilr": 11, "tx": 15}


@pytest.mark.parametrize(
    ("before", "after", "slug"),
    [
        ('crash = ["1/year"]', 'crash = ["1 a year"]', "rate"),
        ('deployment = "ARA cloud"', 'deployment = "ARA clouds"', "wrong-type"),
        ("[[application]]", "[[aplication]]", "unknown-key"),
        ('year = "365d"', 'year = "365 suns"', "duration"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, before: str, after: str, slug: str) -> None:
    text = FILE.read_text("utf-8")
    assert before in text
    path = tmp_path / "nodes.toml"
    path.write_text(text.replace(before, after, 1))
    with pytest.raises(LoadstoneError) as refused:
        load_description(path)
    assert slug in str(refused.value)
    assert f"{path}:" in str(refused.value)
