"""`loadstone image`: applications as images that boot without an operating system."""

from __future__ import annotations

import json
import sys
import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loadstone.cli import image_copies, image_run
from loadstone.cli.columns import columns
from loadstone.cli.image_boot import boot as boot_command
from loadstone.cli.image_disk import disk as disk_command
from loadstone.cli.image_new import new
from loadstone.cli.options import Commands
from loadstone.errors import LoadstoneError
from loadstone.remaining import in_words

if TYPE_CHECKING:
    from loadstone.image import Image

image = Commands(
    no_args_is_help=True, help="Build and boot applications as images without an operating system."
)


class Processor(StrEnum):
    """What images can be made for."""

    X86_64 = "x86_64"
    AARCH64 = "aarch64"


class Hardening(StrEnum):
    """What an image does when a bit flips in the processor."""

    ILR = "ilr"
    TMR = "tmr"


AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
_KIB = 1024


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    image.command("boot")(boot_command)
    image.command()(new)
    image.command("disk")(disk_command)
    for one in (
        *(image_run.run, image_run.status, image_run.reload, image_run.scale, image_run.move, image_run.stop),
        *(image_copies.check, image_copies.export, image_copies.backup, image_copies.restore),
    ):
        image.command(one.__name__)(one)
    app.add_typer(image, name="image")


@image.command()
def build(
    app: Annotated[
        str,
        typer.Argument(
            metavar="APP|DIR", help="Application: files, surge, olio, rubis, … or the folder of a crate."
        ),
    ],
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder that the image `files` serves. Its files become part of the image."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File to write. Default: NAME.elf in the current folder."),
    ] = None,
    link: Annotated[
        str | None,
        typer.Option(
            metavar="PARTS",
            help="Parts to link in: mmio, pci, dhcp, metrics, guard, ipv6, tls. The others are left out.",
        ),
    ] = None,
    tls: Annotated[
        bool, typer.Option("--tls", help="Link TLS in, for `--tls-cert` of `image run` and `image boot`.")
    ] = False,
    ipv6: Annotated[
        bool, typer.Option("--ipv6", help="Link IPv6 in, for the words `ip6=` and `gw6=` of a guest.")
    ] = False,
    fix: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE",
            help="Word of the guest's command line that no boot can change. It takes no code. Repeatable.",
        ),
    ] = None,
    arch: Annotated[
        Processor, typer.Option(help="Processor that it is for: aarch64 is for `--machine virt`.")
    ] = Processor.X86_64,
    harden: Annotated[
        Hardening | None,
        typer.Option(help="At a bit that flips in the processor, `ilr`: stop. `tmr`: outvote it and go on."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Build an image from the checkout's sources, with the stable Rust compiler alone.

    `--harden` wants clang and the plugin of `scripts/setup-hardening`, too.

    FILE.symbols beside the image gets its symbols, for `inspect`.

    Example: loadstone image build files --folder public --out site.elf
    """
    from loadstone.image import build_image, fixed_words, symbols_beside

    began = time.monotonic()
    parts = None if link is None else [part.strip() for part in link.split(",") if part.strip()]
    beside = [part for part, wanted in (("ipv6", ipv6), ("tls", tls)) if wanted]
    made = build_image(
        app,
        out or Path(),
        folder,
        parts,
        beside=beside,
        arch=arch.value,
        fix=fixed_words(fix or []),
        harden=harden.value if harden else None,
    )
    if as_json:
        print(json.dumps(_content(made.stripped, made.symbols) | {"features": made.features}, indent=2))
        return
    print(_told(made.stripped, made.symbols))
    print(f"linked of the library OS: {', '.join(made.features)}")
    both = f"{made.stripped.path} and {symbols_beside(made.stripped.path).name}"
    print(f"wrote {both} in {in_words(time.monotonic() - began)}", file=sys.stderr)


@image.command()
def inspect(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Image to look into.")],
    address: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS", help="Address from a backtrace: print where it lies in the source. Repeatable."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Look into an image: what a hypervisor loads, bytes by crate and section, drivers, source of addresses.

    Example: loadstone image inspect olio.elf --address 0x11f3a2
    """
    from loadstone.image import places, read_image, symbols_beside

    found = read_image(file)
    beside = symbols_beside(file)
    symbols = found if found.symbols or not beside.is_file() else read_image(beside)
    if address:
        lines = places(symbols, [_number(word) for word in address])
        print(json.dumps(lines, indent=2) if as_json else "\n".join(lines))
        return
    print(json.dumps(_content(found, symbols), indent=2) if as_json else _told(found, symbols))
    for warning in found.warnings:
        print(f"warning: {warning}", file=sys.stderr)


def _number(word: str) -> int:
    try:
        return int(word, 0)
    except ValueError:
        raise LoadstoneError(
            "image-options", f"`{word}` is not an address", hint="a number such as 0x11f3a2"
        ) from None


def _content(found: Image, symbols: Image) -> dict[str, Any]:
    from loadstone.image import by_crate, drivers, loaded_sections

    return {
        "file": str(found.path),
        "bytes": found.bytes,
        "memory_bytes": found.memory_bytes,
        "arch": found.arch.name,
        "entry": found.entry,
        "segments": [vars(one) for one in found.segments],
        "sections": [
            {"name": one.name, "bytes": one.bytes, "in_file": one.in_file} for one in loaded_sections(found)
        ],
        "crates": by_crate(symbols),
        "drivers": drivers(symbols),
        "fixed": dict(found.fixed),
        "warnings": found.warnings,
    }


def _told(found: Image, symbols: Image) -> str:
    content = _content(found, symbols)
    blocks = [
        f"{found.path}: {found.bytes:,} bytes, {content['memory_bytes'] / _KIB:,.0f} KiB in memory,"
        f" for {found.arch.name}, entry {found.entry:#x}",
        columns(
            ["segment", "rights", "file", "memory"],
            [
                [f"{one.address:#x}", one.rights, f"{one.file_bytes:,}", f"{one.memory_bytes:,}"]
                for one in found.segments
            ],
            {"file", "memory"},
        ),
        columns(
            ["section", "bytes"],
            [[one["name"], f"{one['bytes']:,}"] for one in content["sections"]],
            {"bytes"},
        ),
    ]
    if content["crates"]:
        rows = [[name, f"{size:,}"] for name, size in content["crates"].items()]
        blocks += [columns(["crate", "bytes"], rows, {"bytes"}), f"drivers: {', '.join(content['drivers'])}"]
    else:
        blocks.append("without symbols: no sizes by crate")
    if found.fixed:
        blocks.append("fixed: " + " ".join(f"{key}={value}" for key, value in found.fixed.items()))
    return "\n\n".join(blocks)
