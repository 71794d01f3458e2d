"""Arithmetic over the names of `[data]`, so that sizes follow when a number is overridden.

Numbers, names, `+ - * /`, parentheses and a few functions; nothing else of Python gets through.
"""

from __future__ import annotations

import ast
import difflib
import math
import operator
from collections.abc import Callable, Mapping

LONGEST = 300  # characters; keeps the parser's recursion and the integers it makes small

FUNCTIONS: dict[str, Callable[..., float]] = {
    "ceil": math.ceil,
    "exp": math.exp,
    "floor": math.floor,
    "log": math.log,
    "max": max,
    "min": min,
    # Half away from zero for positive numbers: Python's own `round` goes to the even neighbour.
    "round": lambda x: math.floor(x + 0.5),
    "tanh": math.tanh,
}

_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


class FormulaError(ValueError):
    """What is wrong with a formula, as a sentence, and what to do about it."""

    def __init__(self, message: str, hint: str = "") -> None:
        """`hint` may be empty."""
        super().__init__(message)
        self.hint = hint


def evaluate(formula: str, names: Mapping[str, object]) -> float:
    """The value of `formula`; integers stay integers. FormulaError when there is none.

    >>> evaluate("round(5000 * tanh(accounts / 20000))", {"accounts": 1000})
    250
    """
    if len(formula) > LONGEST:
        raise FormulaError(f"the formula is longer than {LONGEST} characters")
    try:
        tree = ast.parse(formula.strip(), mode="eval")
        value = _value(tree.body, names)
        finite = math.isfinite(value)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise FormulaError(f"`{formula}` is not a formula", "write for example `2 * accounts + 1`") from error
    except (ArithmeticError, TypeError, ValueError) as error:
        if isinstance(error, FormulaError):
            raise
        raise FormulaError(f"`{formula}` has no value: {error}") from error
    if not finite:
        raise FormulaError(f"`{formula}` has no finite value")
    return value


def _value(node: ast.expr, names: Mapping[str, object]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.Name(id=name):
            return _named(name, names)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, names)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_value(left, names), _value(right, names))
        case ast.Call(func=ast.Name(id=function), args=args, keywords=[]) if function in FUNCTIONS:
            return FUNCTIONS[function](*(_value(arg, names) for arg in args))
    known = ", ".join(sorted(FUNCTIONS))
    raise FormulaError(
        f"`{ast.unparse(node)}` is not allowed in a formula",
        f"allowed are numbers, names, + - * / and {known}",
    )


def _named(name: str, names: Mapping[str, object]) -> float:
    if name not in names:
        close = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean `{close[0]}`?" if close else f"add `{name} = ...` to [data]"
        raise FormulaError(f"`{name}` is not a name of [data]", hint)
    value = names[name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FormulaError(f"`{name}` of [data] is text, a number is needed here")
    return value
