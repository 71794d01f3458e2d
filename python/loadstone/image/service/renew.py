"""A new image or new words for an instance: the old one goes on serving when the new one does not get well.

All of it runs on the instance's thread.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace

from loadstone.errors import LoadstoneError
from loadstone.image.qemu import Machine
from loadstone.image.service.instance import Instance
from loadstone.image.service.life import Life


def renew(instance: Instance, machine: Machine) -> None:
    """Has the instance run `machine`, at its own port and with its own disk.

    LoadstoneError `guest-ended`, `guest-silent`, `guest-refused`: it runs what it ran before.
    """
    wanted = replace(machine, ports=instance.machine.ports, disk=instance.machine.disk)
    life = instance.life
    if life is None or not life.served or wanted.disk:
        # Two machines cannot have one disk.
        _in_turn(instance, wanted)
    else:
        _beside(instance, wanted, life)


def _in_turn(instance: Instance, machine: Machine) -> None:
    before = instance.machine
    if instance.life:
        instance.retire(instance.life, "renewed")
        instance.life = None
    try:
        _shown(instance, machine)
    except LoadstoneError as error:
        try:
            _shown(instance, before)
        except LoadstoneError as second:
            # Whatever is wrong with it, it is started again as after any end.
            instance.tell(f"what ran before does not come back: {second}")
        raise error


def _beside(instance: Instance, machine: Machine, old: Life) -> None:
    new = _well(instance, machine)
    # One that has ended meanwhile has no door.
    with contextlib.suppress(LoadstoneError):
        old.close_door(instance.port)
    try:
        # Connections to the old one go on; for the moment between the two nobody takes new ones.
        new.serve_at(instance.port)
    except LoadstoneError:
        new.gone()
        with contextlib.suppress(LoadstoneError):
            old.open_door(instance.port)
        raise
    instance.take(new, machine)
    instance.retire(old, "renewed")


def _shown(instance: Instance, machine: Machine) -> None:
    life = _well(instance, machine)
    life.serve_at(instance.port)
    instance.take(life, machine)


def _well(instance: Instance, machine: Machine) -> Life:
    life = instance.begin(instance.prepared(machine))
    try:
        instance.await_well(life)
    except LoadstoneError:
        life.gone()
        raise
    return life
