"""The page: one small file, every section, nothing fetched, nothing of the data taken for markup."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import synthetic

from loadstone import report
from loadstone.report.figures import theme

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>&\"'</textarea>"


class Outline(HTMLParser):
    """What a browser would make of the page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def ids(self) -> list[str]:
        return [str(attributes["id"]) for _, attributes in self.tags if "id" in attributes]

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def page(full: report.Chapter) -> str:
    return report.page([full])


def test_it_is_under_three_megabytes(page: str) -> None:
    assert len(page.encode()) < 3_000_000


def test_every_section_is_there_and_linked(page: str) -> None:
    outline = Outline(page)
    sections = [str(attributes["id"]) for attributes in outline.all("section")]
    assert sections == [
        f"f1-{name}"
        for name in (
            "capacity", "nodes", "cost", "time", "operations", "processes", "validity", "method",
        )
    ]  # fmt: skip
    assert [attributes["href"] for attributes in outline.all("a")] == [f"#{name}" for name in sections]
    assert len(set(outline.ids())) == len(outline.ids())


def test_every_chart_has_its_place_and_words(page: str) -> None:
    outline = Outline(page)
    charts = charts_of(page)
    plots = [one for one in outline.all("div") if one.get("role") == "img"]
    places = {str(one["id"]): one for one in plots}
    assert set(charts) == set(places)
    assert all(len(str(one["aria-label"])) > 20 for one in places.values())
    # Shares, throughput, its law, seven operations against users; four over time, and four operations with
    # answers enough for it; time per step; distributions, of which one operation had too few; four of hosts.
    assert len(charts) == 1 + 9 + 4 + 4 + 1 + 6 + 4


def test_goals_of_ones_own_are_drawn_beside_the_slas(tmp_path: Path) -> None:
    held = {"load": 400, "low": 400, "high": 420, "verdict": "met", "ended_by": "tolerance"}
    goals = {"HomePage p95 < 300 ms": held, "AddEvent p99 < limit": held | {"load": None, "verdict": "open"}}
    synthetic.capacity(tmp_path, goals=goals)
    charts = charts_of(report.page([report.read_chapter(tmp_path)]))
    layout = charts["f1-capacity-w0"]["layout"]
    words = {one["text"]: one["font"]["color"] for one in layout["annotations"]}
    assert words["HomePage p95 &lt; 300 ms: 400 users (400–420)"] == "@s4"
    assert any(one.get("x0") == one.get("x1") == 400 for one in layout["shapes"])
    assert not any("AddEvent p99" in one for one in words), "nothing is known of it"
    small = charts["f1-capacity-s0"]["layout"]["shapes"]
    assert any(one.get("x0") == one.get("x1") == 400 for one in small)


def test_nothing_is_drawn_of_fewer_than_20_answers(full: report.Chapter, page: str) -> None:
    assert full.detail is not None
    few = [name for name, one in full.detail.summary.operations.items() if one.ok < 20]
    assert few == ["AddPerson"]
    assert "Too few answers for a distribution: AddPerson." in page
    for key, chart in charts_of(page).items():
        names = [trace.get("name") for trace in chart["data"]]
        assert not (key.startswith("f1-operations") and "AddPerson" in names)


def test_failures_over_time_are_told_by_cause(run: report.Chapter) -> None:
    chart = charts_of(report.page([run]))["f1-time-w1"]
    assert [trace["name"] for trace in chart["data"]] == ["wrong status"]
    # AddEvent fails once in 45 seconds.
    assert [at for at, rate in zip(chart["data"][0]["x"], chart["data"][0]["y"], strict=True) if rate] == [
        44.5, 89.5, 134.5,
    ]  # fmt: skip


def test_each_cause_of_failure_has_its_first_example(tmp_path: Path) -> None:
    one = {
        "operation": "AddEvent",
        "cause": "status",
        "count": 3,
        "at_s": 44.5,
        "example": "POST /add: status 500",
    }
    synthetic.run(tmp_path / "run", ramp_up=2, steady=30, failures=[one])
    (row,) = report.all_tables(report.read_chapter(tmp_path / "run"))["failure-examples"].rows
    assert row == one | {"cause": "wrong status"}


def test_the_noise_of_the_machine_is_told_where_it_was_watched(run: report.Chapter, tmp_path: Path) -> None:
    assert "noise" not in report.all_tables(run)
    watched = {
        "control_ms": {"p50": 0.02, "p99": 0.5, "max": 8.5}, "busy_share": 0.5, "steal_share": 0.0,
        "foreign_cpu_share": None, "clock_steps": 0, "compute_us": 58.21, "memory_us": None,
    }  # fmt: skip
    synthetic.run(tmp_path / "run", ramp_up=2, steady=30, noise=watched)
    table = report.all_tables(report.read_chapter(tmp_path / "run"))["noise"]
    told = [row["told"] for row in table.rows]
    assert told == ["0.02", "0.500", "8.50", "50 %", "0 %", "–", "58.2", "–", "0"]
    # What was not observed is not known: it is no 0.
    assert ",,share" in table.csv()


def test_terms_are_explained_where_they_first_stand(page: str) -> None:
    outline = Outline(page)
    defined = re.findall(r"<dt>([^<]+)</dt><dd>", page[: page.index('id="f1-method"')])
    for term in ("SLA-1", "SLA-2", "PF", "ARA", "Num", "p99", "SUT"):
        assert defined.count(term) == 1, term
    assert all(attributes.get("title") for attributes in outline.all("abbr"))
    # Before anything that uses them: of the head, right below the figures.
    assert page.index("<dt>SLA-1</dt>") < page.index("<nav")
    assert page.index("<dt>Num</dt>") < page.index(">Num</abbr>")


