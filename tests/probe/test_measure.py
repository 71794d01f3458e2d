"""The rounds, without a network: their order, hosts that go away, an early end."""

from __future__ import annotations

import re
from typing import Any

import pytest
from scripted_hosts import ScriptedHosts

from loadstone.errors import LoadstoneError
from loadstone.probe import Options, Pair, Prober, check_hosts
from loadstone.probe.hosts import HERE
from loadstone.ssh import Answer

PAIRS = [Pair("a", "b", "x → y"), Pair("c", "d", "x → y"), Pair("a", "d", "x → y")]


def probed(
    hosts: ScriptedHosts, options: Options, pairs: list[Pair] = PAIRS, stop_after: int = 10**9
) -> tuple[list[dict[str, Any]], Prober]:
    lines: list[dict[str, Any]] = []
    prober = Prober(hosts, options, lines.append, lambda: len(lines) >= stop_after, lambda words: None)
    prober.run(pairs)
    return lines, prober


def test_rounds_are_interleaved_and_begin_with_another_pair() -> None:
    lines, _ = probed(ScriptedHosts(), Options(repeats=3, measures=("icmp", "tcp")))
    order = [(line["round"], line["from"], line["to"]) for line in lines if line["kind"] == "icmp"]
    first, second, third = ((pair.source, pair.target) for pair in PAIRS)
    expected = [(1, first), (1, second), (1, third), (2, second), (2, third), (2, first)]
    expected += [(3, third), (3, first), (3, second)]
    assert order == [(number, *pair) for number, pair in expected]
    assert [line["kind"] for line in lines[:2]] == ["icmp", "tcp"]
    assert lines[1]["accepted"] == 1 and lines[1]["refused"] == 29 and lines[1]["port"] == 45201


def test_each_measurement_says_how_long_the_rest_takes() -> None:
    said: list[str] = []
    prober = Prober(
        ScriptedHosts(),
        Options(repeats=2, measures=("icmp",)),
        lambda _line: None,
        lambda: False,
        said.append,
    )
    prober.run(PAIRS)
    assert len(said) == 6 and said[0] == "round 1 of 2: a → b"
    assert all(re.fullmatch(r"round [12] of 2: . → ., about \d+ s left", line) for line in said[1:])


def test_one_pair_in_one_round_measures_everything() -> None:
    hosts = ScriptedHosts()
    lines, prober = probed(hosts, Options(repeats=1), PAIRS[:1])
    assert prober.lost == {}
    kinds = [(line["kind"], line.get("way"), line.get("over")) for line in lines]
    assert kinds == [
        ("path", None, None),
        ("icmp", None, None),
        ("tcp", None, None),
        ("bandwidth", "to", None),
        ("bandwidth", "back", None),
        ("udp", "to", True),
        ("udp", "back", True),
        ("udp", "to", False),
        ("udp", "back", False),
    ]
    assert lines[0]["mtu"] == 1500 and lines[0]["hops"] == ("198.19.172.14",)
    assert lines[3]["under_load"]["sent"] == 30 and lines[3]["intervals_of"] == "receiver"
    offered = [line.split(" -b ")[1].split()[0] for _, line in hosts.asked if " -b " in line]
    carried, udp = 63.17523e6, 19.38520e6
    expected = [1.2 * carried, 1.2 * carried, 0.5 * udp, 0.5 * udp]
    assert [float(one) for one in offered] == pytest.approx(expected, rel=1e-4)


def test_a_host_that_dies_is_named_and_the_rest_goes_on() -> None:
    hosts = ScriptedHosts()

    def dies(host: str, line: str) -> None:
        if len(hosts.asked) > 8:
            hosts.dead.add("d")

    hosts.before = dies
    lines, prober = probed(hosts, Options(repeats=4, measures=("icmp", "tcp")))
    assert list(prober.lost) == ["d"]
    assert [line["host"] for line in lines if line["kind"] == "lost"] == ["d"]
    after = next(index for index, line in enumerate(lines) if line["kind"] == "lost")
    rest = [line for line in lines[after + 1 :] if line["kind"] in ("icmp", "tcp")]
    assert rest and {(line["from"], line["to"]) for line in rest} == {("a", "b")}
    assert all(line["replies"] for line in lines if line["kind"] == "icmp"), "a dead host is no lossy network"


