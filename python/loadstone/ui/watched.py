"""One run that pages look at: its journal is read once, however many pages there are."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind
from loadstone.live import Follower, Live, SoFar, live_of
from loadstone.record import journal
from loadstone.stages.run import Run
from loadstone.ui.apart import Apart
from loadstone.ui.runs import BROKEN, ENDED, RUNNING, state_of

STARTING, FAILED = "starting", "failed"

_LOOK_S = 0.25
_UNWATCHED_S = 10.0
"""A run at which no page looks any more is not read."""
_PROBE_S = 3.0
"""A journal that has not grown for so long: is anybody there?"""
_KIND = Kind("run-folder", "a record of a run", 64 << 20)


@dataclass
class Watched:
    """What is known of one run. `changed` is notified when it is more; hold it to read."""

    folder: Path
    process: Apart | None = None
    """Of a run that this server has started."""
    state: str = STARTING
    live: Live | None = None
    record: Run | None = None
    """As it would be if the run ended now; in the end the run's own."""
    said: str = ""
    """What a command said that failed before it had measured anything, or why the folder cannot be read."""
    version: int = 0
    """Grows with every change."""
    changed: threading.Condition = field(default_factory=threading.Condition)
    pages: int = 0
    ended: threading.Event = field(default_factory=threading.Event)
    """Set once the server ends."""
    _thread: threading.Thread | None = None

    def __post_init__(self) -> None:
        """Nothing has been read yet."""
        self._follower, self._so_far = Follower(self.folder), SoFar(self.folder)

    @property
    def over(self) -> bool:
        """Whether nothing more will come."""
        return self.state in (ENDED, BROKEN, FAILED)

    @property
    def standing(self) -> str:
        """The state, of one that nobody may have looked at."""
        gone = self.state == STARTING and self.process is not None and not self.process.lives
        return FAILED if gone else self.state

    def look(self) -> None:
        """A page looks at it from now on."""
        with self.changed:
            self.pages += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._follow, name="watched", daemon=True)
                self._thread.start()

    def leave(self) -> None:
        """It looks no more."""
        with self.changed:
            self.pages -= 1

    def close(self) -> None:
        """Reads no more. DuckDB takes it ill when the process ends in the midst of a query."""
        self.ended.set()
        if thread := self._thread:
            thread.join()

    def _follow(self) -> None:
        seen_at = grown_at = time.monotonic()
        try:
            while not self.over and not self.ended.is_set():
                now = time.monotonic()
                seen_at = now if self.pages else seen_at
                if now - seen_at > _UNWATCHED_S and self._may_leave():
                    return
                if self._read():
                    grown_at = now
                elif self.state == STARTING or now - grown_at > _PROBE_S:
                    self._stand()
                    grown_at = now
                if self.state == RUNNING and self.live and self.live.seconds and self._so_far.is_due:
                    self._judge()
                self.ended.wait(_LOOK_S)
        except LoadstoneError as error:
            self._set(BROKEN, str(error))

    def _may_leave(self) -> bool:
        """Whether nobody looks; whoever looks from now on starts anew."""
        with self.changed:
            if self.pages:
                return False
            self._thread = None
            return True

    def _read(self) -> bool:
        """Takes what is new in the journal."""
        if self.live is None:
            if not (self.folder / journal.NAME).is_file():
                return False
            live = live_of(self.folder)
            with self.changed:
                self.live = live
            self._set(RUNNING)
        grown = self._take(self.live)
        if grown:
            self._set(self.state)
        elif self.live.outcome is not None or (self.folder / Run.FILE).is_file():
            self._stand()
        return grown

    def _take(self, live: Live) -> bool:
        lines = self._follower.read()
        with self.changed:
            for line in lines:
                live.take(line)
        return bool(lines)

    def _stand(self) -> None:
        """Whether it has begun, has ended, or its process is gone."""
        state = state_of(self.folder)
        if state is None:
            if self.process is not None and not self.process.lives and not (self.folder / Run.FILE).is_file():
                self._set(FAILED, self.process.said)
        elif state == ENDED:
            while self.live is not None and self._take(self.live):
                pass
            with self.changed:
                self.record = Run.read(self.folder / Run.FILE, _KIND)
            self._follower.close()
            self._set(ENDED)
        elif state == BROKEN and not (self.process is not None and self.process.lives):
            # While its process lives it only takes long with its tables, as on a busy machine.
            self._set(BROKEN)

    def _judge(self) -> None:
        record = self._so_far.record()
        if record is not None:
            with self.changed:
                self.record = record
            self._set(self.state)

    def _set(self, state: str, said: str = "") -> None:
        with self.changed:
            self.state = state
            self.said = said
            self.version += 1
            self.changed.notify_all()


@dataclass
class All:
    """Every run at which pages look, by its name."""

    _found: dict[str, Watched] = field(default_factory=dict)
    _alone: threading.Lock = field(default_factory=threading.Lock)

    def at(self, folder: Path, process: Apart | None = None) -> Watched:
        """That in `folder`."""
        with self._alone:
            found = self._found.get(folder.name)
            # What has been read stays where pages look at it; else it may have changed since.
            if found is None or (found.over and not found.pages and found.state != FAILED):
                found = self._found[folder.name] = Watched(folder, process)
            return found

    def close(self) -> None:
        """Reads none any more."""
        with self._alone:
            found = list(self._found.values())
        for one in found:
            one.close()

    def starting(self) -> list[Watched]:
        """Those that were started here and have no folder that says so yet."""
        with self._alone:
            return [one for one in self._found.values() if one.process and not one.folder.is_dir()]
