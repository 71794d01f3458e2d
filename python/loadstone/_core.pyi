"""The Rust side: plain data in, plain data out; every call that waits releases the GIL."""

from collections.abc import Callable, Sequence
from typing import Any

__version__: str

class Run:
    """One run of the load engine, in its own threads."""

    def __init__(
        self,
        plan_json: str,
        start_at_s: float | None = None,
        *,
        traced: bool = False,
        functions: Sequence[Callable[..., object]] = ...,
    ) -> None:
        """Starts the run; its first second begins when `time.monotonic()` is `start_at_s`, or in a moment.

        `traced`: the requests and answers of its one user are kept for `exchanges`. `functions`: those of the
        plan, in its order; they are called in threads of their own.
        ValueError with a sentence when the plan does not compile, or when that instant has passed.
        """

    def exchanges(self) -> list[dict[str, Any]]:
        """The exchanges of a traced run since the last call, `loadstone_engine::Exchange` as dicts."""

    def next(self, timeout_s: float) -> dict[str, Any] | None:
        """The next one-second window, `loadstone_engine::Window` as a dict.

        None after `timeout_s` or at the end.
        """

    def change(self, load: float, at_s: float | None = None) -> float:
        """Changes the load of the run under way: users, or the rate, as its plan has it, all agents together.

        It stands in place of what the plan says of later times. Returns from when on, seconds since the run
        began; `at_s` asks for that instant. ValueError when it is no load, or there is no room for it.
        """

    def may_change(self, load: float) -> None:
        """ValueError when `change` would refuse this load."""

    def examples(self) -> list[dict[str, Any]]:
        """The first failure of each operation and cause by now, `loadstone_engine::Example` as dicts."""

    def stop(self) -> None:
        """Ends the run early; windows up to now are still delivered."""

    def summary(self) -> dict[str, Any] | None:
        """`loadstone_engine::Summary` as a dict; None until the run has ended and all windows were taken."""

class Answer:
    """The latest answer of an operation, as functions that a step calls are given it."""

    @property
    def status(self) -> int:
        """Status; 200 of a message of a WebSocket."""

    @property
    def headers(self) -> dict[str, str]:
        """Values of its header fields by their names in lower case; several of a name with commas."""

    @property
    def body(self) -> bytes:
        """Its body, decompressed."""

    @property
    def text(self) -> str:
        """The same as a text; what is not UTF-8 is replaced."""

class Server:
    """A built-in application behind a connector."""

    def address(self) -> tuple[str, int]:
        """Host and port it listens on."""

    def metrics_address(self) -> tuple[str, int] | None:
        """Host and port at which it serves its metrics, if it does."""

    def reload(self) -> None:
        """Reads the certificate again and opens the access log anew; connections stay open.

        ValueError with a sentence; then what was in use stays in use.
        """

    def counters(self) -> dict[str, int]:
        """The container's counters."""

    def abandon(self) -> None:
        """Lets requests that do not end die with the process, instead of waiting for them."""

    def drain(self, timeout_s: float) -> bool:
        """Stops accepting, finishes what is under way; True when all was finished in time."""

def end_children_if_asked(numbers: list[int]) -> None:
    """Kills what this process started, and what that started, when it was asked to end.

    From here on the signals of these numbers need no interpreter to be counted. It is to believe that they
    are ignored. OSError when one of them cannot be caught.
    """

def check_css_selector(selector: str) -> None:
    """ValueError with what is wrong with a CSS selector such as `main a.next`."""

def check_json_path(path: str) -> None:
    """ValueError with what is wrong with a path such as `$.items[0].id`."""

def json_texts(path: str, texts: list[str]) -> tuple[list[str], str | None]:
    """What a path leads to in each text of JSON, up to the first with nothing there, and what is wrong there.

    ValueError with what is wrong with the path.
    """

def check_tls(tls_json: str, host: str) -> None:
    """Reads the files that a plan's `target.tls` names.

    ValueError with what is wrong, and in which file and line.
    """

def expectations(plan_json: str) -> dict[str, dict[str, float]]:
    """`{"mix": {operation: long-run share}, "mix_error": {operation: its standard error, 0 when exact},
    "pace_mean_s": {operation: expected mean}}`; of several scenarios the shares are those within each.

    ValueError as `Run`.
    """

def format_disk(path: str, mode: str) -> None:
    """Makes the empty disk in the file `path` ready: with mode `log`, or with `journal`, SQLite's rollback
    journal.

    ValueError with a sentence, also where it is too small or holds anything.
    """

def check_disk(path: str) -> list[tuple[str, int, list[str]]]:
    """Of each database on a disk its name, its bytes, and a sentence for each fault that reading all of it
    finds.

    OSError with a sentence where the disk is damaged as a whole, not formatted, or another process or machine
    has it.
    """

