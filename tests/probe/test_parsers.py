"""What ping and iperf3 really print, and what nobody should: no text makes a parser fall over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadstone.probe.connect import parse_connects
from loadstone.probe.iperf import Flow, parse_flow
from loadstone.probe.path import parse_hop, parse_own_mtu
from loadstone.probe.ping import parse_ping

GOLDEN = Path(__file__).parent / "golden"


def golden(name: str) -> str:
    return (GOLDEN / name).read_text("utf-8")


def flow(client: str, server: str = "") -> Flow:
    found = parse_flow(client, server)
    assert isinstance(found, Flow), found
    return found


def test_every_packet_of_a_lossy_ping() -> None:
    found = parse_ping(golden("ping-lossy.txt"))
    assert found and (found.sent, len(found.replies), found.lost, found.duplicates) == (30, 26, 4, 0)
    assert found.replies[:3] == ((1, 3.64), (2, 5.46), (4, 3.72))
    times = [ms for _, ms in found.replies]
    assert (min(times), max(times)) == (2.99, 5.46), "the summary says the same"
    assert sum(times) / 26 == pytest.approx(4.235, abs=0.005)


def test_a_ping_that_sent_nothing_has_no_result() -> None:
    assert parse_ping("ping: connect: Network is unreachable") is None
    assert parse_ping("0 packets transmitted, 0 received") is None
    nothing = parse_ping("3 packets transmitted, 0 received, +3 errors, 100% packet loss, time 2ms")
    assert nothing and (nothing.sent, nothing.replies) == (3, ())


def test_tcp_with_the_words_of_both_ends() -> None:
    found = flow(golden("iperf3-tcp-client.json"), golden("iperf3-tcp-server.json"))
    assert found.mbit == pytest.approx(63.175, abs=0.001)
    assert found.intervals_of == "receiver"
    assert [round(rate) for rate in found.intervals_mbit[:3]] == [203, 48, 48], "a bucket empties first"
    assert (found.congestion_control, found.retransmits, found.mss) == ("bbr", 33, 1448)
    assert found.busy == pytest.approx(0.0371, abs=0.0001)
    assert found.sent is None and found.lost is None and found.jitter_ms is None


def test_without_the_server_the_intervals_are_the_senders() -> None:
    found = flow(golden("iperf3-tcp-client.json"))
    assert found.intervals_of == "sender" and found.mbit == pytest.approx(63.175, abs=0.001)


def test_udp_counts_what_arrived() -> None:
    found = flow(golden("iperf3-udp-client.json"))
    assert (found.sent, found.lost) == (2070, 310)
    assert found.mbit == pytest.approx(19.385, abs=0.001) and found.offered_mbit == pytest.approx(
        23.98, abs=0.01
    )
    assert found.jitter_ms == pytest.approx(0.4704, abs=0.0001)
    back = flow(golden("iperf3-udpr-client.json"))
    assert back.intervals_of == "receiver" and back.mbit == pytest.approx(19.424, abs=0.001)


def test_parallel_streams_are_one_flow() -> None:
    assert flow(golden("iperf3-par-client.json")).mbit == pytest.approx(19.073, abs=0.001)


def test_the_error_of_iperf3_is_its_own() -> None:
    assert (
        parse_flow(golden("iperf3-refused-client.json")) == "unable to connect to server: Connection refused"
    )
    assert parse_flow("iperf3: not found") == ""
    assert parse_flow("{}") == "" and "no result" in str(parse_flow('{"end": {}}'))


def test_hops() -> None:
    named = "From router.example (192.0.2.1) icmp_seq=1 Time to live exceeded"
    assert parse_hop(named) == ("192.0.2.1", False)
    assert parse_hop("2 packets transmitted, 0 received") == (None, False)
    assert parse_hop("From 192.0.2.9 icmp_seq=1 Destination Host Unreachable") == (None, False)
    assert parse_own_mtu("ping: local error: message too long, mtu: 9000") == 9000


@given(st.text())
def test_no_text_breaks_a_parser(text: str) -> None:
    parse_ping(text)
    parse_connects(text)
    parse_hop(text)
    parse_own_mtu(text)
    parse_flow(text, text)


WORDS = st.sampled_from(
    ["icmp_seq=", "time=", " ms", "1e9", "9" * 40, ".", "..", "-1", " packets transmitted", "0", "7", "\n",
     "accepted ", "refused ", "silent", " (DUP!)", "64 bytes from ", ":", "From ", "Time to live exceeded"]
)  # fmt: skip


@given(st.lists(WORDS).map("".join))
def test_no_near_miss_breaks_a_parser(text: str) -> None:
    found = parse_ping(text)
    assert found is None or (found.sent > 0 and found.lost >= 0)
    connects = parse_connects(text)
    assert connects is None or connects.accepted + connects.refused <= len(connects.times_ms)
    parse_hop(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.data())
def test_iperf3_with_any_part_replaced(data: st.DataObject) -> None:
    told: Any = json.loads(
        golden(data.draw(st.sampled_from(["iperf3-tcp-client.json", "iperf3-udp-client.json"])))
    )
    node = told
    while isinstance(node, dict | list) and node:
        keys = list(node) if isinstance(node, dict) else range(len(node))
        key = data.draw(st.sampled_from(list(keys)))
        if not isinstance(node[key], dict | list) or data.draw(st.booleans()):
            node[key] = data.draw(JSON)
            break
        node = node[key]
    found = parse_flow(json.dumps(told), json.dumps(told))
    assert isinstance(found, Flow | str)
