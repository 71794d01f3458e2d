"""Which address `--service` means."""

from pathlib import Path

import pytest

from loadstone.errors import LoadstoneError
from loadstone.measure import Deployed

HOSTS = 'format = 1\nname = "t-not-up"\n' + "".join(
    f'[[host]]\nname = "{name}"\n' for name in ("lb", "web1", "web2")
)
WEB = '[[service]]\nname = "web"\nrole = "nginx"\nhosts = ["web1", "web2"]\n'
BALANCER = '[[service]]\nname = "front"\nrole = "haproxy"\nhosts = ["lb"]\nsettings = { backends = "web" }\n'


def refused(folder: Path, services: str, service: str) -> LoadstoneError:
    path = folder / "site.toml"
    path.write_text(HOSTS + services)
    with pytest.raises(LoadstoneError) as error:
        Deployed(path).url(service)
    return error.value


def test_several_hosts_are_not_one_address(tmp_path: Path) -> None:
    error = refused(tmp_path, WEB, "web")
    assert (error.slug, error.message) == ("target", "`web` runs on web1, web2, and a run drives one address")
    assert error.hint == "deploy a balancer; `--service web@web1` drives one of them"
    error = refused(tmp_path, WEB + BALANCER, "web")
    assert error.hint is not None and error.hint.startswith("`--service front` balances over all of them; ")


def test_several_instances_are_not_one_address_either(tmp_path: Path) -> None:
    own = '[[service]]\nname = "own"\nrole = "command"\nhosts = ["web1"]\n'
    error = refused(tmp_path, f'{own}settings = {{ command = "serve", instances = 3 }}\n', "own")
    assert error.message == "`own` runs 3 times on web1, and a run drives one address"


def test_one_host_of_several_may_be_named(tmp_path: Path) -> None:
    error = refused(tmp_path, WEB, "web@lb")
    assert (error.slug, error.hint) == ("target", "it runs on web1, web2")
    # It is meant, and refused only because these hosts are not there.
    assert refused(tmp_path, WEB, "web@web2").slug == "lab-missing"
    assert refused(tmp_path, WEB + BALANCER, "front").slug == "lab-missing"
