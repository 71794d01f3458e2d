"""Built-in applications as images: what is refused before anything starts, and a search that boots them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loadstone.capacity import Limits, Options, find
from loadstone.errors import LoadstoneError
from loadstone.image.build import build
from loadstone.measure import Interrupt, Job, RustEngine, Silent, sut_of
from loadstone.measure.dataset import DataSet
from loadstone.measure.imaged import OnDisk
from loadstone.nodes.measured import read_measured
from loadstone.scenario import Scenario, load_scenario
from loadstone.scenario.findings import ScenarioError
from loadstone.site.olio import OLIO, OlioData

TARGET = """
[target]
app = "surge"
options = {{ {options} }}
{rest}
"""
REST = """
[data]
files = 100

[load]
users = 2
ramp_up_s = 1
steady_s = 4
ramp_down_s = 1

[sla]
window_s = 4

[pacing]
think = { kind = "neg-exp", mean_s = 0.2 }

[[operation]]
name = "File"
limit_s = 2
[[operation.step]]
get = "/d/1"

[mix]
File = { File = 1 }
"""


def scenario(folder: Path, image: str, options: str = "", **changes: str) -> Scenario:
    """A scenario in which two users read one of SURGE's files."""
    file = folder / "surge.toml"
    target = TARGET.format(options=options, rest=f"[target.image]\n{image}")
    file.write_text(f'format = 1\nname = "small"\n{target}{REST}')
    return load_scenario(file, changes)


@pytest.mark.parametrize(
    ("image", "options", "line", "said"),
    [
        ("memory_mib = 0", "", 8, "memory_mib"),
        ('machine = "pc"', "", 8, "machine"),
        ("memory = 16", "", 8, "`memory`"),
        ('file = "nowhere.elf"', "", 8, "there is no image `nowhere.elf`"),
        ("", "workers = 4", 6, "an image has no `workers`"),
    ],
)
def test_settings_that_cannot_be_are_refused_with_their_line(
    tmp_path: Path, image: str, options: str, line: int, said: str
) -> None:
    with pytest.raises(ScenarioError) as caught:
        scenario(tmp_path, image, options)
    assert said in str(caught.value) and f"surge.toml:{line}" in str(caught.value)


def test_a_site_of_somebody_else_is_not_booted(tmp_path: Path) -> None:
    by_option = scenario(tmp_path, "", **{"target.url": "http://127.0.0.1:1"})
    assert by_option.target.image is None
    with pytest.raises(ScenarioError, match="image"):
        load_scenario("olio", {"target.url": "http://127.0.0.1:1", "target.image.memory_mib": "16"})


def test_a_file_that_is_no_image_is_refused(tmp_path: Path) -> None:
    no_image = tmp_path / "no.elf"
    no_image.write_text("text")
    with pytest.raises(LoadstoneError) as caught:
        sut_of(scenario(tmp_path, f'file = "{no_image}"'))
    assert caught.value.slug in ("image-file", "program-missing")


def test_a_disk_holds_the_data_set_and_is_kept_apart_from_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    data = DataSet(OLIO, OlioData(accounts=100, media_scale=0.01))
    on_disk = OnDisk(data, 32, "log")
    with on_disk.fresh() as first:
        (disk,) = first.iterdir()
        loaded = disk.read_bytes()
        disk.write_bytes(b"")
    with on_disk.fresh() as second:
        assert (second / disk.name).read_bytes() == loaded, "what a run writes does not meet the next one"
        assert (second / disk.name).stat().st_blocks * 512 < 16 << 20, "holes are not filled"
    assert len(loaded) == 32 << 20 and b"SQLite format 3" in loaded
    assert on_disk.pristine() != data.pristine()


def test_a_disk_that_is_too_small_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with (
        pytest.raises(LoadstoneError) as caught,
        OnDisk(DataSet(OLIO, OlioData(accounts=400)), 1, "log").fresh(),
    ):
        pass
    assert caught.value.slug == "image-disk" and "disk_mib" in str(caught.value)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_search_boots_an_image_for_each_run_and_records_it(tmp_path: Path) -> None:
    file = build("surge", tmp_path / "surge.elf").stripped.path
    small = scenario(tmp_path, f'file = "{file}"\nmemory_mib = 24')
    job = Job(small, sut_of(small), RustEngine(), ["test"])
    folder = tmp_path / "found"
    found = find(
        job, folder, Options(Limits(1, 2, runs=2, repeats=1)), Interrupt(), lambda *_: Silent()
    ).content()
    assert found["outcome"] in ("ceiling", "max-runs", "noisy", "complete"), found
    node = json.loads((folder / "capacity.json").read_text())["node"]
    assert (node["type"], node["vcpu"], node["memory_mib"]) == ("appliance", 1, 24)
    low, high = node["start_s_range"]
    assert 0 < low <= node["start_s"] <= high
    runs = [json.loads(one.read_text()) for one in sorted(folder.glob("runs/*/run.json"))]
    assert len(runs) == len(found["runs"]) > 1
    assert len({run["target"] for run in runs}) > 1, "a machine of its own for each run"
    assert all(run["node"]["image_bytes"] == file.stat().st_size for run in runs)
    assert all(run["operations"]["File"]["ok"] for run in runs)
    assert read_measured(folder).node is not None
