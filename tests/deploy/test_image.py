"""An image without an operating system as a service: before it is anywhere, and on two lab hosts."""

import json
from collections.abc import Iterator
from pathlib import Path

import lab_sites
import pytest
from labs import lab, loadstone
from tiny import tiny_image

from loadstone.deploy import Site, load_site, restart, status, undeploy
from loadstone.deploy.render import render
from loadstone.deploy.role import Place
from loadstone.errors import LoadstoneError
from loadstone.ssh import Ssh

ADDRESSES = {"lb": "198.18.0.11", "web1": "198.18.0.12"}
HOSTS = '[[host]]\nname = "lb"\n[[host]]\nname = "web1"\n'
EVENTS = '[[service]]\nname = "events"\nrole = "image"\nhosts = ["web1"]\n[service.settings]\n'
FRONT = '[[service]]\nname = "front"\nrole = "haproxy"\nhosts = ["lb"]\nport = 8000\n'
FRONT += 'settings = { backends = "events" }\n'


def load(folder: Path, settings: str) -> Site:
    file = folder / "site.toml"
    file.write_text(f'format = 1\nname = "t-image"\n{HOSTS}{EVENTS}{settings}{FRONT}')
    return load_site(file)


def test_the_supervisor_of_images_is_what_is_started(tmp_path: Path) -> None:
    tiny_image(tmp_path).rename(tmp_path / "events.elf")
    more = 'image = "events.elf"\nmemory_mib = 32\ninstances = 2\ndisk = "64M"\nload = "olio:40"\n'
    site = load(tmp_path, f'{more}cmdline = "olio.rules=public scale=off"\ncheck = "/events"\nstop_s = 3\n')
    service = site.services["events"]
    place = Place("web1", ADDRESSES, site.services)
    unit = json.loads(render(service, place)["unit.json"])
    assert service.content
    app = f"/var/lib/loadstone/events/app/{service.content.digest}/events.elf"
    assert unit["start"][1:6] == ["-m", "loadstone", "image", "run", app]
    words = " ".join(unit["start"])
    assert "--host 0.0.0.0 --port 8080" in words and "--instances 2 --memory 32" in words
    assert "--disk {data}/1.disk --disk {data}/2.disk" in words and "--grace 3" in words
    assert unit["start"][unit["start"].index("--cmdline") + 1] == "olio.rules=public scale=off"
    made = [" ".join(one[3:]) for one in unit["prepare"]]
    assert made == [f"image disk {{data}}/{number}.disk --size 64M --load olio:40" for number in (1, 2)]
    assert unit["resets"] == "data" and unit["ready"]["send"].startswith("GET /events ")
    front = render(site.services["front"], Place("lb", ADDRESSES, site.services))["haproxy.cfg"]
    assert "198.18.0.12:8080" in front and "198.18.0.12:8081" in front and "/events" in front
    plain = json.loads(
        render(load(tmp_path, 'image = "events.elf"\n').services["events"], place)["unit.json"]
    )
    assert (plain["prepare"], plain["resets"]) == ([], "")


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ('image = "nothing.elf"\n', "there is no file and no application `nothing.elf`"),
        ('image = "text"\n', "cannot be booted"),
        ('image = "events.elf"\nload = "olio:40"\n', "`load` without a `disk`"),
        ('image = "events.elf"\nmemory_mib = 1\n', "needs at least"),
        ('image = "events.elf"\ncmdline = "ip=10.0.0.1/8"\n', "the role says `ip=` itself"),
        ('image = "events.elf"\ndisk = "large"\n', "disk"),
        ('image = "events.elf"\ncheck = "events"\n', "check"),
    ],
)
def test_what_cannot_be_booted_is_refused_with_its_line(tmp_path: Path, settings: str, why: str) -> None:
    tiny_image(tmp_path).rename(tmp_path / "events.elf")
    (tmp_path / "text").write_text("no image")
    with pytest.raises(LoadstoneError, match=why) as refusal:
        load(tmp_path, settings)
    assert "site.toml:" in str(refusal.value)


@pytest.fixture
def events(tmp_path: Path) -> Iterator[tuple[Site, Ssh]]:
    settings = 'image = "olio"\nmemory_mib = 32\ndisk = "64M"\nload = "olio:100"\n'
    with lab(tmp_path, "t-image", f'{HOSTS}[[host]]\nname = "web2"\n') as file:
        services = EVENTS.replace('["web1"]', '["web1", "web2"]') + settings + FRONT
        with lab_sites.site(file, services) as (site, hosts):
            yield site, hosts


@pytest.mark.long
@pytest.mark.timeout(600)
def test_it_is_brought_measured_restarted_and_leaves_nothing(
    events: tuple[Site, Ssh], tmp_path: Path
) -> None:
    site, hosts = events
    address = hosts.address("lb")

    def running() -> list[str]:
        return [one.state for one in status(site, hosts)]

    def machines(host: str) -> str:
        return hosts.run(host, "pgrep -f '[q]emu-system-x86_64 -accel' || true").out.strip()

    def answers() -> bool:
        return lab_sites.get(address, 8000)[0] == 200

    lab_sites.put(site, hosts)
    assert running() == ["running"] * 3
    assert answers() and b"Olio" in lab_sites.get(hosts.address("web1"), 8080)[2]

    # Its supervisor starts a machine again; the balancer meanwhile has the other host.
    first = machines("web1")
    hosts.run("web1", f"kill -9 {first}")
    lab_sites.until(lambda: machines("web1") not in ("", first), "not back")
    lab_sites.until(lambda: running() == ["running"] * 3, "not well again")
    ends = hosts.run("web1", "cat /var/lib/loadstone/events/run/machines/1/ends.json").out
    assert len(json.loads(ends)) == 1

    out = tmp_path / "run"
    short = ("--users", "2", "--window", "3", "--set", "load.ramp_up_s=1")
    measured = ("--topology", site.topology.path, "--service", "front", *short, "--out", out)
    done = loadstone("run", "page", *measured, check=False, timeout_s=300)
    assert done.returncode in (0, 1, 6, 7), done.stderr
    run = json.loads((out / "run.json").read_text())
    assert not any(sum(one["failed"].values()) for one in run["operations"].values())
    kept = json.loads((out / "deployment.json").read_text())["services"]["events"]
    assert kept["hosts"]["web2"]["version"].startswith("loadstone ")

    before = machines("web2")
    restart(site, hosts, lab_sites.quiet, ["events"])
    assert running() == ["running"] * 3 and machines("web2") not in ("", before)
    assert answers()
    undeploy(site, hosts, lab_sites.quiet)
    assert machines("web1") == machines("web2") == ""
    assert hosts.run("web1", "ls -A /var/lib/loadstone").out.strip() == ""
