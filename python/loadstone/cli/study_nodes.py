"""`loadstone study nodes`: PCRAFT's tables and figures computed again."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from loadstone.cli.columns import columns
from loadstone.cli.run import default_folder


def register(study: typer.Typer) -> None:
    """Adds the command."""
    study.command("nodes")(nodes_command)


def nodes_command(
    out: Annotated[Path | None, typer.Option(help="Folder of the study. Default: runs/TIME-nodes.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print study.json instead of the tables.")] = False,
) -> None:
    """Compute how many nodes keep a service up, and how long they serve right answers: paper beside ours.

    Tables II and III and figures 5 to 7 of PCRAFT, each count proved by bounds on the downtime. Takes
    seconds; measures nothing.

    Example: loadstone study nodes --out out/nodes
    """
    from loadstone import record
    from loadstone.report.study import study_page
    from loadstone.study.nodes import study as computing
    from loadstone.study.nodes.description import load_description

    folder = out or default_folder("nodes")
    content = computing.run(load_description(), folder, ["loadstone", *sys.argv[1:]], _say)
    record.write_text(folder / "report.html", study_page(folder))
    print(json.dumps(content, indent=2, ensure_ascii=False) if as_json else _summary(content))
    _say(str(folder / "report.html"))


def _summary(content: dict[str, Any]) -> str:
    """Every table with the paper's number and ours, then what it amounts to."""
    blocks = [_table(table) for table in content["parts"]["tables"]]
    return "\n\n".join([*blocks, "\n".join(f"- {sentence}" for sentence in content["findings"])])


def _table(table: dict[str, Any]) -> str:
    cells = table["cells"]
    nodes = list(dict.fromkeys(cell["node"] for cell in cells))
    head = ["column", "crashes", *(f"{name} paper/ours" for name in nodes)]
    rows: dict[tuple[str, str], list[str]] = {}
    for cell in cells:
        row = rows.setdefault((cell["column"], cell["crash"]), [cell["column"], cell["crash"]])
        row.append(f"{'–' if cell['paper'] is None else cell['paper']} / {cell['ours']}")
    return f"{table['place']}, {table['title']}\n" + columns(head, list(rows.values()), set(head[2:]))


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
