"""The authority of a topology, and a certificate for each service on each of its hosts.

They are kept with the state of the topology (`lab/state.py`), as generated passwords are, and go with it.
"""

from __future__ import annotations

import contextlib
import ipaddress
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from loadstone.errors import LoadstoneError
from loadstone.lab import kept_authority, kept_state

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

CERTIFICATE, KEY, AUTHORITY = "server.crt", "server.crt.key", "authority.crt"
"""Files of a configuration. HAProxy finds the key of a certificate by this name."""
LASTS = timedelta(days=90)
"""How long a certificate is good for; an authority for forty times as long."""
_RENEWED = timedelta(days=30)
"""What is left of a certificate when it is made anew."""
_EARLIER = timedelta(hours=1)
"""By which it is good before it is made: clocks differ."""


class Certificate(NamedTuple):
    """A certificate and its private key, both in PEM."""

    certificate: str
    key: str


class Issued(NamedTuple):
    """What the services of a topology have."""

    authority: str
    """Its certificate, in PEM."""
    certificates: Mapping[tuple[str, str], Certificate]
    """By service and host."""


def issued(
    topology: str, folder: Path, wanted: Mapping[tuple[str, str], Sequence[str]], now: datetime | None = None
) -> Issued:
    """A certificate for each service and host of `wanted` with its names and addresses, all by one authority.
    What is kept stays in use until a third of its time is left, or its names are others.

    LoadstoneError `tls`, `cannot-write`.
    """
    _require()
    at = now or datetime.now(UTC)
    with kept_state(topology, folder) as state:
        kept = state.setdefault("tls", {})
        authority = _authority(kept, topology, at)
        every = kept.setdefault("issued", {})
        found: dict[tuple[str, str], Certificate] = {}
        for (service, host), names in wanted.items():
            own = every.setdefault(service, {})
            if not _good(own.get(host), names, authority, at):
                own[host] = _leaf(authority, service, host, names, at)._asdict()
            found[service, host] = Certificate(**own[host])
        # Programs of one's own, and whoever looks, believe this file.
        path = kept_authority(topology, folder)
        if not path.exists() or path.read_text() != authority.certificate:
            path.write_text(authority.certificate)
    return Issued(authority.certificate, found)


def forget_certificates(topology: str, folder: Path, service: str) -> None:
    """Lets go of those of a service, where that can be done; with the last one the authority goes, too."""
    with contextlib.suppress(LoadstoneError), kept_state(topology, folder) as state:
        kept = state.get("tls", {})
        kept.get("issued", {}).pop(service, None)
        if not kept.get("issued"):
            state.pop("tls", None)
            kept_authority(topology, folder).unlink(missing_ok=True)


def _require() -> None:
    try:
        import cryptography.x509  # noqa: F401
    except ImportError:
        hint = "pip install 'loadstone[deploy]'"
        raise LoadstoneError("tls", "certificates need `cryptography`, which is missing", hint=hint) from None


def _authority(kept: dict[str, Any], topology: str, now: datetime) -> Certificate:
    """The one that is kept, or a new one: it must outlive what it signs."""
    found = kept.get("authority")
    if found is None or _ends(found["certificate"]) < now + 2 * LASTS:
        key = _new_key()
        name = f"Loadstone authority of {topology}"
        text = _signed(_named(name), _named(name), [], key, key, now, 40 * LASTS)
        kept["authority"] = Certificate(text, _text(key))._asdict()
        kept.pop("issued", None)
    return Certificate(**kept["authority"])


def _leaf(
    authority: Certificate, service: str, host: str, names: Sequence[str], now: datetime
) -> Certificate:
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    signer: Any = load_pem_private_key(authority.key.encode(), None)
    issuer, key = _read(authority.certificate).subject, _new_key()
    text = _signed(_named(f"{service} on {host}"), issuer, names, key, signer, now, LASTS)
    return Certificate(text, _text(key))


def _good(
    kept: Mapping[str, str] | None, names: Sequence[str], authority: Certificate, now: datetime
) -> bool:
    """Whether a certificate can stay in use."""
    from cryptography import x509

    if kept is None or _ends(kept["certificate"]) < now + _RENEWED:
        return False
    found = _read(kept["certificate"])
    said = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return found.issuer == _read(authority.certificate).subject and list(said) == _general(names)


def _signed(
    name: x509.Name,
    issuer: x509.Name,
    names: Sequence[str],
    key: EllipticCurvePrivateKey,
    signer: EllipticCurvePrivateKey,
    now: datetime,
    lasts: timedelta,
) -> str:
    """A certificate in PEM; without `names`, an authority's."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.x509.oid import ExtendedKeyUsageOID

    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _EARLIER)
        .not_valid_after(now + lasts)
        .add_extension(x509.BasicConstraints(ca=not names, path_length=None if names else 0), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False
        )
        .add_extension(_usage(authority=not names), critical=True)
    )
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(_general(names)), critical=False)
        usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        builder = builder.add_extension(usage, critical=False)
    signed = builder.sign(signer, hashes.SHA256())
    return signed.public_bytes(serialization.Encoding.PEM).decode()


def _named(text: str) -> x509.Name:
    from cryptography import x509

    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text[:64])])


def _usage(authority: bool) -> x509.KeyUsage:
    from cryptography import x509

    off = dict.fromkeys(
        ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement"), False
    )
    return x509.KeyUsage(
        digital_signature=not authority, key_cert_sign=authority, crl_sign=authority,
        encipher_only=False, decipher_only=False, **off,
    )  # fmt: skip


def _general(names: Sequence[str]) -> list[x509.GeneralName]:
    """Addresses as addresses, all else as names of hosts."""
    from cryptography import x509

    found: list[x509.GeneralName] = []
    for name in dict.fromkeys(names):
        try:
            found.append(x509.IPAddress(ipaddress.ip_address(name)))
        except ValueError:
            found.append(x509.DNSName(name))
    return found


def _new_key() -> EllipticCurvePrivateKey:
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.generate_private_key(ec.SECP256R1())


def _text(key: EllipticCurvePrivateKey) -> str:
    from cryptography.hazmat.primitives import serialization

    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, form, plain).decode()


def _read(text: str) -> x509.Certificate:
    from cryptography import x509

    return x509.load_pem_x509_certificate(text.encode())


def _ends(text: str) -> datetime:
    return _read(text).not_valid_after_utc
