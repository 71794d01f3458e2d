"""Markov models from files to enclosures: reading, asking, and errors with file and line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, json_of, read_text

Question = dict[str, Any]
"""`{"ask": "until", "of": "down", "time": 3600.0}`: `loadstone_ctmc::Question`."""
_KIND = Kind("model-missing", "a model", 1 << 30)


def read_model(file: Path, constants: dict[str, str], most_states: int | None = None) -> dict[str, Any]:
    """The model of a request, by the ending of `file`.

    `.json` is a chain written out, `.tra` explicit files (with a `.lab` and `.NAME.srew` files of the same
    stem beside it), anything else a text in the PRISM language. Errors: `model-missing`, `model-input`.
    """
    text = read_text(file, _KIND)
    if file.suffix == ".json":
        try:
            chain = json_of(text)
        except ValueError as error:
            raise LoadstoneError("model-input", f"not JSON: {error}", place=str(file)) from error
        model = {"chain": chain}
    elif file.suffix == ".tra":
        labels = file.with_suffix(".lab")
        rewards = sorted(file.parent.glob(f"{file.stem}.*.srew"))
        names = [reward.name.removeprefix(f"{file.stem}.").removesuffix(".srew") for reward in rewards]
        model = {
            "explicit": {
                "tra": text,
                "lab": read_text(labels, _KIND) if labels.exists() else None,
                "rewards": [
                    [name, read_text(reward, _KIND)] for name, reward in zip(names, rewards, strict=True)
                ],
            }
        }
    else:
        return {"prism": {"text": text, "constants": constants, "most_states": most_states}}
    if constants:
        raise LoadstoneError(
            "model-input", "only a text in the PRISM language has constants", place="--const"
        )
    return model


def solve(
    model: dict[str, Any],
    questions: list[Question],
    place: str,
    *,
    place_of: Callable[[int, int], str] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """The reply of `loadstone_ctmc`: the model's size and its figures, each with `low` and `high`.

    `options`: `precision`, `threads`, `method`, `export`; `within` seconds and `memory` bytes, beyond which
    there is the error `model-too-hard` or `model-input`. Ctrl-C ends it soon. `place` is the file's name in
    the errors `model-text` and `model-input`; `place_of` says where a line and column of a text were written.

    >>> node = {"chain": {"states": 2, "transitions": [[0, 1, 1.0], [1, 0, 3.0]], "labels": {"down": [1]}}}
    >>> [figure] = solve(node, [{"ask": "long-run", "of": "down"}], "node")["answers"]
    >>> figure["low"] <= 0.25 <= figure["high"]
    True
    """
    # Imported here: `loadstone --help` does not wait for the engine.
    from loadstone._core import solve_chain

    request = {"model": model, "questions": questions} | options
    try:
        return solve_chain(json.dumps(request))
    except TimeoutError as error:
        raise LoadstoneError("model-too-hard", str(error), place=place) from error
    except ValueError as error:
        if len(error.args) == 3:
            message, line, column = error.args
            at = place_of(line, column) if place_of else f"{place}:{line}:{column}"
            raise LoadstoneError("model-text", message, place=at) from error
        raise LoadstoneError("model-input", str(error), place=place) from error
