"""Who is let in: requests that know the token and that ask for this machine by a name that is its own."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections.abc import Collection
from dataclasses import dataclass, field
from urllib.parse import urlsplit

OWN_NAMES = ("localhost",)


@dataclass(frozen=True)
class Door:
    """The token of one server, and the names by which it may be asked for."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    names: Collection[str] = OWN_NAMES

    def path(self, target: str) -> str | None:
        """What is asked for beneath the token; None if the token is wrong.

        >>> door = Door("secret")
        >>> door.path("/secret/runs?x=1"), door.path("/secret"), door.path("/runs"), door.path("/secret/")
        ('/runs', None, None, '/')
        """
        parts = urlsplit(target).path.split("/", 2)
        if len(parts) < 3 or not hmac.compare_digest(parts[1].encode(), self.token.encode()):
            return None
        return f"/{parts[2]}"

    def knows(self, host: str | None) -> bool:
        """Whether a request with this `Host` is meant for us.

        A page of another site can have its own name lead to this machine (DNS rebinding), and then asks by
        that name. An address is no name: nobody can have it lead elsewhere.

        >>> door = Door("secret")
        >>> [door.knows(host) for host in ("127.0.0.1:80", "[::1]:80", "localhost", "evil.example:80", None)]
        [True, True, True, False, False]
        """
        if not host:
            return False
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name in self.names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def same_origin(self, origin: str | None, host: str | None) -> bool:
        """Whether what asks for a change is our own page; programs that are no browsers send no `Origin`.

        >>> Door().same_origin("http://127.0.0.1:80", "127.0.0.1:80"), Door().same_origin("http://x", "y")
        (True, False)
        """
        return origin is None or urlsplit(origin).netloc == host
