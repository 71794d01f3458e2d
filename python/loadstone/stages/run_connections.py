"""What a run's record says of its connections: TLS and HTTP/2."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from loadstone.intake.shapes import Count, Word
from loadstone.stages.base import Piece
from loadstone.stages.quantiles import Quantiles

HandshakeKind = Literal["full", "resumed"]


class Handshakes(Piece):
    """TLS handshakes of one kind, in the whole run."""

    count: Count
    ms: Quantiles
    """From the end of connecting."""


class Negotiated(Piece):
    """What servers and users agreed on in TLS handshakes, in the whole run."""

    protocol: Word
    cipher: Word
    group: Word | None = None
    """Of the key exchange; None where a resumed session had none."""
    full: Count
    resumed: Count


class TlsFigures(Piece):
    """TLS of the whole run: most connections are made in the ramp-up."""

    full: Handshakes
    """Handshakes that began from nothing."""
    resumed: Handshakes
    """Those that resumed the TLS session of an earlier connection."""
    negotiated: list[Negotiated] = Field(default_factory=list)
    """The most frequent first; empty of a run that broke off."""


class GivenUp(Piece):
    """A frame of HTTP/2 by which streams, or connections, were given up."""

    by: Literal["server", "engine"]
    frame: Word
    code: Word
    count: Count


class Http2Figures(Piece):
    """HTTP/2 of the whole run, where the scenario asks for it."""

    connections: Count
    """Connections that spoke it."""
    http1_connections: Count
    """Those for which the server chose HTTP/1.1."""
    given_up: list[GivenUp] = Field(default_factory=list)
    """The most frequent first."""
