"""`loadstone learn`: a scenario from access logs."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loadstone.errors import LoadstoneError

if TYPE_CHECKING:
    from loadstone.stages.learn import Learned

EXAMPLES = """
Learn a scenario from access logs: operations, what follows what, pauses, classes of users, arrivals.

The scenario goes to standard output, to be edited. A folder keeps it with learn.json and learn.html, which
shows how near a replay comes to clients that were held out. Programs and shared addresses are
left out and counted.

Examples:

  loadstone learn access.log access.log.1.gz > shop.toml

  ssh web1 cat /var/log/nginx/access.log | loadstone learn - > shop.toml

  loadstone learn a.log --format '%h %t "%r" %>s %D %{sid}C' --user sid > shop.toml
"""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,59}")


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("learn", help=EXAMPLES, no_args_is_help=True)(learn)


def learn(
    logs: Annotated[
        list[str],
        typer.Argument(metavar="LOG...", help="Access logs, also packed by gzip; `-`: standard input."),
    ],
    format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="`combined`, `common`, `vhost-combined`, `json`, an nginx `log_format` or an Apache"
            " `LogFormat`. Default: what most of the first lines are.",
        ),
    ] = None,
    fields: Annotated[
        list[str] | None,
        typer.Option(
            "--field", metavar="FIELD=KEY", help="Key of a field in JSON lines, as time=when. Repeatable."
        ),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(
            metavar="FIELD",
            help="Field that tells people apart, as the format has it. Default: address and agent.",
        ),
    ] = None,
    operations: Annotated[
        list[str] | None,
        typer.Option(
            "--operation",
            metavar="NAME=REGEX",
            help="Name the operation of the paths (with query) that match. Repeatable; the first one counts.",
        ),
    ] = None,
    files: Annotated[
        str | None, typer.Option(metavar="REGEX", help="More paths that are files of pages, not operations.")
    ] = None,
    cutoff: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Idle time that ends a session. Default: fitted.")
    ] = None,
    classes: Annotated[int, typer.Option(help="Most classes of users.")] = 4,
    most_operations: Annotated[int, typer.Option(help="Most operations; the rarest are left out.")] = 40,
    least_share: Annotated[
        float, typer.Option(help="Least share of an operation; rarer ones are left out.")
    ] = 0.001,
    shared: Annotated[
        int, typer.Option(help="User agents on one address from which on it is shared, and left out.")
    ] = 10,
    with_programs: Annotated[
        bool, typer.Option("--with-programs", help="Also take programs and shared addresses.")
    ] = False,
    bad_share: Annotated[
        float, typer.Option(help="Share of lines that may be unreadable; with more the log is refused.")
    ] = 0.05,
    name: Annotated[str, typer.Option(help="Name of the scenario.")] = "learned",
    url: Annotated[
        str, typer.Option(help="Address of the site, for the scenario.")
    ] = "http://127.0.0.1:8080",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder. Default: runs/TIME-learn.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print learn.json instead of the scenario.")
    ] = False,
) -> None:
    """Parses, learns, writes; the help text is `EXAMPLES`."""
    _check(cutoff, classes, most_operations, shared, least_share, bad_share, name)
    # Imported here: a mistyped option is told without waiting for them.
    from datetime import UTC, datetime

    from loadstone import record
    from loadstone.cli.learn_told import Told
    from loadstone.learn import Named, Options
    from loadstone.learn import learn as learned
    from loadstone.report.learned import learned_page
    from loadstone.scratch import scratch

    options = Options(
        format=format,
        keys=_pairs("--field", fields),
        user=user,
        operations=[
            Named(one, _regex("--operation", text)) for one, text in _pairs("--operation", operations).items()
        ],
        files=_regex("--files", files) if files else None,
        cutoff_s=cutoff,
        most_classes=classes,
        most_operations=most_operations,
        least_share=least_share,
        shared_from=shared,
        with_programs=with_programs,
        bad_share=bad_share,
        name=name,
        url=url,
    )
    for one in options.operations:
        if not _NAME.fullmatch(one.name) or one.name in ("end", "back"):
            raise LoadstoneError(
                "bad-option", f"`{one.name}` is no name of an operation", place="--operation"
            )
    folder = out or Path("runs") / f"{datetime.now(UTC):%Y%m%d-%H%M%S}-learn"
    record.require_unused(folder)
    started = record.now()
    with scratch("learn") as place, Told(logs) as told_so_far:
        found = learned(logs, options, place, {}, told_so_far)
    told = found.record.model_copy(
        update={
            "started_at": started, "ended_at": record.now(), "command": ["loadstone", *sys.argv[1:]],
            "versions": record.versions(),
        }
    )  # fmt: skip
    record.make_folder(folder)
    record.write_text(folder / "scenario.toml", found.scenario)
    record.write_stage(folder, told)
    record.write_text(folder / "learn.html", learned_page(told))
    _say(told, folder)
    if as_json:
        print(json.dumps(told.content(), indent=2, ensure_ascii=False))
    else:
        sys.stdout.write(found.scenario)


def _check(
    cutoff: float | None,
    classes: int,
    most: int,
    shared: int,
    least_share: float,
    bad_share: float,
    name: str,
) -> None:
    bounds = {
        "--cutoff": (cutoff if cutoff is not None else 60, 1, 86_400),
        "--classes": (classes, 1, 8),
        "--most-operations": (most, 1, 200),
        "--shared": (shared, 2, 1_000_000),
        "--least-share": (least_share, 0, 0.5),
        "--bad-share": (bad_share, 0, 0.99),
        "--name": (len(name), 1, 100),
    }
    for option, (value, low, high) in bounds.items():
        if not low <= value <= high:
            what = "its length" if option == "--name" else "it"
            raise LoadstoneError("bad-option", f"{what} is {value:g}, not {low:g} to {high:g}", place=option)


def _pairs(option: str, texts: list[str] | None) -> dict[str, str]:
    found = {}
    for text in texts or []:
        name, equals, value = text.partition("=")
        if not (equals and name and value):
            raise LoadstoneError(
                "bad-option", f"`{text}` names nothing", place=option, hint="write NAME=VALUE"
            )
        found[name] = value
    return found


def _regex(option: str, text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise LoadstoneError(
            "bad-regex", f"`{text}` is no regular expression: {error}", place=option
        ) from error


def _say(told: Learned, folder: Path) -> None:
    """What a person should know at once, on stderr."""
    from loadstone.report.learned import headline

    log, left = told.log, told.left_out
    lines = [f"{log.lines:,} lines of the format `{log.format[:80]}`", headline(told)]
    lines += [
        f"left out: {count:,} clients, {left.requests.get(reason, 0):,} requests: {reason}"
        for reason, count in left.clients.items()
    ]
    lines += [
        f"left out: {count:,} requests {reason}"
        for reason, count in left.requests.items()
        if reason not in left.clients
    ]
    lines += [f"warning: {warning}" for warning in told.warnings]
    lines += [f"wrote {folder / name}" for name in ("scenario.toml", "learn.json", "learn.html")]
    print("\n".join(lines), file=sys.stderr)
