"""What balancers can and cannot do, before any of them runs."""

import runpy
from collections import Counter
from typing import Any

import pytest

from loadstone.deploy import Site, load_site
from loadstone.deploy.kinds import ROLES
from loadstone.deploy.render import TEMPLATES
from loadstone.deploy.settings import Balancer
from loadstone.errors import LoadstoneError

BALANCERS = sorted(name for name, role in ROLES.items() if issubclass(role.settings, Balancer))
CAN = {
    "apache": {"round-robin", "least-connections", "sticky"},
    "caddy": {"round-robin", "least-connections", "source-hash", "uri-hash", "sticky"},
    "haproxy": {"round-robin", "least-connections", "source-hash", "uri-hash", "sticky"},
    "nftables": {"round-robin", "source-hash"},
    "nginx": {"round-robin", "least-connections", "source-hash", "uri-hash"},
    "varnish": {"round-robin", "source-hash", "uri-hash", "sticky"},
}
KERNELS = "connections are the users' own, which only pass through"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    file = tmp_path_factory.mktemp("site") / "site.toml"
    balancers = "".join(
        f'[[service]]\nrole = "{name}"\nname = "b-{name}"\nhosts = ["lb"]\nport = {9000 + number}\n'
        'settings = { backends = "web" }\n'
        for number, name in enumerate(BALANCERS)
    )
    hosts = "".join(f'[[host]]\nname = "{name}"\n' for name in ("lb", "web1", "web2"))
    web = '[[service]]\nname = "web"\nrole = "nginx"\nhosts = ["web1", "web2"]\n'
    file.write_text(f'format = 1\nname = "roles"\n{hosts}{web}{balancers}')
    return load_site(file)


@pytest.mark.parametrize("wish", ["round-robin", "least-connections", "source-hash", "uri-hash", "sticky"])
@pytest.mark.parametrize("role", BALANCERS)
def test_what_it_cannot_do_is_refused_and_nothing_else(site: Site, role: str, wish: str) -> None:
    settings: dict[str, Any] = {"sticky": True} if wish == "sticky" else {"algorithm": wish}
    if wish in CAN[role]:
        assert site.with_settings(f"b-{role}", **settings)
        return
    with pytest.raises(LoadstoneError, match=r"error\[service-setting\]"):
        site.with_settings(f"b-{role}", **settings)


@pytest.mark.parametrize(
    "role, settings, sentence",
    [
        ("apache", {"algorithm": "uri-hash"}, "Apache has no balancing by a hash"),
        ("apache", {"weights": {"web1": 101}}, "the weight 101 of `web1` is more than 100"),
        ("apache", {"page_bytes": 20}, "a balancer has no page of its own"),
        ("caddy", {"weights": {"web1": 2}, "algorithm": "uri-hash"}, "Caddy has no weights for uri-hash"),
        ("caddy", {"max_connections": 10}, "Caddy holds as many connections as it has files for"),
        ("varnish", {"algorithm": "least-connections"}, "Varnish does not look at how busy back ends are"),
        ("varnish", {"sticky": True, "cache": True}, "what is kept is the same for every user"),
        ("varnish", {"threads": 9}, "Varnish needs 10 threads"),
        ("varnish", {"access_log": True}, "Varnish keeps its log in memory"),
        ("nftables", {"sticky": True}, "nftables sees no cookies"),
        ("nftables", {"algorithm": "uri-hash"}, "nftables cannot choose by uri-hash"),
        ("nftables", {"reuse": False}, KERNELS),
        ("nftables", {"threads": 1}, KERNELS),
    ],
)
def test_the_sentence_says_why(site: Site, role: str, settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(LoadstoneError) as refused:
        site.with_settings(f"b-{role}", **settings)
    assert sentence in str(refused.value) and f"with settings of `b-{role}`" in str(refused.value)


def test_the_kernels_dice_fall_by_weight_and_move_only_who_must() -> None:
    spread = runpy.run_path(str(TEMPLATES / "nftables/templates/balance.py"))["spread"]
    weights = {"a": 1, "b": 2, "c": 3, "d": 2}
    servers = [{"name": name, "weight": weight, "drained": name == "d"} for name, weight in weights.items()]
    a, _, c, d = servers
    turns = spread({"algorithm": "round-robin", "servers": servers}, servers)
    assert Counter(one["name"] for one in turns) == {"a": 1, "b": 2, "c": 3}

    settings = {"algorithm": "source-hash", "servers": servers}
    owners = "abbcccdd"
    for alive, names in ((servers, "abc"), ([a, c, d], "ac")):
        outcomes = [one["name"] for one in spread(settings, alive)]
        assert len(outcomes) == len(owners) and set(outcomes) == set(names)
        # Whose server is there keeps it.
        assert all(one == owner for one, owner in zip(outcomes, owners, strict=True) if owner in names)
    assert spread(settings, [d]) == []
