"""Every broken topology is refused with the message of its golden file, and with exit code 2.

`LOADSTONE_UPDATE_GOLDEN=1 pytest tests/lab` writes the golden files anew: read the difference.
"""

import os
import re
import sys
from pathlib import Path

import pytest

from loadstone import cli, lab
from loadstone.errors import SLUGS
from loadstone.lab.topology import load_topology

BROKEN = Path(__file__).parent / "broken"
EXAMPLES = Path(__file__).parents[2] / "examples" / "lab"
FILES = sorted(path.name for path in BROKEN.glob("*.toml"))

# Slugs of the lab that no broken file can show, and the test that does.
ELSEWHERE = {
    "topology-missing": "test_no_such_topology",
    "lab-missing": "test_no_such_lab",
    "lab-busy": "tests/lab/test_life.py",
    "lab-exists": "tests/lab/test_life.py",
    "lab-start": "tests/lab/test_life.py",
    "lab-host": "tests/lab/test_live.py",
    "lab-link": "tests/lab/test_live.py",
    "cannot-write": "tests/deploy/test_secrets.py",
    "lab-stop": "needs a process that SIGKILL does not end",
    "lab-unsupported": "tests/lab/test_machine.py",
}


def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["loadstone", *arguments])
    with pytest.raises(SystemExit) as exit_:
        cli.main()
    out, err = capsys.readouterr()
    return int(exit_.value.code or 0), out, err


@pytest.mark.parametrize("file", FILES)
def test_golden_message(
    file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(BROKEN)
    code, out, err = run(monkeypatch, capsys, "lab", "up", file)
    golden = BROKEN / f"{Path(file).stem}.err"
    if os.environ.get("LOADSTONE_UPDATE_GOLDEN"):
        golden.write_text(err, encoding="utf-8")
    assert err == golden.read_text(encoding="utf-8")
    assert (code, out) == (2, "")


def test_every_slug_of_the_lab_has_a_message() -> None:
    shown = {
        slug
        for golden in BROKEN.glob("*.err")
        for slug in re.findall(r"error\[([a-z-]+)\]", golden.read_text("utf-8"))
    }
    code = "".join(path.read_text("utf-8") for path in Path(lab.__file__).parent.glob("*.py"))
    used = set(re.findall(r'(?:Finding|LoadstoneError|refuse)\(\s*"([a-z-]+)"', code))
    assert used <= set(SLUGS)
    assert used - shown - set(ELSEWHERE) == set()


def test_no_such_topology(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(monkeypatch, capsys, "lab", "up", "nowhere.toml")
    assert (code, out) == (2, "")
    assert err == "error[topology-missing]: cannot read `nowhere.toml`: No such file or directory\n"


def test_no_such_lab(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(monkeypatch, capsys, "lab", "list", "no-such-lab")
    assert (code, out) == (2, "")
    assert err.startswith("error[lab-missing]: there is no lab `no-such-lab`\n")


@pytest.mark.parametrize("name", ["..", ".", "", "a.b", "A", "-"])
def test_down_removes_nothing_outside_the_labs(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = run(monkeypatch, capsys, "lab", "down", "--", name)
    assert code == 2
    assert err.startswith(("error[bad-name]", "error[topology-missing]"))


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_examples_are_good(path: Path) -> None:
    assert load_topology(path).hosts


def test_a_direction_overrides_its_link(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(
        'format = 1\nname = "x"\n[link.a]\ndelay_ms = 5\nrate_mbit = 8\ndown.rate_mbit = 2\n'
        '[[host]]\nname = "h"\nlink = "a"\n[[host]]\nname = "far"\naddress = "me@far:2222"\n'
    )
    topology = load_topology(path)
    link = topology.link(topology.hosts[0])
    assert (link.direction("up").rate_mbit, link.direction("down").rate_mbit) == (8, 2)
    assert link.direction("down").delay_ms == 5
    assert [host.name for host in topology.machines] == ["far"]
