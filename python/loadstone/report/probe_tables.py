"""The tables of a probe."""

from __future__ import annotations

from typing import Any

from loadstone.report import format
from loadstone.report.folder import Json
from loadstone.report.table import Column, Row, Table, words

ABOUT = {
    "link": "link",
    "congestion": "congestion",
    "load": "queue",
    "path": "path",
    "distance": "distance",
    "shared": "at once",
    "groups": "groups",
}


def sentence_table(record: Json) -> Table:
    """All inferences; those that cannot be made stand among them."""
    rows = [
        {"where": one["where"] or "all groups", "about": ABOUT[one["about"]], "text": one["text"]}
        for one in record["sentences"]
    ]
    return Table(
        "sentences", "", [words("where", "between"), words("about", "about"), words("text", "")], rows
    )


def trip_table(record: Json) -> Table:
    """Round trips by group and way of measuring."""
    rows: list[Row] = []
    for group in record["groups"]:
        for key, way in (("icmp", "ICMP"), ("tcp", "TCP connect")):
            if found := group[key]:
                rows.append({"group": group["name"], "way": way, "answers": _answers(found)} | _flat(found))
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


def jitter_table(record: Json) -> Table:
    """Differences of consecutive round trips by group."""
    rows = [{"group": one["name"]} | one["jitter"] for one in record["groups"] if one["jitter"]]
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


def flow_table(record: Json) -> Table:
    """TCP bandwidth by group and direction: the paper's Table 3."""
    rows: list[Row] = []
    for group in record["groups"]:
        for way, found in group["bandwidth"].items():
            if found:
                control = ", ".join(found["congestion_control"])
                about = {"group": group["name"], "way": _way(way), "control": control}
                rows.append(found | about)
    columns = [
        words("group", "group"),
        words("way", "direction"),
        Column("tests", "tests"),
        Column("mbit", "Mbit/s [95 %]", interval),
        Column("steady_mbit", "in the second half", interval),
        Column("variation", "varies between rounds", format.share),
        Column("retransmits", "retransmitted"),
        Column("busy", "busier iperf3's CPU", format.share),
        words("control", "congestion control"),
    ]
    note = "Of payload; the whole test, and without its first half, where TCP starts and buckets empty."
    return Table("tcp", "TCP by group", columns, rows, note)


def udp_table(record: Json) -> Table:
    """UDP at more than fits and at half of what did."""
    rows: list[Row] = []
    for group in record["groups"]:
        for key, offer in (("udp", "more than fits"), ("udp_beneath", "half")):
            for way, found in group[key].items():
                if found:
                    rows.append(
                        found | {"group": group["name"], "way": _way(way), "offer": offer, "loss": found}
                    )
    columns = [
        words("group", "group"),
        words("way", "direction"),
        words("offer", "offered"),
        Column("offered_mbit", "Mbit/s", format.figure),
        Column("mbit", "arrived [95 %]", interval),
        Column("loss", "lost [95 %]", share),
        Column("jitter_ms", "jitter ms [95 %]", interval),
        Column("busy", "busier iperf3's CPU", format.share),
    ]
    note = "The interval of a share takes losses as independent of each other; in bursts it is too narrow."
    return Table("udp", "UDP by group", columns, rows, note)


def load_table(record: Json) -> Table:
    """Round trips beside a TCP flow."""
    rows: list[Row] = []
    for group in record["groups"]:
        idle = group["icmp"]
        for way, found in group["under_load"].items():
            if found and found["mean_ms"] and idle and idle["mean_ms"]:
                before = {"idle_ms": idle["median_ms"]}
                rows.append({"group": group["name"], "way": _way(way)} | before | _flat(found))
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


