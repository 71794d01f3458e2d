"""What a server's own tests said, as numbers: of Perl's `prove`, of Redis' `runtest` and of Cargo."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Tried:
    """files: scripts or units that ran; tests: in them. failures: what failed, by its words.

    skipped: scripts or tests that have nothing to do here, with the reason that they give.
    """

    files: int = 0
    tests: int = 0
    failed: int = 0
    failures: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    @property
    def passed(self) -> int:
        """Tests that did not fail."""
        return self.tests - self.failed

    def and_also(self, other: Tried) -> Tried:
        """The sums of both."""
        return Tried(
            self.files + other.files, self.tests + other.tests, self.failed + other.failed,
            self.failures + other.failures, self.skipped + other.skipped,
        )  # fmt: skip

    def record(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self) | {"passed": self.passed}


def read_prove(text: str) -> Tried:
    r"""From the summary that `prove` ends with. A script that broke off without a failed test is one failure.

    >>> said = "t/a.t ... ok\nt/b.t ... skipped: no TLS\nTest Summary Report\n"
    >>> said += "t/c.t (Wstat: 256 Tests: 9 Failed: 2)\nt/d.t (Wstat: 139 Tests: 3 Failed: 0)\n"
    >>> said += "Files=4, Tests=30, 1 wallclock secs\n"
    >>> found = read_prove(said)
    >>> found.files, found.tests, found.failed, found.passed, found.skipped
    (4, 30, 3, 27, ['t/b.t: no TLS'])
    >>> found.failures
    ['t/c.t: 2 of 9', 't/d.t: it broke off after 3']
    """
    found = Tried()
    for files, tests in re.findall(r"^Files=(\d+), Tests=(\d+)", text, re.M):
        found.files += int(files)
        found.tests += int(tests)
    for name, of, failed in re.findall(r"^(\S+) +\(Wstat: .*?Tests: (\d+) Failed: (\d+)\)", text, re.M):
        found.failed += int(failed) or 1
        found.failures.append(
            f"{name}: {failed} of {of}" if int(failed) else f"{name}: it broke off after {of}"
        )
    found.skipped = [f"{name}: {why}" for name, why in re.findall(r"^(\S+) \.+ skipped: (.*)$", text, re.M)]
    return found


def read_redis(text: str) -> Tried:
    r"""From the lines of `runtest`.

    >>> said = "[ok]: SET (2 ms)\n[err]: GET in tests/unit/a.tcl\n[ignore]: TLS: not built\n"
    >>> said += "[1/2 done]: unit/a (3 seconds)\n"
    >>> found = read_redis(said)
    >>> found.files, found.tests, found.failed, found.failures, found.skipped
    (1, 2, 1, ['GET in tests/unit/a.tcl'], ['TLS: not built'])
    """
    lines = re.findall(r"^\[([a-z]+|\d+/\d+ done)\]: (.*)$", text, re.M)
    found = Tried()
    for kind, what in lines:
        if kind.endswith("done"):
            found.files += 1
        elif kind in ("ok", "err", "exception", "timeout"):
            found.tests += 1
            found.failed += kind != "ok"
            found.failures += [what] if kind != "ok" else []
        elif kind in ("ignore", "skip"):
            found.skipped.append(what)
    return found


def read_cargo(text: str) -> Tried:
    r"""From the output of `cargo test`; what another program said before and behind it does no harm.

    A test program that ends before it has said its sum is one failure.

    >>> said = "running 3 tests\ntest a::one ... ok\ntest a::two ... FAILED\ntest long ... ignored, slow\n"
    >>> said += "test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured\n"
    >>> said += "\nrunning 2 tests\ntest b ... ok\n"
    >>> found = read_cargo(said)
    >>> found.files, found.tests, found.failed, found.passed, found.skipped
    (2, 3, 2, 1, ['long: slow'])
    >>> found.failures
    ['a::two', 'a test program broke off']
    """
    found = Tried(files=len(re.findall(r"^running \d+ tests?$", text, re.M)))
    sums = re.findall(r"^test result: \w+\. (\d+) passed; (\d+) failed;", text, re.M)
    for passed, failed in sums:
        found.tests += int(passed) + int(failed)
        found.failed += int(failed)
    found.failures = re.findall(r"^test (.+?)(?: - should panic)? \.\.\. FAILED$", text, re.M)
    found.skipped = [
        f"{name}: {why or 'ignored'}"
        for name, why in re.findall(r"^test (.+?) \.\.\. ignored(?:, (.*))?$", text, re.M)
    ]
    for _ in range(found.files - len(sums)):
        found.tests += 1
        found.failed += 1
        found.failures.append("a test program broke off")
    return found
