"""What Ansible cannot tell by itself: that it is missing, that it broke off, why a task of its own failed."""

import importlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadstone.deploy import deploy, load_site, playbook
from loadstone.deploy.deploy import failure
from loadstone.deploy.outcome import Step
from loadstone.deploy.playbook import events
from loadstone.errors import LoadstoneError
from loadstone.ssh import Ssh

SITE = """
format = 1
name = "t-playbook"
[[host]]
name = "web1"
[[service]]
name = "web"
role = "nginx"
hosts = ["web1"]
"""


def run(folder: Path) -> LoadstoneError:
    file = folder / "site.toml"
    file.write_text(SITE)
    site = load_site(file)
    nobody = Ssh(Path("/dev/null"), {"web1": "198.18.0.1"}, folder)
    with pytest.raises(LoadstoneError) as error:
        list(events([site.services["web"]], {"web": ["web1"]}, site.places(nobody), nobody))
    return error.value


@pytest.mark.parametrize("missing", [[], ["nginx"]])
def test_ansible_is_for_what_is_to_be_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: list[str]
) -> None:
    (tmp_path / "site.toml").write_text(SITE)
    site = load_site(tmp_path / "site.toml")
    nobody = Ssh(Path("/dev/null"), {"web1": "198.18.0.1"}, tmp_path)
    did = []

    def ask(_ssh: Ssh, _host: str, verb: str, *_: object) -> dict[str, object]:
        did.append(verb)
        return {"action": "started", "changed": True, "missing": missing}

    def by_ansible(*_: object) -> Iterator[dict[str, object]]:
        did.append("ansible")
        answer = {"action": "started", "changed": True}
        yield {"service": "web", "host": "web1", "task": "service", "own": False, "outcome": "ok",
               "changed": True, "took_s": 0.1, "answer": answer, "message": None}  # fmt: skip

    module = importlib.import_module("loadstone.deploy.deploy")
    monkeypatch.setattr(Ssh, "check", lambda *_: {})
    monkeypatch.setattr(module, "ask", ask)
    monkeypatch.setattr(module, "events", by_ansible)
    monkeypatch.setattr(module, "reach", lambda *_: None)
    assert [step.action for step in deploy(site, nobody, lambda _: None).steps] == ["started"]
    assert did == ["plan", "ansible" if missing else "place"]


def test_ansible_is_an_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    error = run(tmp_path)
    assert (error.slug, error.exit_code) == ("ansible-missing", 4)
    assert "pip install 'loadstone[deploy]'" in str(error)


def test_what_ansible_says_when_it_breaks_off_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playbook, "TEMPLATES", tmp_path / "no roles here")
    error = run(tmp_path)
    assert (error.slug, error.exit_code) == ("ansible-failed", 4)
    assert "role 'service' was not found" in str(error)


@pytest.mark.parametrize(
    "outcome, words, slug",
    [
        ("failed", "No package matching 'nginx-lite' is available", "task-failed"),
        ("failed", "cannot write: [Errno 28] No space left on device", "host-write"),
        ("unreachable", "Failed to create temporary directory: no space left on device", "host-write"),
        ("unreachable", "Connection timed out", "host-unreachable"),
    ],
)
def test_why_a_task_failed(outcome: str, words: str, slug: str) -> None:
    event = {"outcome": outcome, "task": "packages", "answer": None, "message": words}
    error = failure(Step("web", "web1"), event)
    assert error.slug == slug and f"`web` on `web1`: packages: {words}" in str(error)


def test_only_services_that_there_are(tmp_path: Path) -> None:
    file = tmp_path / "site.toml"
    file.write_text(SITE)
    with pytest.raises(LoadstoneError) as error:
        deploy(load_site(file), Ssh(Path("/dev/null"), {}, tmp_path), print, only=["wbe"])
    assert error.value.slug == "service-name" and "did you mean `web`?" in str(error.value)


TRACE = """Traceback (most recent call last):
  File "/usr/lib/module.py", line 3, in <module>
    import apt
ModuleNotFoundError: No module named 'apt'"""


def test_a_trace_is_its_reason() -> None:
    event = {
        "outcome": "failed",
        "task": "packages",
        "answer": None,
        "message": f"MODULE FAILURE\n{TRACE}\nend",
    }
    error = failure(Step("web", "web1"), event)
    assert "packages: MODULE FAILURE\nModuleNotFoundError: No module named 'apt'\nend" in str(error)
    assert "Traceback" not in str(error) and "module.py" not in str(error)


def test_what_others_print_between_the_events_is_kept_for_the_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when it begins as an event does."""
    broken = tmp_path / "ansible" / "__main__.py"
    broken.parent.mkdir()
    text = f"import sys\nprint('{{not JSON')\nprint('[1]')\nprint({TRACE!r}, file=sys.stderr)\nsys.exit(9)\n"
    broken.write_text(text)
    monkeypatch.setattr(playbook.sys, "executable", str(shim(tmp_path)))
    error = run(tmp_path)
    assert (error.slug, error.exit_code) == ("ansible-failed", 4)
    assert "exit code 9" in str(error) and "  | {not JSON\n" in str(error)
    assert "ModuleNotFoundError" in str(error) and "Traceback" not in str(error)


def shim(folder: Path) -> Path:
    """An interpreter that has another Ansible."""
    path = folder / "python"
    path.write_text(f"#!/bin/sh\nexec /usr/bin/python3 {folder}/ansible/__main__.py\n")
    path.chmod(0o755)
    return path