def path_table(record: Json) -> Table:
    """Paths, looked at once, in the first round."""
    rows = [
        {
            "pair": one["name"],
            "hops": len(one["path"]["hops"]) if one["path"]["reached"] else None,
            "via": ", ".join(hop or "?" for hop in one["path"]["hops"][:-1]) or "nothing",
            "mtu": one["path"]["mtu"],
        }
        for one in record["pairs"]
        if one["path"]
    ]
    columns = [words("pair", "pair"), Column("hops", "hops"), words("via", "via"), Column("mtu", "MTU")]
    return Table("paths", "Paths", columns, rows)


def together_table(record: Json) -> Table:
    """Pairs at once beside each alone."""
    rows = [one | {"pairs": ", ".join(one["pairs"])} for one in record["together"]]
    columns = [
        words("set", "set"),
        words("pairs", "pairs"),
        Column("rounds", "rounds"),
        Column("alone_mbit", "sum, one at a time", interval),
        Column("at_once_mbit", "sum, at once", interval),
        Column("ratio", "ratio [95 %]", interval),
    ]
    return Table("together", "Pairs at once, TCP to the target, Mbit/s", columns, rows)


def pair_table(record: Json) -> Table:
    """One line a pair: what a terminal has room for."""
    rows = [_pair_row(one) for one in record["pairs"]]
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


def failure_table(record: Json) -> Table:
    """Measurements that gave no figure."""
    rows = [one | {"pair": one.get("set") or f"{one['from']} → {one['to']}"} for one in record["failed"]]
    columns = [Column("round", "round"), words("pair", "pair"), words("what", "what"), words("words", "why")]
    return Table("failed", "Measurements that failed", columns, rows)


@format.known
def interval(found: Any) -> str:
    """A mean with its 95 % interval.

    >>> interval({"value": 19.12, "low": 19.01, "high": 19.23}), interval(None)
    ('19.1 [19.0, 19.2]', '–')
    """
    if found["low"] is None:
        return format.figure(found["value"])
    return f"{format.figure(found['value'])} [{format.figure(found['low'])}, {format.figure(found['high'])}]"


@format.known
def share(found: Any) -> str:
    """A share of packets with its 95 % interval."""
    if found["loss"] is None:
        return format.UNKNOWN
    low, high = (format.share(found[f"loss_{end}"]) for end in ("low", "high"))
    return f"{format.share(found['loss'])} [{low}, {high}]"


@format.known
def _value(found: Any) -> str:
    return format.figure(found["mbit"]["value"])


def _flat(found: Json) -> Row:
    quartiles = None
    if found.get("q1_ms") is not None:
        quartiles = f"{format.figure(found['q1_ms'])}–{format.figure(found['q3_ms'])}"
    return found | {"loss": found, "quartiles": quartiles}


def _pair_row(one: Json) -> Row:
    icmp, tcp, jitter, path = one["icmp"] or {}, one["tcp"] or {}, one["jitter"] or {}, one["path"] or {}
    done = max((found["rounds"] for found in (icmp, tcp) if found), default=0)
    return {
        "pair": one["name"],
        "rounds": f"{done} of {one['rounds_planned']}",
        "rtt_ms": icmp.get("mean_ms"),
        "p99_ms": icmp.get("p99_ms"),
        "jitter_ms": jitter.get("mean_ms", {}).get("value"),
        "loss": one["icmp"],
        "connect_ms": tcp.get("median_ms"),
        "tcp_to": one["bandwidth"]["to"],
        "tcp_back": one["bandwidth"]["back"],
        "udp_to": one["udp"]["to"],
        "udp_back": one["udp"]["back"],
        "hops": len(path["hops"]) if path.get("reached") else None,
        "mtu": path.get("mtu"),
    }


def _answers(found: Json) -> str:
    if "ports" not in found:
        return "echo replies"
    ports = ", ".join(map(str, found["ports"]))
    parts = [
        f"{format.whole(found[key])} {what}"
        for key, what in (("accepted", "open port"), ("refused", "closed port (RST)"))
        if found[key]
    ]
    return f"{' and '.join(parts) or 'nothing'}, port {ports}"


def _way(way: str) -> str:
    return {"to": "to the target", "back": "back"}[way]
