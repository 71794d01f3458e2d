"""Functions that steps call, where agents make the load: their files go along, or the run is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from following import follow
from local_hosts import LocalHosts
from walked import Walked

from loadstone.errors import LoadstoneError
from loadstone.measure.agents import fleet
from loadstone.scenario.hooks import found

SIGN = "def sign(who):\n    print('seen', who)\n    return {'mark': 'b' if int(who) % 2 else 'c'}\n"


def plan(site: Walked, folder: Path, sign: str) -> dict[str, Any]:
    (folder / "sign.py").write_text(sign)
    planned = site.plan(steady_s=2.0)
    planned["functions"] = [found(folder, "sign.py:sign").planned]
    call = {"function": 0, "arguments": [["who", "{user}"]], "answer": False, "returns": ["mark"]}
    for operation in planned["operations"]:
        operation["steps"] = [
            {"method": "GET", "path": "/", "call": call},
            {"method": "GET", "path": "/{user}/{mark}"},
        ]
    return planned


def test_their_files_go_along_with_the_plan(hosts: LocalHosts, site: Walked, tmp_path: Path) -> None:
    planned = plan(site, tmp_path, SIGN)
    with fleet(hosts, ["one", "two"]) as engine:
        windows, summary = follow(engine.start(json.dumps(planned)))
    assert summary["outcome"] == "complete" and not summary["examples"]
    for user, operations in site.walks.items():
        assert set(operations) == {"b" if user % 2 else "c"}
    calls = sum(one["returned"] for window in windows for one in window.get("hooks", []))
    assert calls >= sum(map(len, site.walks.values())) > 20
    assert all(set(window["agents"]["one"]) >= {"hooks_cpu_s"} for window in windows)
    assert sum(window["agents"]["two"]["hooks_cpu_s"] for window in windows) > 0


@pytest.mark.parametrize(
    ("sign", "words"),
    [
        (
            "import sys\nif 'loadstone' not in sys.modules: raise OSError('no such card')\n" + SIGN,
            "OSError: no such card",
        ),
        ("import sys\nif 'loadstone' not in sys.modules: sys.exit(3)\n" + SIGN, "SystemExit: 3"),
    ],
)
def test_what_does_not_run_there_is_refused_before_anything_begins(
    hosts: LocalHosts, site: Walked, tmp_path: Path, sign: str, words: str
) -> None:
    planned = plan(site, tmp_path, sign)
    with fleet(hosts, ["one", "two"]) as engine:
        with pytest.raises(LoadstoneError, match=f"`sign.py:sign` does not run here: {words}") as error:
            engine.start(json.dumps(planned))
        assert error.value.slug == "plan-refused" and site.requests == 0
        (tmp_path / "sign.py").unlink()
        with pytest.raises(LoadstoneError, match="cannot be read any more") as gone:
            engine.start(json.dumps(planned))
        assert gone.value.slug == "hook"
