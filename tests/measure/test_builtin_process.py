"""The built-in application: its data loaded once, copied for every run, its process started and stopped."""

from __future__ import annotations

import os
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from loadstone import measure
from loadstone.errors import LoadstoneError
from loadstone.measure import Builtin, DataSet
from loadstone.site import Data, Loading, Site
from loadstone.site.olio import OLIO, OlioData

SMALL = OlioData(accounts=100, media_scale=0.01)


@dataclass(frozen=True, eq=False)
class Loaded(Site):
    """A site with a loader of the test's."""

    loader: Callable[[str, Data], None] = print

    def load(
        self, place: str, data: Data, loading: Loading | None = None, *, replace: bool = False
    ) -> dict[str, int]:
        self.loader(place, data)
        return {"user": 1}


def loaded_by(loader: Callable[[str, Data], None]) -> Site:
    return Loaded("small", "a small site", OlioData, OLIO.options, loader=loader)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "loadstone" / "data"


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_it_is_loaded_once_and_every_run_starts_from_the_same(cache: Path) -> None:
    loaded = []

    def loader(folder: str, data: Data) -> None:
        loaded.append(data)
        (Path(folder) / "olio.db").write_text("pristine")

    for _ in range(2):
        with DataSet(loaded_by(loader), SMALL).fresh() as copy:
            assert files(copy) == {"olio.db": b"pristine"}
            (copy / "olio.db").write_text("written to")
            (copy / "upload.jpg").write_text("new")
        assert not copy.exists()
    assert loaded == [SMALL]
    assert len(list(cache.iterdir())) == 1


def test_a_load_that_fails_leaves_nothing(cache: Path) -> None:
    def loader(folder: str, _: Data) -> None:
        (Path(folder) / "half").write_text("half")
        raise OSError("no space")

    with pytest.raises(LoadstoneError, match=r"error\[load-data\].*no space"):
        DataSet(loaded_by(loader), SMALL).pristine()
    assert list(cache.iterdir()) == []


def test_the_cache_keeps_the_data_sets_used_last_and_nothing_of_killed_processes(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def loader(folder: str, _: Data) -> None:
        (Path(folder) / "olio.db").write_text("pristine")

    site = loaded_by(loader)
    monkeypatch.setattr(measure.cache, "KEPT", 2)
    made = []
    for age, accounts in enumerate((100, 200, 300)):
        made.append(DataSet(site, OlioData(accounts=accounts)).pristine())
        os.utime(made[-1], (1000 + age, 1000 + age))
    DataSet(site, OlioData(accounts=100)).pristine()  # used once more: it is the newest now
    with measure.cache.working_folder("run") as alive:
        (killed := cache / ".run-killed").mkdir()
        (starting := cache / ".run-starting").mkdir()
        for folder in (alive, killed):
            os.utime(folder, (1000, 1000))
        measure.cache.prune()
        assert set(cache.iterdir()) == {made[0], made[2], alive, starting}


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(LoadstoneError, match=r"error\[load-data\].*Not a directory"):
        DataSet(OLIO, SMALL).pristine()


def test_the_scenario_says_what_to_load() -> None:
    data = {"accounts": 2000, "today": "2008-10-22", "media_scale": 0.5, "names": "paper", "tags": 500}
    given = OLIO.given(data, {"profile": "olio-0.2", "cache": "page"})
    assert OlioData(**given) == OlioData(
        accounts=2000, profile="olio-0.2", base_day="2008-10-22", media_scale=0.5, names="paper"
    )


def test_it_serves_and_is_gone_afterwards(cache: Path) -> None:
    with Builtin(OLIO, SMALL).running() as service:
        with urllib.request.urlopen(service.url, timeout=120) as answer:
            assert b'data-page="home"' in answer.read()
        assert service.alive()
        service.saw({})
        told = service.counted()
        assert told and (told["readings"], told["counters"]["requests"]) == (2, 1)
        assert told["counters"]["accepted"] == 2, "one made sure that it answers"
        assert told["most"]["workers"] >= 2
        (pid,) = service.roots().values()
    assert not service.alive()
    assert not psutil.pid_exists(pid)
    assert [path.name.split("-")[0] for path in cache.iterdir()] == ["olio"], "only the pristine data stays"


def test_it_keeps_to_its_cores() -> None:
    with Builtin(OLIO, SMALL, {"cores": 1}).running() as service:
        (pid,) = service.roots().values()
        threads = [os.sched_getaffinity(thread.id) for thread in psutil.Process(pid).threads()]
    assert len(threads) > 2
    assert {len(cores) for cores in threads} == {1} and len(set.union(*threads)) == 1


def test_it_leaves_the_machine_to_the_generator_once_it_serves() -> None:
    with Builtin(OLIO, SMALL).running() as service:
        threads = psutil.Process(service.roots()["sut"]).threads()
        policies = {os.sched_getscheduler(thread.id) for thread in threads}
    assert len(threads) > 2 and policies == {os.SCHED_IDLE}


def test_its_death_is_noticed() -> None:
    with Builtin(OLIO, SMALL).running() as service:
        process = psutil.Process(service.roots()["sut"])
        process.kill()
        process.wait(120)
        assert not service.alive()
        service.saw({})
        assert service.counted() is None, "nobody was asked before"


def test_what_keeps_it_from_starting_is_said() -> None:
    with pytest.raises(LoadstoneError) as caught, Builtin(OLIO, SMALL, {"cache": "everything"}).running():
        pass
    assert caught.value.slug == "sut-start"
    assert "everything" in str(caught.value)
