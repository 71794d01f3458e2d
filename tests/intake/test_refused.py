"""What people may hand in by mistake or malice is refused with a sentence: code 2, where, what to do."""

from __future__ import annotations

import json
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from good_files import DEMO, crashed, run
from handed import Ended, loadstone

from loadstone.errors import LoadstoneError
from loadstone.intake import DEEPEST, Kind, json_of, read_bytes, toml_of
from loadstone.intake.toml import MOST_PARTS
from loadstone.record import measurement_of

SCENARIO = """\
format = 1
name = "one"
target = { url = "http://127.0.0.1:9" }
pacing = { cycle = 5 }
[load]
users = 1
[[operation]]
name = "Home"
limit_s = 1
[[operation.step]]
get = "/"
"""
POOL = """\
ctmc
module m
  up : [0..1] init 1;
  [] up=1 -> 0.1 : (up'=0);
  [] up=0 -> 1 : (up'=1);
endmodule
"""


def refused(ended: Ended, *words: str, code: int = 2) -> None:
    assert ended.code == code, ended
    assert "Traceback" not in ended.err
    for word in words:
        assert word in ended.err, ended.err


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    file = tmp_path / "one.toml"
    file.write_text(SCENARIO)
    return file


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    file = tmp_path / "pool.prism"
    file.write_text(POOL)
    return file


READERS = [
    ("check", "FILE"),
    ("run", "FILE"),
    ("nodes", "--tiers", "FILE", "--users", "10"),
    ("cost", "--prices", "FILE", "--instance", "a:1", "--users-sla-1", "5"),
    ("nodes", "FILE", "--users-per-node", "5", "--users", "10"),
    ("plan", "FILE"),
    ("solve", "FILE"),
    ("lab", "up", "FILE"),
    ("deploy", "FILE"),
    ("probe", "FILE"),
    ("chaos", "FILE", "--out", "out"),
    ("sweep", "FILE", "--over", "a=0..1", "--long-run"),
]


@pytest.mark.parametrize("command", READERS, ids=" ".join)
@pytest.mark.parametrize(
    "path", ["/dev/zero", "/", "x" * 300, "/nowhere/at all"], ids=["endless", "folder", "long", "gone"]
)
def test_what_is_no_file(command: tuple[str, ...], path: str, tmp_path: Path) -> None:
    refused(loadstone(*(path if word == "FILE" else word for word in command)), "error")


def test_a_pipe_without_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    refused(loadstone("solve", str(tmp_path / "pipe")), "a pipe, not a file")


def test_a_file_over_the_limit_is_not_read_whole(tmp_path: Path) -> None:
    file = tmp_path / "large"
    with file.open("wb") as sparse:
        sparse.truncate(1 << 40)
    tracemalloc.start()
    try:
        with pytest.raises(LoadstoneError, match="over 1 MiB"):
            read_bytes(file, Kind("scenario-missing", "a scenario"))
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


TOML = {
    "lists in lists": "x = " + "[" * 100_000,
    "tables in tables": "x = " + "{a=" * 100_000,
    "a key of many parts": ".".join(["a"] * 20_000) + " = 1",
    "a header of many parts": f"[{'.'.join(['a'] * 20_000)}]",
    "many quoted parts": "[" + " . ".join(['"a"'] * 20_000) + "]",
    "many digits": "x = " + "1" * 5000,
    "digits below Python's own limit": "x = " + "1" * 4000,
    "many hexadecimal digits": "x = 0x" + "f" * 5000,
    "more than 64 bits": "x = 99999999999999999999",
    "deep by lists and keys": "x = " + ("{" + ".".join("a" * 20) + " = ") * 40 + "1" + "}" * 40,
}


@pytest.mark.parametrize("text", TOML.values(), ids=TOML)
def test_toml_beyond_bounds(text: str, tmp_path: Path) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(LoadstoneError) as error:
            toml_of(f"# a comment\n\n{text}\n", "it.toml")
        assert tracemalloc.get_traced_memory()[1] < 32 << 20
    finally:
        tracemalloc.stop()
    assert error.value.slug == "toml-syntax" and "at it.toml" in str(error.value)


def test_toml_without_an_end_is_looked_through_once() -> None:
    # Each of these quotes could begin a text of many lines; looking for each one's end would take hours.
    with pytest.raises(LoadstoneError):
        toml_of("x = " + '"""\\' * 50_000, "it.toml")


