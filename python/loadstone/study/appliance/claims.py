"""Sentences about the appliance's study, each made from its targets and cells. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from loadstone.study.finding import Status, finding
from loadstone.study.words import interval

Json = dict[str, Any]


def claims(content: Json) -> list[Json]:
    """How many targets are met and which are not, then each that was judged."""
    judged = [one for one in content["targets"] if one["verdict"]]
    if not judged:
        return []
    return [_all(judged), *(_one(one) for one in judged)]


def _all(judged: Sequence[Json]) -> Json:
    met = sum(one["verdict"] == "met" for one in judged)
    text = f"An image beside the same program in a Linux guest: {met} of {len(judged)} targets are met."
    for verdict in ("missed", "open"):
        told = [
            f"{one['what']}: {_value(one)}, asked {_bound(one)}"
            for one in judged
            if one["verdict"] == verdict
        ]
        text += f" {verdict.capitalize()}: {'; '.join(told)}." if told else ""
    verdicts = {one["verdict"] for one in judged}
    status: Status = "not shown" if "missed" in verdicts else "undecided" if "open" in verdicts else "shown"
    return finding("targets", text, status)


def _one(one: Json) -> Json:
    statuses: dict[str, Status] = {"met": "shown", "missed": "not shown", "open": "undecided"}
    worst = f", the worst of {one['cells']} cases" if one["cells"] > 1 else ""
    text = f"{one['what'][:1].upper()}{one['what'][1:]}: {_value(one)}{worst}; asked {_bound(one)}."
    rows = one["measured"]["count"] * one["cells"]
    return finding(one["id"], text, statuses[one["verdict"]], one["part"], rows, measured=one["measured"])


def _value(one: Json) -> str:
    return interval(one["measured"], 0 if one["measured"]["value"] >= 100 else 2)


def _bound(one: Json) -> str:
    return f"at least {one['least']:g}" if one["least"] is not None else f"at most {one['most']:g}"
