"""Faults of a scenario: refused where they cannot be, carried out at their times, told as events."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from loadstone.errors import LoadstoneError
from loadstone.measure.faults import Act, Faults, on_topology, refuse_without_hosts
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


SITE = """
format = 1
name = "t-faults"
[[host]]
name = "lb"
[[host]]
name = "web1"
kind = "web"
[[host]]
name = "web2"
kind = "web"
[[host]]
name = "far"
address = "root@far.example"
[[service]]
name = "front"
role = "haproxy"
hosts = ["lb"]
settings = { backends = "web" }
[[service]]
name = "web"
role = "nginx"
kind = "web"
[[service]]
name = "cache"
role = "memcached"
hosts = ["far"]
"""


@pytest.fixture
def topology(tmp_path: Path) -> Path:
    path = tmp_path / "site.toml"
    path.write_text(SITE)
    return path


def of(service: str, what: str, at_s: float = 1.0) -> Fault:
    return Fault.model_validate({"at_s": at_s, "service": service, "what": what})


def test_faults_need_a_topology_and_its_hosts(topology: Path) -> None:
    refuse_without_hosts([])
    with pytest.raises(LoadstoneError, match="no hosts that they could be done to"):
        refuse_without_hosts([CUT])
    on_topology(topology, [])
    on_topology(topology, [Fault(at_s=1.0, host="lb", what="cut")])
    for host in ("db", "far"):
        with pytest.raises(LoadstoneError, match=f"no host `{host}` in the lab for the fault at 1 s"):
            on_topology(topology, [Fault(at_s=1.0, host=host, what="cut")])


@pytest.mark.parametrize(
    ("faults", "words"),
    [
        ([of("wed", "kill")], "no service `wed`"),
        ([of("web@web3", "stop")], "`web` does not run on `web3`"),
        ([of("cache", "drain")], "no balancer sends users to `cache`"),
        ([of("web", "drain")], "no new user would be served"),
        ([of("web@web1", "drain"), of("web@web2", "drain", 2.0)], "the fault at 2 s: all hosts of `web`"),
    ],
)
def test_faults_of_services_that_cannot_be_are_refused(
    topology: Path, faults: list[Fault], words: str
) -> None:
    with pytest.raises(LoadstoneError) as refused:
        on_topology(topology, faults)
    assert refused.value.slug == "fault" and words in str(refused.value)


def test_faults_of_services_are_taken_where_they_can_be(topology: Path) -> None:
    far = [of("cache", "kill"), of("cache@far", "restart", 2.0)]
    back_ends = [
        of("web@web1", "drain", 3.0), of("web@web1", "undrain", 4.0), of("web@web2", "drain", 5.0),
    ]  # fmt: skip
    on_topology(topology, far + back_ends)


def test_what_was_done_to_a_service_names_it_and_its_host() -> None:
    (event,) = carried_out([of("web@web1", "kill")], lambda _: "killed", until_s=2.0)
    assert event == {
        "kind": "fault", "second": 2, "host": "web1", "service": "web",
        "note": "service `web@web1` killed after 2 s",
    }  # fmt: skip
    (event,) = carried_out([of("web", "stop")], lambda _: "stopped", until_s=2.0)
    assert (event["service"], "host" in event) == ("web", False)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ('at_s = 9000\nhost = "db"\nwhat = "cut"', "the run has ended"),
        ('at_s = 1\nhost = "db"\nwhat = "link"', "changes nothing"),
        ('at_s = 1\nhost = "db"\nwhat = "cut"\ndelay_ms = 3', "changes no shape"),
        ('at_s = 1\nhost = "db"\nwhat = "burn"', "burn"),
        ('at_s = 1\nwhat = "kill"', "neither a host nor a service"),
        ('at_s = 1\nhost = "db"\nservice = "shop"\nwhat = "kill"', "both a host and a service"),
        ('at_s = 1\nhost = "db"\nwhat = "drain"', "nothing that is done to a host"),
        ('at_s = 1\nservice = "shop"\nwhat = "cut"', "nothing that is done to a service"),
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
    assert '"fault"' not in json.dumps(scenario.plan(target=("db", 80))), "the engine knows nothing of them"
