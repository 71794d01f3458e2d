"""The hosts of a configuration: a topology, written for the commands that take one."""

from __future__ import annotations

from loadstone.study.stacks.description import Configuration, Description

CLIENT, DATABASE, APP, FRONT, CACHE = "client", "database", "app", "front", "cache"
"""The host that makes the load; services, and kinds of the hosts that serve."""
NARROW = "narrow"
"""The link of servers that have one with a rate."""
_QUEUE_MS = 1000
"""All that a home page may take: what waits for longer is late anyway."""
ELSEWHERE = "memcached"
"""The store that is a host of its own, and its role."""


def driven(one: Configuration) -> str:
    """The service that users ask."""
    return FRONT if one.balancer else APP


def topology(one: Configuration, file: Description) -> str:
    """The topology of a configuration as a file.

    A balancer runs on the first server, as the paper has it, or on a host of its own.
    """
    cpus, theirs = file.cpus(one, one.machine), file.cpus(one, "compute")
    servers = [f"{APP}{number}" for number in range(1, one.servers + 1)]
    settings = {
        "database": DATABASE,
        "accounts": one.accounts,
        "media_scale": float(file.media_scale),
        "cache": one.cache,
        "workers": file.workers,
    }
    if one.warm_up_s:
        settings["warm_up_s"] = one.warm_up_s
    apart = one.store == ELSEWHERE
    if one.store:
        settings |= {"memcached": CACHE} if apart else {"cache_store": one.store}
    parts = [
        f"# Configuration `{one.name}` of the study of stacks.",
        "format = 1",
        f'name = "stacks-{one.name}"',
        *([_link(one.link_mbit)] if one.link_mbit else []),
        _host(CLIENT, CLIENT),
        *(_host(server, APP, cpus, NARROW if one.link_mbit else None) for server in servers),
        _host("db", DATABASE, theirs),
        *([_host("cache", CACHE, theirs)] if apart else []),
        *([_host(FRONT, FRONT, file.cpus(one, one.front))] if one.front else []),
        _service(DATABASE, one.database, ["db"]),
        _service(APP, one.role, servers, 8080, settings),
    ]
    if apart:
        parts.append(_service(CACHE, ELSEWHERE, ["cache"]))
    if one.balancer:
        at = [FRONT] if one.front else servers[:1]
        parts.append(_service(FRONT, one.balancer, at, 9080, {"backends": APP}))
    return "\n".join(parts) + "\n"


def _link(rate_mbit: float) -> str:
    """A host's own link holds back what it cannot send yet. A short queue would drop parts of pages instead,
    and lost frames would be the limit well before the rate is.
    """
    return f"\n[link.{NARROW}]\nrate_mbit = {rate_mbit!r}\nqueue_ms = {_QUEUE_MS}"


def _host(name: str, kind: str, cpus: float | None = None, link: str | None = None) -> str:
    quota = f"cpus = {cpus!r}\n" if cpus else ""
    linked = f'link = "{link}"\n' if link else ""
    return f'\n[[host]]\nname = "{name}"\nkind = "{kind}"\n{quota}{linked}'.rstrip()


def _service(
    name: str, role: str, hosts: list[str], port: int | None = None, settings: dict[str, object] | None = None
) -> str:
    listed = ", ".join(f'"{host}"' for host in hosts)
    lines = ["", "[[service]]", f'name = "{name}"', f'role = "{role}"', f"hosts = [{listed}]"]
    if port:
        lines.append(f"port = {port}")
    if settings:
        lines += ["[service.settings]", *(f"{key} = {_value(value)}" for key, value in settings.items())]
    return "\n".join(lines)


def _value(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