def test_a_target_that_keeps_silent_but_lives_is_loss() -> None:
    lines, prober = probed(ScriptedHosts(silent=["b"]), Options(repeats=2, measures=("icmp",)), PAIRS[:1])
    assert prober.lost == {}
    assert [(line["kind"], line["sent"], line["replies"]) for line in lines] == [("icmp", 30, ())] * 2


def test_an_early_end_keeps_what_there_is() -> None:
    lines, _ = probed(ScriptedHosts(), Options(repeats=9, measures=("icmp", "tcp")), stop_after=3)
    assert len(lines) == 3


def test_pairs_at_once_get_ports_of_their_own() -> None:
    hosts = ScriptedHosts()
    pairs = [Pair("a", "d", "x → y"), Pair("c", "d", "x → y")]
    lines, _ = probed(hosts, Options(repeats=1, measures=("bandwidth",), together=True), pairs)
    (line,) = (line for line in lines if line["kind"] == "together")
    assert line["set"] == "to d" and [flow["from"] for flow in line["flows"]] == ["a", "c"]
    ports = [words.split(" -p ")[1].split()[0] for _, words in hosts.asked[-4:] if " -p " in words]
    assert sorted(ports) == ["45201", "45202"]


def test_a_measurement_that_fails_is_told_and_the_next_one_made() -> None:
    hosts = ScriptedHosts()
    whole = hosts.run

    def broken(host: str, command: Any, **rest: Any) -> Answer:
        return (
            Answer(1, "", "ping: sendmsg: no buffers")
            if "ping" in str(command)
            else whole(host, command, **rest)
        )

    hosts.run = broken  # type: ignore[method-assign]
    lines, prober = probed(hosts, Options(repeats=1, measures=("icmp", "tcp")), PAIRS[:1])
    assert [line["kind"] for line in lines] == ["failed", "tcp"] and prober.lost == {}
    assert "error[probe-failed]" in lines[0]["words"] and "no buffers" in lines[0]["words"]


class Bare(ScriptedHosts):
    """Hosts of which some lack something."""

    def __init__(self, tools: str = "", ping: int = 0, taken: bool = False) -> None:
        super().__init__()
        self.answers = {
            "command -v": Answer(0, tools, ""),
            "127.0.0.1": Answer(ping, "", "ping: cannot flood"),
        }
        self.answers["/proc/net/tcp"] = Answer(0 if taken else 1, "", "")

    def run(self, host: str, command: Any, **rest: Any) -> Answer:
        return next(answer for part, answer in self.answers.items() if part in command)


@pytest.mark.parametrize(
    ("hosts", "slug", "words"),
    [
        (Bare(tools="iperf3\nping\n"), "probe-tool", "has no iperf3, ping"),
        (Bare(ping=2), "probe-tool", "ping: cannot flood"),
        (Bare(taken=True), "probe-port", "something listens on port 45201"),
    ],
)
def test_what_is_missing_is_refused_before_the_first_packet(hosts: Bare, slug: str, words: str) -> None:
    with pytest.raises(LoadstoneError) as refused:
        check_hosts(hosts, PAIRS, Options())
    assert refused.value.slug == slug and words in refused.value.message
    assert (
        "apt install iperf3 iputils-ping" in str(refused.value.hint)
        or slug != "probe-tool"
        or "flood" in words
    )


def test_a_host_that_can_everything_passes() -> None:
    check_hosts(Bare(), PAIRS, Options())
    only = Options(measures=("tcp",), serve=False)
    check_hosts(Bare(), [Pair(HERE, "198.18.0.9", "x")], only)
