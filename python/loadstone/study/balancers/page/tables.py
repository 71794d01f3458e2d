"""Tables of the balancers' study: what they carry, what it costs, where time and requests go."""

from __future__ import annotations

from collections.abc import Sequence

from loadstone.report import format
from loadstone.report.folder import Json
from loadstone.report.table import Column, Row, Table, words
from loadstone.study.balancers.page.variants import Variants, inverse
from loadstone.study.words import interval


def cells(found: Json, generators: int, variants: Variants) -> Table:
    """Every cell of the matrix."""
    rows = [
        {
            "variant": variants.labels[one["balancer"]],
            "concurrency": one["concurrency"],
            "rate": interval(one["requests_per_s"]),
            "count": one["requests_per_s"]["count"],
            "mean_ms": interval(one["response_ms"]["mean"], 1),
            "p50_ms": _value(one["response_ms"]["p50"]),
            "p99_ms": _value(one["response_ms"]["p99"]),
            "failed": one["failed"],
            "generator": one["generator_share"],
            "idle": one["idle_share"],
            "little": one["little"],
        }
        for one in variants.sorted(found["cells"])
        if one["generators"] == generators
    ]
    return Table(
        f"cells-{generators}",
        "Every cell" if generators == 1 else f"Every cell, {generators} generators",
        [
            words("variant", "variant"),
            Column("concurrency", "concurrency"),
            Column("rate", "requests/s (95 %)", format.text),
            Column("count", "repetitions"),
            Column("mean_ms", "mean response ms (95 %)", format.text),
            Column("p50_ms", "p50 ms", format.figure),
            Column("p99_ms", "p99 ms", format.figure),
            Column("failed", "failed"),
            Column("generator", "generator’s CPU", format.share),
            Column("idle", "machine idle", format.share),
            Column("little", "X·R ÷ N", format.figure),
        ],
        rows,
        note="The generator’s CPU is a share of one processor. X·R ÷ N is Little’s law: users who do not "
        "pause all wait, so it is 1 except in the first and the last moments of a run.",
    )


def costs(found: Sequence[Json], variants: Variants) -> Table:
    """Processor time and memory."""
    rows = [
        {
            "variant": variants.labels[one["balancer"]],
            "user": interval(one["user_us"], 1),
            "sys": interval(one["sys_us"], 1),
            "machine": interval(one["machine_us"], 1),
            "added": interval(one["added_us"], 1),
            "softirq": _value(one["softirq_us"]),
            "memory": one["memory_bytes"],
        }
        for one in variants.sorted(found)
    ]
    return Table(
        "costs",
        "Processor time a request, µs, and memory",
        [
            words("variant", "variant"),
            Column("user", "processes, user (95 %)", format.text),
            Column("sys", "processes, kernel (95 %)", format.text),
            Column("added", "added to the machine (95 %)", format.text),
            Column("machine", "whole machine (95 %)", format.text),
            Column("softirq", "of it softirq", format.figure),
            Column("memory", "memory (PSS), most", format.size),
        ],
        rows,
        note="The whole machine is generator, balancer and servers together, from one reading of the "
        "counters to the next. nftables has no process in the way of a request: its processes only check "
        "the servers. Its work in the kernel is charged to the sender of the packet, so only the figure "
        "of the whole machine shows it.",
    )


def comparisons(differences: Sequence[Json], variants: Variants) -> Table:
    """Every pair in words."""
    rows = []
    for one in sorted(differences, key=lambda one: (not one["significant"], one["p_welch"])):
        first, second, ratio = one["first"], one["second"], one["ratio"]
        if ratio["value"] < 1:
            first, second, ratio = second, first, inverse(ratio)
        larger, smaller, words_ = variants.labels[first], variants.labels[second], interval(ratio, 2)
        told = f"{larger} carries {words_} × {smaller}"
        if not one["significant"]:
            told = f"no difference shown between {larger} and {smaller}: {words_}"
        rows.append({"words": told, "welch": one["p_welch"], "permutation": one["p_permutation"]})
    return Table(
        "comparisons",
        "Every pair in words",
        [
            words("words", "comparison"),
            Column("welch", "p, Welch and Holm", _p),
            Column("permutation", "p, permutation and Holm", _p),
        ],
        rows,
    )


def _p(value: float) -> str:
    return "< 0.0001" if value < 1e-4 else f"{value:.4f}"


