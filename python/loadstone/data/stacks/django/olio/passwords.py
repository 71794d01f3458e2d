"""Passwords at rest, as all stacks write them: `sha256$SALT$HEX`, or `pbkdf2$ROUNDS$SALT$HEX`.

One salted hash, so that logging in measures the application and not the hash.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets


def hashed(password: str) -> str:
    """The stored form of a new password."""
    salt = secrets.token_hex(16)
    return f"sha256${salt}${_sha256(salt, password)}"


def matches(stored: str, password: str) -> bool:
    """Whether `password` is the one behind `stored`; false for a form that is not known."""
    match stored.split("$"):
        case ["sha256", salt, digest]:
            made = _sha256(salt, password)
        case ["pbkdf2", rounds, salt, digest] if rounds.isdigit() and int(rounds) > 0:
            made = hashlib.pbkdf2_hmac("sha256", password.encode(), salt.encode(), int(rounds)).hex()
        case _:
            return False
    return hmac.compare_digest(made, digest)


def _sha256(salt: str, password: str) -> str:
    return hashlib.sha256((salt + password).encode()).hexdigest()
