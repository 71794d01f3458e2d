"""The wheel alone: built, installed into an empty virtual environment, used far from the checkout."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import github_action
import pytest
from scripted_site import OK, site

from loadstone.cli.catalogue import CATALOGUE

ROOT = Path(__file__).resolve().parents[2]
TOPOLOGY = str(ROOT / "examples" / "lab" / "seven-hosts.toml")
LOG = '192.0.2.{} - - [26/Nov/2026:07:{:02}:{:02} +0000] "GET /item/{} HTTP/1.1" 200 512 "-" "Mozilla/5.0"\n'
SHORT = "--set load.ramp_up_s=1 --set load.ramp_down_s=0"
NO_LAB = "the lab `seven-hosts` is not up"

# Command line, exit codes, and what is said. A command that needs what a test must not take (an hour, root)
# is refused here, and says why.
SAID = [
    (f"run olio --users 10 --window 2 {SHORT} --out r", (0, 1, 6, 7), "olio: 10 users, 2 s steady"),
    ("set users 5", (2,), "runs going on in `runs`: none"),
    ("follow r", (2,), "runs going on in `r`: none"),
    ("report r", (0,), "r/report.html"),
    ("export r --format junit", (0,), "<testsuites"),
    ("compare r r", (0,), "old: r"),
    ("history .", (0,), "1 runs"),
    ("demo --help", (0,), "in three minutes"),
    ("ui --help", (0,), "Open a page"),
    ("capacity page --url http://127.0.0.1:9", (3,), "no connection"),
    ("ab olio --help", (0,), "Measure two releases"),
    ("probe none.toml", (2,), "none.toml"),
    ("chaos none.toml", (2,), "none.toml"),
    ("inject ./none", (2,), "there is no program"),
    ("harden path", (4,), "scripts/setup-hardening 22"),
    ("nodes --users-per-node 500 --users 5000 --crash-rate 1/183d --failover 30min", (0,), "5,000 users"),
    ("cost --book aws-2026 --instance m7i.xlarge:2 --users-sla-1 500 --users-sla-2 250", (0,), "month"),
    ("plan none.toml", (2,), "cannot read `none.toml`"),
    ("prices list", (0,), "aws"),
    ("init --from rubis-bid", (0,), "format = 1"),
    ("learn access.log --with-programs", (0,), "format = 1"),
    ("import none.har", (2,), "none.har"),
    ("check olio rubis-bid surge page", (0,), "HomePage"),
    ("try page --url http://127.0.0.1:9", (3,), "127.0.0.1:9"),
    ("schema", (0,), "json-schema.org"),
    ("serve --help", (0,), "olio"),
    ("olio load --accounts 100 --out olio-data", (0,), ""),
    ("rubis load --help", (0,), "auction site|data set"),
    ("image new guest", (0,), "loadstone image build guest"),
    ("image build files", (4,), "there is no cargo on this machine\n.*rustup"),
    ("lab status none", (2,), "there is no lab `none`"),
    (f"topology deploy {TOPOLOGY} --check", (2,), NO_LAB),
    (f"deploy {TOPOLOGY} --check", (2,), NO_LAB),
    (f"status {TOPOLOGY}", (2,), NO_LAB),
    (f"configure {TOPOLOGY}", (2,), NO_LAB),
    (f"restart {TOPOLOGY}", (2,), NO_LAB),
    (f"undeploy {TOPOLOGY}", (2,), NO_LAB),
    ("study nodes --out s --only points", (0,), "The text allows"),
    ("solve none.txt", (2,), "cannot read `none.txt`"),
    ("sweep --help", (0,), "Ask many models"),
]


@dataclass(frozen=True)
class Installed:
    """A virtual environment with nothing but the wheel and what it asks for."""

    bin: Path
    folder: Path
    """Where commands are typed."""

    def __call__(self, line: str) -> tuple[int, str]:
        """Exit code, and all that was said."""
        # Without Cargo, which builds images for minutes; without anything that leads to the checkout.
        environment = {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.folder), "LANG": "C.UTF-8"}
        done = subprocess.run(
            line.split(),
            cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=240, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout


@pytest.fixture(scope="module")
def wheel() -> Path:
    subprocess.run([ROOT / "scripts" / "wheel", Path(sys.executable).parent], check=True, cwd=ROOT)
    (made,) = (ROOT / "target" / "wheels").glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("wheel")
    # As the action for GitHub does it.
    runner = {"RUNNER_TEMP": str(folder), "GITHUB_PATH": str(folder / "path"), "PYTHONPATH": ""}
    runner |= github_action.given({"wheel": str(wheel), "python": sys.executable})
    install = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", github_action.step("Install")["run"]]
    subprocess.run(install, check=True, env=os.environ | runner | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"})
    bin_ = folder / "loadstone" / "bin"
    assert (folder / "path").read_text() == f"{bin_}\n"
    (folder / "used").mkdir()
    lines = [LOG.format(at % 40, at // 60, at % 60, at % 7) for at in range(3000)]
    (folder / "used" / "access.log").write_text("".join(lines))
    return Installed(bin_, folder / "used")


@pytest.mark.long
def test_every_command_works_or_says_why_not(installed: Installed) -> None:
    assert {line.split()[0] for line, *_ in SAID} == set(CATALOGUE)
    version = installed("loadstone --version")
    assert version[0] == 0 and version[1].startswith("loadstone 0.")
    wrong = []
    for line, codes, words in SAID:
        code, said = installed(f"loadstone {line}")
        if code not in codes or not re.search(words, said) or "error[internal]" in said:
            wrong.append(f"{line}\n  code {code}\n  {said[-600:]}")
    assert not wrong, "\n".join(wrong)
    crates = next((installed.folder / ".cache" / "loadstone").glob("sources-*")) / "crates"
    assert f'path = "{crates}/http"' in (installed.folder / "guest" / "Cargo.toml").read_text()


@pytest.mark.long
def test_the_page_comes_with_it(installed: Installed) -> None:
    page = subprocess.Popen(
        [installed.bin / "loadstone", "ui", "--port", "0", "--no-open"],
        cwd=installed.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        assert page.stdout is not None
        address = next(found[0] for line in page.stdout if (found := re.search(r"http://\S+", line)))
        with urllib.request.urlopen(address, timeout=60) as answer:
            assert b"page.js" in answer.read()
    finally:
        page.terminate()
        page.communicate(timeout=60)


AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"
# What is tried in the image, by its own user: a RUN needs no control groups, which `podman run` does.
TRIED = """FROM localhost/loadstone:1
RUN test "$(id -un)" = loadstone && loadstone --version
RUN loadstone run page --url {url} --users 2 --window 2 --set load.ramp_up_s=0 --set load.ramp_down_s=0 \
    --out runs/page || case $? in 1|6|7) true;; *) false;; esac; test -s runs/page/run.json