def segments(found: Sequence[Json], variants: Variants) -> Table:
    """Time by place."""
    rows = []
    for one in variants.sorted(found):
        row: Row = {"variant": variants.labels[one["balancer"]], "requests": one["requests"]}
        for place in ("client", "network", "balancer", "server"):
            row[place] = interval(one["places"][place], 0)
            row[f"{place}_share"] = one["shares"].get(place)
        rows.append(row)
    columns = [words("variant", "variant"), Column("requests", "requests followed")]
    for place, name in (
        ("client", "generator"),
        ("network", "network"),
        ("balancer", "balancer"),
        ("server", "server"),
    ):
        columns += [
            Column(place, f"{name} µs (95 %)", format.text),
            Column(f"{place}_share", "share", format.share),
        ]
    return Table("segments", "Where the time goes", columns, rows)


def spread(found: Sequence[Json], variants: Variants, servers: Sequence[str]) -> Table:
    """Requests by server."""
    rows = []
    for one in variants.sorted(found):
        even = one["fairness"] or {}
        row: Row = {
            "variant": variants.labels[one["balancer"]],
            "algorithm": one["algorithm"] + (", sticky" if one["sticky"] else ""),
            "jain": even.get("jain"),
            "p": even.get("p_value"),
            "exact": one["exact"],
        }
        rows.append(row | {f"on_{host}": count for host, count in one["served"].items()})
    return Table(
        "spread",
        "Requests by server",
        [
            words("variant", "variant"),
            words("algorithm", "algorithm"),
            *(Column(f"on_{host}", host) for host in servers),
            Column("jain", "Jain’s index", lambda value: "–" if value is None else f"{value:.4f}"),
            Column("p", "p of chance", lambda value: "–" if value is None else _p(value)),
            Column("exact", "exact thirds", format.yes),
        ],
        rows,
        note="Counted by packets at each server. Jain’s index is 1 if all get the same, and 1/3 if "
        "one gets everything. p is how often independent random choices would spread worse. There are "
        "three clients, so a hash of the client’s address has three values to spread.",
    )


def uneven(found: Sequence[Json], variants: Variants) -> Table:
    """One small server."""
    hosts = list(found[0]["shares"]) if found else []
    rows = [
        {
            "variant": variants.labels[one["balancer"]],
            "algorithm": one["algorithm"] + (", weighted" if one["weighted"] else ""),
            "rate": interval(one["requests_per_s"]),
            "p50": _value(one["response_ms"]["p50"]),
            "p99": _value(one["response_ms"]["p99"]),
            "failed": one["failed"],
            **{f"on_{host}": share for host, share in one["shares"].items()},
        }
        for one in variants.sorted(found)
    ]
    return Table(
        "uneven",
        "One server that is slow",
        [
            words("variant", "variant"),
            words("algorithm", "algorithm"),
            Column("rate", "requests/s (95 %)", format.text),
            Column("p50", "p50 ms", format.figure),
            Column("p99", "p99 ms", format.figure),
            *(Column(f"on_{host}", host, format.share) for host in hosts),
            Column("failed", "failed"),
        ],
        rows,
    )


def reuse(found: Sequence[Json], variants: Variants) -> Table:
    """Connections kept beside connections anew."""
    rows = [
        {
            "variant": variants.labels[one["balancer"]],
            "kept": interval(one["kept"]["requests_per_s"]),
            "anew": interval(one["anew"]["requests_per_s"]),
            "ratio": interval(one["ratio"], 2),
            "kept_us": interval(one["kept"]["machine_us"], 0),
            "anew_us": interval(one["anew"]["machine_us"], 0),
        }
        for one in variants.sorted(found)
    ]
    return Table(
        "reuse",
        "Connections to the servers, kept and anew",
        [
            words("variant", "variant"),
            Column("kept", "kept, requests/s (95 %)", format.text),
            Column("anew", "anew, requests/s (95 %)", format.text),
            Column("ratio", "kept ÷ anew (95 %)", format.text),
            Column("kept_us", "kept, machine µs a request", format.text),
            Column("anew_us", "anew, machine µs a request", format.text),
        ],
        rows,
    )


def peer(found: Sequence[Json], variants: Variants) -> Table:
    """Our agents beside ab."""
    rows = [
        {
            "variant": variants.labels[one["balancer"]],
            "concurrency": one["concurrency"],
            "loadstone": interval(one["loadstone"]),
            "ab": interval(one["ab"]),
            "ratio": interval(one["ratio"], 2),
        }
        for one in variants.sorted(found)
    ]
    return Table(
        "peer",
        "The same by ab",
        [
            words("variant", "variant"),
            Column("concurrency", "concurrency"),
            Column("loadstone", "our agents, requests/s (95 %)", format.text),
            Column("ab", "ab, requests/s (95 %)", format.text),
            Column("ratio", "ratio (95 %)", format.text),
        ],
        rows,
        note="In turn, in one order drawn by chance. Where generator and service share processors, the "
        "generator that takes less of them leaves more to the service.",
    )


def _value(one: Json | None) -> float | None:
    return float(one["value"]) if one else None
