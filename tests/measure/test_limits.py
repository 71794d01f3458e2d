"""What a run came nearest to the end of, from means of its steady state."""

import pytest

from loadstone.judge.limits import is_limit, nearest
from loadstone.stages.run_hosts import WatchedHost, WatchedService

DB = WatchedService(name="db", role="postgresql", tier="database", port=5432)
WEB = WatchedService(name="web", role="nginx", tier="web server", port=80)
H1 = WatchedHost(host="h1", cores=4, memory_bytes=1000, services=[WEB])
H3 = WatchedHost(host="h3", cores=2, memory_bytes=1000, services=[WEB, DB])
LAB = [
    WatchedHost(host=name, lab=True, cores=2, memory_bytes=1000, cpus=cpus, link_mbit=mbit, services=[one])
    for name, one, cpus, mbit in (("a", WEB, 0.5, None), ("b", DB, None, 100.0))
]


def test_the_tier_the_host_and_the_resource_are_named() -> None:
    of_hosts = {
        "h1": {"cpu_cores": 1.0, "idle_cores": 3.0, "memory_used_bytes": 300.0},
        "h3": {"cpu_cores": 1.94, "idle_cores": 0.04, "cpu_iowait_cores": 0.02, "memory_used_bytes": 900.0},
    }
    of_services = {("h3", "db"): {"cpu_cores": 1.8}, ("h3", "web"): {"cpu_cores": 0.1}}
    found = nearest([H1, H3], of_hosts, of_services)
    assert found is not None and is_limit(found)
    assert (found.tier, found.service, found.host, found.resource) == ("database", "db", "h3", "cpu")
    assert found.said == "database `db` on host h3: CPU 97 %"


def test_the_busiest_of_idle_hosts_is_no_limit() -> None:
    found = nearest([H1], {"h1": {"cpu_cores": 1.0, "idle_cores": 3.0}}, {})
    assert found is not None and not is_limit(found)
    assert found.said == "host h1: CPU 25 %"


def test_connections_and_disks_are_resources() -> None:
    full = {("h3", "db"): {"connections": 98.0, "connections_most": 100.0}}
    found = nearest([H3], {"h3": {"disk_busy_share": 0.5}}, full)
    assert found is not None and (found.resource, found.service) == ("connections", "db")
    found = nearest([H3], {"h3": {"disk_busy_share": 0.9}}, {("h3", "db"): {"write_bytes_per_s": 1e6}})
    assert found is not None and (found.resource, found.service) == ("disk", "db")


def test_a_lab_host_has_its_quota_and_its_link() -> None:
    shared = {"machine_cpu_cores": 0.8, "machine_idle_cores": 1.2}
    of_hosts = {"a": {"cpu_cores": 0.48, **shared}, "b": {"cpu_cores": 0.2, "rx_bytes_per_s": 1.0, **shared}}
    found = nearest(LAB, of_hosts, {})
    assert found is not None and (found.host, found.resource) == ("a", "cpu") and is_limit(found)
    of_hosts = {"b": {"cpu_cores": 0.2, "rx_bytes_per_s": 1.0, "tx_bytes_per_s": 12.4e6, **shared}}
    found = nearest(LAB, of_hosts, {})
    assert found is not None and (found.host, found.resource) == ("b", "network") and is_limit(found)


def test_a_machine_that_others_exhaust_is_no_limit_of_the_lab() -> None:
    shared = {"machine_cpu_cores": 2.0, "machine_idle_cores": 0.0}
    mine = nearest(LAB, {"a": {"cpu_cores": 0.3, **shared}, "b": {"cpu_cores": 1.5, **shared}}, {})
    assert mine is not None and (mine.host, mine.share) == ("b", 1.0) and "all hosts of the lab" in mine.said
    assert nearest(LAB[1:], {"b": {"cpu_cores": 0.1, **shared}}, {}) is None


def test_what_is_down_comes_first() -> None:
    found = nearest(
        [H1, H3], {"h1": {"idle_cores": 0.0}}, {}, [("h3", "db", "database `db` on h3 died after 7 s")]
    )
    assert found is not None and is_limit(found)
    assert (found.resource, found.tier, found.said) == (
        "down",
        "database",
        "database `db` on h3 died after 7 s",
    )


def test_nothing_is_known_of_nothing() -> None:
    assert nearest([], {}, {}) is None
    assert nearest([H1], {}, {}) is None


def test_a_quota_that_is_used_up_in_most_periods_is_a_limit_below_its_mean() -> None:
    own = {("b", "db"): {"cpu_cores": 0.036}}
    of_hosts = {"b": {"cpu_cores": 0.037, "cpu_quota_cores": 0.05, "cpu_throttled_share": 0.93}}
    busy = {"a": {"cpu_cores": 0.38}}  # of 0.5 cores: more in the mean, and never throttled
    found = nearest(LAB, of_hosts | busy, own)
    assert found is not None and is_limit(found)
    assert (found.tier, found.service, found.resource) == ("database", "db", "cpu")
    assert (found.share, found.throttled_share) == (pytest.approx(0.74), 0.93)
    assert found.said == (
        "database `db` on host b: CPU, of a quota of 0.05 cores, 74 % used, throttled in 93 % of its periods"
    )
    of_hosts["b"]["cpu_throttled_share"] = 0.3
    found = nearest(LAB, of_hosts | busy, own)
    assert found is not None and found.host == "a" and not is_limit(found)


def test_a_service_may_have_a_quota_of_its_own() -> None:
    own = {("h3", "db"): {"cpu_cores": 0.3, "cpu_quota_cores": 0.4, "cpu_throttled_share": 0.6}}
    found = nearest([H3], {"h3": {"cpu_cores": 0.4, "idle_cores": 1.6}}, own)
    assert found is not None and is_limit(found) and (found.service, found.throttled_share) == ("db", 0.6)


def test_sessions_that_wait_for_locks_hold_up_a_database() -> None:
    of_hosts = {"h3": {"cpu_cores": 0.2, "idle_cores": 1.8}}
    found = nearest([H3], of_hosts, {("h3", "db"): {"lock_wait_share": 0.8}})
    assert found is not None and is_limit(found) and found.resource == "locks"
    assert found.said == (
        "database `db` on host h3: half of the sessions at work, or more, waited for locks in"
        " 80 % of the readings"
    )
    found = nearest([H3], of_hosts, {("h3", "db"): {"lock_wait_share": 0.2}})
    assert found is not None and not is_limit(found)
