"""Markov chains written in Python: typed variables, commands, labels and rewards; answers with bounds.

>>> from loadstone.ctmc import Model, cycle, long_run
>>> pool = Model("pool")
>>> up = pool.variable("up", 0, 10, init=10)
>>> pool.command(up > 0, up * (1 / 31_536_000), up.becomes(up - 1))
>>> pool.command(up < 10, (10 - up) / 3600, up.becomes(up + 1))
>>> short = pool.label("short", up < 9)
>>> share, lengths = pool.solve(long_run(short), cycle(short, "mean"))
>>> print(f"{share.high:.3g} of the time, {lengths.high:.0f} s each")
5.86e-07 of the time, 1801 s each

`Model.text` is the same chain in the PRISM language.
"""

from loadstone.ctmc.expression import (
    Condition,
    Number,
    Update,
    Variable,
    ceil,
    floor,
    log,
    maximum,
    minimum,
    when,
)
from loadstone.ctmc.model import Label, Model, Reward
from loadstone.ctmc.question import Answer, Question, at, cycle, first, first_by, long_run, until

__all__ = [
    "Answer",
    "Condition",
    "Label",
    "Model",
    "Number",
    "Question",
    "Reward",
    "Update",
    "Variable",
    "at",
    "ceil",
    "cycle",
    "first",
    "first_by",
    "floor",
    "log",
    "long_run",
    "maximum",
    "minimum",
    "until",
    "when",
]
