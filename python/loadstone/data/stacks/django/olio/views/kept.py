"""Files that come with a form."""

from __future__ import annotations

from typing import Any

from olio import uploads


def keep(stem: str, form: dict[str, Any], names: dict[str, str]) -> None:
    """Stores what was uploaded for `e12` or `p12`; `names` says which field has the file of which ending.

    A thumbnail goes with its picture: without one, that of the picture before is forgotten.
    """
    for field, ending in names.items():
        data = form.get(field)
        is_of_picture = field.endswith("_thumbnail") and form["has_image"]
        if data is not None and (is_of_picture or not field.endswith("_thumbnail")):
            uploads.put(stem + ending, data)
        elif is_of_picture:
            uploads.remove([stem + ending])
