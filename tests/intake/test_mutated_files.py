"""Changed files: whatever is in them, a command ends with a sentence, in bounded time and memory.

`LOADSTONE_MUTATIONS=2000 pytest -m long tests/intake/test_mutated_files.py` makes so many of each kind.
"""

from __future__ import annotations

import os
import random
import re
import time
from pathlib import Path

import pytest
from good_files import Kind, content_of, restored
from handed import CODES, Ended
from kinds import KINDS, PAGE, REPORT
from mutations import mutated

FEW, MANY = 1, 2
LONGEST_S = 60.0
"""Of CPU, far over what any of them takes: a reader that takes squares of what it reads takes hours. By the
clock, a file of a millisecond took three minutes on a machine that had other things to do."""
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def _name(kind: Kind) -> str:
    return kind.name


@pytest.fixture(scope="module", params=KINDS, ids=_name)
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


@pytest.fixture(scope="module")
def good(kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("good") / "it"
    folder.mkdir()
    kind.make(folder)
    return content_of(folder)


def wrong(ended: Ended) -> str:
    """What a command must not do; empty when it did nothing of it."""
    if ended.code not in CODES:
        return f"it ended with {ended.code}"
    if "Traceback" in ended.err:
        return "it showed a traceback"
    if ended.code and not ended.err and not ended.out:
        return "it said nothing"
    return "it wrote what a terminal obeys" if _OBEYED.search(ended.err + ended.out) else ""


def campaign(kind: Kind, good: dict[str, bytes], folder: Path, seeds: range) -> None:
    for seed in seeds:
        content = mutated(good[kind.file], kind.how, random.Random(f"{kind.name} {seed}"))
        restored(folder, good | {kind.file: content})
        before = time.process_time()
        ended = kind.read(folder)
        took = time.process_time() - before
        fault = wrong(ended) or ("" if took < LONGEST_S else f"it took {took:.0f} s of CPU")
        if fault and (keep := os.environ.get("LOADSTONE_KEEP")):
            name = re.sub(r"\W+", "-", f"{kind.name}-{seed}")
            restored(Path(keep) / name, good | {kind.file: content})
        assert not fault, f"mutation {seed} of `{kind.name}`: {fault}\n{ended.err[-3000:]}"


@pytest.mark.long
def test_a_good_file_is_read(kind: Kind, good: dict[str, bytes], tmp_path: Path) -> None:
    restored(tmp_path / "it", good)
    ended = kind.read(tmp_path / "it")
    assert ended.code in (0, 1), ended.err
    assert not wrong(ended)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.read not in (REPORT, PAGE)], ids=_name)
def test_a_few_changes(kind: Kind, tmp_path: Path) -> None:
    """Of those that are read in milliseconds."""
    (tmp_path / "good").mkdir()
    kind.make(tmp_path / "good")
    campaign(kind, content_of(tmp_path / "good"), tmp_path / "it", range(FEW))


@pytest.mark.long
@pytest.mark.timeout(0)
def test_many_changes(kind: Kind, good: dict[str, bytes], tmp_path: Path) -> None:
    many = int(os.environ.get("LOADSTONE_MUTATIONS", str(MANY)))
    campaign(kind, good, tmp_path / "it", range(many))
