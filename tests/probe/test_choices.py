"""Which pairs are measured, and options that cannot be."""

from __future__ import annotations

import pytest

from loadstone.errors import LoadstoneError
from loadstone.probe.options import Options, check, measures_of, port_of
from loadstone.probe.pairs import all_pairs, chosen_pairs, default_pairs, together_sets

SEVEN = {
    "client": "client",
    "lb": "balancer",
    "web1": "web",
    "web2": "web",
    "web3": "web",
    "db": "db",
    "cache": "db",
}


def test_each_two_kinds_are_measured_once_and_twins_too() -> None:
    pairs = default_pairs(SEVEN)
    groups = [pair.group for pair in pairs]
    assert len(set(groups)) == len(groups) == 6 + 2, "six pairs of four kinds, and two kinds with twins"
    assert {"web → web", "db → db", "client → web"} <= set(groups)
    assert all(pair.source != pair.target for pair in pairs)
    assert default_pairs({"alone": "host"}) == []


def test_all_pairs_are_all() -> None:
    assert len(all_pairs(SEVEN)) == 21


def test_chosen_pairs() -> None:
    assert [pair.name for pair in chosen_pairs(SEVEN, ["client"], ["web1", "web2", "client"])] == [
        "client → web1",
        "client → web2",
    ]
    assert len(chosen_pairs(SEVEN, [], ["db"])) == 6, "to one host from all others"
    with pytest.raises(LoadstoneError, match="no host `web9`") as unknown:
        chosen_pairs(SEVEN, ["client"], ["web9"])
    assert unknown.value.slug == "probe-host" and unknown.value.hint in [
        f"did you mean `web{number}`?" for number in (1, 2, 3)
    ]
    with pytest.raises(LoadstoneError, match="no two hosts"):
        chosen_pairs(SEVEN, ["db"], ["db"])


def test_one_pair_is_no_set() -> None:
    assert together_sets(chosen_pairs(SEVEN, ["client"], ["db"])) == {}


@pytest.mark.parametrize(
    ("options", "place"),
    [
        (Options(repeats=0), "--repeats"),
        (Options(packets=1), "--packets"),
        (Options(interval_s=0), "--interval"),
        (Options(seconds=0), "--seconds"),
        (Options(streams=65), "--streams"),
        (Options(port=70_000), "--port"),
        (Options(port=65_500, together=True), "--port"),
        (Options(tcp_port=0), "--tcp-port"),
        (Options(udp_mbit=-1.0), "--udp-mbit"),
        (Options(interval_s=float("nan")), "--interval"),
        (Options(together=True, measures=("icmp",)), "--together"),
        (Options(measures=("udp",)), "--only"),
    ],
)
def test_options_that_cannot_be_are_refused_by_name(options: Options, place: str) -> None:
    with pytest.raises(LoadstoneError) as refused:
        check(options)
    assert (refused.value.slug, refused.value.place) == ("probe-options", place)


def test_measures_keep_their_order_and_typos_are_found() -> None:
    assert measures_of([]) == ("icmp", "tcp", "bandwidth", "udp", "path")
    assert measures_of(["path", "icmp"]) == ("icmp", "path")
    with pytest.raises(LoadstoneError, match="no measurement `icpm`"):
        measures_of(["icpm"])


@pytest.mark.parametrize(
    "text",
    ["", ":80", "host:", "host:eighty", "host:0", "host:65536", "-oProxyCommand=x", "a b", "host;ls", "[::1"],
)
def test_addresses_that_are_none(text: str) -> None:
    with pytest.raises(LoadstoneError) as refused:
        port_of(text)
    assert refused.value.slug == "probe-options"
