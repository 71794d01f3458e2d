"""Changes to a lab that is up: links that are shaped, cut and mended; hosts that die and come back."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from loadstone.errors import LoadstoneError
from loadstone.lab import fabric, hosts, links, traffic
from loadstone.lab.bring_up import await_ssh, start
from loadstone.lab.folder import UP, Folder, HostRecord, Record, locked
from loadstone.lab.layout import DEVICE
from loadstone.lab.model import WAYS, Link, Way
from loadstone.lab.processes import alive, children, end
from loadstone.lab.take_down import require
from loadstone.lab.topology import Topology, contradictions

Say = Callable[[str], None]


def set_link(
    lab: str,
    host: str,
    changes: Mapping[str, Any],
    *,
    way: Way | None = None,
    plain: bool = False,
    cut: bool | None = None,
) -> HostRecord:
    """Changes a host's link, in both directions or in one; the host's record as it is then.

    `changes` are keys of a link of the topology file; with `plain` they start from a link without a shape.
    `cut` cuts or mends it. A host that is down has the link when it starts again. LoadstoneError `lab-link`,
    `lab-host`, `lab-missing`, `lab-start`.
    """
    with _changing(lab) as (folder, record):
        found = _ours(record, host)
        link = _merged({} if plain else found.shape, changes, way)
        before = found.carrier
        found.shape, found.link = link.model_dump(exclude_none=True), links.words(link)
        found.cut = found.cut if cut is None else cut
        if not alive(lab, found.pid):
            return found
        # A host that is with the switch once stays there: it can do everything.
        if before != links.SWITCH:
            netem = links.kernel_has_netem(record.fabric_pid)
            found.carrier = links.carrier(link, netem=netem, cut=found.cut)
        if found.carrier == links.SWITCH == before:
            fabric.reshape(folder, record, found)
        elif found.carrier == links.SWITCH:
            fabric.move(folder, record, found)
            hosts.reach(folder, record, found)
        elif links.NETEM in (before, found.carrier):
            fabric.shape(record, found)
        return found


def kill(lab: str, host: str) -> None:
    """Ends a host with all its processes at once, as a cut of its power would; its disk stays.

    LoadstoneError `lab-host`, `lab-missing`, `lab-stop`.
    """
    with _changing(lab) as (_, record):
        _end(record, _ours(record, host))


def restart(lab: str, host: str, say: Say) -> None:
    """Starts a host again with its disk and its link; ends it first if it runs. What is in its memory, in
    /tmp and /run is gone, and services are not started. Returns when it answers to ssh, unless it is cut off.

    LoadstoneError `lab-host`, `lab-missing`, `lab-stop`, `lab-start`.
    """
    with _changing(lab) as (folder, record):
        found = _ours(record, host)
        _end(record, found)
        fabric.clear(record, found)
        try:
            start(folder, record, [found], say)
        except BaseException:
            _end(record, found)
            raise


def repair(lab: str, host: str) -> None:
    """Makes a host that runs reachable again: its device, its address, its keys and its sshd. Nothing else of
    it is touched. Returns when it answers to ssh, unless it is cut off.

    LoadstoneError `lab-host` (also when it is down), `lab-missing`, `lab-start`.
    """
    with _changing(lab) as (folder, record):
        found = _ours(record, host)
        if not alive(lab, found.pid):
            hint = f"loadstone lab host restart {host} --lab {lab}"
            raise LoadstoneError("lab-host", f"`{host}` is down: there is nothing to repair", hint=hint)
        if traffic.device(found.pid, DEVICE) is None:
            fabric.connect(folder, record, [found])
        hosts.reach(folder, record, found)
        if not found.cut:
            await_ssh(found)


@contextlib.contextmanager
def _changing(lab: str) -> Iterator[tuple[Folder, Record]]:
    require(lab)
    folder = Folder(lab)
    with locked(folder.path, wait=True):
        record = folder.read()
        if record is None or record.stage != UP:
            raise LoadstoneError(
                "lab-missing", f"the lab `{lab}` is not up", hint=f"loadstone lab down {lab}"
            )
        try:
            yield folder, record
        finally:
            record.stage = UP
            folder.write(record)


def _ours(record: Record, name: str) -> HostRecord:
    host = record.host(name)
    if host.real:
        hint = "only hosts that the lab has made can be changed"
        raise LoadstoneError("lab-host", f"`{name}` is a real machine: the lab leaves it alone", hint=hint)
    return host


def _end(record: Record, host: HostRecord) -> None:
    if not alive(record.name, host.pid):
        return
    if (figures := traffic.device(host.pid, DEVICE)) and host.carrier == links.SWITCH:
        host.device_full += figures.dropped
    # The first process of the host takes all others along; the one that holds its namespaces ends after it.
    end([*children(host.pid), host.pid])


def restore_link(topology: Topology, host: str) -> None:
    """Gives a host the link that the topology says, and mends it. Errors as `set_link`."""
    (meant,) = (one for one in topology.hosts if one.name == host)
    link = topology.link(meant).model_dump(exclude_none=True)
    own: dict[Way, Any] = {way: link.pop(way, {}) for way in WAYS}
    set_link(topology.name, host, link, plain=True, cut=False)
    for way, shape in own.items():
        if shape:
            set_link(topology.name, host, shape, way=way)


def _merged(shape: Mapping[str, Any], changes: Mapping[str, Any], way: Way | None) -> Link:
    """The link with changes. LoadstoneError `lab-link` with what contradicts itself."""
    table: dict[str, Any] = {**shape, **{one: dict(shape.get(one, {})) for one in WAYS}}
    if way:
        table[way] |= changes
    else:
        table |= changes
        for one in WAYS:
            table[one] = {key: value for key, value in table[one].items() if key not in changes}
    try:
        link = Link.model_validate(table)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise LoadstoneError("lab-link", f"`{where}`: {first['msg']}") from None
    for one in WAYS:
        for found in contradictions(link, one, ()):
            raise LoadstoneError("lab-link", found.message, hint=found.hint)
    return link
