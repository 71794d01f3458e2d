"""What `import loadstone` gives: the results of a folder, typed, with its tables; scenarios built in Python.

Nothing is computed here: records are those that the stages wrote, tables those of the run folder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind
from loadstone.record import recover
from loadstone.record.by_second import by_second, named_table
from loadstone.record.tables import TABLES
from loadstone.scenario import Built, checked
from loadstone.scenario import Scenario as Checked
from loadstone.stages.base import Stage
from loadstone.stages.capacity import Capacity
from loadstone.stages.compare import Comparison
from loadstone.stages.cost import Cost
from loadstone.stages.nodes import Nodes
from loadstone.stages.run import Run

if TYPE_CHECKING:
    from loadstone.stages.verdict import Verdict

Record = TypeVar("Record", bound=Stage)

_HINT = "give a folder that a command of Loadstone wrote"
_KIND = Kind("results-folder", "a record", 64 << 20, _HINT)
_RECORDS: tuple[type[Stage], ...] = (Run, Capacity, Nodes, Cost, Comparison)


class Results:
    """A folder that Loadstone wrote. Whatever is not in it is a LoadstoneError `results-folder`."""

    def __init__(self, folder: Path) -> None:
        """Looks whether there is something to read. A run whose process died is completed first.

        Errors: `results-folder`, and those of `record.recover`.
        """
        self.folder = folder
        if not (folder / Run.FILE).is_file() and (folder / "journal.ndjson").is_file():
            recover(folder)
        if not any((folder / record.FILE).is_file() for record in _RECORDS):
            message = f"{folder} has none of {', '.join(record.FILE for record in _RECORDS)}"
            raise LoadstoneError("results-folder", message, hint=_HINT)

    def __repr__(self) -> str:
        """As it was opened."""
        return f"loadstone.open({str(self.folder)!r})"

    @cached_property
    def run(self) -> Run:
        """`run.json`: what was measured, in the steady state, and how it was judged."""
        return self._record(Run)

    @cached_property
    def capacity(self) -> Capacity:
        """`capacity.json`: the most load at each goal."""
        return self._record(Capacity)

    @cached_property
    def nodes(self) -> Nodes:
        """`nodes.json`: how many nodes keep it up."""
        return self._record(Nodes)

    @cached_property
    def cost(self) -> Cost:
        """`cost.json`: dollars."""
        return self._record(Cost)

    @cached_property
    def comparison(self) -> Comparison:
        """`compare.json`: two sides beside each other."""
        return self._record(Comparison)

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """`met`, `missed` or `open` by goal, of the search in the folder or else of its run.

        A run's verdicts count only if `run.validity.state` is `valid`.
        """
        if (self.folder / Capacity.FILE).is_file():
            return {name: held.verdict for name, held in self.capacity.named().items()}
        return {name: goal.verdict for name, goal in self.run.goals.items()}

    @cached_property
    def runs(self) -> Mapping[str, Results]:
        """The runs of a search that are still there, by their names in `capacity.json`."""
        found = {}
        for row in self.capacity.runs:
            place = self.folder / row.folder
            if place.resolve().is_relative_to(self.folder.resolve()) and (place / Run.FILE).is_file():
                found[row.folder] = Results(place)
        return found

    def seconds(self) -> duckdb.DuckDBPyRelation:
        """The run's operations second by second; columns as `loadstone export` has them.

        Every reader of Arrow takes it as it is (`polars.from_arrow`, `pyarrow.table`); `.fetchnumpy()` has
        arrays, `.df()` a data frame of pandas. Error `run-folder` where a table is missing.
        """
        return by_second(self._connection, self.folder)

    def table(self, name: str) -> duckdb.DuckDBPyRelation:
        """A table of the run folder (docs/reference/run-folder.md), such as `windows` or `histograms`.

        Error `results-folder` for one that is not there.
        """
        file = self.folder / f"{name}.parquet"
        if name not in TABLES or not file.is_file():
            there = [one for one in TABLES if (self.folder / f"{one}.parquet").is_file()]
            hint = f"there are {', '.join(there)}" if there else "give the folder of a run"
            raise LoadstoneError("results-folder", f"{self.folder} has no table `{name}`", hint=hint)
        return self._connection.sql(f"SELECT * FROM {named_table(file)}")

    def arrow(self, name: str = "seconds") -> Any:
        """`seconds` or a table as a `pyarrow.Table`, which takes `pip install 'loadstone[arrow]'`."""
        relation = self.seconds() if name == "seconds" else self.table(name)
        return relation.to_arrow_table()

    @cached_property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        return duckdb.connect()

    def _record(self, kind: type[Record]) -> Record:
        file = self.folder / kind.FILE
        if not file.is_file():
            raise LoadstoneError("results-folder", f"{self.folder} has no {kind.FILE}", hint=_HINT)
        return kind.read(file, _KIND)


class Scenario(Built):
    """A scenario built in Python, as a file in TOML would say it.

    >>> shop = Scenario("shop", target={"url": "http://127.0.0.1:8000"}, pacing={"think": 2})
    >>> shop.operation("Home", limit_s=1).get("/", page=True)
    >>> shop.checked().operations[0].limit_s
    1.0
    """

    def checked(self, changes: Mapping[str, str] | None = None, goals: Sequence[str] = ()) -> Checked:
        """Everything that a file is checked for; `changes` are `--set` options, path by value.

        Errors: ScenarioError with all that is wrong, each at the line that made it.
        """
        return checked(self, changes, goals)

    def run(
        self,
        folder: str | PathLike[str],
        *,
        load: float | None = None,
        seed: int = 1,
        changes: Mapping[str, str] | None = None,
        goals: Sequence[str] = (),
    ) -> Results:
        """Measures once into a folder that is not there yet, as `loadstone run` does; says nothing meanwhile.

        `load`: users, or the rate of what arrives; without it the scenario's own. Errors: those of `checked`,
        `sut-unreachable` and whatever else keeps a run from beginning. A run that went badly is no error:
        look at `.run.outcome` and `.run.validity`. Only the main thread can run one, for Ctrl-C must end it.
        """
        from loadstone.measure import Here, Interrupt, Job, Silent, measure_scenario, sut_of

        loaded, to = self.checked(changes, goals), Path(folder)
        with Here().engine() as engine:
            job = Job(loaded, sut_of(loaded), engine, [f"loadstone.Scenario({loaded.name!r}).run"])
            measure_scenario(job, to, load=load, seed=seed, interrupt=Interrupt(), progress=Silent())
        return Results(to)