def test_toml_within_bounds_is_what_it_was() -> None:
    keys = ".".join(["a"] * MOST_PARTS)
    assert toml_of(f"{keys} = 1", "")
    assert toml_of("x = " + "[" * 60 + "]" * 60, "")
    quoted = 'a = """x"y""z""""" # [[[\nb = \'\'\'[[[\'\'\'\'\'\nc = "[[\\"[[" # ]\nd = 1.5\ne = \'[[\''
    assert toml_of(quoted, "") == {"a": 'x"y""z""', "b": "[[[''", "c": '[["[[', "d": 1.5, "e": "[["}


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 100_000,
        "[" * 200 + "]" * 200,
        "1" * 5000,
        '{"a": NaN}',
        '{"a": 1e999}',
        '{"a": -Infinity}',
    ],
)
def test_json_beyond_bounds(text: str) -> None:
    with pytest.raises(ValueError):
        json_of(text)


def test_json_within_bounds() -> None:
    deep = "[" * DEEPEST + "]" * DEEPEST
    assert json_of(f'{{"a": [1, 2.5, null, "x"], "b": {deep}}}')["a"] == [1, 2.5, None, "x"]


def test_a_scenario_that_is_deep_says_where(scenario: Path) -> None:
    scenario.write_text(SCENARIO + "json = " + "[" * 500 + "]" * 500 + "\n")
    refused(
        loadstone("check", str(scenario)),
        "error[toml-syntax]",
        f"at {scenario}:12",
        "nested deeper",
    )


@pytest.mark.parametrize(
    "host",
    ["a" * 64 + ".example", "a\u202eb.example", "a\u200fb", "a..b", "ex\u0430mple\u2066.org", "a" * 300],
)
def test_a_host_that_no_name_server_knows(host: str, scenario: Path) -> None:
    ended = loadstone("run", str(scenario), "--url", f"http://{host}/", "--window", "1")
    refused(ended, "error[bad-url]")


OPTIONS = [
    (["solve", "POOL", "--until", "1e308"], (0, 2)),
    (["solve", "POOL", "--until", "nan"], (2,)),
    (["solve", "POOL", "--at", "-1"], (2,)),
    (["solve", "POOL", "--at", "inf"], (2,)),
    (["solve", "POOL", "--long-run", "--precision", "nan"], (2,)),
    (["solve", "POOL", "--long-run", "--precision", "1e-300"], (2,)),
    (["solve", "POOL", "--long-run", "--precision", "-1"], (2,)),
    (["solve", "POOL", "--states", "9" * 5000], (2,)),
    (["solve", "POOL", "--long-run", "--most-states", "9" * 30], (0, 2)),
    (["cost", "--book", "aws-2008", "--instance", "c1.xlarge:2", "--users-sla-1", "5e-324"], (2,)),
    (["cost", "--book", "aws-2008", "--instance", "c1.xlarge:2", "--users-sla-1", "nan"], (2,)),
    (["cost", "--book", "aws-2008", "--instance", "c1.xlarge:2", "--users-sla-1", "1e-9"], (0, 2)),
    (["cost", "--book", "aws-2008", "--instance", "c1.xlarge:2", "--users-sla-1", "1e308"], (2,)),
    (["cost", "--book", "aws-2008", "--instance", "c1.xlarge:999999", "--users-sla-1", "1e-6"], (0, 2)),
    (["nodes", "--users-per-node", "5e-324", "--users", "1e308"], (2,)),
    (["nodes", "--users-per-node", "1e-9", "--users", "1e15"], (1, 2)),
    (["nodes", "--users-per-node", "nan", "--users", "5"], (2,)),
    (["nodes", "--users-per-node", "5", "--users", "10", "--crash-rate", "1e99/us"], (2,)),
    (["nodes", "--users-per-node", "5", "--users", "10", "--failover", "1e99 years"], (2,)),
    (["nodes", "--users-per-node", "5", "--users", "10", "--target", "99 nines"], (0, 1, 2)),
    (["nodes", "--users-per-node", "5", "--users", "10", "--fault-rate", "1e99/us"], (2,)),
    (["nodes", "--users-per-node", "5", "--users", "10", "--year", "1e99y"], (2,)),
    (["run", "SCENARIO", "--sut-pid", "-1"], (2,)),
    (["run", "SCENARIO", "--sut-pid", "9" * 40], (2,)),
    (["run", "SCENARIO", "--db-pid", "0"], (2,)),
    (["run", "SCENARIO", "--window", "1e300"], (2,)),
    (["run", "SCENARIO", "--window", "nan"], (2,)),
    (["run", "SCENARIO", "--set", "load.ramp_up_s=1e300"], (2,)),
    (["run", "SCENARIO", "--set", "load.steady_s=1e12"], (2,)),
    (["run", "SCENARIO", "--set", "load.users=" + "9" * 5000], (2,)),
    (["run", "SCENARIO", "--set", "x." * 20_000 + "y=1"], (2,)),
    (["run", "SCENARIO", "--out", "x" * 300], (2,)),
    (["run", "SCENARIO", "--out", "\udcff"], (2,)),
]


