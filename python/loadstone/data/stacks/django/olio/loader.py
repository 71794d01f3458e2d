"""How templates are read."""

from __future__ import annotations

from django.template import Origin
from django.template.loaders.filesystem import Loader as FilesystemLoader


class Loader(FilesystemLoader):
    """From files; the line's end after a last tag belongs to the file, and not to the page."""

    def get_contents(self, origin: Origin) -> str:
        """The text of a template."""
        text = super().get_contents(origin)
        return text.removesuffix("\n") if text.endswith("%}\n") else text
