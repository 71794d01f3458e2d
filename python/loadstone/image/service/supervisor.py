"""The supervisor: keeps instances up, and does with all of them what is asked for."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from types import TracebackType
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.image.elf import read_image
from loadstone.image.fixed import said_again
from loadstone.image.qemu import HTTP_PORT, Disk, Machine
from loadstone.image.service.elsewhere import Elsewhere, move_elsewhere
from loadstone.image.service.folder import StateFolder
from loadstone.image.service.instance import Instance, Place
from loadstone.image.service.moves import move_disk, move_live, move_port
from loadstone.image.service.policy import Policy
from loadstone.image.service.renew import renew
from loadstone.image.siblings import Balancer

Say = Callable[[str], None]

_MIB = 1 << 20
_LOOK_S = 0.25
"""Between two looks for signals, which Python sees only then."""


class Supervisor:
    """Runs until it is told to stop, or until every instance was given up."""

    def __init__(
        self,
        state: StateFolder,
        machines: Sequence[Machine],
        policy: Policy,
        tell: Say,
        words: Callable[[str], Sequence[str]] = str.split,
        balancer: Balancer | None = None,
    ) -> None:
        """`machines` differ in ports and disks only; `words` makes the guest's command line of what users
        say of it; `balancer` is shown who serves. LoadstoneError `image-state`."""
        self.state = state
        self.tell = tell
        self._policy = policy
        self._words = words
        self._balancer = balancer
        self._shown: list[str] | None = None
        self._leaving: Instance | None = None
        """One that still serves and is about to end."""
        self._over = threading.Event()
        self._changing = threading.Lock()
        """Held by whoever changes instances: one change after another."""
        self._showing = threading.Lock()
        try:
            kept = state.keep_image(machines[0].kernel)
            self.instances = [
                self._instance(number, replace(machine, kernel=kept), pinned=len(machines) > 1)
                for number, machine in enumerate(machines, 1)
            ]
        except OSError as error:
            raise LoadstoneError("image-state", f"{state.path}: {error}") from error

    def __enter__(self) -> Supervisor:
        """Starts all instances."""
        for sentence in self.state.left_over():
            self.tell(sentence)
        self.state.drop_images({one.machine.kernel for one in self.instances})
        for one in self.instances:
            one.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Has all instances finish and end, at the same time."""
        for one in self.instances:
            one.stop()
        for one in self.instances:
            one.join()

    def wait(self) -> list[int]:
        """Waits for the end: the exit codes of QEMU with which all were given up; none when it was told to
        stop."""
        while not self._over.wait(_LOOK_S):
            self._show()
            given_up = [one.given_up for one in self.instances if one.given_up is not None]
            if len(given_up) == len(self.instances) and not self._changing.locked():
                return given_up
        return []

    def stop(self) -> None:
        """Has it end; may be called from anywhere."""
        self._over.set()

    def hurry(self) -> None:
        """Ends all machines without asking."""
        for one in self.instances:
            one.hurry()

    def status(self) -> list[dict[str, Any]]:
        """What there is to know about each instance."""
        return [one.seen() for one in self.instances]

    def reload(self, image: Path | None, cmdline: str | None, pause_s: float, say: Say) -> None:
        """Has one instance after another run another image, or with other words, or with what its files for
        TLS hold now; each is well before the next begins, `pause_s` later: so long a balancer may need to see
        it.

        Those that are not well come first, so that one serves while another is renewed.

        LoadstoneError `tls` before anything is changed. Others: an instance did not get well. It runs what it
        ran before, and so do those behind it; those before it have been renewed.
        """
        with self._alone():
            for one in self.instances:
                if one.machine.tls:
                    one.machine.tls.check()
            fixed = read_image(image).fixed if image else self.instances[0].machine.fixed
            said_again((cmdline or "").split(), fixed)
            kept = self._kept(image) if image else None
            order = sorted(self.instances, key=lambda one: one.state == "serving")
            for done, one in enumerate(order):
                if done and self._over.wait(pause_s):
                    raise LoadstoneError("image-state", "the supervisor ends")
                try:
                    self._renew(one, kept, cmdline)
                except LoadstoneError as error:
                    raise LoadstoneError(
                        error.slug,
                        f"instance {one.place.number} runs what it ran before: {error.message}",
                        hint=_rest(order, done),
                    ) from error
                say(f"{one.place.number}: renewed, at {one.machine.url(one.port)}")
            self.state.drop_images({one.machine.kernel for one in self.instances})

    def _renew(self, one: Instance, image: Path | None, cmdline: str | None) -> None:
        siblings = [other.state for other in self.instances if other is not one]
        if siblings and one.state == "serving" not in siblings:
            raise LoadstoneError("image-state", "it is the only one that serves")
        wanted = replace(
            one.machine,
            kernel=image or one.machine.kernel,
            fixed=read_image(image).fixed if image else one.machine.fixed,
            words=one.machine.words if cmdline is None else self._words(cmdline),
        )
        with self._away(one if wanted.disk else None):
            one.do(lambda: renew(one, wanted)).result()

    def scale(self, count: int, disks: Sequence[Path], say: Say) -> None:
        """Has so many instances: new ones at the ports behind the last one's, `disks` for those, or the last
        ones ended in good order.

        LoadstoneError `image-options`; `guest-ended`, `guest-silent` where a new one does not get well: it
        and those behind it are not there then.
        """
        with self._alone():
            first = max(one.place.number for one in self.instances) + 1
            new = range(first, first + count - len(self.instances))
            needed = len(new) if self.instances[0].machine.disk else 0
            if len(disks) != needed:
                raise LoadstoneError(
                    "image-options", f"{len(disks)} disks for {len(new)} new instances: {needed} are needed"
                )
            for one in self.instances:
                mine = one.machine.disk
                if mine and mine.file.resolve() in {disk.resolve() for disk in disks}:
                    raise LoadstoneError("image-options", f"instance {one.place.number} has this disk")
            for number, disk in zip_longest(new, disks):
                one = self._added(number, disk)
                say(f"{number}: serving at {one.machine.url(one.port)}")
            while len(self.instances) > count:
                one = self.instances[-1]
                with self._away(one):
                    one.stop().result()
                    one.join()
                    self.instances.pop()
                say(f"{one.place.number}: stopped")

    def _added(self, number: int, disk: Path | None) -> Instance:
        like = self.instances[-1].machine
        port = max(one.port for one in self.instances) + 1
        machine = replace(like, ports={HTTP_PORT: port}, disk=Disk(disk) if disk else None)
        try:
            one = self._instance(number, machine, pinned=self.instances[0].place.core is not None)
        except OSError as error:
            raise LoadstoneError("image-state", f"{self.state.path}: {error}") from error
        # Its first end is its last: what does not get well is no instance.
        one.policy = replace(self._policy, restarts=0)
        one.start()
        while one.state not in ("serving", "failed") and not self._over.wait(_LOOK_S):
            pass
        if one.state != "serving":
            one.stop().result()
            one.join()
            end = one.seen()["last_end"] or {"reason": "the supervisor ends", "console": []}
            said = "".join(f"\n    {line}" for line in end["console"])
            raise LoadstoneError("guest-ended", f"instance {number} did not get well: {end['reason']}{said}")
        one.policy = self._policy
        self.instances.append(one)
        self._show()
        return one

    def move(self, number: int, port: int | None, disk: Path | None, live: bool) -> list[str]:
        """Moves an instance to another port, its disk to another file, and the instance itself to another
        process of QEMU; a sentence for each. LoadstoneError `image-options`, and as `moves`."""
        one = self._numbered(number)
        with self._alone():
            told = []
            if port is not None:
                told.append(one.do(lambda: move_port(one, port)).result())
            if disk is not None:
                told.append(one.do(lambda: move_disk(one, disk)).result())
            if live:
                told.append(one.do(lambda: move_live(one)).result())
            return told

    def move_away(self, number: int, to: Elsewhere) -> str:
        """Moves an instance to another host, which keeps it up from then on; a sentence. LoadstoneError
        `image-options`, and as `elsewhere`."""
        one = self._numbered(number)
        with self._alone(), self._away(one):
            moved = one.do(lambda: move_elsewhere(one, to)).result()
            one.join()
            self.instances.remove(one)
        where = f"{to.host}, port {to.port}; nobody took connections for {moved.down_s:.1f} s"
        return f"{number}: moved to {where}. It is kept up there by {to.folder}/state"

    def _numbered(self, number: int) -> Instance:
        for one in self.instances:
            if one.place.number == number:
                return one
        raise LoadstoneError("image-options", f"there is no instance {number}")

    def _instance(self, number: int, machine: Machine, pinned: bool) -> Instance:
        cores = sorted(os.sched_getaffinity(0))
        core = cores[(number - 1) % len(cores)] if pinned else None
        place = Place(number, self.state.instance(number), self.tell, core)
        return Instance(place, machine, self._policy)

    @contextlib.contextmanager
    def _away(self, one: Instance | None) -> Iterator[None]:
        """Takes it off the balancer's list before it ends."""
        self._leaving = one
        self._show()
        try:
            yield
        finally:
            self._leaving = None

    def _show(self) -> None:
        """Shows the balancer who serves, when that has changed."""
        if not self._balancer:
            return
        with self._showing:
            serving = [
                f"{one.machine.reached}:{one.port}"
                for one in list(self.instances)
                if one is not self._leaving and one.state == "serving"
            ]
            # An `upstream` without servers is no configuration: the last list stays, and nobody is there.
            if not serving or serving == self._shown:
                return
            self._shown = serving
            try:
                self._balancer.show(serving)
            except LoadstoneError as error:
                self.tell(f"the balancer was not told: {error.message}")

    def _kept(self, image: Path) -> Path:
        least_mib = -(-read_image(image).end // _MIB)
        if least_mib > (there := self.instances[0].machine.memory_mib):
            message = f"{image} needs at least {least_mib} MiB to be loaded, and the instances have {there}"
            raise LoadstoneError("image-options", message, hint="`image stop`, then `image run --memory`")
        try:
            return self.state.keep_image(image)
        except OSError as error:
            raise LoadstoneError("image-file", f"{image}: {error}") from error

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        if not self._changing.acquire(blocking=False):
            raise LoadstoneError("image-state", "another change of the instances is under way")
        try:
            yield
        finally:
            self._changing.release()


def _rest(order: Sequence[Instance], done: int) -> str | None:
    numbers = [str(one.place.number) for one in order]
    before = [f"renewed before it: {', '.join(numbers[:done])}"] if done else []
    behind = [f"not renewed: {', '.join(numbers[done + 1 :])}"] if numbers[done + 1 :] else []
    return "; ".join([*before, *behind]) or None
