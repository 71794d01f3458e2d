"""Images and the programs of the Linux guest, built by Cargo from the checkout's sources."""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.image.arch import ARCHES, X86_64, Arch, ArchName
from loadstone.image.cargo import FIXED_ADDRESS, Artifacts, cargo_build, image_flags, strip
from loadstone.image.contents import symbols_beside
from loadstone.image.crates import folder_of, read_crate, staged
from loadstone.image.elf import Image, read_image
from loadstone.image.fixed import NOTHING, PART, Fixed
from loadstone.image.hardened import Hardened, Hardening, hardened
from loadstone.image.sources import kept, setup
from loadstone.sources import checkout

FOLDER_VARIABLE = "LOADSTONE_SITE"
"""Names the folder that the image `files` takes in, for its build script."""
LIBRARY_OS = "loadstone-appliance"
ASKED_FOR = ("ipv6", "tls")
"""The parts of it that are linked only when somebody asks."""

Json = dict[str, Any]

_TRIPLE = "x86_64-unknown-linux-gnu"


@dataclass(frozen=True)
class Built:
    """An image that was built."""

    app: str
    stripped: Image
    """What is booted."""
    symbols: Image
    """The same with its symbols, in a file beside it."""
    features: list[str]
    """Of the library OS: what was linked."""


def apps() -> list[str]:
    """The images that there are. LoadstoneError `image-source`."""
    return list(_features())


def _manifest() -> Json:
    return tomllib.loads((_images() / "Cargo.toml").read_text("utf-8"))


def _features() -> dict[str, list[str]]:
    """What each image cannot do without."""
    return {one["name"]: one.get("required-features", []) for one in _manifest()["bin"]}


def _chosen(parts: Sequence[str] | None, beside: Sequence[str], arch: Arch, fix: Fixed) -> Sequence[str]:
    """The parts of the library OS to link: those asked for, of those that can be left out."""
    useless = fix.useless()
    usual = [part for part in _manifest()["features"]["default"] if part not in (*arch.without, *useless)]
    known = [part for part in (*usual, *ASKED_FOR) if part not in arch.without]
    if absent := [part for part in (*(parts or ()), *beside, *fix.needed()) if part in arch.without]:
        raise LoadstoneError(
            "image-options",
            f"there is no part `{absent[0]}` for {arch.name}",
            hint=f"there are {', '.join(known)}",
        )
    if unused := [part for part in parts or () if part in useless]:
        raise LoadstoneError(
            "image-options",
            f"with what is fixed the part `{unused[0]}` would never be used",
            hint="leave it out of --link",
        )
    # Each once, in their order.
    parts = list(dict.fromkeys((*(usual if parts is None else parts), *beside, *fix.needed())))
    if unknown := [part for part in parts if part not in known]:
        raise LoadstoneError(
            "image-options", f"there is no part `{unknown[0]}`", hint=f"there are {', '.join(known)}"
        )
    if not {"mmio", "pci"} & set(parts):
        raise LoadstoneError(
            "image-options",
            "without mmio and pci the image finds no device",
            hint="mmio for microvm and virt, pci for q35",
        )
    return [*parts, PART] if fix.words else parts


def build(
    app: str,
    to: Path | None = None,
    folder: Path | None = None,
    parts: Sequence[str] | None = None,
    *,
    beside: Sequence[str] = (),
    arch: ArchName = "x86_64",
    fix: Fixed = NOTHING,
    harden: Hardening | None = None,
) -> Built:
    """Builds an image into a file, or a folder, and the same with its symbols beside it. Without `to` it is
    kept in the checkout. `parts` of the library OS are linked and no others; without, all that can be left
    out are, but `ASKED_FOR`, of which those `beside` are. `app` is one of `apps`, or the folder of a crate;
    `arch` the processor that it is for; `fix` has the words that no boot can change; `harden` says what the
    image does when a bit flips in the processor: without, it does not notice.

    LoadstoneError `image-app`, `image-crate`, `image-options`, `image-source`, `program-missing`,
    `image-build`, `image-file`; hardened also `harden-missing`, `harden-build`.
    """
    known = _features()
    crate_folder = None if app in known else folder_of(app)
    if app not in known and not crate_folder:
        raise LoadstoneError(
            "image-app",
            f"there is no image `{app}`",
            hint=f"there are {', '.join(known)}, and any folder with a Cargo.toml",
        )
    made_for = ARCHES[arch]
    chosen = _chosen(parts, beside, made_for, fix)
    how = hardened(harden, made_for, _images() / "target" / "hardened") if harden else None
    environment = _environment(app, folder) | image_flags() | made_for.compiler() | fix.environment()
    if crate_folder:
        return _build_crate(crate_folder, to, chosen, environment, made_for, how)
    wanted = [*known[app], *chosen]
    manifest = ["--manifest-path", str(_images() / "Cargo.toml")]
    linked = ["--no-default-features", "--features", ",".join(wanted)]
    artifacts = _made(app, [*manifest, *linked], environment, made_for, how)
    if not artifacts.ok:
        raise _failed()
    return _kept(app, artifacts, to or kept() / "images" / _file_name(app, made_for, how), made_for, how)


