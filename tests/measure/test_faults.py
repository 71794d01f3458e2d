"""Faults of a scenario: refused where they cannot be, carried out at their times, told as events."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from loadstone.errors import LoadstoneError
from loadstone.measure.faults import Act, Faults, refuse_impossible
from loadstone.scenario import Fault, ScenarioError, builtin_path, load_scenario

CUT = Fault(at_s=1.0, host="db", what="cut")
MEND = Fault(at_s=3.5, host="db", what="mend")


class Journal:
    """Keeps events."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def event(self, kind: str, **told: Any) -> None:
        self.events.append({"kind": kind, **told})


def carried_out(faults: list[Fault], act: Act, until_s: float) -> list[dict[str, Any]]:
    """Events of a run that is `until_s` old when it ends."""
    journal, notes = Journal(), []
    schedule = Faults(faults, act)
    began = time.monotonic() - until_s
    schedule.write(journal, notes.append, began)  # type: ignore[arg-type]
    schedule.end(journal, notes.append, began)  # type: ignore[arg-type]
    assert notes == [event["note"] for event in journal.events]
    return journal.events


def test_what_is_due_is_done_in_order_and_the_rest_is_not() -> None:
    done: list[str] = []

    def act(fault: Fault) -> str:
        done.append(fault.what)
        return "cut off"

    events = carried_out([CUT, MEND], act, until_s=2.0)
    assert done == ["cut"]
    assert events == [
        {"kind": "fault", "second": 2, "host": "db", "note": "host db cut off after 2 s"},
    ]
    done.clear()
    assert len(carried_out([CUT, MEND], act, until_s=10.0)) == 2
    assert done == ["cut", "mend"]


def test_a_fault_that_fails_is_an_event_with_its_reason() -> None:
    def act(fault: Fault) -> str:
        raise LoadstoneError("lab-host", "`db` is down")

    (event,) = carried_out([CUT], act, until_s=2.0)
    assert (event["kind"], event["reason"]) == ("fault-failed", "`db` is down")


def test_without_faults_nothing_happens() -> None:
    journal = Journal()
    Faults().end(journal, print, time.monotonic())  # type: ignore[arg-type]
    assert journal.events == []


def test_faults_need_a_lab_that_has_made_their_host() -> None:
    refuse_impossible([], None)
    refuse_impossible([CUT], ["web", "db"])
    with pytest.raises(LoadstoneError, match="no hosts that they could be done to"):
        refuse_impossible([CUT], None)
    with pytest.raises(LoadstoneError, match="no host `db` in the lab for the fault at 1 s"):
        refuse_impossible([CUT], ["web"])


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ('at_s = 9000\nhost = "db"\nwhat = "cut"', "the run has ended"),
        ('at_s = 1\nhost = "db"\nwhat = "link"', "changes nothing"),
        ('at_s = 1\nhost = "db"\nwhat = "cut"\ndelay_ms = 3', "changes no shape"),
        ('at_s = 1\nhost = "db"\nwhat = "burn"', "burn"),
    ],
)
def test_faults_that_cannot_be_are_refused_with_their_line(tmp_path: Path, fault: str, words: str) -> None:
    path = tmp_path / "faults.toml"
    path.write_bytes(builtin_path("olio").read_bytes() + f"\n[[fault]]\n{fault}\n".encode())
    with pytest.raises(ScenarioError) as error:
        load_scenario(str(path), {})
    assert words in str(error.value) and f"{path}:" in str(error.value)


def test_faults_are_in_the_order_of_their_times(tmp_path: Path) -> None:
    path = tmp_path / "faults.toml"
    tables = "".join(
        f'\n[[fault]]\nat_s = {fault.at_s}\nhost = "db"\nwhat = "{fault.what}"\n' for fault in (MEND, CUT)
    )
    path.write_bytes(builtin_path("olio").read_bytes() + tables.encode())
    scenario = load_scenario(str(path), {})
    assert [fault.what for fault in scenario.faults] == ["cut", "mend"]
    assert "fault" not in json.dumps(scenario.plan(target=("db", 80))), "the engine knows nothing of them"
