"""The certificate of an image and its key: files that the hypervisor has for the machine, in no image."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, read_bytes

WORD = "tls=fw_cfg"
"""Tells the guest that it speaks TLS, and where its files are."""
_PEM = Kind("tls", "a PEM file", 256 * 1024)
"""As much of a file a guest reads."""


@dataclass(frozen=True)
class TlsFiles:
    """A chain of certificates and its private key, both in PEM. Each start reads them again."""

    certificate: Path
    key: Path

    def check(self) -> None:
        """LoadstoneError `tls` where a server could not begin with these files as they are now."""
        for file in (self.certificate, self.key):
            read_bytes(file, _PEM)
        try:
            # An encrypted key would be asked for at the terminal.
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.certificate, self.key, lambda: "")
        except (ssl.SSLError, ValueError) as error:
            why = getattr(error, "reason", None) or error
            raise LoadstoneError(
                "tls",
                f"{self.certificate} with {self.key} cannot be used: {why}",
                hint="a chain of certificates and the key of the first one, both in PEM, not encrypted",
            ) from error

    def devices(self) -> list[str]:
        """QEMU's arguments for them."""
        pairs = (("cert", self.certificate), ("key", self.key))
        files = (f"name=opt/loadstone/tls-{name},file={str(file).replace(',', ',,')}" for name, file in pairs)
        return [word for one in files for word in ("-fw_cfg", one)]
