"""Django's settings, from those of the stack."""

from __future__ import annotations

import secrets
from pathlib import Path

from olio import caches, environment

ENVIRONMENT = environment.read()

DEBUG = False
ALLOWED_HOSTS = ["*"]
# Django wants one; nothing of the site is signed with it. The key of the tokens is in the table `meta`.
SECRET_KEY = secrets.token_hex()
USE_I18N = False
USE_TZ = False
ROOT_URLCONF = "olio.urls"
WSGI_APPLICATION = "olio.wsgi.application"
INSTALLED_APPS = ["olio.apps.OlioConfig", "django.forms"]
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "olio.middleware.finish",
    "olio.middleware.FileMiddleware",
    "olio.middleware.VisitMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [Path(__file__).parent / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    ["olio.loader.Loader"],
                )
            ],
            "builtins": ["olio.templatetags.olio"],
        },
    }
]

_BACKEND = ENVIRONMENT.database["ENGINE"].rpartition(".")[2]

# A page reads one snapshot; `olio.database` raises the level for changes. No statement takes long here: a
# server that is silent for so many seconds is gone.
_OPTIONS = {
    "postgresql": {
        "connect_timeout": 2,
        "tcp_user_timeout": 5000,
        "options": "-c default_transaction_isolation=repeatable\\ read",
    },
    "mysql": {
        "connect_timeout": 2,
        "read_timeout": 30,
        "write_timeout": 30,
        "charset": "utf8mb4",
        "isolation_level": "repeatable read",
        "init_command": "SET SESSION innodb_lock_wait_timeout = 5",
    },
    "sqlite3": {"timeout": 1, "init_command": "PRAGMA journal_mode=WAL;"},
}

DATABASES = {
    alias: {**database, "CONN_MAX_AGE": None, "OPTIONS": _OPTIONS[_BACKEND]}
    for alias, database in {
        "default": ENVIRONMENT.database,
        **{f"copy{number}": copy for number, copy in enumerate(ENVIRONMENT.read_databases, 1)},
    }.items()
}
DATABASE_ROUTERS = ["olio.copies.Router"]

CACHES = caches.configured(ENVIRONMENT)

# The largest form has two files of 4 MiB; nothing is put on the disk.
FORM_BYTES = 8 * 1024 * 1024
FORM_FIELDS = 256
DATA_UPLOAD_MAX_MEMORY_SIZE = FORM_BYTES
DATA_UPLOAD_MAX_NUMBER_FIELDS = FORM_FIELDS
DATA_UPLOAD_MAX_NUMBER_FILES = FORM_FIELDS
FILE_UPLOAD_MAX_MEMORY_SIZE = FORM_BYTES
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]

# Faults are told on standard error, without the pages of code that Django would mail.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "loggers": {"django": {"handlers": ["console"], "level": "ERROR", "propagate": False}},
}
