"""Every broken site is refused with the message of its golden file, before anything is reached.

`LOADSTONE_UPDATE_GOLDEN=1 pytest tests/deploy/test_broken_sites.py` writes them anew: read the difference.
"""

import os
import re
import sys
from pathlib import Path

import pytest

from loadstone import cli
from loadstone.deploy import load_site
from loadstone.deploy.kinds import ROLES
from loadstone.deploy.kinds.site import SiteRole
from loadstone.deploy.render import TEMPLATES

BROKEN = Path(__file__).parent / "broken"
REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "deploy.md"
EXAMPLES = Path(__file__).parents[2] / "examples" / "lab"


@pytest.mark.parametrize("name", sorted(path.stem for path in BROKEN.glob("*.toml")))
def test_golden_message(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(BROKEN)
    monkeypatch.setattr(sys, "argv", ["loadstone", "deploy", f"{name}.toml"])
    with pytest.raises(SystemExit) as exit_:
        cli.main()
    out, err = capsys.readouterr()
    golden = BROKEN / f"{name}.err"
    if os.environ.get("LOADSTONE_UPDATE_GOLDEN"):
        golden.write_text(err, encoding="utf-8")
    assert err == golden.read_text(encoding="utf-8")
    assert (exit_.value.code, out) == (2, "")


@pytest.mark.parametrize(
    "path",
    sorted(EXAMPLES.parent.glob("*/*lab.toml")) + sorted(EXAMPLES.glob("*")),
    ids=lambda path: path.parent.name,
)
def test_examples_are_sites(path: Path) -> None:
    assert load_site(path).services


def test_every_role_has_its_folder_and_every_folder_its_role() -> None:
    folders = {path.name for path in TEMPLATES.iterdir()} - {"service"}
    sites = {name for name, role in ROLES.items() if isinstance(role, SiteRole)}
    assert folders == ROLES.keys() - sites - {"container", "image"}


@pytest.mark.parametrize("role", sorted(ROLES))
def test_every_setting_is_documented_with_its_default(role: str) -> None:
    lines = REFERENCE.read_text(encoding="utf-8").splitlines()
    for name, field in ROLES[role].settings.model_fields.items():
        rows = [line for line in lines if line.startswith("|") and f"`{name}`" in line]
        assert rows, f"no row for `{name}`"
        default = field.get_default(call_default_factory=True)
        if isinstance(default, bool):
            assert any(f"| {str(default).lower()} |" in row for row in rows), name
        elif isinstance(default, int | float | str):
            shown = default if isinstance(default, str) else f"{default:g}"
            assert any(re.search(rf"(?<![\w.-]){re.escape(shown)}(?![\w.-])", row) for row in rows), name


def test_settings_can_be_changed_and_are_checked(tmp_path: Path) -> None:
    site = load_site(EXAMPLES / "seven-hosts.toml")
    changed = site.with_settings("balancer", algorithm="least-connections")
    assert changed.service("balancer").settings.algorithm == "least-connections"
    assert changed.service("balancer").settings.backends == site.service("balancer").settings.backends
    assert site.service("balancer").settings.algorithm == "round-robin"
