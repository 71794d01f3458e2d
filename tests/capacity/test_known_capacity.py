"""A server of known capacity, through the real engine and the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import sites
from typer.testing import CliRunner

from loadstone.cli import app

RATE = 60.0


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_token_bucket_is_found_within_five_per_cent_and_again(tmp_path: Path) -> None:
    # Every user asks once a second, so that RATE users are the most; beyond, the queue grows without end.
    found = []
    with sites.token_bucket(RATE) as (_, port):
        scenario = sites.scenario(tmp_path / "bucket.toml", port, ramp_up_s=3, steady_s=15)
        for turn in ("first", "second"):
            command = ["capacity", str(scenario), "--from", "20", "--to", "500", "--json"]
            result = CliRunner().invoke(app, [*command, "--out", str(tmp_path / turn)])
            assert result.exit_code == 0, result.output
            found.append(json.loads(result.stdout))
    for capacity in found:
        assert capacity["outcome"] == "complete"
        for sla in ("SLA-1", "SLA-2"):
            assert capacity[sla]["low"] == pytest.approx(RATE, rel=0.05)
    first, second = (capacity["SLA-1"] for capacity in found)
    assert first["low"] < second["high"] and second["low"] < first["high"]
