"""The whole way: twice, broken in every way, killed half-way, and undone."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import lab_sites
import pytest
from lab_sites import get
from labs import loadstone

from loadstone.deploy import SiteError, deploy, halt, part, status, undeploy

pytestmark = pytest.mark.long

# A real machine where nobody answers, and a disk that is soon full.
GONE = '[[host]]\nname = "gone"\naddress = "root@127.0.0.1:1"\n'
HOSTS = lab_sites.HOSTS + '[[host]]\nname = "small"\ndisk_mib = 16\n' + GONE
WEB = """
[[service]]
name = "web"
role = "nginx"
hosts = ["web1", "web2"]
"""
BALANCER = """
[[service]]
name = "balancer"
role = "haproxy"
hosts = ["lb"]
[service.settings]
backends = "web"
"""


def test_a_second_deployment_changes_nothing(lab_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with lab_sites.site(lab_file, BALANCER + WEB) as (site, hosts):
        said: list[str] = []
        first = deploy(site, hosts, said.append)
        assert first.changed == 3
        # What it balances over is there before the balancer, whatever the order of the file.
        assert [(step.service, step.host, step.action) for step in first.steps] == [
            ("web", "web1", "started"),
            ("web", "web2", "started"),
            ("balancer", "lb", "started"),
        ]
        assert {"web1 web: started", "lb balancer: started"} <= set(said)
        pids = [one.pids for one in status(site, hosts)]

        said.clear()
        with monkeypatch.context() as patch:
            # What is there is known, and nothing is to be installed: Ansible would take seconds.
            patch.setattr("loadstone.deploy.playbook._run", None)
            second = deploy(site, hosts, said.append)
        assert (second.changed, {step.action for step in second.steps}) == (0, {"unchanged"})
        assert sorted(said) == ["lb balancer: unchanged", "web1 web: unchanged", "web2 web: unchanged"]
        assert [one.pids for one in status(site, hosts)] == pids

        halt(hosts, part(site, "web@web2"), "kill")
        done = {(step.service, step.host): step.action for step in deploy(site, hosts, said.append).steps}
        assert done == {
            ("web", "web1"): "unchanged",
            ("web", "web2"): "started",
            ("balancer", "lb"): "unchanged",
        }

        said.clear()
        third = deploy(site.with_settings("web", page_bytes=500), hosts, said.append, only=["web"])
        assert {step.action for step in third.steps} == {"reloaded"} and third.changed == 2
        assert len(get(hosts.address("lb"), 8080)[2]) == 500


def test_what_fails_fails_alone(lab_file: Path) -> None:
    small = '[[service]]\nname = "tight"\nrole = "nginx"\nhosts = ["small", "lb"]\nport = 8090\n'
    with lab_sites.site(lab_file, BALANCER + WEB + small) as (site, hosts):
        # A port that another program has, and a disk without room.
        squatter = hosts.start("web1", ["/usr/bin/python3", "-m", "http.server", "8080"])
        hosts.run("small", "head -c 64M /dev/zero >/srv/ballast")
        try:
            with pytest.raises(SiteError) as failed:
                deploy(site, hosts, lab_sites.quiet)
        finally:
            hosts.run("web1", ["pkill", "-f", "http.server"])
            squatter.wait(60)
        slugs = {(step.service, step.host): step.error.slug for step in failed.value.outcome.failed}
        assert slugs[("web", "web1")] == "service-failed"
        assert slugs[("tight", "small")] == "host-write"
        assert len(slugs) == 2
        text = str(failed.value)
        assert "`web` on `web1`: port 8080 is taken by process" in text and "(python3)" in text
        assert "No space left on device" in text
        done = {(step.service, step.host): step.action for step in failed.value.outcome.steps}
        assert done[("web", "web2")] == done[("balancer", "lb")] == done[("tight", "lb")] == "started"
        assert get(hosts.address("lb"), 8080)[0] == 200

        hosts.run("small", "rm /srv/ballast")
        again = deploy(site, hosts, lab_sites.quiet)
        done = {(step.service, step.host): step.action for step in again.steps}
        assert done[("web", "web1")] == done[("tight", "small")] == "started"
        assert done[("web", "web2")] == "unchanged"


def test_a_service_that_does_not_come_up_shows_its_log(lab_file: Path) -> None:
    with lab_sites.site(lab_file, '[[service]]\nrole = "memcached"\nhosts = ["lb"]\n') as (site, hosts):
        broken = "printf '#!/bin/sh\\necho out of luck\\nexit 7\\n' >/usr/bin/memcached"
        hosts.run("lb", f"cp /usr/bin/memcached /srv && {broken}")
        with pytest.raises(SiteError) as failed:
            deploy(site, hosts, lab_sites.quiet)
        assert failed.value.slug == "service-failed"
        (step,) = failed.value.outcome.steps
        assert "`memcached` on `lb`: ended at once, with exit code 7\n  | out of luck" in str(step.error)
        hosts.run("lb", "mv /srv/memcached /usr/bin/memcached")
        assert deploy(site, hosts, lab_sites.quiet).steps[0].action == "started"


def test_a_package_that_cannot_be_had_fails_its_service_only(lab_file: Path) -> None:
    both = '[[service]]\nrole = "memcached"\nhosts = ["lb", "web1"]\n'
    with lab_sites.site(lab_file, both) as (site, hosts):
        # A lab host has no way out to a package archive.
        hosts.run("web1", "mv /usr/bin/memcached /srv/")
        try:
            with pytest.raises(SiteError) as failed:
                deploy(site, hosts, lab_sites.quiet)
        finally:
            hosts.run("web1", "mv /srv/memcached /usr/bin/")
        lb, web1 = failed.value.outcome.steps
        assert (lb.action, web1.action) == ("started", "")
        # Its package is known here as installed, so that apt may also find nothing to do.
        assert web1.error and web1.error.slug in ("task-failed", "program-missing")


def test_the_command_tells_what_became_of_each_host(lab_file: Path) -> None:
    file = lab_file.with_name("command.toml")
    other = '[[service]]\nrole = "memcached"\nhosts = ["gone", "lb"]\n'
    file.write_text(lab_file.read_text() + other)
    for command, action in [("deploy", "started"), ("restart", "restarted"), ("undeploy", "removed")]:
        done = loadstone(command, file, "--json", check=False)
        assert done.returncode == 3
        assert "error[host-unreachable]: `gone` (127.0.0.1) cannot be reached" in done.stderr
        lb, gone = json.loads(done.stdout)["steps"]
        assert (gone["host"], gone["action"], gone["error"]["slug"]) == ("gone", "", "host-unreachable")
        assert (lb["host"], lb["action"], lb["changed"], lb["error"]) == ("lb", action, True, None)
        assert f"  lb memcached: {action}\n" in done.stderr
    told = loadstone("status", file, "--json", check=False)
    states = json.loads(told.stdout)
    assert [one["state"] for one in states] == ["absent", "unreachable"] and told.returncode == 3
    assert "`gone` (127.0.0.1) cannot be reached" in states[1]["why"]


def test_a_deployment_that_was_killed_is_done_again(lab_file: Path) -> None:
    with lab_sites.site(lab_file, BALANCER + WEB) as (site, hosts):
        command = [sys.executable, "-m", "loadstone", "deploy", str(site.topology.path)]
        for lines in (1, 5):
            process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
            assert process.stderr
            for _ in range(lines):
                process.stderr.readline()
            process.send_signal(signal.SIGKILL)
            process.wait(60)
            process.stderr.close()
            outcome = deploy(site, hosts, lab_sites.quiet)
            assert {one.state for one in status(site, hosts)} == {"running"}
            assert outcome.failed == [] and get(hosts.address("lb"), 8080)[0] == 200
            undeploy(site, hosts, lab_sites.quiet)


def test_nothing_is_left_on_the_hosts(lab_file: Path) -> None:
    # Not what other programs of this machine write meanwhile, which shows through a host's root.
    places = "/etc /opt ~/.ansible /run /srv /usr /var"
    files = f"find {places} -xdev -newer /tmp/before -not -name sshd.log -type f"
    with lab_sites.site(lab_file, BALANCER + WEB) as (site, hosts):
        names = ("lb", "web1", "web2")
        for host in names:
            hosts.run(host, "touch /tmp/before; sleep 0.01")
        before = {host: lab_sites.processes("t-deploy", host) for host in names}
        deploy(site, hosts, lab_sites.quiet)
        assert lab_sites.processes("t-deploy", "web1") - before["web1"]
        assert undeploy(site, hosts, lab_sites.quiet).changed == 3
        for host in names:
            left = lab_sites.processes("t-deploy", host) - before[host]
            assert not {line for line in left if "sshd" not in line and "ps -e" not in line}
            assert hosts.run(host, files).out == ""
            # What runs a task on a host removes its folder when it ends, which may be after its answer.
            gone = "for _ in $(seq 100); do [ $(ls -A /tmp | wc -l) = 1 ] && break; sleep 0.1; done"
            assert hosts.run(host, f"{gone}; ls -A /tmp; ls /var/lib/loadstone").out == "before\n"
        assert undeploy(site, hosts, lab_sites.quiet).changed == 0
