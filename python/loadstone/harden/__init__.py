"""Hardened programs: the compilers that make them, what they protected, and servers from Debian's sources."""

from __future__ import annotations

from loadstone.harden.protected import Protected, read_statistics
from loadstone.harden.servers import SERVERS, build_server
from loadstone.harden.toolchain import compiler

__all__ = ["SERVERS", "Protected", "build_server", "compiler", "read_statistics"]
