"""The study's file: servers, experiments, what must be shown, what the paper says. Every key is here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from loadstone.errors import LoadstoneError
from loadstone.scenario.fields import Count, NonNegative, Ordinal, Positive, Table
from loadstone.scenario.findings import Finding
from loadstone.scenario.positions import Path as Keys
from loadstone.study.file import FOLDER, load_study_file

FILE = FOLDER / "connectors.toml"
Figure = Literal[
    "sessions_per_s",
    "steady_sessions_per_s",
    "completed_share",
    "replies_per_s",
    "response_ms_mean",
    "response_ms_p50",
    "response_ms_p99",
    "life_s_mean",
    "calls_completed_mean",
    "timeouts",
    "closed_by_server",
    "server_cpu_us",
]
OWN = "own"
_ABLE = {
    "proxy": (OWN, "apache", "nginx", "tomcat"),
    "files": (OWN, "apache", "nginx"),
    "built-in": (OWN,),
}
"""Kinds of servers that can serve each application."""
BEST = "best"


class Database(Table):
    """The shared bottleneck."""

    slots: Count
    service_ms: Positive


class Server(Table):
    """A server that is measured."""

    name: str
    label: str
    kind: Literal["own", "apache", "nginx", "tomcat"]
    charted: Annotated[bool, Field(description="drawn in the charts over load")] = False
    options: dict[str, Any]


class Load(Table):
    """A load and the servers that are measured under it."""

    sessions_per_s: Positive
    repetitions: Count
    client: Literal["loadstone", "httperf"] = "loadstone"
    servers: Annotated[list[str] | None, Field(min_length=1, description="all when absent")] = None


class Experiment(Table):
    """Servers with one application under growing load."""

    name: str
    title: str
    application: Annotated[
        Literal["proxy", "files", "built-in"],
        Field(description="proxy: servers ask the database; files: the scenario's, for all; else its own"),
    ]
    scenario: Annotated[str, Field(description="a built-in one, or a file of the study's")]
    overrides: Annotated[dict[str, str], Field(description="of the scenario, as `--set` takes them")] = Field(
        default_factory=dict
    )
    arrive_s: Annotated[Positive, Field(description="how long sessions arrive")]
    drain_s: Annotated[Positive, Field(description="for sessions to end, at most")]
    settled_s: Annotated[
        Count | None, Field(description="from here to the last arrival it is steady: whole seconds")
    ] = None
    capacity_sessions_per_s: Annotated[Positive | None, Field(description="that no server can exceed")] = None
    compare: Annotated[
        list[str], Field(min_length=2, max_length=2, description="hybrid and threaded, as the paper does")
    ]
    full: Annotated[list[Load], Field(min_length=1)]
    quick: list[Load] = Field(default_factory=list)


class Target(Table):
    """What must be shown."""

    id: Annotated[str, Field(description="the same for the same question in every version of this file")]
    replaces: Annotated[
        str | None, Field(description="the target that was asked first, of which this is a later definition")
    ] = None
    what: str
    experiment: str
    figure: Figure
    server: Annotated[str, Field(description="or `own`: the worst of our own")]
    sessions_per_s: Positive
    against: Annotated[str | None, Field(description="another server, or `best`: of all others")] = None
    value: Annotated[Positive | None, Field(description="to be divided by, where there is no server")] = None
    least: NonNegative | None = None
    most: NonNegative | None = None


class Paper(Table):
    """A finding of the paper."""

    place: str
    experiment: str
    figure: Figure
    says: str


class Description(Table):
    """The file."""

    format: Literal[1]
    name: Literal["connectors"]
    summary: str
    seed: Ordinal
    backlog: Count
    database: Database
    server: Annotated[list[Server], Field(min_length=1)]
    experiment: Annotated[list[Experiment], Field(min_length=1)]
    target: list[Target]
    paper: list[Paper]

    def server_of(self, name: str) -> Server:
        """The server of that name."""
        return next(one for one in self.server if one.name == name)

    def means(self, target: Target, scenarios: Mapping[str, str]) -> dict[str, Any]:
        """Everything that the figure of a target depends on; `scenarios` by their names in this file."""
        one = self.experiment_of(target.experiment).model_dump(mode="json", exclude={"name", "title"})
        loads = {"full", "quick", "compare"}
        named = {target.server, target.against}
        everybody = named & {OWN, BEST}
        return {
            "figure": target.figure, "offered": target.sessions_per_s, "server": target.server,
            "against": target.against, "divided by": target.value,
            "least": target.least, "most": target.most,
            **{name: value for name, value in one.items() if name not in loads},
            "scenario text": scenarios.get(one["scenario"], ""),
            "database": self.database.model_dump(mode="json"), "backlog": self.backlog,
            "servers": {
                server.name: server.model_dump(mode="json", include={"kind", "options"})
                for server in self.server
                if everybody or server.name in named
            },
        }  # fmt: skip

    def scenarios(self) -> dict[str, str]:
        """The text of every scenario that is a file of the study's, by name."""
        files = {one.scenario: FOLDER / "connectors" / one.scenario for one in self.experiment}
        return {name: path.read_text("utf-8") for name, path in files.items() if path.is_file()}

    def experiment_of(self, name: str) -> Experiment:
        """The experiment of that name."""
        return next(one for one in self.experiment if one.name == name)