def test_one_badge_leads_and_the_others_are_folded(full: report.Chapter, page: str) -> None:
    first, *others = report.badges(full)
    head = page[page.index("<header>") : page.index("</header>")]
    lead, folded = head.split("<details", 1)
    assert first.words in lead
    assert others
    assert all(one.words in folded and one.words not in lead for one in others)


def test_colours_are_names_of_both_themes(page: str) -> None:
    assert theme.LIGHT.keys() == theme.DARK.keys()
    used = {value[1:] for value in strings(charts_of(page)) if value.startswith("@")}
    assert used
    assert used <= theme.LIGHT.keys()


def test_labels_can_be_read_in_both_themes() -> None:
    for colours in (theme.LIGHT, theme.DARK):
        for name in ("ink", "muted", "s1", "s2", "s3", "s4", "s5", "good", "bad", "warn"):
            assert contrast(colours[name], colours["page"]) >= 4.5, name
        for name in ("good", "bad", "warn"):
            assert contrast(colours[name], colours[f"{name}-back"]) >= 4.5, name


def test_nothing_is_fetched(page: str) -> None:
    outline = Outline(page)
    for _, attributes in outline.tags:
        assert not {"src", "srcset", "poster", "data", "action"} & attributes.keys()
        assert str(attributes.get("href", "#")).startswith("#")
    assert not outline.all("link")
    assert "url(" not in page
    assert "@import" not in page
    policy = next(one for one in outline.all("meta") if one.get("http-equiv") == "Content-Security-Policy")
    assert str(policy["content"]).startswith("default-src 'none'")


def test_hostile_names_stay_words(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    summary = synthetic.run(folder, ramp_up=2, steady=30)
    operations = {HOSTILE: summary["operations"].pop("HomePage")} | summary["operations"]
    failure = {"operation": HOSTILE, "cause": HOSTILE, "count": 1, "example": HOSTILE, "at_s": 1}
    changes: dict[str, Any] = {
        "name": HOSTILE, "operations": operations, "failures": [failure], "target": HOSTILE,
        "command": [HOSTILE], "outcome": HOSTILE, "warnings": [HOSTILE],
    }  # fmt: skip
    (folder / "run.json").write_text(json.dumps(summary | changes))
    (folder / "scenario.toml").write_text(HOSTILE)
    chapter = report.read_chapter(folder)
    plain = Outline(report.page([report.read_chapter(_plain(tmp_path))]))
    outline = Outline(report.page([chapter]))
    assert len(outline.all("script")) == len(plain.all("script"))
    assert not outline.all("img")
    assert not outline.all("textarea")
    assert sum(HOSTILE in text for text in outline.texts) >= 5
    assert "<script>" not in report.summary(chapter)


def _plain(folder: Path) -> Path:
    synthetic.run(folder / "plain", ramp_up=2, steady=30)
    return folder / "plain"


def test_a_name_in_a_chart_is_not_plotlys_markup(tmp_path: Path) -> None:
    from loadstone.report.figures.figure import label

    assert label("<b>a & b</b>", "@ink", x=0, y=0)["text"] == "&lt;b&gt;a &amp; b&lt;/b&gt;"


def test_what_is_absent_is_named_with_its_command(run: report.Chapter) -> None:
    text = " ".join(Outline(report.page([run])).texts)
    for command in ("loadstone capacity SCENARIO", "loadstone nodes --from", "loadstone cost --from"):
        assert command in text


def test_tables_that_are_gone_are_named(tmp_path: Path) -> None:
    synthetic.run(tmp_path / "run", users=20, ramp_up=2, steady=3)
    for name in ("windows", "histograms", "engine", "hosts"):
        (tmp_path / "run" / f"{name}.parquet").unlink()
    page = report.page([report.read_chapter(tmp_path / "run")])
    assert "windows.parquet, histograms.parquet, engine.parquet, hosts.parquet" in page
    assert len(page) < 100_000, "without charts there is no need for their library"


def test_nodes_and_cost_alone(tmp_path: Path) -> None:
    synthetic.nodes(tmp_path)
    synthetic.cost(tmp_path)
    chapter = report.read_chapter(tmp_path)
    assert report.sentence(chapter).startswith("$2,003 a month for 520 users")
    assert [one["id"] for one in Outline(report.page([chapter])).all("section")] == [
        "f1-nodes", "f1-cost", "f1-method", "f1-absent",
    ]  # fmt: skip


def test_several_folders_share_a_page(full: report.Chapter, run: report.Chapter) -> None:
    outline = Outline(report.page([full, run]))
    assert [one["id"] for one in outline.all("article")] == ["f1", "f2"]
    assert len(set(outline.ids())) == len(outline.ids())


def test_the_same_folder_gives_the_same_page(full_folder: Path, page: str) -> None:
    assert report.page([report.read_chapter(full_folder)]) == page


def charts_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="charts">(.*?)</script>', page)
    assert found
    charts: dict[str, Any] = json.loads(found[1])
    return charts


def strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inside for text in strings(one)]


def contrast(one: str, other: str) -> float:
    """Contrast ratio as WCAG 2 defines it."""
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
