"""Data and services give way only to whom they belong, or with consent; here on this machine."""

import json
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from loadstone.deploy.host import control, home
from loadstone.deploy.host.data import Order, backups
from loadstone.deploy.host.home import UNIT, Home, Refused
from loadstone.deploy.host.processes import members
from loadstone.deploy.role import Unit

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="it runs programs as other users")

OURS, THEIRS = Order("ours"), Order("theirs")
ROWS = "a thousand rows"
VERSION = "words (Words) {}.4"

Want = Callable[..., dict[str, Any]]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(home, "ROOT", tmp_path)
    monkeypatch.setattr(control, "ROOT", tmp_path)
    yield tmp_path
    control.remove("words", OURS)
    control.remove("words", THEIRS)


@pytest.fixture
def want(root: Path) -> Want:
    """Asks for a service, by default one whose data are made by an `echo`; then what `apply` answers."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    def want(order: Order = OURS, **changes: Any) -> dict[str, Any]:
        text = json.dumps(unit(port) | changes)
        control.prepare("words", order, text, [])
        return control.apply("words", order)

    return want


def unit(port: int) -> dict[str, Any]:
    start = ["python3", "-m", "http.server", str(port), "--bind", "127.0.0.1"]
    made = Unit(
        "words", port, start, ["python3"], user="root", stop_s=5,
        prepare=[["sh", "-c", "echo new >{data}/rows"]], version=["echo", VERSION.format(15)],
    )  # fmt: skip
    return json.loads(json.dumps(made.as_json()))  # type: ignore[no-any-return]


@pytest.fixture
def filled(want: Want) -> Path:
    """A running service of ours that has written into its data."""
    want()
    rows = Home("words").data / "rows"
    rows.write_text(ROWS)
    return rows


OTHER_WAY = {"prepare": [["sh", "-c", "echo other >{data}/rows"]]}
LOSSES = [
    ({"role": "verses"}, "the role changes from words to verses"),
    (OTHER_WAY, "the data would be made in another way"),
    (
        {"version": ["echo", VERSION.format(17)], "env": {"A": "1"}},
        "of version 15, and the program is of version 17",
    ),
]


@pytest.mark.parametrize("changes, sentence", LOSSES)
@pytest.mark.parametrize("way", ["deploy", "configure"])
def test_what_would_lose_data_is_refused_and_the_service_goes_on(
    want: Want, filled: Path, changes: dict[str, Any], sentence: str, way: str
) -> None:
    pids = members(Home("words"))
    with pytest.raises(Refused) as refused:
        if way == "deploy":
            want(**changes)
        else:
            wanted = Home("words").unit() | changes
            control.configure("words", OURS, {UNIT: json.dumps(wanted)})
    assert refused.value.slug == "data-loss" and sentence in refused.value.message
    assert (
        f"in 1 files of {filled.parent}" in refused.value.message and "would be lost" in refused.value.message
    )
    assert filled.read_text() == ROWS and members(Home("words")) == pids
    assert want()["action"] == "unchanged", "what is wanted is what it was"


def test_data_that_give_way_are_kept_with_their_configuration(want: Want, filled: Path, root: Path) -> None:
    answer = want(Order("ours", "replace"), **OTHER_WAY)
    assert filled.read_text() == "other\n"
    (folder,) = answer["backups"]
    kept = Path(folder)
    assert (kept / "data" / "rows").read_text() == ROWS
    assert "echo new" in (kept / "conf" / UNIT).read_text()
    assert kept.parent.stat().st_mode & 0o777 == 0o700, "they may hold passwords"
    removed = control.remove("words", OURS)
    assert (removed["action"], removed["backups"]) == ("removed", [folder])
    assert (kept / "data" / "rows").read_text() == ROWS


def test_without_a_backup_nothing_is_kept(want: Want, filled: Path, root: Path) -> None:
    assert want(Order("ours", "discard"), **OTHER_WAY)["backups"] == []
    assert filled.read_text() == "other\n" and not (root / ".backups").exists()


def test_data_come_back_when_the_new_program_does_not_come_up(want: Want, filled: Path) -> None:
    with pytest.raises(Refused) as failed:
        want(Order("ours", "replace"), start=["sh", "-c", "echo no; exit 3"], **OTHER_WAY)
    assert failed.value.slug == "service-failed"
    assert filled.read_text() == ROWS and backups(Home("words")) == []
    assert control.status("words", OURS, {})["state"] == "running"


def test_another_topology_neither_changes_nor_removes_it(want: Want, filled: Path) -> None:
    files = {path.name: path.read_text() for path in Home("words").conf.iterdir()}
    tries: list[Callable[[], object]] = [
        lambda: want(THEIRS),
        lambda: want(THEIRS, role="verses"),
        lambda: control.configure("words", THEIRS, files),
        lambda: control.restart("words", THEIRS),
    ]
    pids = members(Home("words"))
    for attempt in tries:
        with pytest.raises(Refused) as refused:
            attempt()
        assert refused.value.slug == "service-owned"
        assert "belongs to the topology `ours`, with 0.0 MiB in 1 files" in refused.value.message
    assert control.remove("words", THEIRS) == {"changed": False, "action": "left", "owner": "ours"}
    assert control.status("words", THEIRS, files)["state"] == "foreign"
    assert filled.read_text() == ROWS and members(Home("words")) == pids


def test_with_consent_it_is_taken_over_and_its_data_are_kept(want: Want, filled: Path) -> None:
    (folder,) = want(Order("theirs", "replace"))["backups"]
    assert filled.read_text() == "new\n" and (Path(folder) / "data" / "rows").read_text() == ROWS
    assert json.loads((Path(folder) / "owner.json").read_text()) == {"topology": "ours"}
    with pytest.raises(Refused, match="belongs to the topology `theirs`"):
        want(OURS)


def test_two_topologies_of_one_name_are_two_owners(want: Want, root: Path) -> None:
    first = Order("ours", "keep", "1f", "ops@one:/srv/shop")
    second = Order("ours", "keep", "2e", "ops@two:/srv/shop")
    want(first)
    rows = Home("words").data / "rows"
    rows.write_text(ROWS)
    with pytest.raises(Refused) as refused:
        want(second)
    assert refused.value.slug == "service-owned"
    assert "the topology `ours` of ops@one:/srv/shop, owner 1f, with 0.0 MiB" in refused.value.message
    assert control.remove("words", second)["action"] == "left"
    assert control.status("words", second, {})["state"] == "foreign"
    moved = first._replace(origin="me@three:/home/me/shop")
    assert want(moved)["action"] == "unchanged" and rows.read_text() == ROWS
    assert control.remove("words", moved)["action"] == "removed"


def test_what_an_earlier_version_brought_is_the_first_one_s_who_deploys(want: Want, filled: Path) -> None:
    first, second = Order("ours", "keep", "1f"), Order("ours", "keep", "2e")
    assert control.status("words", second, {})["state"] == "running", "nothing says whose it is but the name"
    pids = members(Home("words"))
    assert want(first)["action"] == "unchanged" and members(Home("words")) == pids
    with pytest.raises(Refused, match="owner 1f"):
        want(second)
    assert control.remove("words", first)["action"] == "removed"


def test_a_role_may_change_where_there_is_nothing_to_lose(want: Want) -> None:
    want(prepare=[])
    assert want(role="verses", prepare=[])["action"] == "restarted"


def test_what_is_made_elsewhere_is_lost_as_well(want: Want) -> None:
    holds = "the tables of olio in the database of `database`"
    want(prepare=[["true"]], holds=holds)
    with pytest.raises(Refused) as refused:
        want(prepare=[["true", "110"]], holds=holds)
    assert refused.value.slug == "data-loss" and f"{holds} would be lost" in refused.value.message


def test_a_plan_changes_nothing(want: Want, filled: Path, root: Path) -> None:
    def everything() -> dict[str, object]:
        return {str(path): path.stat().st_mtime_ns for path in [root, *root.rglob("*")]}

    before = everything()
    used = {path.name: path.read_text() for path in Home("words").conf.iterdir()}
    changed = {UNIT: json.dumps(json.loads(used[UNIT]) | OTHER_WAY)}
    assert control.plan("words", OURS, used)["action"] == "unchanged"
    answer = control.plan("words", OURS, changed)
    assert (answer["action"], answer["files"]) == ("restarted", used)
    assert answer["loses"]["refused"] == "data-loss" and "would be lost" in answer["loses"]["message"]
    assert control.plan("words", THEIRS, used)["loses"]["refused"] == "service-owned"
    assert control.plan("poems", OURS, used)["action"] == "started"
    assert everything() == before
