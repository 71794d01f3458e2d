"""What a service of one's own brings along: files of this machine, built here once, packed for its hosts."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import tarfile
import threading
import weakref
import zipfile
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.scratch import scratch

_ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".zip")
_LEFT_OUT = (".git", "__pycache__")
_LONGEST_S = 1800.0
_LINES = 15


class Content:
    """Folders, archives and files, laid over each other; `build` makes of them what is brought."""

    def __init__(
        self,
        beside: Path,
        sources: Sequence[str],
        revision: str | None = None,
        build: Sequence[str] = (),
        keep: Sequence[str] = (),
        install: Sequence[str] = (),
    ) -> None:
        """`sources` from the folder `beside`; `revision` of the git repository that they are; shell lines
        `build` here and `install` on each host; `keep` are patterns of what the hosts get, all when empty.
        """
        self.sources = [beside / name for name in sources]
        self.install = list(install)
        self._revision, self._build, self._keep = revision, list(build), list(keep)
        self._lock = threading.Lock()
        self._made: Path | None = None
        self._failed: LoadstoneError | None = None

    def problem(self) -> tuple[str, str, str] | None:
        """Why it cannot be brought: the setting, a sentence, what to do; None when it can."""
        for path in self.sources:
            if not path.exists():
                return "source", f"there is no `{path}`", "paths are from the topology file"
        if self._revision is not None:
            try:
                _ = self._commits
            except LookupError as error:
                return "revision", str(error), "it is a branch, tag or commit of a git repository"
        return None

    @cached_property
    def digest(self) -> str:
        """Of the sources and of what is made of them; 12 hexadecimal digits."""
        total = hashlib.sha256(repr((self._build, self._keep, self.install)).encode())
        if self._revision is not None:
            total.update("".join(self._commits).encode())
        else:
            for path in self.sources:
                for name, file in _files(path):
                    _add(total, name, file)
        return total.hexdigest()[:12]

    def archive(self) -> Path:
        """A compressed tar, made when it is first asked for; it lives as long as this.

        LoadstoneError `service-build` with the last lines of what failed.
        """
        with self._lock:
            if self._made is None:
                stack = contextlib.ExitStack()
                self._made = stack.enter_context(scratch("content"))
                weakref.finalize(self, stack.close)
                try:
                    self._pack(self._made)
                except LoadstoneError as error:
                    self._failed = error
                except (OSError, LookupError, EOFError, tarfile.TarError, zipfile.BadZipFile) as error:
                    self._failed = LoadstoneError("service-build", f"the sources cannot be packed: {error}")
            if self._failed:
                raise self._failed
            return self._made / "content.tar.gz"

    def _pack(self, folder: Path) -> None:
        tree = folder / "tree"
        tree.mkdir()
        for number, path in enumerate(self.sources):
            if self._revision is not None:
                tar = folder / "source.tar"
                _git(path, "archive", "--output", str(tar), self._commits[number])
                shutil.unpack_archive(tar, tree, filter="data")
                tar.unlink()
            elif path.is_dir():
                ignored = shutil.ignore_patterns(*_LEFT_OUT)
                shutil.copytree(path, tree, symlinks=True, ignore=ignored, dirs_exist_ok=True)
            elif path.name.endswith(".zip"):
                shutil.unpack_archive(path, tree)
            elif path.name.endswith(_ARCHIVES):
                shutil.unpack_archive(path, tree, filter="data")
            else:
                shutil.copy2(path, tree)
        for line in self._build:
            _run(line, tree)
        with tarfile.open(folder / "content.tar.gz", "w:gz", compresslevel=1) as tar_file:
            for name in self._kept(tree):
                tar_file.add(tree / name, arcname=name, filter=_nobodys)
        shutil.rmtree(tree)

    def _kept(self, tree: Path) -> list[str]:
        if not self._keep:
            return sorted(os.listdir(tree))
        found = []
        for pattern in self._keep:
            matches = sorted(tree.glob(pattern))
            if not matches:
                raise LoadstoneError("service-build", f"the build has left nothing like `{pattern}`")
            found += [str(path.relative_to(tree)) for path in matches]
        return found

    @cached_property
    def _commits(self) -> list[str]:
        """Of each source. LookupError with a sentence."""
        return [
            _git(path, "rev-parse", "--verify", "-q", f"{self._revision}^{{commit}}") for path in self.sources
        ]


def _git(path: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(path), *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise LookupError(done.stderr.strip() or f"`{path}` has no such revision")
    return done.stdout.strip()


def _files(path: Path) -> Iterator[tuple[str, Path]]:
    """Every file and link below, in a fixed order, by its name there."""
    if not path.is_dir():
        yield path.name, path
        return
    for entry in sorted(path.iterdir()):
        if entry.name in _LEFT_OUT:
            continue
        if entry.is_dir() and not entry.is_symlink():
            for name, file in _files(entry):
                yield f"{entry.name}/{name}", file
        elif entry.is_file() or entry.is_symlink():
            yield entry.name, entry


def _add(total: hashlib._Hash, name: str, file: Path) -> None:
    if file.is_symlink():
        total.update(f"{name}\0->{file.readlink()}\0".encode())
        return
    stat = file.stat()
    total.update(f"{name}\0{stat.st_mode & 0o100}\0{stat.st_size}\0".encode())
    with file.open("rb") as content:
        while piece := content.read(1 << 20):
            total.update(piece)


def _run(line: str, tree: Path) -> None:
    try:
        done = subprocess.run(
            ["sh", "-e", "-c", line], cwd=tree, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", check=False, timeout=_LONGEST_S,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise LoadstoneError("service-build", f"`{line}` did not end within {_LONGEST_S:g} s") from error
    if done.returncode:
        last = "".join(f"\n  | {said}" for said in done.stdout.splitlines()[-_LINES:])
        raise LoadstoneError("service-build", f"`{line}` ended with exit code {done.returncode}{last}")


def _nobodys(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member
