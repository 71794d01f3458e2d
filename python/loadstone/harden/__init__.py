"""Hardened programs: the compilers that make them, what they protected, and servers."""

from __future__ import annotations

from loadstone.harden.protected import Protected, read_statistics
from loadstone.harden.servers import SERVERS, Built, build_server, built, try_server
from loadstone.harden.toolchain import compiler, rust_plugin
from loadstone.harden.tried import Tried

__all__ = [
    "SERVERS", "Built", "Protected", "Tried", "build_server", "built", "compiler", "read_statistics",
    "rust_plugin", "try_server",
]  # fmt: skip
