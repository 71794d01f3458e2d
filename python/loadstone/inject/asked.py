"""What a campaign is asked for, checked before anything starts."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError

MOST_RUNS = 10_000_000


@dataclass(frozen=True)
class Limits:
    """What ends what does not end by itself. Times are in seconds.

    hang_factor: a run that takes so many times the unharmed one, and at least `hang_least_s`, hangs.
    """

    golden_runs: int = 3
    golden_limit_s: float = 60.0
    hang_factor: float = 20.0
    hang_least_s: float = 3.0
    most_steps: int = 20_000_000
    trace_limit_s: float = 900.0


@dataclass(frozen=True)
class Asked:
    """One campaign. `only`: `own`, `all` or functions; `throughput`: of this build, against native."""

    program: Path
    arguments: tuple[str, ...]
    runs: int
    seed: int
    only: tuple[str, ...] = ("own",)
    stdin: Path | None = None
    limits: Limits = Limits()
    throughput: Fraction | None = None

    def config(self) -> str:
        """As the module in Rust reads it."""
        limits = self.limits
        return json.dumps(
            {
                "program": str(self.program), "arguments": self.arguments, "only": self.only,
                "seed": self.seed,
                "stdin": str(self.stdin) if self.stdin else None, "golden_runs": limits.golden_runs,
                "golden_limit_s": limits.golden_limit_s, "hang_factor": limits.hang_factor,
                "hang_least_s": limits.hang_least_s, "most_steps": limits.most_steps,
                "trace_limit_s": limits.trace_limit_s,
            }
        )  # fmt: skip

    def identity(self) -> dict[str, Any]:
        """What the injections follow from, with the program's file: the same again goes on in a folder."""
        return {
            "arguments": list(self.arguments), "only": list(self.only), "seed": self.seed,
            "stdin": str(self.stdin) if self.stdin else None,
        }  # fmt: skip


def found(program: str) -> Path:
    """The file of a program by path or name. Raises `inject-program`."""
    path = Path(program if os.sep in program else shutil.which(program) or program)
    if not path.is_file():
        raise LoadstoneError("inject-program", f"there is no program `{program}`", hint="give its path")
    if not os.access(path, os.X_OK):
        raise LoadstoneError("inject-program", f"`{program}` is not executable", hint=f"chmod +x {program}")
    return path.resolve()


def checked(asked: Asked) -> Asked:
    """The same. Raises `inject-input` for numbers out of range, and for input that is not there."""
    if not 1 <= asked.runs <= MOST_RUNS:
        raise LoadstoneError("inject-input", f"{asked.runs} injections", place="--runs", hint="one or more")
    if asked.stdin is not None and not asked.stdin.is_file():
        raise LoadstoneError("inject-input", f"there is no file {asked.stdin}", place="--stdin")
    if asked.limits.golden_runs < 3:
        message = "fewer than three unharmed runs do not show whether the answer is always the same"
        raise LoadstoneError("inject-input", message, place="--golden-runs", hint="3 or more")
    return asked
