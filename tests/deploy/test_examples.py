"""The examples of other people's applications: each is deployed on a lab, loaded and removed."""

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from labs import loadstone, obstacle

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

EXAMPLES = Path(__file__).parents[2] / "examples"
SERVICES = {"datasette": "catalogue", "wordpress": "wordpress", "chat": "chat"}


@pytest.fixture(params=SERVICES)
def deployed(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """The folder of an example whose services run; its host of the application has a whole core."""
    if reason := obstacle():
        pytest.skip(reason)
    name: str = request.param
    loadstone("lab", "down", name)
    folder = Path(shutil.copytree(EXAMPLES / name, tmp_path / name))
    lab = folder / "lab.toml"
    lab.write_text(lab.read_text().replace("cpus = 0.8", "cpus = 1").replace("cpus = 0.4", "cpus = 1"))
    loadstone("lab", "up", lab)
    try:
        with pytest.MonkeyPatch.context() as patch:
            # The build asks `python3` for pip.
            patch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
            loadstone("deploy", lab, timeout_s=700)
            yield folder
            loadstone("undeploy", lab, timeout_s=300)
    finally:
        loadstone("lab", "down", name)


def test_users_of_it_find_what_they_expect(deployed: Path, tmp_path: Path) -> None:
    topology = ("--topology", deployed / "lab.toml", "--service", SERVICES[deployed.name])
    load = ("--users", "12", "--window", "15", "--set", "load.ramp_up_s=2", "--set", "pacing={think=0.5}")
    done = loadstone(
        "run",
        deployed / "scenario.toml",
        *topology,
        *load,
        "--out",
        tmp_path / "run",
        check=False,
        timeout_s=300,
    )
    # How fast the machine is, is not the question.
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run["outcome"] == "complete", done.stderr
    assert run["failures"] == []
    operations = run["operations"]
    assert all(not sum(one["failed"].values()) for one in operations.values())
    assert sum(one["ok"] for one in operations.values()) > 50
    assert all(one["ok"] for one in operations.values()), "an operation was never asked for"
