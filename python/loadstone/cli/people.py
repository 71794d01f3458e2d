"""What the built-in sites with users are told of them and of the way to the site."""

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
        help="For people (passwords dear to guess, wrong ones counted, log-outs that end every copy of a"
        " session, ratings only after a sale), or as a benchmark has it, cheap and without limits."
    ),
]
PublicUrl = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Where people find the site, such as https://olio.example: what links begin with. With https,"
        " cookies are for TLS only, also where a proxy ends it.",
    ),
]
Hsts = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=2**31,
        metavar="S",
        help="Seconds for which browsers are told to come by TLS only (Strict-Transport-Security).",
    ),
]


def people(
    *, rules: RulesOption = Rules.PUBLIC, public_url: PublicUrl = None, hsts: Hsts = None
) -> dict[str, object]:
    """The options as sites with users take them."""
    return {"people": {"rules": rules.value, "public_url": public_url, "hsts_s": hsts}}


def tell(rules: Rules) -> None:
    """Says on stderr where a site is not one to measure: a log-in of it costs a hundred times more."""
    if rules is Rules.PUBLIC:
        print("rules for people; for a load test: --rules benchmark", file=sys.stderr)
