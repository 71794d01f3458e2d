"""A container before it is anywhere, with an engine that is made up, and with podman where it runs."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import lab_sites
import pytest
from labs import lab

from loadstone.deploy import Site, configure, load_site, restart, status, undeploy
from loadstone.deploy.render import render
from loadstone.deploy.role import Place
from loadstone.errors import LoadstoneError
from loadstone.ssh import Ssh

ADDRESSES = {"lb": "198.18.0.11", "web1": "198.18.0.12"}
HOSTS = '[[host]]\nname = "lb"\n[[host]]\nname = "web1"\n'
SHOP = """
[[service]]
name = "shop"
role = "container"
hosts = ["web1"]
port = 8100
[service.settings]
image = "shop:3"
"""
FULL = """command = "/serve --port {port} 'two words'"
instances = 2
env = { WORD = "of {host}" }
secrets = { KEY = { env = "LS_TEST_KEY" } }
data = "/var/shop"
memory_mib = 64
cpus = 0.5
processes = 100
stop_signal = "INT"
options = ["--read-only"]
"""
FRONT = '[[service]]\nname = "front"\nrole = "haproxy"\nhosts = ["lb"]\nsettings = { backends = "shop" }\n'


def load(folder: Path, services: str) -> Site:
    file = folder / "site.toml"
    file.write_text(f'format = 1\nname = "shop"\n{HOSTS}{services}')
    return load_site(file)


def files(site: Site, place: Place | None = None) -> dict[str, str]:
    return render(site.services["shop"], place or Place("web1", ADDRESSES, site.services))


def words(site: Site, number: int = 0) -> list[str]:
    found: list[str] = json.loads(files(site)["command.json"])["instances"][number]["words"]
    return found


def test_the_engine_is_told_all_of_it_but_no_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("LS_TEST_KEY", "a key\nof two lines")
    site = load(tmp_path, SHOP + FULL)
    place = site.places(Ssh(Path("/dev/null"), ADDRESSES, tmp_path))["web1"]
    made = files(site, place)
    told = json.loads(made["command.json"])["instances"]
    assert told[1]["words"] == [
        *("podman", "run", "--rm", "--log-driver=none", "--name", "loadstone-shop-2", "--network", "host"),
        *("--env=PORT", "--env=INSTANCE", "--env=WORD", "--env=KEY"),
        *("--memory=64m", "--cpus=0.5", "--pids-limit=100", "--stop-signal=SIGINT"),
        *("--volume=/var/lib/loadstone/shop/data:/var/shop", "--read-only", "shop:3"),
        *("/serve", "--port", "8101", "two words"),
    ]
    assert told[1]["env"] == {"PORT": "8101", "INSTANCE": "2", "WORD": "of web1"}
    assert told[1]["end"] == ["podman", "rm", "--force", "--time=0", "loadstone-shop-2"]
    assert json.loads(made["environment.json"]) == {"KEY": "a key\nof two lines"}
    assert "a key" not in "".join(text for name, text in made.items() if name != "environment.json")
    unit = json.loads(made["unit.json"])
    assert unit["user"] == "root" and unit["clear"] == [one["end"] for one in told]


def test_a_port_of_its_own_network_is_published(tmp_path: Path) -> None:
    told = words(load(tmp_path, f'{SHOP}publish = 80\nengine = "docker"\n'))
    assert told[:1] == ["docker"] and told[6:8] == ["--publish", "0.0.0.0:8100:80"]
    assert "--network" not in told


def test_an_archive_is_brought_and_loaded(tmp_path: Path) -> None:
    with pytest.raises(LoadstoneError, match=r"there is no `.*shop.tar`"):
        load(tmp_path, f'{SHOP}archive = "shop.tar"\n')
    (tmp_path / "shop.tar").write_bytes(b"")
    site = load(tmp_path, f'{SHOP}archive = "shop.tar"\n')
    first = json.loads(files(site)["command.json"])["instances"][0]
    assert first["install"] == ["tar -cf - . | podman load --quiet"]


@pytest.mark.parametrize("image", ["--privileged", "two words", ""])
def test_an_image_is_a_name(tmp_path: Path, image: str) -> None:
    with pytest.raises(LoadstoneError, match="is not the name of an image"):
        load(tmp_path, SHOP.replace("shop:3", image))


def test_it_is_behind_a_balancer(tmp_path: Path) -> None:
    site = load(tmp_path, f'{SHOP}instances = 2\nhealth = {{ http = "/well" }}\n{FRONT}')
    text = render(site.services["front"], Place("lb", ADDRESSES, site.services))["haproxy.cfg"]
    assert "198.18.0.12:8100" in text and "198.18.0.12:8101" in text and "/well" in text


# Tells what it was given. `/end` ends it.
PROGRAM = r"""
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(atoi(getenv("PORT")))};
    int one = 1, server = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(server, (struct sockaddr *)&at, sizeof at) || listen(server, 64)) return 1;
    FILE *kept = fopen("/var/shop/kept", "a");
    fprintf(kept, "started\n");
    fclose(kept);
    puts("listening");
    fflush(stdout);
    for (;;) {
        char asked[2000] = "", said[3000], *word = getenv("WORD"), *key = getenv("KEY");
        int user = accept(server, 0, 0);
        if (user < 0 || read(user, asked, sizeof asked - 1) < 1) { close(user); continue; }
        sprintf(said, "HTTP/1.0 200 OK\r\n\r\n%s %s %s", word, key, getenv("INSTANCE"));
        write(user, said, strlen(said));
        close(user);
        if (!strncmp(asked, "GET /end", 8)) return 3;
    }
}
"""
LIVE = """data = "/var/shop"
archive = "shop.tar"
instances = 2
stop_s = 1
health = { http = "/" }
env = { WORD = "word" }
secrets = { KEY = { env = "LS_TEST_KEY" } }
# Lab hosts have no control groups to limit anything by.
options = ["--cgroups=disabled"]
"""
# What a host that has podman brings of its own: a place for images, limits that it may set, control groups.
HOST = r"""
mkdir -p /etc/containers
printf '[containers]\ndefault_ulimits = []\n' >/etc/containers/containers.conf
printf '[storage]\ndriver = "vfs"\nrunroot = "/run/pod"\ngraphroot = "/var/lib/pod"\n' \
    >/etc/containers/storage.conf
