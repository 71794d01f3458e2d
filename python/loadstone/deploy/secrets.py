"""Secrets of services: where a topology says they are, and those that are generated.

What is generated is kept with the state of the topology (`lab/state.py`) until the service is undeployed, or
the lab is down.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, SecretStr, model_serializer, model_validator

from loadstone.errors import LoadstoneError
from loadstone.lab import kept_state
from loadstone.scenario.fields import Table, refuse

_PLAIN = re.compile(r"[A-Za-z0-9._~-]{1,64}")
_PLAIN_HINT = "1 to 64 letters, digits and `._~-`, which need no quoting anywhere"
_VAULT_S = 60.0


class SecretError(Exception):
    """Why a secret cannot be had: a sentence and a hint."""

    def __init__(self, message: str, hint: str) -> None:
        """Neither holds the secret."""
        super().__init__(message)
        self.message, self.hint = message, hint


class Secret(Table):
    """Where a secret is. As text in the topology, it is as secret as that file."""

    env: Annotated[str | None, Field(description="a variable of the environment")] = None
    file: Annotated[str | None, Field(description="a file, beside the topology unless absolute")] = None
    vault: Annotated[str | None, Field(description="a file of Ansible vault, with a table in YAML")] = None
    key: Annotated[str | None, Field(description="of the table in the vault")] = None
    service: Annotated[str | None, Field(description="another service, whose password it is")] = None
    url: Annotated[str | None, Field(description="a database, whose URL it is, with user and password")] = (
        None
    )
    text: Annotated[SecretStr | None, Field(description="the secret itself")] = None

    @model_validator(mode="after")
    def _one(self) -> Secret:
        given = [
            name
            for name in ("env", "file", "vault", "service", "url", "text")
            if getattr(self, name) is not None
        ]
        if len(given) != 1 or (self.key is None) != (self.vault is None):
            hint = '`{ env = "NAME" }`, `{ file = "PATH" }` or `{ vault = "PATH", key = "NAME" }`'
            raise refuse("secret", "a secret is in exactly one place", hint)
        return self

    @model_serializer
    def _where(self) -> str:
        """Never the secret."""
        if self.vault is not None:
            return f"in the vault {self.vault}, {self.key}"
        if self.service is not None:
            return f"the password of {self.service}"
        if self.url is not None:
            return f"the URL of {self.url}"
        named = f"in the environment, {self.env}" if self.env is not None else f"in the file {self.file}"
        return "in the topology" if self.text is not None else named

    @property
    def of(self) -> str | None:
        """The service that has it."""
        return self.service or self.url

    def read(self, beside: Path) -> str:
        """The secret; relative paths begin at `beside`. SecretError."""
        assert self.of is None, "only a site knows it"
        if self.text is not None:
            return self.text.get_secret_value()
        if self.env is not None:
            if not (found := os.environ.get(self.env)):
                raise SecretError(f"`{self.env}` is not in the environment", f"export {self.env}=…")
            return found
        if self.file is not None:
            return _file(beside / self.file)
        assert self.vault is not None and self.key is not None
        return _vault(beside / self.vault, self.key)


def _as_table(value: Any) -> Any:
    return {"text": SecretStr(value)} if isinstance(value, str) else value


Given = Annotated[Secret, BeforeValidator(_as_table)]
"""A field of settings: a table, or the secret itself."""


def plain(found: str) -> str:
    """A secret that stands in URLs and SQL as it is. SecretError."""
    if not _PLAIN.fullmatch(found):
        raise SecretError("the secret has characters that need quoting, or is too long", _PLAIN_HINT)
    return found


def generated(topology: str, folder: Path, service: str, name: str) -> str:
    """A secret that is made when it is first asked for. SecretError."""
    try:
        with kept_state(topology, folder) as kept:
            own = kept.setdefault("secrets", {}).setdefault(service, {})
            found: str = own.setdefault(name, secrets.token_urlsafe(24))
            return found
    except LoadstoneError as error:
        raise SecretError(error.message, error.hint or "") from error


def forget(topology: str, folder: Path, service: str) -> None:
    """Lets go of what was generated for a service, where that can be done."""
    with contextlib.suppress(LoadstoneError), kept_state(topology, folder) as kept:
        kept.get("secrets", {}).pop(service, None)


def _file(path: Path) -> str:
    try:
        if path.stat().st_mode & 0o077:
            raise SecretError(f"{path} can be read by others", f"chmod 600 {path}")
        return path.read_text("utf-8").rstrip("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise SecretError(f"{path} cannot be read: {error}", "name a file with the secret only") from error


@cache
def _vault(path: Path, key: str) -> str:
    """By Ansible's own command, which finds the vault's password as it does for you, and asks nobody."""
    hint = "ANSIBLE_VAULT_PASSWORD_FILE names the file with the vault's password"
    command = [sys.executable, "-m", "ansible", "vault", "view", str(path)]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            timeout=_VAULT_S, start_new_session=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise SecretError(f"{path}: Ansible did not open the vault within {_VAULT_S:g} s", hint) from None
    if done.returncode:
        words = " ".join(done.stderr.split())[-300:] or f"exit code {done.returncode}"
        raise SecretError(f"{path}: {words}", hint)
    import yaml  # type: ignore[import-untyped]

    try:
        found = yaml.safe_load(done.stdout)[key]
    except (yaml.YAMLError, KeyError, TypeError):
        raise SecretError(f"{path} has no `{key}`", "it holds a table in YAML: `key: secret`") from None
    return str(found)
