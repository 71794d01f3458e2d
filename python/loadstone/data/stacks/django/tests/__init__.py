"""Tests of the parts; `tests/stacks` of the project holds the whole to the built-in site."""

import os
import tempfile
from pathlib import Path

import django

FOLDER = Path(tempfile.mkdtemp(prefix="olio-django-"))
for name in ("static/style.css", "media/e.jpg"):
    (FOLDER / name).parent.mkdir()
    (FOLDER / name).touch()

SETTINGS = {
    "OLIO_DATABASE": f"sqlite://{FOLDER}/olio.db",
    "OLIO_FILES": str(FOLDER),
    "OLIO_STATE": str(FOLDER),
}
os.environ |= SETTINGS | {"DJANGO_SETTINGS_MODULE": "olio.settings"}
django.setup()
