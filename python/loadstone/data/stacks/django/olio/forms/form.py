"""What the forms of events and people share: names of fields, and the address."""

from __future__ import annotations

from typing import Any

from django import forms

from olio.data.addresses import FIELDS
from olio.forms.fields import Text


class Form(forms.Form):
    """A form whose fields are sent as `part[name]`."""

    def add_prefix(self, field_name: str) -> str:
        """The name that is sent."""
        part = self.fields[field_name].part
        return f"{part}[{field_name}]" if part else field_name

    def add_initial_prefix(self, field_name: str) -> str:
        """A name that Django makes for each field, and that nothing here shows."""
        return f"initial-{field_name}"

    def get_initial_for_field(self, field: forms.Field, field_name: str) -> Any:
        """What is stored, with nothing in the place of NULL."""
        return super().get_initial_for_field(field, field_name) or ""


class AddressForm(Form):
    """A form with an address, which becomes one value."""

    street1 = Text("address", "Street", 55)
    street2 = Text("address", "More of the street", 55, required=False)
    city = Text("address", "City", 55)
    state = Text("address", "State", 25, required=False)
    zip = Text("address", "Zip code", 12)
    country = Text("address", "Country", 55)

    def address_fields(self) -> list[forms.BoundField]:
        """The fields, to be shown."""
        return [self[name] for name in FIELDS]

    def clean(self) -> dict[str, Any]:
        """Adds `address`."""
        cleaned = super().clean()
        cleaned["address"] = {name: cleaned.get(name, "") for name in FIELDS}
        return cleaned
