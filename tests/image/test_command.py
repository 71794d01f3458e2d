"""`loadstone image`, with programs in the place of QEMU and Cargo."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from certificates import make_certificate
from in_service import gone, until
from tiny import tiny_image
from typer.testing import CliRunner

from loadstone.cli import app
from loadstone.errors import LoadstoneError
from loadstone.image import build, sources
from loadstone.image.guest import free_port


def _program(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is looked into for programs first."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin:/usr/sbin")
    return tmp_path


def _refused(*words: str | Path) -> LoadstoneError:
    result = CliRunner().invoke(app, ["image", *map(str, words)])
    assert isinstance(result.exception, LoadstoneError), result.output
    return result.exception


def test_instances_have_ports_of_their_own_and_say_who_speaks(programs: Path) -> None:
    image = tiny_image(programs)
    _program(programs, "qemu-system-x86_64", "echo \"$@\" | grep -o 'tcp:[0-9.]*:[0-9]*'; exit 33")
    result = CliRunner().invoke(app, ["image", "boot", str(image), "--instances", "2", "--port", "9100"])
    assert result.exit_code == 0, result.output
    assert "1: tcp:127.0.0.1:9100" in result.output and "2: tcp:127.0.0.1:9101" in result.output


class _Torn(io.StringIO):
    """A stream to which nobody writes part of a line alone: another thread's part always comes with it."""

    def __init__(self) -> None:
        super().__init__()
        self._both = threading.Barrier(2)

    def write(self, text: str) -> int:
        written = super().write(text)
        if not text.endswith("\n"):
            self._both.wait(60)
        return written


