"""Fuzzes what reads files and options that people hand in: coverage-guided by atheris, one target a reader.

Usage: readers.py TARGET CORPUS… [-max_total_time=S …], as libFuzzer; readers.py --list. A target may raise
LoadstoneError (or, where it says so, ValueError), and nothing else.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).parents[1]
for _room in ("tests/intake", "tests/fakes", "tests/learn", "tests/probe"):
    sys.path.insert(0, str(ROOT / _room))

Target = Callable[[bytes], None]


def targets() -> dict[str, Target]:
    """Every target by its name: the readers of texts, each kind of file as its command reads it, options."""
    from good_files import Kind, called
    from handed import loadstone
    from kinds import KINDS

    from loadstone.cost.book import parse
    from loadstone.errors import LoadstoneError
    from loadstone.intake import decoded, json_of, toml_of
    from loadstone.learn.formats import of_format, of_json
    from loadstone.learn.paths import Paths
    from loadstone.nodes.quantities import parse_duration, parse_rate, parse_target
    from loadstone.record import recover
    from loadstone.scenario.data import ColumnError
    from loadstone.scenario.feeds import csv_column, json_column
    from loadstone.scenario.formula import evaluate
    from loadstone.scenario.overrides import parse_value
    from loadstone.scenario.positions import Positions
    from loadstone.scenario.templates import references

    def toml(data: bytes) -> None:
        text = decoded(data, "toml-syntax", "it")
        toml_of(text, "it")
        Positions(text)

    def quantities(data: bytes) -> None:
        text = data.decode("utf-8", "replace")
        for parse_one in (parse_duration, parse_rate, parse_target):
            with _refusals():
                parse_one(text)

    def options(data: bytes) -> None:
        words = data.decode("utf-8", "replace").replace("\0", "\n").split("\n")[:8]
        _held(loadstone(*_COMMANDS[len(data) % len(_COMMANDS)], *words), data)

    parsers = [
        of_format("combined").parse,
        of_format('%h %t "%r" %>s %D %{sid}C', "sid").parse,
        of_json({}).parse,
    ]

    def log_lines(data: bytes) -> None:
        paths = Paths()
        for line in data.split(b"\n"):
            for parse in parsers:
                if hit := parse(line):
                    paths.leaf(hit.method, hit.target)
        paths.operations([1] * paths.leaves)

    def feed(data: bytes) -> None:
        name, _, text = data.decode("utf-8", "replace").partition("\n")
        try:
            json_column(text, "it", name)
            csv_column(text, "it", name)
        except ColumnError as error:
            raise LoadstoneError(error.slug, str(error)) from error

    def log_format(data: bytes) -> None:
        of_format(data.decode("utf-8", "replace")).parse(data)

    found: dict[str, Target] = {
        "text-log-lines": log_lines,
        "text-log-format": log_format,
        "text-toml": toml,
        "text-json": lambda data: _ignored(json_of(data)),
        "text-feed": feed,
        "text-formula": lambda data: _ignored(evaluate(data.decode("utf-8", "replace"), {"a": 2, "b": "x"})),
        "text-template": lambda data: _ignored(list(references(data.decode("utf-8", "replace")))),
        "text-setting": lambda data: _ignored(parse_value(data.decode("utf-8", "replace"))),
        "text-prices": lambda data: _ignored(parse(decoded(data, "price-book", "it"), "it")),
        "text-quantities": quantities,
        "options": options,
    }
    for kind in KINDS:
        found[slug(kind.name)] = _of_kind(kind)
        if kind.file == "journal.ndjson":
            found["journal"] = _of_kind(
                replace(kind, read=called(lambda path: recover(path.parent), kind.file))
            )
    assert all(isinstance(kind, Kind) for kind in KINDS)
    return found


_COMMANDS = (
    ["nodes", "--users-per-node", "50", "--users", "500"],
    ["cost", "--book", "aws-2008", "--instance", "c1.xlarge:2", "--users-sla-1", "500"],
    ["check", "olio"],
    ["solve", str(ROOT / "bench" / "models" / "tandem.prism"), "--const", "c=3"],
)
"""Commands to which options are added: they change nothing and reach no other host."""


def slug(name: str) -> str:
    """A kind's name as a target's."""
    return "".join(letter if letter.isalnum() else "-" for letter in name).replace("--", "-")


_OF_KIND = {
    "journal": "crashed-run-journal",
    "text-json": "model-chain",
    "text-prices": "price-book",
    "text-toml": "scenario",
}
"""Targets that read the text of a kind: without a good one, mutations do not come past its first line.
`journal` only makes the tables; a whole report of a crashed run takes a second."""
_WORDS = {
    "text-log-lines": (
        '1.2.3.4 - - [25/Nov/2026:23:47:19 +0100] "GET /a/17?b=1 HTTP/1.1" 200 5 "-" "M"\n'
        '1.2.3.4 [25/Nov/2026:23:47:19 +0100] "GET /a-1-2-3-4/{x} HTTP/1.1" 200 5000 s\n'
        '{"ts": 1795646839.5, "ip": "1.1.1.1", "method": "GET", "uri": "/x", "status": 200, "duration": 0.1}\n'
    ),
    "text-log-format": '$remote_addr [$time_local] "$request" $status $request_time %h %{sec}t',
    "text-feed": '$.user.id\n{"user": {"id": 7}}\n\n{"user": {"id": "8"}}\n',
    "text-formula": "3 * (a + 1) / 2 - len(b)",
    "text-template": "/events/{id}?user={user.name}",
    "text-setting": '{ kind = "neg-exp", mean_s = 5 }',
    "text-quantities": "2.5/year",
    "options": "--target\n99.9%\n--json",
}


def seeds(target: str, folder: Path) -> None:
    """Puts something that is read without complaint into the corpus `folder`."""
    from good_files import content_of
    from kinds import KINDS

    if target in _WORDS:
        (folder / "good").write_text(_WORDS[target], "utf-8")
    for kind in KINDS:
        if slug(kind.name) == _OF_KIND.get(target, target):
            with tempfile.TemporaryDirectory() as made:
                place = Path(made) / "it"
                place.mkdir()
                with contextlib.redirect_stderr(io.StringIO()):
                    kind.make(place)
                (folder / "good").write_bytes(content_of(place)[kind.file])


def _of_kind(kind: object) -> Target:
    """Writes the bytes where the kind's file stands and lets its command read them."""
    from good_files import Kind, content_of, restored

    assert isinstance(kind, Kind)
    place = Path(tempfile.mkdtemp(prefix="fuzz-")) / "it"
    good: dict[str, bytes] = {}

    def read(data: bytes) -> None:
        if not good:
            place.mkdir(exist_ok=True)
            kind.make(place)
            good.update(content_of(place))
        restored(place, good | {kind.file: data})
        _held(kind.read(place), data)

    return read


def _held(ended: object, data: bytes) -> None:
    from test_mutated_files import wrong

    if fault := wrong(ended):  # type: ignore[arg-type]
        raise AssertionError(f"{fault} on {len(data)} bytes: {ended}")


def _ignored(_: object) -> None:
    """What is read is of no interest here."""


@contextlib.contextmanager
def _refusals() -> object:  # type: ignore[misc]
    """Refusals are answers."""
    from loadstone.errors import LoadstoneError

    with contextlib.suppress(LoadstoneError, ValueError):
        yield


def main() -> None:
    """Runs one target until libFuzzer ends it."""
    if sys.argv[1:] == ["--list"]:
        print("\n".join(targets()))
        return
    import atheris

    name = sys.argv.pop(1)
    corpus = Path(sys.argv[1]) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else None

    def one(data: bytes) -> None:
        with _refusals():
            target(data)

    with atheris.instrument_imports(include=["loadstone", "tomllib", "elftools"]):
        target = targets()[name]
        if corpus:
            seeds(name, corpus)
            # Commands import what they need when they need it: here, where it is instrumented.
            for file in sorted(corpus.iterdir()):
                one(file.read_bytes())

    atheris.Setup(sys.argv, one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
