"""A service's folder on this host, and its files.

/var/lib/loadstone/SERVICE/
  wanted/    the configuration that was asked for: `unit.json` and the program's own files
  conf/      the configuration in use; replaced only by one that the program's own check accepts
  data/ log/ run/
  user       the number of its own user, where it has one
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import pwd
import shutil
import zlib
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Sequence, Tuple

ROOT = Path("/var/lib/loadstone")
UNIT = "unit.json"
Unit = Dict[str, Any]
_LATER: Unit = {
    "recipe": [], "holds": "", "resets": "", "reset": [], "counts": {}, "bin": "", "reads": False,
    "secret": [], "secret_env": "", "room_mib": 1, "managed": False, "at_boot": False, "clear": [],
    "tasks": "", "low_ports": False, "after_s": 0.0, "lag": [],
}  # fmt: skip
"""What the units of the first version lack."""
OWN = "own"
_FIRST_USER, _USERS = 60578, 606
_FOLDERS = ("wanted", "conf", "data", "log", "run")

Answer = Dict[str, Any]


class Refused(Exception):
    """Why it cannot be done: `slug` as in loadstone's table, a sentence, the last lines of a log."""

    def __init__(self, slug: str, message: str, log: Sequence[str] = ()) -> None:
        """`log` oldest line first."""
        super().__init__(message)
        self.slug = slug
        self.message = message
        self.log = list(log)


class Home:
    """A service's folder."""

    def __init__(self, service: str) -> None:
        """Of the service of that name, whether there is one or not."""
        self.service = service
        self.path = ROOT / service

    def __getattr__(self, name: str) -> Path:
        """`wanted`, `conf`, `data`, `log` and `run` are its folders."""
        if name not in _FOLDERS:
            raise AttributeError(name)
        return self.path / name

    def unit(self, folder: str = "conf") -> Unit:
        """How the service is handled, as asked for or as in use."""
        return {**_LATER, **json.loads((self.path / folder / UNIT).read_text(encoding="utf-8"))}

    def fill(self, words: Sequence[str], conf: str = "conf", binaries: str = "") -> List[str]:
        """Words of a command with the folders in place of `{conf}`, `{data}`, `{log}`, `{run}`, `{root}`, and
        `{bin}` of the program."""
        places = {f"{{{name}}}": str(self.path / name) for name in _FOLDERS}
        places["{root}"], places["{conf}"] = str(self.path), str(self.path / conf)
        places["{bin}"] = binaries
        return [_replaced(word, places) for word in words]

    @property
    def before(self) -> Path:
        """The configuration that was in use, while a new one is being put there."""
        return self.path / "conf.before"

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Holds the service against other commands of ours; ends with its holder."""
        self.path.mkdir(parents=True, exist_ok=True)
        with _locked(self.path):
            yield


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def folders(home: Home) -> None:
    """Makes the folders."""
    home.path.chmod(0o755)
    for name in _FOLDERS:
        (home.path / name).mkdir(exist_ok=True)


def user(home: Home, unit: Unit) -> Tuple[int, int]:
    """Numbers of the unit's user and group; for `own`, those that no other service here has, kept in `user`.

    Like systemd's dynamic users they stand in no file of the system, so that nothing is left of them. systemd
    and Debian leave this range alone.
    """
    if unit["user"] != OWN:
        try:
            found = pwd.getpwnam(unit["user"])
        except KeyError:
            raise Refused("config-refused", f"there is no user `{unit['user']}` on this host") from None
        return found.pw_uid, found.pw_gid
    if number := read(home.path / "user"):
        return int(number), int(number)
    with _locked(home.path.parent):
        taken = {read(path) for path in home.path.parent.glob("*/user")}
        taken |= {str(one.pw_uid) for one in pwd.getpwall()}
        first = zlib.crc32(home.service.encode())
        every = (_FIRST_USER + (first + step) % _USERS for step in range(_USERS))
        number = next(str(one) for one in every if str(one) not in taken)
        write(home.path / "user", number)
    return int(number), int(number)


def own(home: Home, unit: Unit) -> None:
    """Lets the unit's user, who may come with the program, write in all folders but the configuration's, and
    nobody else read its secrets. Refused `config-refused` without such a user.
    """
    uid, gid = user(home, unit)
    for folder in (home.data, home.log, home.run):
        # Tasks of a role make what they like in `run`, as root.
        if folder.stat().st_uid != uid or (unit["tasks"] and folder == home.run):
            for path in [folder, *folder.rglob("*")]:
                os.chown(path, uid, gid, follow_symlinks=False)
    for folder in (home.wanted, home.conf):
        for name in unit["secret"]:
            if (folder / name).exists():
                (folder / name).chmod(0o600)
                os.chown(folder / name, uid, gid)


def swap(home: Home) -> None:
    """Puts what is wanted in use; what was in use stays beside it: a kill in between loses nothing."""
    new = home.path / "conf.new"
    shutil.rmtree(new, ignore_errors=True)
    shutil.copytree(home.wanted, new)
    if home.conf.exists():
        shutil.rmtree(home.before, ignore_errors=True)
        home.conf.rename(home.before)
    new.rename(home.conf)


def digest(folder: Path) -> str:
    """Of all files below; 12 hexadecimal digits."""
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            total.update(f"{path.relative_to(folder)}\0{path.stat().st_size}\0".encode())
            total.update(path.read_bytes())
    return total.hexdigest()[:12]


def texts(folder: Path, but: Sequence[str] = ()) -> Dict[str, str]:
    """All files below, by their path, `but` those."""
    files = {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {
        name: path.read_text(encoding="utf-8", errors="replace")
        for name, path in files.items() if name not in but
    }  # fmt: skip


def _replaced(word: str, places: Mapping[str, str]) -> str:
    for name, path in places.items():
        word = word.replace(name, path)
    return word


def read(path: Path) -> str:
    """A file's text without the white space around it; empty when there is none."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def write(path: Path, text: str, mode: int = 0o644) -> None:
    """In one step: a disk that is full leaves the old file."""
    draft = path.with_name(f"{path.name}.draft")
    try:
        draft.unlink(missing_ok=True)
        draft.touch(mode=0o600)
        draft.write_text(text, encoding="utf-8")
        draft.chmod(mode)
        draft.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
