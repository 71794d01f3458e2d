"""Which commands there are, and which module adds each: a command's module is imported when it is named."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperGroup

from loadstone.cli.options import Commands


@dataclass(frozen=True)
class Entry:
    """What the list of commands says without importing the command.

    module: of this package; its function `register` adds the command. says: the first paragraph of its help.
    """

    module: str
    group: str
    says: str
    short: bool = False
    """A command of a group under its name alone: it works, and the list has the group."""


_MEASURE, _PLAN, _SHOW = "Measure", "Plan", "Report and compare"
_SCENARIOS, _SITES, _HOSTS, _STUDIES = (
    "Scenarios",
    "Sites and images",
    "Lab and deployment",
    "Studies and models",
)

CATALOGUE: dict[str, Entry] = {
    "demo": Entry(
        "demo",
        _MEASURE,
        "Show everything in three minutes, small: capacity, nodes, cost and report of the built-in site.",
    ),
    "run": Entry("run", _MEASURE, "Measure a service once, into a run folder."),
    "set": Entry(
        "set", _MEASURE, "Change the load of a run that is under way: its users, or the rate of what arrives."
    ),
    "ui": Entry(
        "ui",
        _MEASURE,
        "Open a page: start runs, see them live, change their load, stop them; reports and comparisons of"
        " all.",
    ),
    "follow": Entry(
        "follow", _MEASURE, "Show a run that is under way in the terminal, as the page shows it."
    ),
    "capacity": Entry(
        "capacity",
        _MEASURE,
        "Find the most users a service carries at SLA-1 (90 %) and SLA-2 (99 %), with fresh data for each"
        " run.",
    ),
    "ab": Entry(
        "ab",
        _MEASURE,
        "Measure two releases in turn, in pairs of short runs, and say what differs beyond chance.",
    ),
    "probe": Entry(
        "probe",
        _MEASURE,
        "Measure round trips, jitter, loss, bandwidth and path between hosts, and infer what lies between.",
    ),
    "chaos": Entry(
        "chaos",
        _MEASURE,
        "Kill and mend nodes of a real cluster as the model says, under load, and compare.",
    ),
    "inject": Entry(
        "inject",
        _MEASURE,
        "Flip one random bit in what an instruction of a program has just written; many times, and count.",
    ),
    "nodes": Entry("nodes", _PLAN, "Compute how many nodes carry a load and stay available."),
    "cost": Entry(
        "cost",
        _PLAN,
        "Compute dollars per user per month, over 1, 12 and 36 months, at SLA-1 and SLA-2, with and without"
        " egress.",
    ),
    "plan": Entry(
        "plan",
        _PLAN,
        "Find the cheapest nodes, spares, node type and price that carry a load, stay up and answer right.",
    ),
    "prices": Entry(
        "prices",
        _PLAN,
        "Show, check and update price books. Every dollar of `loadstone cost` names a row of one.",
    ),
    "report": Entry(
        "report",
        _SHOW,
        "Make report.html, one file that needs no network: answer, charts, tables, and how it was measured.",
    ),
    "export": Entry(
        "export",
        _SHOW,
        "Write runs, searches or a comparison as JUnit XML, Markdown, CSV or Parquet.",
    ),
    "compare": Entry(
        "compare",
        _SHOW,
        "Compare runs of releases: response times, shares within the limit, failures, throughput.",
    ),
    "history": Entry(
        "history",
        _SHOW,
        "Show runs of one scenario as a list and as trends, and since which run a figure has another level.",
    ),
    "init": Entry(
        "scenario",
        _SCENARIOS,
        "Print a built-in scenario, to be saved, changed and pointed at a URL of your own.",
    ),
    "learn": Entry(
        "learn",
        _SCENARIOS,
        "Learn a scenario from access logs: operations, what follows what, pauses, classes of users,"
        " arrivals.",
    ),
    "import": Entry(
        "import_",
        _SCENARIOS,
        "Make a scenario from a recording of a browser (HAR), or from a description of an interface"
        " (OpenAPI 3).",
    ),
    "check": Entry(
        "scenario",
        _SCENARIOS,
        "Check scenario files and show what follows from them: the mix and the mean times between"
        " operations.",
    ),
    "try": Entry(
        "try_scenario",
        _SCENARIOS,
        "Walk one user through a scenario and show each request, its answer, and what was taken from it.",
    ),
    "schema": Entry(
        "schema",
        _SCENARIOS,
        "Print the JSON Schema of scenario files, or of the record that a stage writes.",
    ),
    "serve": Entry("serve", _SITES, "Serve a built-in site, files, or what another server answers."),
    "olio": Entry("site_data", _SITES, "Load the data of Olio, the social-events site."),
    "rubis": Entry("site_data", _SITES, "Load the data of RUBiS, the auction site."),
    "harden": Entry(
        "harden", _SITES, "Compile programs that detect or outvote transient faults of the processor."
    ),
    "image": Entry("image", _SITES, "Build and boot applications as images without an operating system."),
    "lab": Entry("lab", _HOSTS, "Run hosts on this machine that are reached by ssh, like real ones."),
    "topology": Entry(
        "deploy",
        _HOSTS,
        "Services on the hosts of a topology: bring, change, end, look.",
    ),
    "deploy": Entry(
        "deploy",
        _HOSTS,
        "Bring the services of a topology to its hosts. What is there already stays as it is.",
        short=True,
    ),
    "status": Entry(
        "deploy",
        _HOSTS,
        "Show every service on every host as it is now. Ends with 3 unless all are running.",
        short=True,
    ),
    "configure": Entry(
        "deploy",
        _HOSTS,
        "Give deployed services the settings of the topology, without Ansible, in a fraction of a second.",
        short=True,
    ),
    "restart": Entry(
        "deploy",
        _HOSTS,
        "Restart services with the configuration that they have on their hosts.",
        short=True,
    ),
    "undeploy": Entry(
        "deploy",
        _HOSTS,
        "End the services of a topology and remove their files from its hosts. Packages stay.",
        short=True,
    ),
    "study": Entry("study", _STUDIES, "Repeat the measurements of a paper, and make more."),
    "solve": Entry(
        "solve",
        _STUDIES,
        "Answer questions about a Markov model. Each answer is two bounds, and the truth lies between them.",
    ),
    "sweep": Entry("sweep", _STUDIES, "Ask many models the same questions."),
}
"""Every command, in the order of the list that `loadstone --help` prints."""


class _Loaded(MutableMapping[str, Any]):
    """The commands by name; the first look at one imports its module."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            app = Commands()
            app.callback()(lambda: None)
            importlib.import_module(f"loadstone.cli.{CATALOGUE[name].module}").register(app)
            group: Any = typer.main.get_command(app)
            self._made |= group.commands
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(CATALOGUE)

    def __len__(self) -> int:
        return len(CATALOGUE)

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]


def commands() -> MutableMapping[str, Any]:
    """All commands by name, each imported when it is looked at."""
    return _Loaded()


class OnDemand(TyperGroup):
    """The group of all commands. Its list and its completion import none of them."""

    def __init__(self, **given: Any) -> None:
        """As Typer's; the commands are those of the catalogue."""
        super().__init__(**(given | {"commands": {}}))
        self.commands = _Loaded()

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the catalogue's order."""
        return list(CATALOGUE)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The list by group, from the catalogue alone."""
        self._listing(short=False).format_help(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Names and what they do, from the catalogue alone."""
        return self._listing(short=True).shell_complete(ctx, incomplete)

    def _listing(self, *, short: bool) -> TyperGroup:
        listed = [
            TyperGroup(name=name, help=entry.says, rich_help_panel=entry.group)
            for name, entry in CATALOGUE.items()
            if short or not entry.short
        ]
        return TyperGroup(name=self.name, help=self.help, params=self.params, commands=listed)
