"""From `[target]` to the addresses of the plan."""

from __future__ import annotations

import ipaddress
from typing import Any
from urllib.parse import urlsplit

from loadstone.scenario import proxy
from loadstone.scenario.hosts import socket_path
from loadstone.scenario.target import Target
from loadstone.scenario.tls import Tls

Json = dict[str, Any]


def of_target(target: Target) -> Json:
    """The plan's target of a checked URL.

    >>> of_target(Target(url="http://[::1]:8080/app/"))
    {'host': '::1', 'port': 8080, 'authority': '[::1]:8080', 'base_path': '/app', 'http': '1.1', 'hosts': {}}
    >>> of_target(Target(url="https://shop.example"))["tls"]
    {'insecure': False, 'resume': True}
    """
    tls = target.tls or Tls()
    found = _place(str(target.url), tls, "localhost")
    if target.host:
        found["authority"] = target.host
    hosts = {name: _place(url, tls.of_another_host(), name) for name, url in target.hosts.items()}
    plan = {**found, "http": target.http, "hosts": hosts}
    if target.proxy is not None:
        parts = urlsplit(proxy.without_user(target.proxy))
        plan["proxy"] = [str(parts.hostname), parts.port or 80]
        if proxy.user_of(target.proxy):
            plan["proxy_authorization"] = proxy.FIELD
    return plan


def _place(url: str, tls: Tls, name: str) -> Json:
    """`name`: what a server on a Unix socket is called in the Host header."""
    if path := socket_path(url):
        return {**_address(name, 80, ""), "socket": path}
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    usual = 443 if secure else 80
    found = _address(str(parts.hostname), parts.port or usual, parts.path.rstrip("/"), usual)
    return {**found, "tls": tls.plan()} if secure else found


def of_site(host: str, port: int) -> Json:
    """The plan's target of a site at the root of host and port."""
    return _address(host, port, "")


def only_here(host: str) -> bool:
    """Whether a host name or address means the machine that asks.

    >>> only_here("127.0.0.2"), only_here("localhost"), only_here("198.18.7.20")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _address(host: str, port: int, base_path: str, usual: int = 80) -> Json:
    shown = f"[{host}]" if ":" in host else host
    authority = shown if port == usual else f"{shown}:{port}"
    return {"host": host, "port": port, "authority": authority, "base_path": base_path}