@pytest.mark.parametrize(
    ("arguments", "codes"), OPTIONS, ids=[" ".join(each[:60] for each in one[0]) for one in OPTIONS]
)
def test_options_out_of_any_range(
    arguments: list[str], codes: tuple[int, ...], scenario: Path, pool: Path
) -> None:
    known = {"POOL": str(pool), "SCENARIO": str(scenario)}
    ended = loadstone(*(known.get(word, word) for word in arguments))
    assert ended.code in codes, ended.err[-2000:]
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    "content",
    ['{"format":1,"kind":"x"}', '{"format":1}', '{"format":true}', "[]", "1", "", "{", "\x00", '"\\ud800"'],
)
@pytest.mark.parametrize(
    "name",
    [
        "run.json",
        "capacity.json",
        "nodes.json",
        "cost.json",
        "study.json",
        "chaos.json",
        "plan.json",
        "probe-plan.json",
    ],
)
def test_a_record_of_another_kind(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    refused(loadstone("report", str(tmp_path)), "error[")


def test_a_name_that_a_terminal_would_obey(scenario: Path) -> None:
    evil = "\\u001b]0;owned\\u0007\\u202e\\u009b31m"
    scenario.write_text(
        SCENARIO.replace('"one"', f'"one{evil}"').replace(
            "limit_s = 1", f'limit_s = 1\nx = "{evil}"\n"k{evil}" = 1'
        )
    )
    for arguments in (["check", str(scenario)], ["run", str(scenario), "--out", str(scenario)]):
        ended = loadstone(*arguments)
        assert not set(ended.out + ended.err) & set("\x1b\x07\u202e\x9b"), ended


@pytest.mark.parametrize("path", ["x" * 300, "x/" * 5000], ids=["name", "path"])
def test_a_path_longer_than_any_file_has(path: str) -> None:
    refused(loadstone("report", path), "error[bad-option]", "longer than any file's", "give a shorter one")


def test_a_panic_of_the_engine_is_summed_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, pool: Path
) -> None:
    class PanicException(BaseException):
        """As pyo3's: no Exception."""

    def panic(*_: object, **__: object) -> None:
        raise PanicException("index out of bounds\n" * 40)

    monkeypatch.setattr("loadstone.cli.solve.solve", panic)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ended = loadstone("solve", str(pool), "--long-run")
    refused(ended, "error[internal]: PanicException: index out of bounds", "report it with", code=4)
    assert len(ended.err) < 600
    [report] = tmp_path.glob("loadstone-*.txt")
    assert "in panic" in report.read_text()


@pytest.mark.long
def test_a_table_that_claims_the_end_of_time(tmp_path: Path) -> None:
    """A second more costs a point of every chart and a cell of every series: the last ones are not made."""
    run(tmp_path)
    for name in ("windows", "histograms", "engine"):
        table = tmp_path / f"{name}.parquet"
        duckdb.sql(
            f"COPY (SELECT * REPLACE (CASE WHEN second = 7 THEN 4294967290 ELSE second END AS second) "
            f"FROM read_parquet('{table}')) TO '{table}.new'(FORMAT parquet)"
        )
        table.with_name(f"{name}.parquet.new").rename(table)
    tracemalloc.start()
    try:
        assert loadstone("report", str(tmp_path)).code == 0
        content = json.loads((tmp_path / "run.json").read_text())
        plan = json.loads((tmp_path / "plan.json").read_text())
        plan["load"]["steady_s"] = content["steady"]["end_s"] = 9e8
        (tmp_path / "run.json").write_text(json.dumps(content))
        (tmp_path / "plan.json").write_text(json.dumps(plan))
        with pytest.raises(LoadstoneError, match="more than any run has"):
            measurement_of(tmp_path)
        assert tracemalloc.get_traced_memory()[1] < 256 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("scenario.toml", "scenario.toml"),
        ("plan.json", "workload.json"),
        ("machine.json", "machine.json"),
    ],
)
def test_a_crashed_run_that_lacks_a_file(name: str, told: str, tmp_path: Path) -> None:
    crashed(tmp_path)
    (tmp_path / name).unlink()
    refused(loadstone("report", str(tmp_path)), "error[run-folder]", told)


