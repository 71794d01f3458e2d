"""Events from what hosts tell of their services."""

from loadstone.measure.lives import Event, Lives

TIERS = {"h1": {"db": "database", "rules": "balancer"}, "h2": {}}
FIRST, SECOND = [True, 100, 5], [True, 200, 9]
GONE = [False, 0, 0]


def told(events: list[Event]) -> list[tuple[str, int]]:
    return [(event["kind"], event["second"]) for event in events]


def test_a_service_dies_and_comes_back() -> None:
    lives = Lives(TIERS)
    assert lives.heard("h1", 0, {"db": FIRST}) == []
    [died] = lives.heard("h1", 7, {"db": GONE})
    assert (died["kind"], died["host"], died["service"]) == ("service-died", "h1", "db")
    assert died["note"] == "database `db` on h1 died after 7 s"
    assert lives.heard("h1", 8, {"db": GONE}) == []
    assert told(lives.heard("h1", 9, {"db": SECOND})) == [("service-came-back", 9)]
    assert lives.heard("h1", 10, {"db": SECOND}) == []


def test_another_first_process_is_a_restart() -> None:
    lives = Lives(TIERS)
    assert lives.heard("h1", 0, {"db": FIRST}) == []
    assert told(lives.heard("h1", 3, {"db": SECOND})) == [("service-restarted", 3)]


def test_a_service_that_does_not_run_as_the_run_begins() -> None:
    assert told(Lives(TIERS).heard("h1", 0, {"db": GONE})) == [("service-down", 0)]


def test_a_full_disk_is_told_once_and_so_is_its_room() -> None:
    lives = Lives(TIERS)
    assert lives.room("h1", 0, 9e9) == [] and lives.room("h2", 0, 5e6) == []
    [full] = lives.room("h1", 4, 0.0)
    assert (full["kind"], full["note"]) == ("host-disk-full", "the disk of host h1 is full after 4 s")
    assert lives.room("h1", 5, 4096.0) == []
    assert told(lives.room("h1", 6, 5e6)) == [("host-disk-has-room", 6)]


def test_a_service_that_is_removed_has_died() -> None:
    lives = Lives(TIERS)
    assert lives.heard("h1", 0, {"db": FIRST}) == []
    assert told(lives.heard("h1", 2, {})) == [("service-died", 2)]


def test_a_host_is_lost_once_and_found_again() -> None:
    lives = Lives(TIERS)
    assert lives.heard("h2", 0, {}) == []
    [lost] = lives.silent("h2", 4, "no route")
    assert (lost["kind"], lost["note"]) == ("host-lost", "host h2 lost after 4 s: no route")
    assert lives.silent("h2", 4, "no route") == []
    assert told(lives.heard("h2", 9, {})) == [("host-came-back", 9)]
    assert told(lives.silent("h2", 12, "again")) == [("host-lost", 12)]
