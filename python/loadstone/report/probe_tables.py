"""The tables of a probe."""

from __future__ import annotations

from loadstone.report import format
from loadstone.report.table import Column, Row, Table, words
from loadstone.stages.probe import Estimate, Flows, Loss, Pair, Probe, TcpTrips, Trips

ABOUT = {
    "link": "link",
    "congestion": "congestion",
    "load": "queue",
    "path": "path",
    "distance": "distance",
    "shared": "at once",
    "groups": "groups",
}


def sentence_table(record: Probe) -> Table:
    """All inferences; those that cannot be made stand among them."""
    rows = [
        {"where": one.where or "all groups", "about": ABOUT[one.about], "text": one.text}
        for one in record.sentences
    ]
    return Table(
        "sentences", "", [words("where", "between"), words("about", "about"), words("text", "")], rows
    )


def trip_table(record: Probe) -> Table:
    """Round trips by group and way of measuring."""
    rows: list[Row] = []
    for group in record.groups:
        if icmp := group.icmp:
            rows.append({"group": group.name, "way": "ICMP", "answers": "echo replies"} | _flat(icmp))
        if tcp := group.tcp:
            rows.append({"group": group.name, "way": "TCP connect", "answers": _answers(tcp)} | _flat(tcp))
    columns = [
        words("group", "group"),
        words("way", "by"),
        Column("mean_ms", "mean ms [95 %]", interval),
        Column("median_ms", "median", format.figure),
        Column("quartiles", "quartiles", format.text),
        Column("p99_ms", "99 %", format.figure),
        Column("max_ms", "most", format.figure),
        Column("sent", "sent"),
        Column("loss", "lost [95 %]", share),
        words("answers", "answered by"),
    ]
    return Table("round-trips", "Round trips by group, ms", columns, rows)


def jitter_table(record: Probe) -> Table:
    """Differences of consecutive round trips by group."""
    rows = [{"group": one.name} | dict(one.jitter) for one in record.groups if one.jitter]
    columns = [
        words("group", "group"),
        Column("differences", "differences"),
        Column("mean_ms", "mean size ms [95 %]", interval),
        Column("median_ms", "median", format.figure),
        Column("p95_ms", "95 %", format.figure),
        Column("p99_ms", "99 %", format.figure),
        Column("rfc3550_ms", "RFC 3550, of round trips", format.figure),
    ]
    return Table("jitter", "Jitter by group, ms", columns, rows)


def flow_table(record: Probe) -> Table:
    """TCP bandwidth by group and direction: the paper's Table 3."""
    rows: list[Row] = []
    for group in record.groups:
        for way, found in group.bandwidth.named().items():
            if found:
                control = ", ".join(found.congestion_control)
                rows.append(dict(found) | {"group": group.name, "way": _way(way), "control": control})
    columns = [
        words("group", "group"),
        words("way", "direction"),
        Column("tests", "tests"),
        Column("mbit_per_s", "Mbit/s [95 %]", interval),
        Column("steady_mbit_per_s", "in the second half", interval),
        Column("variation", "varies between rounds", format.share),
        Column("retransmits", "retransmitted"),
        Column("busy", "busier iperf3's CPU", format.share),
        words("control", "congestion control"),
    ]
    note = "Of payload; the whole test, and without its first half, where TCP starts and buckets empty."
    return Table("tcp", "TCP by group", columns, rows, note)


def udp_table(record: Probe) -> Table:
    """UDP at more than fits and at half of what did."""
    rows: list[Row] = []
    for group in record.groups:
        for flows, offer in ((group.udp, "more than fits"), (group.udp_beneath, "half")):
            for way, found in flows.named().items():
                if found:
                    about = {"group": group.name, "way": _way(way), "offer": offer, "loss": found}
                    rows.append(dict(found) | about)
    columns = [
        words("group", "group"),
        words("way", "direction"),
        words("offer", "offered"),
        Column("offered_mbit_per_s", "Mbit/s", format.figure),
        Column("mbit_per_s", "arrived [95 %]", interval),
        Column("loss", "lost [95 %]", share),
        Column("jitter_ms", "jitter ms [95 %]", interval),
        Column("busy", "busier iperf3's CPU", format.share),
    ]
    note = "The interval of a share takes losses as independent of each other; in bursts it is too narrow."
    return Table("udp", "UDP by group", columns, rows, note)


def load_table(record: Probe) -> Table:
    """Round trips beside a TCP flow."""
    rows: list[Row] = []
    for group in record.groups:
        idle = group.icmp
        for way, found in group.under_load.named().items():
            if found and found.mean_ms and idle and idle.mean_ms:
                about = {"group": group.name, "way": _way(way), "idle_ms": idle.median_ms}
                rows.append(about | _flat(found))
    columns = [
        words("group", "group"),
        words("way", "TCP flows"),
        Column("idle_ms", "idle median", format.figure),
        Column("median_ms", "median", format.figure),
        Column("mean_ms", "mean [95 %]", interval),
        Column("p99_ms", "99 %", format.figure),
        Column("loss", "lost [95 %]", share),
    ]
    return Table("load", "Round trips under load, ms", columns, rows)