def load_description(path: Path = FILE) -> Description:
    """Reads and checks the file. Errors as `load_study_file`."""
    return load_study_file(path, Description, _contradictions)


def of_record(content: dict[str, Any]) -> Description:
    """The file as a study's record keeps it. LoadstoneError `study-file` if this version cannot read it."""
    own = {name: value for name, value in content.items() if name != "scenarios"}
    try:
        return Description.model_validate(own)
    except ValidationError as error:
        message = f"the study's file in its record is not one of this version: {error.errors()[0]['msg']}"
        raise LoadstoneError("study-file", message) from error


def means(target: str, content: dict[str, Any]) -> dict[str, Any]:
    """What a target means by the file in a record; {} where that has no such target."""
    file = of_record(content)
    one = next((one for one in file.target if one.id == target), None)
    return file.means(one, content.get("scenarios", {})) if one else {}


def _contradictions(file: Description) -> list[Finding]:
    found: list[Finding] = []
    kinds = {one.name: one.kind for one in file.server}
    experiments = {one.name for one in file.experiment}

    def known(name: str, at: Keys, *words: str) -> None:
        if name not in kinds and name not in words:
            found.append(Finding("study-server", f"there is no server `{name}`", at))

    for number, experiment in enumerate(file.experiment):
        for index, name in enumerate(experiment.compare):
            known(name, ("experiment", number, "compare", index))
        for size, loads in (("full", experiment.full), ("quick", experiment.quick)):
            for row, load in enumerate(loads):
                for index, name in enumerate(load.servers or kinds):
                    at: Keys = ("experiment", number, size, row)
                    at = (*at, "servers", index) if load.servers else at
                    known(name, at)
                    if name in kinds and kinds[name] not in _ABLE[experiment.application]:
                        message = f"`{name}` cannot serve the application of `{experiment.name}`"
                        found.append(Finding("study-server", message, at))
    asked = [one.id for one in file.target if one.replaces is None]
    for number, target in enumerate(file.target):
        if target.replaces is not None and target.replaces not in asked:
            message = f"there is no target `{target.replaces}` that was asked"
            found.append(Finding("study-file", message, ("target", number, "replaces")))
        if target.experiment not in experiments:
            message = f"there is no experiment `{target.experiment}`"
            found.append(Finding("study-server", message, ("target", number, "experiment")))
        known(target.server, ("target", number, "server"), OWN)
        if target.against is not None:
            known(target.against, ("target", number, "against"), BEST)
    for number, paper in enumerate(file.paper):
        if paper.experiment not in experiments:
            message = f"there is no experiment `{paper.experiment}`"
            found.append(Finding("study-server", message, ("paper", number, "experiment")))
    return found
