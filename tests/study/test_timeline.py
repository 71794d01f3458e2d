"""The course of a trouble, from exchanges whose every instant is known."""

from __future__ import annotations

from loadstone.study.balancers.exchanges import Exchange, Seen
from loadstone.study.balancers.timeline import back_s, failed, noticed_s, silence_s, spans_ms, timeline

MS = 1_000_000
CLIENT, SERVER = ("10.0.0.1", 4000), ("10.0.0.3", 80)


def exchange(at_ms: float, took_ms: float | None = 1.0, status: int | None = 200) -> Exchange:
    asked = int(at_ms * MS)
    one = Exchange(CLIENT, SERVER, asked, b"GET /?study", asked)
    if took_ms is not None:
        one.first_ns = one.last_ns = asked + int(took_ms * MS)
        one.status = status
    return one


def test_tenths_of_a_second_hold_answers_failures_and_the_slowest() -> None:
    requests = [exchange(0), exchange(10, 5), exchange(120, 3, 502), exchange(250, None), exchange(1990)]
    requests[3].cut_ns = 260 * MS
    found = timeline(Seen(refused_ns=[350 * MS]), requests, 0)
    assert found["ok"][:2] == [2, 0]
    assert found["failed"][:5] == [0, 1, 1, 1, 0]
    assert found["slowest_ms"][0] == 5
    assert sum(found["ok"]) == 3
    assert found["at_s"][-1] == 1.9


def test_no_answer_is_a_failure_only_when_there_was_time_for_one() -> None:
    assert failed(exchange(0, None), 2000 * MS)
    assert not failed(exchange(1500, None), 2000 * MS)
    assert failed(exchange(0, 1, 404), 2000 * MS)
    assert not failed(exchange(0), 2000 * MS)


def test_a_server_is_given_up_at_the_last_try_before_a_pause() -> None:
    seen = Seen(opened_ns=[1200 * MS, 1300 * MS, 2300 * MS, 3300 * MS])
    asked = [exchange(900), exchange(1100, None)]
    assert noticed_s(seen, asked, 1000 * MS, 5000 * MS) == 0.3


def test_a_server_that_is_asked_to_the_end_was_not_given_up() -> None:
    seen = Seen(opened_ns=[at * MS for at in range(1000, 3000, 100)])
    assert noticed_s(seen, [], 1000 * MS, 3000 * MS) is None


def test_a_server_that_is_asked_no_more_was_given_up_at_once() -> None:
    assert noticed_s(Seen(), [], 1000 * MS, 3000 * MS) == 0


def test_the_way_back_begins_when_all_is_well() -> None:
    requests = [exchange(500), exchange(1500, None), exchange(3400), exchange(3600)]
    assert back_s(requests, 1000 * MS, 3000 * MS) == 0.4
    assert back_s([exchange(2990, 20)], 1000 * MS, 3000 * MS) == 0
    assert back_s(requests[:2], 1000 * MS, 3000 * MS) is None


def test_silence_is_the_longest_time_without_a_right_answer() -> None:
    requests = [exchange(0), exchange(100), exchange(400, 1, 503), exchange(1100)]
    assert silence_s(Seen(), requests) == 1.0
    assert silence_s(Seen(), []) == 0


def test_what_never_comes_back_is_silent_to_the_last_try() -> None:
    assert silence_s(Seen(refused_ns=[200 * MS, 3001 * MS]), [exchange(0)]) == 3.0


def test_times_of_a_span() -> None:
    found = spans_ms([exchange(0, 2), exchange(100, 4), exchange(900, 50)], 0, 500 * MS)
    assert (found["count"], found["max"], found["p50"]) == (2, 4.0, 3.0)
    assert spans_ms([], 0, 1)["p99"] is None
