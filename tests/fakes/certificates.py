"""Certificates of servers that tests start."""

from __future__ import annotations

import ipaddress
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

_DAY = timedelta(days=1)


def make_certificate(folder: Path) -> None:
    """A new certificate for 127.0.0.1 at `cert.pem` with its key at `key.pem`."""
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=test"
    command += f" -addext subjectAltName=IP:127.0.0.1 -keyout {folder}/key.pem -out {folder}/cert.pem"
    subprocess.run(command.split(), check=True, capture_output=True)


class Authority:
    """A new authority, with certificates of servers and of a client, good and bad."""

    def __init__(self, folder: Path) -> None:
        """Makes them all in `folder`."""
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.ca, _ = self._write("ca", self._signed("authority", [], self._key, authority=True), self._key)
        here: list[x509.GeneralName] = [
            x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
            x509.IPAddress(ipaddress.ip_address("::1")),
            x509.DNSName("localhost"),
        ]
        self.certificates = {
            "server": self._issue("server", here),
            "client": self._issue("client", [x509.DNSName("client")]),
            "other-host": self._issue("other-host", [x509.DNSName("shop.example")]),
            "expired": self._issue("expired", here, ended=True),
            "self-signed": self._issue("self-signed", here, own=True),
        }
        """Certificate and key by what they are for."""

    def _issue(
        self, name: str, names: list[x509.GeneralName], *, ended: bool = False, own: bool = False
    ) -> tuple[Path, Path]:
        key = ec.generate_private_key(ec.SECP256R1())
        return self._write(name, self._signed(name, names, key, ended=ended, own=own), key)

    def _signed(
        self,
        name: str,
        names: list[x509.GeneralName],
        key: ec.EllipticCurvePrivateKey,
        *,
        authority: bool = False,
        ended: bool = False,
        own: bool = False,
    ) -> x509.Certificate:
        """A certificate of `key`, signed by the authority or (`own`) by itself."""
        start = datetime.now(UTC) - (10 * _DAY if ended else _DAY)
        builder = (
            x509.CertificateBuilder()
            .subject_name(_named(name))
            .issuer_name(_named(name if own else "authority"))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(start)
            .not_valid_after(start + 3 * _DAY)
            .add_extension(x509.BasicConstraints(authority, None), critical=True)
        )
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return builder.sign(key if own else self._key, hashes.SHA256())

    def _write(
        self, name: str, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey
    ) -> tuple[Path, Path]:
        files = self._folder / f"{name}.pem", self._folder / f"{name}.key"
        files[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        files[1].write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return files


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
