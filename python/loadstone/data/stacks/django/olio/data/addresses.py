"""Addresses. What was loaded is shared by many rows, what came later belongs to one."""

from __future__ import annotations

from django.db.models import F

from olio.facts import facts
from olio.models import Address

FIELDS = ("street1", "street2", "city", "state", "zip", "country")
COLUMNS = {name: F(f"address__{name}") for name in (*FIELDS, "latitude", "longitude")}
"""What pages show of the address of an event or a person."""

LATITUDE, LONGITUDE = "33.0000", "-177.0000"
"""Where the geocoder, whose part Olio plays itself, finds every address."""


def add(address: dict[str, str]) -> int:
    """Adds an address; its id."""
    return Address.objects.create(**_columns(address)).id


def change(old: int, address: dict[str, str]) -> int:
    """Puts an address in the place of `old`, or beside it when others share that; its id."""
    if old <= facts().accounts:
        return add(address)
    Address.objects.filter(id=old).update(**_columns(address))
    return old


def delete(address: int) -> None:
    """Deletes an address, unless others share it."""
    if address > facts().accounts:
        Address.objects.filter(id=address).delete()


def _columns(address: dict[str, str]) -> dict[str, str | None]:
    where = {"latitude": LATITUDE, "longitude": LONGITUDE}
    return {**address, "street2": address["street2"] or None, **where}