mount -t tmpfs tmpfs /sys/fs/cgroup
mkdir /sys/fs/cgroup/systemd
mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd
"""
KEY = "a-key-of-the-shop"
SERVERS = ("http://127.0.0.1:8100", "http://127.0.0.1:8101")


def image(folder: Path) -> None:
    """`shop.tar`: an image of one static program."""
    (folder / "serve.c").write_text(PROGRAM)
    (folder / "root" / "var" / "shop").mkdir(parents=True)
    subprocess.run(["cc", "-static", "-o", folder / "root" / "serve", folder / "serve.c"], check=True)
    subprocess.run(["tar", "-C", folder / "root", "-cf", folder / "root.tar", "."], check=True)
    # It takes no longer path than 50 letters.
    with tempfile.TemporaryDirectory(prefix="ls-") as store:
        podman = ["podman", "--root", f"{store}/pod", "--runroot", f"{store}/run", "--storage-driver", "vfs"]
        made = [*podman, "import", "-q", "-c", 'CMD ["/serve"]', folder / "root.tar", "shop:3"]
        subprocess.run(made, check=True)
        subprocess.run([*podman, "save", "-q", "-o", folder / "shop.tar", "shop:3"], check=True)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Site, Ssh]]:
    if not (shutil.which("podman") and shutil.which("cc")):
        pytest.skip("podman is not installed")
    monkeypatch.setenv("LS_TEST_KEY", KEY)
    services = SHOP + LIVE + FRONT
    with lab(tmp_path, "t-container", HOSTS) as file:
        image(tmp_path)
        with lab_sites.site(file, services) as (site, hosts):
            done = hosts.run("web1", HOST)
            if done.code:
                pytest.skip(f"no control groups: {done.words}")
            yield site, hosts
            assert hosts.run("web1", "umount /sys/fs/cgroup/systemd").code == 0


@pytest.mark.long
def test_podman_runs_it_behind_a_balancer(shop: tuple[Site, Ssh], tmp_path: Path) -> None:
    site, hosts = shop

    def says(line: str) -> str:
        return hosts.run("web1", line).out.strip()

    def states() -> set[str]:
        return {one.state for one in status(site, hosts)}

    lab_sites.put(site, hosts)
    assert states() == {"running"}
    address = hosts.address("lb")
    answers = {lab_sites.get(address, 8080)[2].decode() for _ in range(8)}
    assert answers == {f"word {KEY} 1", f"word {KEY} 2"}
    assert KEY not in "".join(lab_sites.processes(site.topology.name, "web1"))
    assert says("cat /var/lib/loadstone/shop/data/kept") == "started\nstarted"
    assert says("podman ps --format '{{.Names}}' | sort").split() == ["loadstone-shop-1", "loadstone-shop-2"]

    # It ends and is back; then the supervisor is killed as a whole, and its container goes on.
    says(f"curl -s {SERVERS[0]}/end")
    lab_sites.until(lambda: states() == {"running"} and says(f"curl -s {SERVERS[0]}") != "", "not back")
    assert "instance 1 ended with exit code 3" in says("cat /var/lib/loadstone/shop/log/service.log")
    pids = " ".join(str(pid) for one in status(site, hosts) for pid in one.pids if one.service == "shop")
    says(f"kill -9 {pids}")
    assert "failed" in states()
    restart(site, hosts, lab_sites.quiet, ["shop"])
    assert states() == {"running"}
    assert configure(site.with_settings("shop", env={"WORD": "other"}), hosts, "shop").changed
    assert lab_sites.get(address, 8080)[2].decode().startswith("other ")
    assert "listening" in says("cat /var/lib/loadstone/shop/log/service-1.log")
    pids = " ".join(str(pid) for one in status(site, hosts) for pid in one.pids if one.service == "shop")
    says(f"kill -9 {pids}")
    undeploy(site, hosts, lab_sites.quiet)
    assert says("podman ps -aq; ls /var/lib/loadstone") == ""
    assert hosts.run("web1", f"curl -s {SERVERS[1]}").code
