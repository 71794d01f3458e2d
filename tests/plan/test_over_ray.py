"""What goes wrong in Ray is told in a sentence; with a module in Ray's place, whose errors have its shape."""

import sys
from types import SimpleNamespace

import pytest

from loadstone.errors import LoadstoneError
from loadstone.parallel import OverRay


class TaskError(Exception):
    """As Ray's: the trace of another process, and the error that it was."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(
            'Traceback (most recent call last):\n  File "worker.py", line 3, in run\nValueError: of a worker'
        )
        self.cause = cause


def over(
    monkeypatch: pytest.MonkeyPatch, *, init: Exception | None = None, get: Exception | None = None
) -> OverRay:
    def fail(error: Exception | None, answer: object) -> object:
        if error:
            raise error
        return answer

    fake = SimpleNamespace(
        is_initialized=lambda: False,
        init=lambda **_: fail(init, None),
        cluster_resources=lambda: {"CPU": 1},
        remote=lambda work: SimpleNamespace(remote=work),
        get=lambda part: fail(get, part),
    )
    monkeypatch.setitem(sys.modules, "ray", fake)  # type: ignore[arg-type]
    return OverRay()


def test_work_is_done_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    assert over(monkeypatch)(lambda number: number * 2, range(9)) == list(range(0, 18, 2))


@pytest.mark.parametrize(
    "wrong, sentence",
    [
        ({"init": ConnectionError("no cluster at 10.0.0.9:6379")}, "Ray: no cluster at 10.0.0.9:6379"),
        ({"get": TaskError(ValueError("of a worker"))}, "Ray: of a worker"),
        ({"get": RuntimeError("the node died\nits memory was full")}, "Ray: its memory was full"),
    ],
)
def test_its_errors_are_a_sentence(
    monkeypatch: pytest.MonkeyPatch, wrong: dict[str, Exception], sentence: str
) -> None:
    with pytest.raises(LoadstoneError) as failed:
        over(monkeypatch, **wrong)(lambda number: number, [1, 2])
    assert (failed.value.slug, failed.value.exit_code) == ("ray-failed", 4)
    assert sentence in str(failed.value) and "Traceback" not in str(failed.value)


def test_the_works_own_error_is_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    own = LoadstoneError("model-input", "no such rate")
    with pytest.raises(LoadstoneError) as failed:
        over(monkeypatch, get=TaskError(own))(lambda number: number, [1])
    assert failed.value is own
