"""`loadstone harden`: programs that detect or outvote transient faults of the processor."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from loadstone import record
from loadstone.cli.columns import columns
from loadstone.cli.options import Commands
from loadstone.errors import LoadstoneError
from loadstone.harden import Protected, build_server, built, compiler, read_statistics, try_server

harden = Commands(
    no_args_is_help=True,
    help="Compile programs that detect or outvote transient faults of the processor.",
)


class Mode(StrEnum):
    """What a hardened program does at a fault."""

    ILR = "ilr"
    TMR = "tmr"
    TX = "tx"
    OFF = "off"


class Loads(StrEnum):
    """How the second flow gets a loaded value."""

    CMP = "cmp"
    DUP = "dup"
    MOVE = "move"


class Server(StrEnum):
    """Built from Debian's source packages; the container from the checkout."""

    MEMCACHED = "memcached"
    REDIS = "redis"
    HTTPD = "httpd"
    CONTAINER = "container"


InMode = Annotated[
    Mode,
    typer.Option(
        envvar="LOADSTONE_HARDEN",
        help="`ilr`: stop at a fault. `tmr`: outvote it. `tx`: try again in a transaction (needs RTM)."
        " `off`: native.",
    ),
]
WithLoads = Annotated[
    Loads,
    typer.Option(
        envvar="LOADSTONE_HARDEN_LOADS",
        help="With ilr and tx. `cmp`: load twice and compare. `dup`: load twice. `move`: copy the register.",
    ),
]
Words = Annotated[list[str] | None, typer.Argument(metavar="ARGUMENTS", help="Arguments of the compiler.")]
_AS_COMPILER = {
    "ignore_unknown_options": True,
    "allow_interspersed_args": False,
    "help_option_names": ["--help"],
}


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.add_typer(harden, name="harden")


@harden.command(context_settings=_AS_COMPILER)
def cc(words: Words = None, mode: InMode = Mode.ILR, loads: WithLoads = Loads.CMP) -> None:
    """Compile C, in place of `cc`: `make CC="loadstone harden cc --mode tmr"`.

    Options come before the compiler's own arguments.
    """
    _compile("c", mode, loads, words or [])


@harden.command(context_settings=_AS_COMPILER)
def cxx(words: Words = None, mode: InMode = Mode.ILR, loads: WithLoads = Loads.CMP) -> None:
    """Compile C++, in place of `c++`."""
    _compile("cxx", mode, loads, words or [])


@harden.command()
def path(language: Annotated[str, typer.Argument(metavar="c|cxx", help="Which compiler.")] = "c") -> None:
    """Print the compiler as a program of its own: it starts faster, for builds of many files."""
    if language not in ("c", "cxx"):
        raise typer.BadParameter(f"`{language}` is none of c, cxx")
    typer.echo(compiler(language))


@harden.command()
def statistics(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What LOADSTONE_HARDEN_STATS named.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the sums as JSON.")] = False,
) -> None:
    """Show what was protected, and each function and construct that was not."""
    found = read_statistics(file)
    typer.echo(json.dumps(found.record(), indent=2) if as_json else _table(found))


@harden.command()
def server(
    name: Annotated[Server, typer.Argument(help="Which server.")],
    into: Annotated[Path, typer.Option(help="Folder for sources, build and the installed server.")],
    mode: InMode = Mode.ILR,
    loads: WithLoads = Loads.CMP,
    test: Annotated[
        bool, typer.Option("--test", help="Run the server's own tests afterwards, into tests.json.")
    ] = False,
    only_test: Annotated[
        bool, typer.Option("--only-test", help="Run them on what an earlier command has built there.")
    ] = False,
) -> None:
    """Build memcached, Redis or Apache httpd from Debian's source package, native or hardened.

    Or `container`: the built-in container with Olio and the other sites, in Rust, from the checkout. The
    environment may name some of the tests (`TESTS="t/binary.t t/lru.t"`, `TESTS=unit/type/string`,
    `TESTS=walk`) and how many compilers run at once (`JOBS=1`).
    """
    if not only_test:
        build_server(name.value, mode.value, loads.value, into)
    if test or only_test:
        _test(name.value, mode.value, into)


def _test(name: str, mode: str, folder: Path) -> None:
    """Runs the tests and keeps what they said. LoadstoneError `harden-build` when one failed."""
    there = built(folder)
    if (there.server, there.mode) != (name, mode):
        raise LoadstoneError(
            "harden-build", f"{there.server} in mode {there.mode} was built there, not {name} in mode {mode}",
            place=str(folder), hint="give another folder with --into",
        )  # fmt: skip
    began = record.now()
    found, code = try_server(folder)
    record.write_json(
        folder / "tests.json",
        asdict(there)
        | {"asked": os.environ.get("TESTS") or "all", "code": code}
        | found.record()
        | {"started_at": began, "ended_at": record.now(), "machine": record.machine()},
    )
    typer.echo(
        f"{found.tests:,} tests in {found.files} files: {found.passed:,} passed, {found.failed} failed"
    )
    if found.failed or code:
        raise LoadstoneError(
            "harden-build", f"{name} in mode {mode} does not pass its own tests", place=str(folder),
            hint="; ".join(found.failures[:3]) or "tests.log in that folder says why",
        )  # fmt: skip


def _compile(language: str, mode: Mode, loads: Loads, words: list[str]) -> None:
    program = str(compiler(language))
    os.execv(program, [program, "--mode", mode.value, "--loads", loads.value, *words])


def _table(found: Protected) -> str:
    functions = sum(found.functions.values())
    lines = [f"{found.files} files, {functions} functions hardened, {len(found.whole)} not"]
    lines.append(
        columns(["what", "times"], [[k, f"{v:,}"] for k, v in sorted(found.counts.items())], {"times"})
    )
    left = [[name, construct] for name, construct in found.whole]
    left += [
        [name, f"in part: {construct} ({times} times)"]
        for (name, construct), times in sorted(found.part.items())
    ]
    left += [["-", f"{construct} ({times} files)"] for construct, times in found.outside.items()]
    left += [[name, "as asked"] for name in found.left_as_asked]
    if left:
        lines.append(columns(["function", "not protected"], left, set()))
    return "\n\n".join(lines)
