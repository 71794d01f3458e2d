"""Verdicts as JUnit XML, which CI servers show as test results."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from xml.etree import ElementTree

from loadstone.report.cases import Case, count
from loadstone.stages.origin import Origin

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 has no room for, however it is written."""


@dataclass(frozen=True)
class Suite:
    """The cases of one folder."""

    name: str
    origin: Origin
    cases: Sequence[Case]


def junit(suites: Sequence[Suite]) -> str:
    """The document: one test suite a folder."""
    root = ElementTree.Element(
        "testsuites", {"name": "loadstone"} | _counts([c for s in suites for c in s.cases])
    )
    for suite in suites:
        root.append(_suite(suite))
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _suite(suite: Suite) -> ElementTree.Element:
    begun, ended = _moment(suite.origin.started_at), _moment(suite.origin.ended_at)
    told = {"name": _legal(suite.name)} | _counts(suite.cases)
    if begun:
        # The common schemas have no room for an offset.
        told["timestamp"] = begun.replace(tzinfo=None).isoformat(timespec="seconds")
    if begun and ended:
        told["time"] = f"{max(0.0, (ended - begun).total_seconds()):.0f}"
    if suite.origin.machine.hostname:
        told["hostname"] = _legal(suite.origin.machine.hostname)
    made = ElementTree.Element("testsuite", told)
    for case in suite.cases:
        classname = _legal(f"{suite.name}.{case.group}")
        one = ElementTree.SubElement(made, "testcase", {"name": _legal(case.name), "classname": classname})
        if case.state == "passed":
            ElementTree.SubElement(one, "system-out").text = _legal(case.said)
        else:
            ElementTree.SubElement(one, case.state, {"message": _legal(case.said)} | _kind(case))
    return made


def _kind(case: Case) -> dict[str, str]:
    return {} if case.state == "skipped" else {"type": case.group}


def _counts(cases: Sequence[Case]) -> dict[str, str]:
    return {
        "tests": str(len(cases)),
        "failures": str(count(cases, "failure")),
        "errors": str(count(cases, "error")),
        "skipped": str(count(cases, "skipped")),
    }


def _moment(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None


def _legal(text: str) -> str:
    return _ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", text)
