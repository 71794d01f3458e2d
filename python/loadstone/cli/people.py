"""Options of the built-in sites with users: whose rules they follow, and how people reach them."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer


class Rules(StrEnum):
    """For whom a site runs."""

    PUBLIC = "public"
    BENCHMARK = "benchmark"


RulesOption = Annotated[
    Rules,
    typer.Option(
        help="public: for people. Passwords are costly to guess, wrong ones are counted, and a log-out"
        " ends every copy of a session. benchmark: for a load test. Log-ins are cheap and without limits."
    ),
]
PublicUrl = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Where people find the site, such as https://olio.example. Whole links begin with it. With"
        " https, browsers send cookies over TLS only, even if a proxy ends the TLS.",
    ),
]
Hsts = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=2**31,
        metavar="S",
        help="Seconds for which browsers must use TLS only (Strict-Transport-Security).",
    ),
]


def people(
    *, rules: RulesOption = Rules.PUBLIC, public_url: PublicUrl = None, hsts: Hsts = None
) -> dict[str, object]:
    """The options as sites with users take them."""
    return {"people": {"rules": rules.value, "public_url": public_url, "hsts_s": hsts}}


def tell(rules: Rules) -> None:
    """Warns on stderr that the site is not made to be measured: a log-in costs a hundred times more."""
    if rules is Rules.PUBLIC:
        print(
            "this site follows the rules for people; for a load test: --rules benchmark",
            file=sys.stderr,
        )
