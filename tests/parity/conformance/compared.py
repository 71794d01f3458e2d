"""What two sites that have walked the same way answered differently."""

from __future__ import annotations

import difflib

from visitor import SECRET, Answer

SHOWN = 12
"""Lines of a page's difference that are worth reading."""


def differences(ours: list[Answer], theirs: list[Answer], *, stacks: bool = False) -> list[str]:
    """What differs between two sites that have walked the same way, each with the lines that do.

    `stacks`: the two are different programs, of which only what matters to a client has to be the same.
    """
    told = [] if len(ours) == len(theirs) else [f"{len(ours)} requests here, {len(theirs)} there"]
    for mine, other in zip(ours, theirs, strict=False):
        if mine.comparable(stacks) != other.comparable(stacks):
            lines = difflib.unified_diff(_lines(other, stacks), _lines(mine, stacks), lineterm="", n=0)
            told.append(
                "\n    ".join(
                    [f"{mine.step} {mine.request}: not the same answer", *list(lines)[2 : SHOWN + 2]]
                )
            )
    return told


def _lines(answer: Answer, stacks: bool) -> list[str]:
    head = answer.comparable(stacks)["head"]
    assert isinstance(head, list)
    return [
        str(answer.status),
        *head,
        *SECRET.sub(b"*", answer.body).decode(errors="backslashreplace").splitlines(),
    ]
