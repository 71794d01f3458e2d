"""From capture files to requests and the places where their time was spent."""

from __future__ import annotations

import shutil
import struct
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packets import ACK, ANSWER, ASK, FIN, PSH, RST, SYN, asked, capture, frame

from loadstone.study.balancers.exchanges import Seen, observe
from loadstone.study.balancers.pcap import segments
from loadstone.study.balancers.segments import nested, spent

CLIENT, FRONT, BACK, SERVER = ("10.0.0.1", 4000), ("10.0.0.2", 80), ("10.0.0.2", 5000), ("10.0.0.3", 80)


def seen(frames: list[tuple[float, bytes]], server: tuple[str, int] = FRONT) -> Seen:
    return observe(segments(capture(frames)), lambda endpoint: endpoint == server)


@given(st.binary(max_size=400))
def test_no_bytes_break_it(content: bytes) -> None:
    try:
        list(segments(content))
    except ValueError as error:
        assert "not " in str(error)


@given(st.data())
def test_no_damage_breaks_it(data: st.DataObject) -> None:
    frames = asked(CLIENT, FRONT, asked_us=1, first_us=5, last_us=9)
    content = bytearray(capture(frames))
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(24, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(content[: data.draw(st.integers(24, len(content)))])
    found = observe(segments(cut), lambda endpoint: endpoint[1] == 80)
    assert len(found.exchanges) <= 3


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("nano", [True, False])
def test_every_form_of_the_file_is_read(order: str, nano: bool) -> None:
    content = capture([(5_000_000_123.0, frame(CLIENT, FRONT, 7, ASK))], nano=nano, order=order)
    (one,) = segments(content)
    assert (one.at_ns, one.source, one.target) == (5_000_000_123_000, CLIENT, FRONT)
    assert (one.sequence, one.size, one.start) == (7, len(ASK), ASK)


def test_headers_alone_tell_the_size() -> None:
    content = capture([(1, frame(CLIENT, FRONT, 7, ASK))], snap=60)
    (one,) = segments(content)
    assert (one.size, one.start) == (len(ASK), ASK[:6])


def test_padding_of_a_short_frame_is_no_payload() -> None:
    (one,) = segments(capture([(1, frame(CLIENT, FRONT, 7, flags=ACK, pad=6))]))
    assert (one.size, one.start) == (0, b"")


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"short", "shorter than its header"), (bytes(24), "no known number")],
)
def test_other_files_are_refused(content: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        list(segments(content))


def test_another_link_type_is_refused() -> None:
    content = bytearray(capture([]))
    struct.pack_into("<I", content, 20, 113)
    with pytest.raises(ValueError, match="not Ethernet"):
        list(segments(bytes(content)))


def test_requests_of_a_kept_connection_are_told_apart() -> None:
    frames = [
        *asked(CLIENT, FRONT, asked_us=10, first_us=30, last_us=40, number=0),
        *asked(CLIENT, FRONT, asked_us=100, first_us=105, last_us=125, number=1),
    ]
    found = seen(frames).exchanges
    assert [(one.first_us, one.span_us, one.status) for one in found] == [(20, 30, 200), (5, 25, 200)]
    assert found[0].request.startswith(b"GET /page")


def test_a_retransmission_begins_nothing() -> None:
    first = asked(CLIENT, FRONT, asked_us=10, first_us=300, last_us=310)
    again = (210.0, first[0][1])
    late = (320.0, first[1][1])
    found = seen([first[0], again, *first[1:], late])
    assert found.repeated == 2
    assert [one.span_us for one in found.exchanges] == [300]


def test_numbers_wrap_around() -> None:
    top = (1 << 32) - 10
    frames = [
        (1.0, frame(CLIENT, FRONT, top, ASK)),
        (2.0, frame(FRONT, CLIENT, top, ANSWER)),
        (3.0, frame(CLIENT, FRONT, top + len(ASK), ASK)),
        (5.0, frame(FRONT, CLIENT, top + len(ANSWER), ANSWER)),
    ]
    assert [one.span_us for one in seen(frames).exchanges] == [1, 2]


@pytest.mark.parametrize(("flags", "source"), [(RST, FRONT), (FIN, FRONT), (FIN, CLIENT)])
def test_a_connection_that_ends_without_an_answer(flags: int, source: tuple[str, int]) -> None:
    other = FRONT if source == CLIENT else CLIENT
    frames = [(1.0, frame(CLIENT, FRONT, 1, ASK)), (9.0, frame(source, other, 50, flags=flags | ACK))]
    found = seen(frames)
    assert [one.cut_ns for one in found.exchanges] == [9000]


def test_a_port_that_comes_back_is_another_connection() -> None:
    frames = [
        (0.0, frame(CLIENT, FRONT, 900, flags=SYN)),
        *asked(CLIENT, FRONT, asked_us=1, first_us=3, last_us=4),
        (5.0, frame(CLIENT, FRONT, 30, flags=SYN)),
        (6.0, frame(CLIENT, FRONT, 31, ASK, ACK | PSH)),
        (8.0, frame(FRONT, CLIENT, 77, ANSWER, ACK | PSH)),
    ]
    found = seen(frames)
    assert [one.span_us for one in found.exchanges] == [3, 2]
    assert found.opened_ns == [0, 5000]


def test_a_try_that_is_sent_again_counts_once_and_a_refusal_is_seen() -> None:
    opening = frame(CLIENT, FRONT, 900, flags=SYN)
    found = seen([(0.0, opening), (1e6, opening), (1e6 + 9, frame(FRONT, CLIENT, 0, flags=RST | ACK))])
    assert found.opened_ns == [0]
    assert found.refused_ns == [1_000_009_000]
    assert found.exchanges == []


def test_an_answer_to_a_client_that_gave_up_is_none() -> None:
    frames = [
        (1.0, frame(CLIENT, FRONT, 1, ASK)),
        (5.0, frame(CLIENT, FRONT, 1 + len(ASK), flags=FIN | ACK)),
        (9.0, frame(FRONT, CLIENT, 50, ANSWER)),
    ]
    assert [(one.cut_ns, one.first_ns) for one in seen(frames).exchanges] == [(5000, None)]


def test_a_reset_after_an_answer_is_no_refusal() -> None:
    frames = asked(CLIENT, FRONT, asked_us=1, first_us=3, last_us=4)
    assert seen([*frames, (9.0, frame(FRONT, CLIENT, 50, flags=RST))]).refused_ns == []


def test_requests_at_the_same_time_are_paired_by_where_they_lie() -> None:
    outer = seen(
        [
            *asked(CLIENT, FRONT, asked_us=10, first_us=400, last_us=500),
            *asked(("10.0.0.1", 4001), FRONT, asked_us=20, first_us=90, last_us=100),
        ]
    ).exchanges
    inner = seen(
        sorted(
            [
                *asked(BACK, SERVER, asked_us=30, first_us=80, last_us=90),
                *asked(("10.0.0.2", 5001), SERVER, asked_us=40, first_us=300, last_us=450),
            ]
        ),
        SERVER,
    ).exchanges
    # The first at the back fits both: it goes to the first that came; what is left must still lie within.
    assert nested(outer, inner) == [inner[0], None]
    assert nested(outer, inner[1:]) == [inner[1], None]
    assert nested(outer, []) == [None, None]


def _through(requests: int, clock_us: float) -> tuple[list[tuple[float, bytes]], ...]:
    """Requests that take 10 µs on each wire and way, 50 in the balancer each way, 200 in the server.

    Each host's clock is off by another amount.
    """
    client, balancer, server = [], [], []
    for number in range(requests):
        t = 1000.0 * number + 1e9
        client += asked(CLIENT, FRONT, asked_us=t, first_us=t + 340, last_us=t + 345, number=number)
        b = t + 10 + clock_us
        balancer += asked(CLIENT, FRONT, asked_us=b, first_us=b + 320, last_us=b + 325, number=number)
        balancer += asked(BACK, SERVER, asked_us=b + 50, first_us=b + 270, last_us=b + 275, number=number)
        s = t + 70 - 3 * clock_us
        server += asked(BACK, SERVER, asked_us=s, first_us=s + 200, last_us=s + 205, number=number)
    return client, sorted(balancer), server


@settings(max_examples=25, deadline=None)
@given(st.floats(-1e8, 1e8), st.integers(2, 45))
def test_shares_need_no_common_clock(clock_us: float, requests: int) -> None:
    client, balancer, server = _through(requests, clock_us)
    found = spent(
        seen(client).exchanges,
        seen(server, SERVER).exchanges,
        seen(balancer, FRONT).exchanges,
        seen(balancer, SERVER).exchanges,
    )
    assert found is not None
    assert found.balancer is not None
    # Instants have whole nanoseconds.
    assert found.network.value == pytest.approx(40, abs=0.01)
    assert found.balancer.value == pytest.approx(100, abs=0.01)
    assert found.server.value == pytest.approx(205, abs=0.01)
    total = found.network.value + found.balancer.value + found.server.value
    assert total == pytest.approx(found.span.value, abs=0.01)
    assert (found.requests, found.unmatched) == (requests, 0)


def test_without_a_balancer_there_are_network_and_server() -> None:
    client = asked(CLIENT, SERVER, asked_us=0, first_us=220, last_us=225)
    server = asked(CLIENT, SERVER, asked_us=10, first_us=210, last_us=215)
    found = spent(seen(client, SERVER).exchanges, seen(server, SERVER).exchanges)
    assert found is not None
    assert (found.network.value, found.balancer, found.server.value) == (20, None, 205)


def test_requests_that_were_lost_on_the_way_are_counted() -> None:
    client, balancer, server = _through(4, 0)
    assert spent(seen(client).exchanges, [], [], []) is None
    found = spent(
        seen(client).exchanges,
        seen(server, SERVER).exchanges,
        seen(balancer[: len(balancer) // 2], FRONT).exchanges,
        seen(balancer, SERVER).exchanges,
    )
    assert found is not None
    assert (found.requests, found.unmatched) == (2, 2)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "page").write_bytes(b"x" * 166)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


def test_a_capture_by_tcpdump_is_understood(site: int, tmp_path: Path) -> None:
    path = f"{tmp_path}/c.pcap"
    tcpdump = shutil.which("tcpdump", path="/usr/bin:/usr/sbin:/bin:/sbin")
    if not tcpdump:
        pytest.skip("tcpdump is missing: scripts/setup-servers installs it")
    command = [
        tcpdump,
        "-i",
        "lo",
        "-n",
        "-s",
        "160",
        "-U",
        "--time-stamp-precision=nano",
        "-Z",
        "root",
        "-w",
        path,
    ]
    # Others on this machine may use the same port, on another address of loopback.
    only = f"host 127.0.0.1 and tcp port {site}"
    catcher = subprocess.Popen([*command, only], stderr=subprocess.PIPE)
    assert catcher.stderr is not None
    said = b""
    while b"listening" not in said and (line := catcher.stderr.readline()):
        said = line
    if b"listening" not in said:
        pytest.skip(f"no packets to be seen here: {said!r}")
    for _ in range(3):
        assert len(urllib.request.urlopen(f"http://127.0.0.1:{site}/page").read()) == 166
    deadline = time.monotonic() + 60
    found = Seen()
    while time.monotonic() < deadline and len([one for one in found.exchanges if one.last_ns]) < 3:
        found = observe(
            segments(Path(path).read_bytes() or capture([])), lambda end: end == ("127.0.0.1", site)
        )
    catcher.terminate()
    catcher.wait()
    assert [one.status for one in found.exchanges] == [200, 200, 200]
    assert all(one.request.startswith(b"GET /page ") for one in found.exchanges)
    assert all((one.span_us or 0) > 0 for one in found.exchanges)