def test_lines_of_two_consoles_stand_one_after_another(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _program(programs, "qemu-system-x86_64", "echo hello; exit 33")
    torn = _Torn()
    monkeypatch.setattr(sys, "stdout", torn)
    with pytest.raises(SystemExit):
        app(["image", "boot", str(tiny_image(programs)), "--port", "0", "--instances", "2"])
    assert sorted(torn.getvalue().splitlines()) == ["1: hello", "2: hello"]


def test_what_is_typed_goes_to_the_consoles(programs: Path) -> None:
    _program(
        programs,
        "qemu-system-x86_64",
        """while read -r line; do echo "heard $line"; [ "$line" = shutdown ] && exit 33; done""",
    )
    command = [sys.executable, "-m", "loadstone", "image", "boot", str(tiny_image(programs)), "--port", "0"]
    orders = "2: status\n9: status\nshutdown\n"
    done = subprocess.run(
        [*command, "--instances", "2"], input=orders, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["1: heard shutdown", "2: heard shutdown", "2: heard status"]
    assert "there is no instance 9" in done.stderr


def test_the_end_of_an_instance_is_told_and_the_other_goes_on(programs: Path) -> None:
    port = free_port()
    script = f'case "$*" in *:{port}-*) exit 35;; esac; read -r line; echo "heard $line"; exit 33'
    _program(programs, "qemu-system-x86_64", script)
    command = [sys.executable, "-m", "loadstone", "image", "boot", str(tiny_image(programs))]
    command += ["--port", str(port), "--instances", "2"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdin and process.stderr
        assert any("1: the guest panicked" in line for line in process.stderr)
        said, _ = process.communicate("2: go on\n", timeout=60)
    assert said == "2: heard go on\n"
    assert process.returncode == 4


def test_a_machine_ends_with_its_command_however_that_ends(programs: Path) -> None:
    _program(programs, "qemu-system-x86_64", "echo $$; exec sleep 600")
    command = [sys.executable, "-m", "loadstone", "image", "boot", str(tiny_image(programs)), "--port", "0"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        pid = int(process.stdout.readline())
        process.kill()
    until(lambda: gone(pid))


@pytest.mark.parametrize(("ended", "code"), [(33, 0), (0, 0), (37, 2), (35, 4), (1, 4)])
def test_the_guests_end_is_the_commands(programs: Path, ended: int, code: int) -> None:
    _program(programs, "qemu-system-x86_64", f"exit {ended}")
    result = CliRunner().invoke(app, ["image", "boot", str(tiny_image(programs)), "--port", "0", "--json"])
    assert result.exit_code == code
    assert json.loads(result.stdout)["addresses"][0].startswith("http://127.0.0.1:")


def test_what_cannot_be_is_refused_before_anything_starts(programs: Path) -> None:
    image, disk = tiny_image(programs), programs / "disk"
    disk.touch()
    for words in (
        ("--disk", programs / "none"),
        ("--disk", disk, "--instances", "2"),
        ("--disk", disk, "--disk", disk, "--instances", "2"),
        ("--port", "65535", "--instances", "2"),
        ("--memory", "1"),
    ):
        assert _refused("boot", image, *words).slug == "image-options"
    assert _refused("boot", programs / "none.elf").slug == "image-file"
    assert _refused("inspect", image, "--address", "somewhere").slug == "image-options"


def test_inspect_tells_what_is_in_it(programs: Path) -> None:
    image = tiny_image(programs)
    result = CliRunner().invoke(app, ["image", "inspect", str(image), "--json"])
    found = json.loads(result.stdout)
    assert found["entry"] == 0x100000 and found["crates"]["loadstone_http"] == 100
    result = CliRunner().invoke(app, ["image", "inspect", str(image)])
    assert "for x86_64, entry 0x100000" in result.stdout and "loadstone_http" in result.stdout


def test_an_image_with_tls_gets_its_files_from_the_hypervisor(programs: Path) -> None:
    make_certificate(programs)
    image, files = (
        tiny_image(programs),
        ("--tls-cert", programs / "cert.pem", "--tls-key", programs / "key.pem"),
    )
    _program(programs, "qemu-system-x86_64", 'for word in "$@"; do echo "$word"; done; exit 33')
    words = ["image", "boot", str(image), "--port", "0", "--json", *map(str, files)]
    result = CliRunner().invoke(app, words)
    assert json.loads(result.stdout)["addresses"][0].startswith("https://127.0.0.1:")
    said = result.stderr.splitlines()
    assert "ip=10.0.2.15/24 gw=10.0.2.2 tls=fw_cfg" in said
    assert f"name=opt/loadstone/tls-cert,file={programs}/cert.pem" in said
    assert f"name=opt/loadstone/tls-key,file={programs}/key.pem" in said


def test_a_guest_on_a_tap_device_has_its_own_addresses(programs: Path) -> None:
    image = tiny_image(programs)
    _program(programs, "qemu-system-x86_64", 'for word in "$@"; do echo "$word"; done; exit 33')
    # The command only looks whether there is such a device.
    tap = ["image", "boot", str(image), "--json", "--tap", "lo", "--cmdline"]
    result = CliRunner().invoke(app, [*tap, "ip=192.0.2.15/24 ip6=2001:db8::15/64 port=8080"])
    assert json.loads(result.stdout)["addresses"] == ["http://192.0.2.15:8080", "http://[2001:db8::15]:8080"]
    said = result.stderr.splitlines()
    assert "ip=192.0.2.15/24 ip6=2001:db8::15/64 port=8080" in said
    assert "tap,id=net0,ifname=lo,script=no,downscript=no" in said
    for refused, why in (
        (("--tap", "tap99"), "no TAP device tap99"),
        (("--tap", "lo"), "no address"),
        (("--tap", "lo", "--dhcp", "--instances", "2"), "for one instance"),
        (("--tap", "lo", "--dhcp", "--balancer", "list"), "without a balancer"),
    ):
        error = _refused("boot", image, *refused)
        assert error.slug == "image-options" and why in str(error)


def test_files_that_are_no_certificate_are_refused_before_anything_starts(
    programs: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    make_certificate(programs)
    make_certificate(other := tmp_path_factory.mktemp("other"))
    image, certificate, key = tiny_image(programs), programs / "cert.pem", programs / "key.pem"
    (programs / "long.pem").write_text(certificate.read_text() * 500)
    for command in ("boot", "run"):
        assert _refused(command, image, "--tls-cert", certificate).slug == "image-options"
        for one, two, why in (
            (programs / "none.pem", key, "none.pem"),
            (certificate, other / "key.pem", "KEY_VALUES_MISMATCH"),
            (key, key, "cannot be used"),
            (programs / "long.pem", key, "long.pem` is over 256 KiB"),
        ):
            error = _refused(command, image, "--tls-cert", one, "--tls-key", two)
            assert error.slug == "tls" and why in str(error)


@pytest.fixture
def images(programs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with two images in it."""
    (programs / "images").mkdir()
    manifest = '[features]\ndefault = ["mmio", "pci"]\n[[bin]]\nname = "files"\n[[bin]]\nname = "olio"\n'
    (programs / "images" / "Cargo.toml").write_text(manifest)
    monkeypatch.setattr(build, "checkout", lambda: programs)
    monkeypatch.setattr(build, "kept", lambda: programs / "kept")
    return programs


def test_builds_what_cargo_makes(images: Path) -> None:
    image = tiny_image(images)
    library = {
        "reason": "compiler-artifact",
        "package_id": "path#loadstone-appliance@0.1.0",
        "executable": None,
    }
    library |= {"target": {"name": "loadstone_appliance"}, "features": ["pci", "mmio"]}
    made = {"reason": "compiler-artifact", "package_id": "images", "features": [], "executable": str(image)}
    made |= {"target": {"name": "olio"}}
    lines = "\n".join(map(json.dumps, (library, made)))
    _program(images, "cargo", f"cat <<'END'\n{lines}\nEND")
    out = images / "made.elf"
    result = CliRunner().invoke(app, ["image", "build", "olio", "--out", str(out), "--json"])
    found = json.loads(result.stdout)
    assert found["features"] == ["mmio", "pci"]
    assert found["bytes"] == out.stat().st_size < image.stat().st_size
    assert found["crates"]["loadstone_http"] == 100
    assert (images / "made.elf.symbols").read_bytes() == image.read_bytes()


@pytest.mark.parametrize(
    ("options", "features"),
    [
        ((), "mmio,pci"),
        (("--tls",), "mmio,pci,tls"),
        (("--tls", "--link", "pci,tls"), "pci,tls"),
        (("--ipv6", "--tls"), "mmio,pci,ipv6,tls"),
    ],
)
def test_parts_are_linked_when_they_are_asked_for(
    images: Path, options: tuple[str, ...], features: str
) -> None:
    _program(images, "cargo", f'for word in "$@"; do echo "$word"; done > {images}/words; exit 101')
    _refused("build", "files", "--out", images / "made.elf", *options)
    assert features in (images / "words").read_text().splitlines()
    assert "tls" in str(_refused("build", "files", "--link", "mmio,ssl"))


def test_a_build_that_cannot_be_is_refused(images: Path) -> None:
    assert _refused("build", "tomcat").slug == "image-app"
    assert _refused("build", "olio", "--folder", images).slug == "image-options"
    assert _refused("build", "files", "--folder", images / "none").slug == "image-options"
    _program(images, "cargo", "exit 101")
    assert _refused("build", "olio", "--out", images / "made.elf").slug == "image-build"


def test_a_file_of_the_host_does_not_get_into_an_image_by_a_link(images: Path) -> None:
    folder, host = images / "folder", images / "host"
    folder.mkdir()
    host.mkdir()
    (host / "secret").write_text("of the host")
    (folder / "index.html").write_text("a page")
    (folder / "same.html").symlink_to("index.html")
    _program(images, "cargo", "exit 101")
    assert _refused("build", "files", "--folder", folder).slug == "image-build", "a link within is followed"
    for target in (host / "secret", host, images / "none", "/", "."):
        link = folder / "link.html"
        link.symlink_to(target)
        error = _refused("build", "files", "--folder", folder)
        assert error.slug == "image-options" and str(link) in str(error), target
        link.unlink()


def test_a_missing_program_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources.shutil, "which", lambda *_, **__: None)
    with pytest.raises(LoadstoneError, match="scripts/setup-appliance") as caught:
        sources.tool("qemu-system-x86_64")
    assert caught.value.slug == "program-missing"


@pytest.mark.parametrize(("parts", "said"), [("mmio,usb", "no part `usb`"), ("dhcp", "no device")])
def test_parts_that_there_are_not_are_refused(parts: str, said: str) -> None:
    error = _refused("build", "files", "--link", parts)
    assert error.slug == "image-options" and said in str(error)
