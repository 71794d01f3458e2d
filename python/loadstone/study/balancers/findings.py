"""What the results amount to: the content of `study.json` that is computed. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from loadstone.deploy import Site
from loadstone.study.balancers import behaviour, carried
from loadstone.study.balancers.claims import claims
from loadstone.study.balancers.description import Description
from loadstone.study.balancers.site import DIRECT, balancers_of
from loadstone.study.results import Results

Json = dict[str, Any]

LABELS = {
    "apache": "Apache",
    "caddy": "Caddy",
    "haproxy": "HAProxy",
    "nftables": "nftables",
    "nginx": "nginx",
    "varnish": "Varnish",
}
"""How people write the names of roles."""

IN_KERNEL = ("nftables",)
"""Roles whose work no process does: its processor time is not theirs."""

_PARTS: Mapping[str, Callable[[list[Json]], Any]] = {
    "throughput": carried.throughput,
    "peer": carried.peer,
    "segments": behaviour.segments,
    "spread": behaviour.spread,
    "uneven": behaviour.uneven,
    "reuse": carried.reuse,
    "growth": carried.growth,
    "faults": behaviour.faults,
    "site": behaviour.site,
}


def findings(site: Site, description: Description, results: Results) -> Json:
    """Everything that is computed, from the rows that there are."""
    variants = [_variant(site, name) for name in balancers_of(site)]
    found = {
        name: part(rows)
        for name, part in _PARTS.items()
        if (rows := [_flat(row) for row in results.measured(name)])
    }
    content: Json = {
        "page_bytes": description.page_bytes,
        "servers": list(site.service("web").hosts),
        "server_role": site.service("web").role,
        "variants": [
            {"name": DIRECT, "label": "no balancer", "role": None, "in_kernel": False},
            *variants,
        ],
        "parts": found,
        "paper": [one.model_dump() | {"ours": _beside(one.model_dump(), found)} for one in description.paper],
        "warnings": _warnings(found),
    }
    return content | {"findings": claims(content)}


def _variant(site: Site, name: str) -> Json:
    role = site.service(name).role
    label = LABELS.get(role, role)
    return {
        "name": name,
        "label": label if name == role else f"{label} ({name})",
        "role": role,
        "in_kernel": role in IN_KERNEL,
    }


def _flat(row: Json) -> Json:
    """Case, repetition and figures of a row in one."""
    return {**row["case"], "repetition": row["repetition"], **row["measured"]}


def _beside(paper: Json, found: Json) -> Json:
    """Our figures for the same question, by variant; {} where it was not measured."""
    throughput = found.get("throughput")
    match paper["figure"]:
        case "requests_per_s" if throughput:
            kind = "pooled" if paper["generators"] == 1 else "highest"
            return {
                one["balancer"]: one[kind]
                for one in throughput["pooled"]
                if one["generators"] == paper["generators"]
            }
        case "response_ms" if throughput:
            return {
                one["balancer"]: one["response_ms"]["mean"]
                for one in throughput["cells"]
                if (one["generators"], one["concurrency"]) == (paper["generators"], paper["concurrency"])
            }
        case "network_share" if "segments" in found:
            return {one["balancer"]: one["shares"]["network"] for one in found["segments"]}
    return {}


def _warnings(found: Json) -> list[str]:
    """What a reader must know before believing the figures."""
    warnings = []
    cells = (found.get("throughput") or {}).get("cells", [])
    if any(cell["generator_bound"] for cell in cells):
        bound = sorted({cell["balancer"] for cell in cells if cell["generator_bound"]})
        warnings.append(f"the generator was the limit with {', '.join(bound)}: they may carry more")
    if cells and sum(cell["machine_bound"] for cell in cells) > len(cells) / 2:
        warnings.append(
            "generators, balancers and servers shared one machine, and it was busy: requests a second are of "
            "this machine as a whole; compare them with each other, and by processor time a request"
        )
    lossy = [cell for cell in cells if cell["failed"]]
    if lossy:
        count = sum(cell["failed"] for cell in lossy)
        warnings.append(f"{count} requests failed in {len(lossy)} cells of the throughput")
    return warnings
