"""A chain as guarded commands over bounded whole numbers."""

from __future__ import annotations

import itertools
import re
from typing import Any, TypeVar

from loadstone.ctmc.expression import Condition, Like, Number, Update, Variable, named, number, refused
from loadstone.ctmc.place import caller
from loadstone.ctmc.question import Answer, Named, Question
from loadstone.ctmc.solve import solve

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_Given = TypeVar("_Given", Number, Condition)
_numbers = itertools.count()


class Label(Named):
    """A named condition of a model."""


class Reward(Named):
    """A named value of every state of a model, earned per unit of time."""


class Model:
    """A continuous-time Markov chain. In every state each command whose guard is true fires at its rate.

    >>> coin = Model("coin")
    >>> side = coin.variable("side", 0, 1)
    >>> coin.command(side == 0, 2, side.becomes(1))
    >>> print(coin.text())
    ctmc
    module coin
      side : [0..1] init 0;
      [] side = 0 -> 2 : (side' = 1);
    endmodule
    <BLANKLINE>
    """

    def __init__(self, name: str) -> None:
        """`name`: of the module in the text. LoadstoneError `model-input`."""
        self._owner = next(_numbers)
        self._names: dict[str, str] = {}
        self._head: list[tuple[str, str]] = []
        self._variables: list[tuple[str, str]] = []
        self._commands: list[tuple[str, str]] = []
        self._tail: list[tuple[str, str]] = []
        self.name = name
        self._declare(name)

    def variable(self, name: str, low: int, high: int, *, init: int | None = None) -> Variable:
        """A whole number in `low`..`high` that begins as `init` (`low` without one).

        LoadstoneError `model-input` for a range without numbers, a start outside it, a name taken.
        """
        self._declare(name)
        start = low if init is None else init
        for each in (low, high, start):
            if isinstance(each, bool) or not isinstance(each, int):
                raise refused(
                    f"`{each}` is not a whole number",
                    "variables are whole numbers; write real numbers into rates",
                )
        if not low <= start <= high:
            raise refused(f"`{name}` begins as {start}, outside {low}..{high}")
        self._variables.append((f"  {name} : [{low}..{high}] init {start};", caller()))
        return Variable(name, low, high, self._owner)

    def formula(self, name: str, value: Like) -> Number:
        """A name for an expression, so that the text reads like the model. Errors as `variable`."""
        self._declare(name)
        given = self._own(number(value))
        self._head.append((f"formula {name} = {given};", caller()))
        return named(name, self._owner)

    def command(self, guard: Condition, rate: Like, *updates: Update) -> None:
        """Where `guard` is true, `updates` happen together at `rate`; without any the command does nothing.

        LoadstoneError `model-input` for a variable of another model, or one that is updated twice.
        """
        if not isinstance(guard, Condition):
            raise refused(f"the guard `{guard}` is not a condition", "compare it with something: `up > 0`")
        self._own(guard)
        given = self._own(number(rate))
        changed = [update.variable.name for update in updates]
        for update in updates:
            self._own(update.variable)
            self._own(update.value)
            if changed.count(update.variable.name) > 1:
                raise refused(f"one command updates `{update.variable.name}` twice")
        done = " & ".join(f"({update.variable}' = {update.value})" for update in updates) or "true"
        self._commands.append((f"  [] {guard} -> {given} : {done};", caller()))

    def label(self, name: str, condition: Condition) -> Label:
        """A name for a condition. Errors as `variable`."""
        self._declare(name)
        if not isinstance(condition, Condition):
            raise refused(f"`{condition}` is not a condition")
        self._tail.append((f'label "{name}" = {self._own(condition)};', caller()))
        return Label(name, self._owner)

    def reward(self, name: str, value: Like) -> Reward:
        """What is earned per unit of time in each state, at least 0. Errors as `variable`."""
        self._declare(name)
        given = self._own(number(value))
        self._tail.append((f'rewards "{name}" true : {given}; endrewards', caller()))
        return Reward(name, self._owner)

    def text(self) -> str:
        """The model in the PRISM language."""
        return "".join(f"{line}\n" for line, _ in self._lines())

    def solve(
        self, *questions: Question, precision: float = 1e-8, most_states: int | None = None
    ) -> list[Answer]:
        """Answers in the order of the questions; the states are explored once, as far as those need.

        precision: the relative width of the bounds that is asked for; `Answer` says what it came to.
        LoadstoneError `model-text` at the line that wrote what is wrong, such as an update that leaves its
        range, with the state; `model-input` for a question about another model.
        """
        for question in questions:
            subject = question.of
            if isinstance(subject, Named) and subject.owner != self._owner:
                raise refused(f"`{subject.name}` belongs to another model")
            if isinstance(subject, Condition):
                self._own(subject)
        source: dict[str, Any] = {"prism": {"text": self.text(), "constants": {}, "most_states": most_states}}
        asked = [question.data() for question in questions]
        found = solve(source, asked, self.name, place_of=self._place, precision=precision)["answers"]
        answers = []
        for question in questions:
            # A cycle comes as all its parts.
            own, found = found[: 4 if question.part else 1], found[4 if question.part else 1 :]
            [one] = [each for each in own if question.part in (None, each["ask"])]
            high = float("inf") if one["high"] is None else one["high"]
            answers.append(Answer(question, one["low"], high, one["method"], one["states_used"]))
        return answers

    def _lines(self) -> list[tuple[str, str]]:
        """The text, each line with the place in the user's code that wrote it: variables before commands, as
        the language wants them.
        """
        body = [*self._variables, *self._commands]
        return [
            ("ctmc", ""), *self._head, (f"module {self.name}", ""), *body, ("endmodule", ""), *self._tail,
        ]  # fmt: skip

    def _place(self, line: int, column: int) -> str:
        """Where in the user's code a mistake in the text was made."""
        lines = self._lines()
        place = lines[line - 1][1] if line <= len(lines) else ""
        return place or f"{self.name}:{line}:{column}"

    def _declare(self, name: str) -> None:
        if not _NAME.fullmatch(name):
            raise refused(f"`{name}` is not a name", "letters, digits and `_`, not beginning with a digit")
        if name in self._names:
            raise refused(f"`{name}` is taken, by {self._names[name]}")
        self._names[name] = caller()

    def _own(self, given: _Given) -> _Given:
        if given.owners - {self._owner}:
            raise refused(f"`{given}` has a variable of another model")
        return given