def _made(
    program: str, arguments: Sequence[str], environment: Json, arch: Arch, how: Hardened | None
) -> Artifacts:
    """What Cargo makes of a program; hardened, in a folder of its own."""
    words = [*arguments, "--bin", program, *(["--target", arch.target] if arch.target else [])]
    if how is None:
        return cargo_build(words, environment, FIXED_ADDRESS)
    variables = environment | how.variables(program)
    return cargo_build([*words, *how.cargo()], variables, (*FIXED_ADDRESS, *how.program))


def _file_name(name: str, arch: Arch, how: Hardened | None) -> str:
    other = [arch.name] if arch is not X86_64 else [how.mode] if how else []
    return "-".join([name, *other]) + ".elf"


def _build_crate(
    folder: Path, to: Path | None, parts: Sequence[str], environment: Json, arch: Arch, how: Hardened | None
) -> Built:
    crate = read_crate(folder, arch.target or _TRIPLE)
    workspace = staged(crate, parts, _manifest()["profile"]["release"])
    place = ["--manifest-path", str(workspace / "Cargo.toml"), *_profile()]
    shared = [] if how else ["--target-dir", str(_images() / "target")]
    artifacts = _made(crate.name, [*place, *shared], environment, arch, how)
    if not artifacts.ok:
        raise crate.refusal(artifacts.has_library(crate.library))
    return _kept(crate.name, artifacts, to or workspace / _file_name(crate.name, arch, how), arch, how)


def _kept(name: str, artifacts: Artifacts, to: Path, arch: Arch, how: Hardened | None) -> Built:
    made = artifacts.program(name)
    if how:
        how.check(read_image(made))
    if to.is_dir():
        to /= f"{name}.elf"
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(made, symbols_beside(to))
    strip(made, to, arch.prefix)
    return Built(name, read_image(to), read_image(symbols_beside(to)), artifacts.features(LIBRARY_OS))


def _failed() -> LoadstoneError:
    return LoadstoneError("image-build", "Cargo could not build it, see above", hint=setup())


def linux_programs(*names: str) -> dict[str, Path]:
    """Static programs for the Linux guest, stripped, by the names of their packages without `loadstone-`.

    Everything is optimised as it is in the images, and SQLite has their options, but for those that take
    away what Linux has. Errors as `build`.
    """
    manifest = ["--manifest-path", str(checkout() / "Cargo.toml"), "--target", _TRIPLE, *_profile()]
    flags = {
        "RUSTFLAGS": "-C target-feature=+crt-static",
        "LIBSQLITE3_FLAGS": " ".join(_sqlite_options()),
    }
    found = {}
    for name in names:
        package = f"loadstone-{name}"
        features = ["--features", f"{package}/std"] if _has_feature(name, "std") else []
        artifacts = cargo_build([*manifest, "-p", package, *features], flags)
        if not artifacts.ok:
            raise _failed()
        found[name] = kept() / "programs" / name
        found[name].parent.mkdir(parents=True, exist_ok=True)
        strip(artifacts.program(), found[name])
    return found


def _images() -> Path:
    return checkout() / "images"


def _environment(app: str, folder: Path | None) -> dict[str, str]:
    if folder is None:
        return {}
    if app != "files":
        raise LoadstoneError(
            "image-options", "only the image `files` takes a folder", hint="leave --folder out"
        )
    if not folder.is_dir():
        raise LoadstoneError("image-options", f"{folder} is not a folder")
    root = folder.resolve()
    for path in sorted(root.rglob("*")):
        if path.is_symlink() and not (path.is_file() and path.resolve().is_relative_to(root)):
            raise LoadstoneError(
                "image-options",
                f"{path} is a link that leads to no file of the folder: to {path.readlink()}",
                hint="copy into the folder what is to become part of the image, or remove the link",
            )
    return {FOLDER_VARIABLE: str(root)}


def _profile() -> list[str]:
    """The images' levels of optimisation, for Cargo in another workspace."""
    release = _manifest()["profile"]["release"]
    levels = {"": release["opt-level"]}
    for package, own in release.get("package", {}).items():
        # SQLite comes with its bindings where there is a C library; `images` has no counterpart.
        name = {"loadstone-sqlite": "libsqlite3-sys"}.get(package, package)
        if name != "images":
            levels[f'package."{name}".'] = own["opt-level"]
    words = [f"profile.release.{name}opt-level={json.dumps(level)}" for name, level in levels.items()]
    return [part for word in words for part in ("--config", word)]


def _sqlite_options() -> list[str]:
    """The part `both` of the images' SQLite options, for a C compiler.

    A process has threads, whatever it does with them: SQLite keeps its global locks and leaves out those of
    connections (2), where an image has none at all (0).
    """
    text = (_images() / "sqlite" / "options.txt").read_text("utf-8")
    lines = text.split("[both]")[1].split("[")[0].splitlines()
    options = [line for line in lines if line and not line.startswith("#")]
    return [f"-DSQLITE_{one.replace('THREADSAFE=0', 'THREADSAFE=2')}" for one in options]


def _has_feature(crate: str, feature: str) -> bool:
    manifest = checkout() / "crates" / crate / "Cargo.toml"
    return feature in tomllib.loads(manifest.read_text("utf-8")).get("features", {})
