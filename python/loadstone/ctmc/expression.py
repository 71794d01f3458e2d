"""Expressions over the variables of a model: built by operators, printed in the PRISM language.

Numbers and conditions are two types, so that a type checker finds a guard that is a number. `==` and `!=`
between numbers give conditions; conditions are joined with `&`, `|` and `~`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from loadstone.ctmc.place import caller
from loadstone.errors import LoadstoneError

_CHOICE, _OR, _AND, _NOT, _COMPARED, _SUM, _PRODUCT, _ATOM = range(8)
"""How tightly the language binds; an operand that binds less tightly gets parentheses."""


class _Expression:
    """A text, how tightly it binds, and the variables in it."""

    __slots__ = ("binds", "owners", "text")

    def __init__(self, text: str, binds: int, owners: frozenset[int] = frozenset()) -> None:
        self.text, self.binds, self.owners = text, binds, owners

    def __str__(self) -> str:
        """As the language writes it."""
        return self.text

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text!r})"

    def inside(self, binds: int) -> str:
        """As an operand of something that binds so tightly."""
        return self.text if self.binds >= binds else f"({self.text})"


class Number(_Expression):
    """A number that depends on the state."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]
    """`==` gives a condition, so numbers cannot be keys."""

    def __add__(self, other: Like) -> Number:
        """The sum."""
        return _joined(self, "+", other, _SUM)

    def __radd__(self, other: Like) -> Number:
        """The sum."""
        return _joined(other, "+", self, _SUM)

    def __sub__(self, other: Like) -> Number:
        """The difference."""
        return _joined(self, "-", other, _SUM)

    def __rsub__(self, other: Like) -> Number:
        """The difference."""
        return _joined(other, "-", self, _SUM)

    def __mul__(self, other: Like) -> Number:
        """The product."""
        return _joined(self, "*", other, _PRODUCT)

    def __rmul__(self, other: Like) -> Number:
        """The product."""
        return _joined(other, "*", self, _PRODUCT)

    def __truediv__(self, other: Like) -> Number:
        """The quotient, a real number."""
        return _joined(self, "/", other, _PRODUCT)

    def __rtruediv__(self, other: Like) -> Number:
        """The quotient, a real number."""
        return _joined(other, "/", self, _PRODUCT)

    def __mod__(self, other: Like) -> Number:
        """The rest of a division of whole numbers."""
        return _call("mod", self, other)

    def __pow__(self, other: Like) -> Number:
        """A power."""
        return _call("pow", self, other)

    def __rpow__(self, other: Like) -> Number:
        """A power."""
        return _call("pow", other, self)

    def __neg__(self) -> Number:
        """The number with the other sign."""
        return Number(f"0 - {self.inside(_PRODUCT)}", _SUM, self.owners)

    def __lt__(self, other: Like) -> Condition:
        """Whether it is less."""
        return _compared(self, "<", other)

    def __le__(self, other: Like) -> Condition:
        """Whether it is at most that."""
        return _compared(self, "<=", other)

    def __gt__(self, other: Like) -> Condition:
        """Whether it is more."""
        return _compared(self, ">", other)

    def __ge__(self, other: Like) -> Condition:
        """Whether it is at least that."""
        return _compared(self, ">=", other)

    def __eq__(self, other: Like) -> Condition:  # type: ignore[override]
        """Whether it is that."""
        return _compared(self, "=", other)

    def __ne__(self, other: Like) -> Condition:  # type: ignore[override]
        """Whether it is something else."""
        return _compared(self, "!=", other)


Like = Number | int | float
"""What stands for a number."""


class Condition(_Expression):
    """What is true in some states."""

    __slots__ = ()

    def __and__(self, other: Condition) -> Condition:
        """Whether both are true."""
        return self._with("&", other, _AND)

    def __or__(self, other: Condition) -> Condition:
        """Whether one of them is true."""
        return self._with("|", other, _OR)

    def __invert__(self) -> Condition:
        """Whether it is not true."""
        return Condition(f"!{self.inside(_ATOM)}", _NOT, self.owners)

    def __bool__(self) -> bool:
        """Raises `TypeError`: what is true depends on the state."""
        raise TypeError("a condition is neither true nor false here: join conditions with &, | and ~")

    def _with(self, sign: str, other: Condition, binds: int) -> Condition:
        if not isinstance(other, Condition):
            raise refused(f"`{other}` is not a condition")
        text = f"{self.inside(binds)} {sign} {other.inside(binds + 1)}"
        return Condition(text, binds, self.owners | other.owners)


@dataclass(frozen=True)
class Update:
    """A variable's value after a command."""

    variable: Variable
    value: Number


class Variable(Number):
    """A whole number within bounds: a part of the state. `Model.variable` makes them."""

    __slots__ = ("high", "low", "name")

    def __init__(self, name: str, low: int, high: int, owner: int) -> None:
        """`owner`: the model's number, so that models are not mixed up."""
        super().__init__(name, _ATOM, frozenset({owner}))
        self.name, self.low, self.high = name, low, high

    def becomes(self, value: Like) -> Update:
        """The update to `value`, which is computed in the state before the command."""
        return Update(self, number(value))


def number(value: Like) -> Number:
    """A number as an expression. LoadstoneError `model-input` for what is none."""
    if isinstance(value, Number):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise refused(f"`{value}` is not a number")
    return Number(repr(value), _ATOM) if value >= 0 else Number(f"0 - {-value!r}", _SUM)


def named(name: str, owner: int) -> Number:
    """A number by the name that the model `owner` gives it."""
    return Number(name, _ATOM, frozenset({owner}))


def minimum(*values: Like) -> Number:
    """The least of two or more numbers."""
    return _call("min", *values)


def maximum(*values: Like) -> Number:
    """The largest of two or more numbers.

    >>> str(maximum(0, number(3) - 1))
    'max(0, 3 - 1)'
    """
    return _call("max", *values)


def floor(value: Like) -> Number:
    """The next whole number below."""
    return _call("floor", value)


def ceil(value: Like) -> Number:
    """The next whole number above."""
    return _call("ceil", value)


def log(value: Like, base: Like) -> Number:
    """The logarithm to a base."""
    return _call("log", value, base)


def when(condition: Condition, yes: Like, no: Like = 0) -> Number:
    """`yes` where the condition is true, else `no`.

    >>> str(when(number(1) < 2, 3))
    '1 < 2 ? 3 : 0'
    """
    then, other = number(yes), number(no)
    text = f"{condition.inside(_OR)} ? {then.inside(_OR)} : {other.inside(_OR)}"
    return Number(text, _CHOICE, condition.owners | then.owners | other.owners)


def refused(message: str, hint: str | None = None) -> LoadstoneError:
    """`model-input` at the user's line."""
    return LoadstoneError("model-input", message, place=caller(), hint=hint)


def _joined(left: Like, sign: str, right: Like, binds: int) -> Number:
    one, two = number(left), number(right)
    return Number(f"{one.inside(binds)} {sign} {two.inside(binds + 1)}", binds, one.owners | two.owners)


def _compared(left: Like, sign: str, right: Like) -> Condition:
    one, two = number(left), number(right)
    return Condition(f"{one.inside(_SUM)} {sign} {two.inside(_SUM)}", _COMPARED, one.owners | two.owners)


def _call(name: str, *values: Like) -> Number:
    parts = [number(value) for value in values]
    owners = frozenset().union(*(part.owners for part in parts))
    return Number(f"{name}({', '.join(part.text for part in parts)})", _ATOM, owners)