"""


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_the_image_of_the_container_file_measures(wheel: Path, tmp_path: Path) -> None:
    """Its second stage, on Debian as this machine gets it; the first is `scripts/wheel`."""
    missing = [name for name in ("podman", "debootstrap") if shutil.which(name) is None]
    if missing or os.geteuid():
        pytest.skip(f"not installed: {missing[0]}" if missing else "only root makes a base to build on")
    subprocess.run(["debootstrap", "--variant=minbase", "bookworm", tmp_path / "root"], check=True)
    subprocess.run(["tar", "-C", tmp_path / "root", "-cf", tmp_path / "root.tar", "."], check=True)
    # Podman takes no longer path than 50 letters.
    with tempfile.TemporaryDirectory(prefix="ls-") as store, site(lambda _path, _number: OK) as port:
        podman = ["podman", "--root", f"{store}/pod", "--runroot", f"{store}/run", "--storage-driver", "vfs"]
        subprocess.run([*podman, "import", "-q", tmp_path / "root.tar", "localhost/debian:1"], check=True)
        # The authorities that this machine trusts, which may be more than Debian's.
        trust = ("--volume", f"{AUTHORITIES}:/authorities.crt:ro")
        build = [*podman, "build", "--isolation", "chroot", "--network", "host", *trust]
        base = ["--env", "PIP_CERT=/authorities.crt", "--build-arg", "DEBIAN=localhost/debian:1"]
        wheels = ["--build-context", f"wheels={wheel.parent}", "-t", "localhost/loadstone:1", ROOT]
        subprocess.run([*build, *base, *wheels], check=True, cwd=ROOT)
        told = subprocess.run([*podman, "inspect", "localhost/loadstone:1"], check=True, capture_output=True)
        [image] = json.loads(told.stdout)
        assert image["Config"]["Entrypoint"] == ["loadstone"] and image["Config"]["User"] == "loadstone"
        (tmp_path / "tried").mkdir()
        (tmp_path / "tried" / "Containerfile").write_text(TRIED.format(url=f"http://127.0.0.1:{port}"))
        subprocess.run([*build, tmp_path / "tried"], check=True)