def test_a_check_about_an_operation_that_there_is_not(tmp_path: Path) -> None:
    crashed(tmp_path)
    rules = json.loads((tmp_path / "rules.json").read_text())
    rules["checks"][0]["per"] = "Nothing"
    (tmp_path / "rules.json").write_text(json.dumps(rules))
    refused(loadstone("report", str(tmp_path)), "error[run-folder]", "rules.json", "`Nothing`")


def test_a_claim_of_rules_that_there_are_not(tmp_path: Path) -> None:
    crashed(tmp_path)
    rules = json.loads((tmp_path / "rules.json").read_text())
    (tmp_path / "rules.json").write_text(json.dumps(rules | {"sla_rules": "none"}))
    refused(loadstone("report", str(tmp_path)), "error[run-folder]", "rules.json", "sla_rules")


def without_num(nodes: dict[str, Any]) -> None:
    for option in [option for sla in nodes["per_sla"].values() for option in sla["options"]]:
        option["num"] = None


def without_slas(nodes: dict[str, Any]) -> None:
    nodes["per_sla"] = {}


@pytest.mark.parametrize("spoil", [without_num, without_slas])
def test_nodes_that_cannot_be_priced(spoil: Callable[[dict[str, Any]], None], tmp_path: Path) -> None:
    (tmp_path / "capacity.json").write_bytes((DEMO / "capacity.json").read_bytes())
    nodes = json.loads((DEMO / "nodes.json").read_text())
    spoil(nodes)
    (tmp_path / "nodes.json").write_text(json.dumps(nodes))
    command = ["cost", "--from", str(tmp_path), "--book", "aws-2026", "--instance", "c7i.large"]
    refused(loadstone(*command), "error[cost-input]", "nodes.json")


def with_tiny_nodes(folder: Path) -> None:
    capacity = json.loads((folder / "capacity.json").read_text())
    capacity["SLA-1"]["users"] = capacity["SLA-2"]["users"] = 1e-30
    (folder / "capacity.json").write_text(json.dumps(capacity))


def for_all_the_world(folder: Path) -> None:
    nodes = json.loads((folder / "nodes.json").read_text())
    nodes["inputs"]["load_users"] = 1e30
    (folder / "nodes.json").write_text(json.dumps(nodes))


@pytest.mark.parametrize("spoil", [with_tiny_nodes, for_all_the_world])
def test_bills_that_nobody_pays(spoil: Callable[[Path], None], tmp_path: Path) -> None:
    for name in ("capacity.json", "nodes.json"):
        (tmp_path / name).write_bytes((DEMO / name).read_bytes())
    spoil(tmp_path)
    command = ["cost", "--from", str(tmp_path), "--book", "aws-2026", "--instance", "c7i.large"]
    refused(loadstone(*command), "error[cost-input]", "more than 1e+18")


def test_a_capacity_outside_of_its_interval(tmp_path: Path) -> None:
    (tmp_path / "capacity.json").write_bytes((DEMO / "capacity.json").read_bytes())
    with_tiny_nodes(tmp_path)
    asked = ["nodes", "--from", str(tmp_path), "--users", "20000"]
    refused(loadstone(*asked), "error[nodes-input]", "more than 100,000")


SIZES = {
    "more operations than a mix has room for": "".join(
        f'[[operation]]\nname = "O{number}"\nlimit_s = 1\n[[operation.step]]\nget = "/"\n'
        for number in range(1_001)
    ),
    "a value of gigabytes": 'draw.x = { kind = "words", low = 1, high = 4000000000 }\n',
    "a number of gigabytes": 'draw.x = { kind = "digits", count = 4000000000 }\n',
    "a list of billions": (
        'draw.x = { kind = "list", low = 1, high = 4000000000, item = { kind = "serial", start = 1 } }\n'
    ),
    "a file of terabytes": 'multipart.x = { file = "a.jpg", bytes = 1000000000000 }\n',
}


@pytest.mark.parametrize("lines", SIZES.values(), ids=SIZES)
def test_sizes_are_refused_before_memory_is_taken(lines: str, scenario: Path) -> None:
    if lines.startswith("draw"):
        scenario.write_text(SCENARIO.replace("[[operation.step]]", lines + "[[operation.step]]"))
    else:
        scenario.write_text(SCENARIO.replace('get = "/"', 'post = "/"') + lines)
    refused(loadstone("check", str(scenario)), "error[", str(scenario))


def test_a_reward_without_an_end_has_a_mean_without_one(tmp_path: Path) -> None:
    (tmp_path / "x.tra").write_text("1 0\n")
    (tmp_path / "x.cost.srew").write_text("1 1\n0 1e308\n")
    refused(loadstone("solve", str(tmp_path / "x.tra"), "--until", "1e6"), code=0)
