"""`[target.tls]`: whom a scenario believes on the other side of HTTPS, and who its users are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field, model_validator

from loadstone.scenario.fields import Table, refuse
from loadstone.scenario.findings import Finding

_FILES = ("ca", "certificate", "key")


class Tls(Table):
    """What is special about the TLS of the target; without it, this machine's authorities are believed."""

    ca: Annotated[
        str | None, Field(min_length=1, description="PEM file of the authorities to believe, and no others")
    ] = None
    certificate: Annotated[
        str | None, Field(min_length=1, description="PEM file of the certificate that every user shows")
    ] = None
    key: Annotated[str | None, Field(min_length=1, description="PEM file of its private key")] = None
    server_name: Annotated[
        str | None, Field(min_length=1, description="name that is asked for (SNI) and checked")
    ] = None
    insecure: Annotated[bool, Field(description="believe any certificate")] = False
    resume: Annotated[
        bool, Field(description="later connections of a session resume the TLS session of the first")
    ] = True

    @model_validator(mode="after")
    def _pair(self) -> Tls:
        if (self.certificate is None) != (self.key is None):
            raise refuse("tls", "`certificate` and `key` go together", "name both files, or neither")
        if self.insecure and self.ca is not None:
            raise refuse("tls", "`insecure` believes everyone, so `ca` has no use", "remove one of them")
        return self

    def of_another_host(self) -> Tls:
        """The same without the name that only the target's own host has."""
        return self.model_copy(update={"server_name": None})

    def plan(self) -> dict[str, Any]:
        """As the engine has it, with the names of the files alone: nobody finds a key in a run folder."""
        written = self.model_dump(exclude_none=True)
        return {key: {"file": value} if key in _FILES else value for key, value in written.items()}

    def errors(self, host: str) -> Iterator[Finding]:
        """What the engine finds wrong with the files."""
        from loadstone import _core

        try:
            _core.check_tls(json.dumps(self.plan()), host)
        except ValueError as error:
            hint = "a PEM file, such as /etc/ssl/certs/ca-certificates.crt"
            yield Finding("tls", str(error), ("target", "tls"), hint)
