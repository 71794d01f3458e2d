"""Faults of a scenario on a lab that is up, as the run's record tells them."""

import json
from pathlib import Path

import pytest
from labs import Command, Topology, described, ssh, wait_until

pytestmark = pytest.mark.long

SERVER = (
    "cd /srv && echo hello >index.html && (setsid python3 -m http.server 8000 >/dev/null 2>&1 </dev/null &)"
)
SCENARIO = """
format = 1
name = "faults"
[target]
url = "http://{address}:8000"
[load]
users = 5
ramp_up_s = 1
steady_s = 9
ramp_down_s = 0
timeout_s = 2
[pacing]
think = 0.1
[[operation]]
name = "Page"
limit_s = 1
[[operation.step]]
get = "/index.html"
[[fault]]
at_s = 6
host = "web"
what = "mend"
[[fault]]
at_s = 3
host = "web"
what = "cut"
[[fault]]
at_s = 7
host = "web"
what = "link"
delay_ms = 30
[[fault]]
at_s = 8
host = "gone"
what = "repair"
"""


def test_faults_are_done_and_recorded(command: Command, topology: Topology, tmp_path: Path) -> None:
    lab = topology(
        '[link.near]\ndelay_ms = 1\n[[host]]\nname = "web"\nlink = "near"\n[[host]]\nname = "gone"\n'
    )
    command("lab", "up", lab)
    assert ssh("t-lab", "web", SERVER).returncode == 0
    answers = "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", 8000))'"
    wait_until(lambda: ssh("t-lab", "web", answers).returncode == 0, "the server answers")
    command("lab", "host", "kill", "--lab", "t-lab", "gone")
    scenario = tmp_path / "faults-scenario.toml"
    scenario.write_text(SCENARIO.format(address=described("t-lab")["hosts"][0]["address"]))
    refused = command("run", scenario, "--out", tmp_path / "without", check=False)
    assert (refused.returncode, "error[fault]" in refused.stderr) == (2, True)
    assert not (tmp_path / "without").exists()
    done = command("run", scenario, "--topology", lab, "--out", tmp_path / "run", check=False)
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    told = [event for event in run["events"] if event["kind"].startswith("fault")]
    notes = [event["note"].rpartition(" after ")[0] for event in told]
    assert notes[:3] == [
        "host web cut off",
        "host web reachable again",
        "host web behind another link (30 ms)",
    ]
    assert [event["kind"] for event in told] == ["fault"] * 3 + ["fault-failed"], done.stderr
    assert all(event["second"] >= at_s for event, at_s in zip(told, (3, 6, 7, 8), strict=True))
    assert "`gone` is down" in told[3]["reason"]
    assert any("`gone` is down" in warning for warning in run["warnings"])
    assert "host web cut off" in done.stderr
    assert described("t-lab")["hosts"][0]["link"] == "30 ms"