def export_database(path: str, name: str | None, to: str) -> str:
    """Copies a database of a disk (the only one without `name`) into a new SQLite file with the absolute path
    `to`; returns its name.

    ValueError with a sentence, OSError as `check_disk`.
    """

def restore_disk(source: str, name: str | None, path: str) -> list[str]:
    """Copies all databases of the disk `source` to the empty disk `path`; with `name`, the SQLite file
    `source` as that database. Returns the names.

    ValueError with a sentence, OSError as `check_disk`.
    """

def load(
    app: str, place: str, data_json: str, replace: bool, progress: Callable[[int, int], None] | None
) -> dict[str, int]:
    """Creates a data set of the site `app` in `place`, a folder, a database's URL or `block:PATH`, a
    formatted disk. Returns rows by table.

    OSError or ValueError with a sentence; FileExistsError where there is something already.
    """

def merge_windows(windows_json: str) -> dict[str, Any] | None:
    """The sum of windows of the same second, given as a JSON list; None of none.

    ValueError when one of them is no window.
    """

def run_switch(config_json: str) -> None:
    """Runs the switch that `config_json` (`loadstone_linkshape::Config`) describes until the process ends.

    Says `ready` on stdout when its devices are there. OSError or ValueError with a sentence.
    """

def serve(place: str, options_json: str) -> Server:
    """Serves the site `app`, an option, on what is in `place`: a folder, a database's URL, `block:PATH`.

    Other options: `site`, the site's own; `data`, the data set that it makes as it starts; all others are the
    container's. `app` may also be `files` (a folder) or `proxy` (the URL of a server that answers). OSError
    or ValueError with a sentence.
    """

def signal_handlers(change: int) -> None:
    """One more (1) or one less (-1) that is prepared for a first signal."""

def signal_noticed() -> None:
    """A handler in Python has seen the first signal."""

def solve_chain(request_json: str) -> dict[str, Any]:
    """Answers a `loadstone_ctmc::Request` with its `Reply`; every number as bounds `low` and `high`.

    ValueError with a sentence; for a mistake in a model's text with its line and column after it.
    TimeoutError, saying what was hard, when the request's seconds are over. Ctrl-C ends it.
    """

def toml_lines(text: str) -> dict[tuple[str | int, ...], int]:
    """Line (from 1) of every key and list element of a TOML text, by the keys and indices that lead to it."""

def olio_files(folder: str, profile: str, media_scale: float) -> None:
    """Writes Olio's static files into `folder`/static and the masters of its pictures into `folder`/media.

    OSError; ValueError for a profile whose pictures are no copies, or a scale that is none.
    """

def usernames(first: int, count: int, names: str = "release") -> list[str]:
    """Deterministic user names of the ids `first .. first + count`; `names` is `release`, `paper` or `words`.

    ValueError for another word.
    """

def without_password(place: str) -> str:
    """A folder as it is, a database's URL without its password: fit to be shown."""

def watch_signals() -> int:
    """Starts the thread that ends the process when people insist: a second after the second SIGINT or
    SIGTERM, or two after the first when no handler noticed it nor was prepared for it. What the process has
    started is killed first.

    Returns the end of a pipe for `signal.set_wakeup_fd`, always the same. OSError.
    """

class Yardstick:
    """A fixed piece of work, once made some milliseconds and 16 MiB. Threads may share one."""

    def __new__(cls) -> Yardstick: ...
    def measure(self) -> tuple[float, float]:
        """CPU time of arithmetic, and of reads that miss a core's own caches, microseconds."""

class Campaign:
    """Faults in a program that ends by itself. `config_json` is a `loadstone_inject` configuration.

    All raise `ValueError` with two arguments: a kind, such as `program` or `unsteady`, and a sentence.
    Threads may share one.
    """

    def __new__(cls, config_json: str) -> Campaign: ...
    def golden(self) -> dict[str, Any]:
        """Runs it unharmed, several times: exit code, output, how long it takes."""

    def trace(self) -> dict[str, Any]:
        """Runs it once, an instruction at a time; after `golden`."""

    def inject(self, index: int) -> dict[str, Any]:
        """The injection of this number, after `trace`: what was hit, and what became of it."""

    def steps(self) -> int:
        """Instructions that the trace has executed so far."""

    def stop(self) -> None:
        """Ends what is under way, with the kind `stopped`, and all that comes."""

class InjectedServer:
    """A server that runs traced. Errors as those of `Campaign`."""

    def __new__(cls, config_json: str) -> InjectedServer: ...
    def profile(self, steps: int, longest_s: float) -> list[tuple[int, int]]:
        """Addresses that can be hit and how often each was executed, of so many steps, or in that time."""

    def arm(self, address: int, pick: int) -> None:
        """The next thread that executes this address gets a bit turned, which one follows from `pick`."""

    def state(self) -> dict[str, Any]:
        """Process, end, flip, what it has put right."""

    def end(self, patience_s: float) -> dict[str, Any]:
        """Ends it: asked first, killed when it takes longer than that. Its last state."""