def path_table(record: Probe) -> Table:
    """Paths, looked at once, in the first round."""
    rows = [
        {
            "pair": one.name,
            "hops": len(path.hops) if path.reached else None,
            "via": ", ".join(hop or "?" for hop in path.hops[:-1]) or "nothing",
            "mtu": path.mtu,
        }
        for one in record.pairs
        if (path := one.path)
    ]
    columns = [words("pair", "pair"), Column("hops", "hops"), words("via", "via"), Column("mtu", "MTU")]
    return Table("paths", "Paths", columns, rows)


def together_table(record: Probe) -> Table:
    """Pairs at once beside each alone."""
    rows = [dict(one) | {"pairs": ", ".join(one.pairs)} for one in record.together]
    columns = [
        words("set", "set"),
        words("pairs", "pairs"),
        Column("rounds", "rounds"),
        Column("alone_mbit_per_s", "sum, one at a time", interval),
        Column("at_once_mbit_per_s", "sum, at once", interval),
        Column("ratio", "ratio [95 %]", interval),
    ]
    return Table("together", "Pairs at once, TCP to the target, Mbit/s", columns, rows)


def pair_table(record: Probe) -> Table:
    """One line a pair: what a terminal has room for."""
    rows = [_pair_row(one) for one in record.pairs]
    columns = [
        words("pair", "pair"),
        Column("rounds", "rounds", format.text),
        Column("rtt_ms", "RTT ms [95 %]", interval),
        Column("p99_ms", "99 %", format.figure),
        Column("jitter_ms", "jitter", format.figure),
        Column("loss", "lost [95 %]", share),
        Column("connect_ms", "connect", format.figure),
        Column("tcp_to", "TCP to Mbit/s", _value),
        Column("tcp_back", "back", _value),
        Column("udp_to", "UDP to", _value),
        Column("udp_back", "back", _value),
        Column("hops", "hops"),
        Column("mtu", "MTU", format.brief),
    ]
    return Table("pairs", "Pairs", columns, rows)


def failure_table(record: Probe) -> Table:
    """Measurements that gave no figure."""
    rows = [
        {
            "round": one.round,
            "pair": one.set or f"{one.source} → {one.target}",
            "what": one.what,
            "words": one.words,
        }
        for one in record.failed
    ]
    columns = [Column("round", "round"), words("pair", "pair"), words("what", "what"), words("words", "why")]
    return Table("failed", "Measurements that failed", columns, rows)


@format.known
def interval(found: Estimate) -> str:
    """A mean with its 95 % interval.

    >>> interval(Estimate(value=19.12, low=19.01, high=19.23, repeats=3)), interval(None)
    ('19.1 [19.0, 19.2]', '–')
    """
    if found.low is None:
        return format.figure(found.value)
    return f"{format.figure(found.value)} [{format.figure(found.low)}, {format.figure(found.high)}]"


@format.known
def share(found: Loss) -> str:
    """A share of packets with its 95 % interval."""
    if found.loss is None:
        return format.UNKNOWN
    return f"{format.share(found.loss)} [{format.share(found.loss_low)}, {format.share(found.loss_high)}]"


@format.known
def _value(found: Flows) -> str:
    return format.figure(found.mbit_per_s.value)


def _flat(found: Trips) -> Row:
    quartiles = None
    if found.q1_ms is not None:
        quartiles = f"{format.figure(found.q1_ms)}–{format.figure(found.q3_ms)}"
    return dict(found) | {"loss": found, "quartiles": quartiles}


def _pair_row(one: Pair) -> Row:
    icmp, tcp, path = one.icmp, one.tcp, one.path
    done = max((found.rounds for found in (icmp, tcp) if found), default=0)
    return {
        "pair": one.name,
        "rounds": f"{done} of {one.rounds_planned}",
        "rtt_ms": icmp.mean_ms if icmp else None,
        "p99_ms": icmp.p99_ms if icmp else None,
        "jitter_ms": one.jitter.mean_ms.value if one.jitter and one.jitter.mean_ms else None,
        "loss": icmp,
        "connect_ms": tcp.median_ms if tcp else None,
        "tcp_to": one.bandwidth.to,
        "tcp_back": one.bandwidth.back,
        "udp_to": one.udp.to,
        "udp_back": one.udp.back,
        "hops": len(path.hops) if path and path.reached else None,
        "mtu": path.mtu if path else None,
    }


def _answers(found: TcpTrips) -> str:
    ports = ", ".join(map(str, found.ports))
    parts = [
        f"{format.whole(count)} {what}"
        for count, what in ((found.accepted, "open port"), (found.refused, "closed port (RST)"))
        if count
    ]
    return f"{' and '.join(parts) or 'nothing'}, port {ports}"


def _way(way: str) -> str:
    return {"to": "to the target", "back": "back"}[way]
