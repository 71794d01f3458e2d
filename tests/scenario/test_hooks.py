"""Functions that steps call: found, held against what steps give them, the same from TOML and from Python."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import loadstone
from loadstone.errors import LoadstoneError
from loadstone.scenario import ScenarioError, load_scenario
from loadstone.scenario.built import CallKeys
from loadstone.scenario.hooks import functions
from loadstone.scenario.model import ScenarioFile
from loadstone.scenario.step import CALL, Step

SCENARIO = """
format = 1
name = "pay"
[target]
url = "http://127.0.0.1:8000"
[data]
shop = "corner"
[pacing]
think = 1
[[operation]]
name = "Pay"
limit_s = 1
draw.amount = { kind = "int", low = 1, high = 9 }
[[operation.step]]
get = "/account"
[[operation.step]]
call = "CALL"
arguments = { ARGUMENTS }
returns = ["body"]
[[operation.step]]
post = "/pay"
body = { text = "{body}" }
"""
SIGN = "def sign(answer, amount, shop):\n    return {'body': f'{shop} {amount}'}\n"


def write(folder: Path, sign: str = SIGN, name: str = "sign.py:sign", arguments: str = "") -> Path:
    (folder / "sign.py").write_text(sign)
    given = arguments or 'amount = "{amount}", shop = "{shop}"'
    path = folder / "pay.toml"
    path.write_text(SCENARIO.replace("CALL", name, 1).replace("ARGUMENTS", given))
    return path


def refused(path: Path) -> ScenarioError:
    with pytest.raises(ScenarioError) as error:
        load_scenario(path)
    return error.value


def test_the_plan_names_the_function_and_this_process_has_it(tmp_path: Path) -> None:
    plan = load_scenario(write(tmp_path)).plan()
    [planned] = plan["functions"]
    assert (planned["name"], planned["file"]) == ("sign.py:sign", str(tmp_path / "sign.py"))
    assert re.fullmatch(r"[0-9a-f]{64}", planned["sha256"])
    assert plan["operations"][0]["steps"][1]["call"] == {
        "function": 0,
        "arguments": [["amount", "{amount}"], ["shop", "corner"]],
        "answer": True,
        "returns": ["body"],
    }
    [sign] = functions(plan)
    assert sign(answer=None, amount="3", shop="corner") == {"body": "corner 3"}
    (tmp_path / "sign.py").unlink()
    with pytest.raises(LoadstoneError, match=r"hook.*sign\.py"):
        functions(plan)


def test_a_file_is_run_once_and_again_when_it_changed(tmp_path: Path) -> None:
    state = "SEEN = []\ndef sign(amount, shop):\n    SEEN.append(amount)\n    return {'body': len(SEEN)}\n"
    path = write(tmp_path, state)
    [first], [second] = functions(load_scenario(path).plan()), functions(load_scenario(path).plan())
    assert first is second
    [other] = functions(load_scenario(write(tmp_path, state + "# changed\n")).plan())
    assert other is not first


def test_modules_beside_it_can_be_imported(tmp_path: Path) -> None:
    (tmp_path / "prices_of_a_test.py").write_text("FACTOR = 7\n")
    code = "from prices_of_a_test import FACTOR\ndef sign(amount, shop):\n    return {'body': FACTOR}\n"
    [sign] = functions(load_scenario(write(tmp_path, code)).plan())
    assert sign("1", "x") == {"body": 7}


@pytest.mark.parametrize(
    ("sign", "name", "arguments", "words"),
    [
        (SIGN, "sgn.py:sign", "", "cannot read `sgn.py`: No such file or directory\n"),
        (SIGN, "sign.py:sing", "", "`sign.py` has no function `sing`\n.*\n  hint: did you mean `sign`?"),
        ("sign = 3\n", "sign.py:sign", "", "`sign` of `sign.py` is int, not a function"),
        ("def sign(:\n", "sign.py:sign", "", r"sign.py:1: invalid syntax"),
        ("import nowhere_at_all\n", "sign.py:sign", "", r"sign.py:1: ModuleNotFoundError: No module named"),
        ("x = 1\nraise SystemExit(3)\n", "sign.py:sign", "", r"sign.py:2: SystemExit: 3"),
        (SIGN, "sign.py:sign", 'amount = "{amount}"', "takes (answer, amount, shop): missing a required arg"),
        (
            SIGN,
            "sign.py:sign",
            'amount = "1", shop = "", colour = ""',
            "got an unexpected keyword argument 'colour'",
        ),
        (SIGN, "sign.py:sign", 'amount = "{amnt}", shop = ""', "did you mean `amount`?"),
        (f"async {SIGN}", "sign.py:sign", "", "`sign.py:sign` is async: a step calls a plain function"),
        ("def sign(amount, shop):\n    yield 1\n", "sign.py:sign", "", "is a generator"),
        ("def sign(amount, shop) -> int:\n    return 1\n", "sign.py:sign", "", "says that it returns `int`"),
        ("def sign(amount, shop) -> None: ...\n", "sign.py:sign", "", "says that it returns nothing"),
        (SIGN, "sign:sign", "", "`sign:sign` names no function of a file"),
    ],
)
def test_what_cannot_be_called_is_refused_with_its_line(
    tmp_path: Path, sign: str, name: str, arguments: str, words: str
) -> None:
    path = write(tmp_path, sign, name, arguments)
    error = refused(path)
    told = str(error)
    assert words in told or re.search(words, told), told
    assert re.search(r"pay\.toml:1[6789], \[operation\.Pay\.step\.2\b", told), told


@pytest.mark.parametrize(
    ("was", "now", "words"),
    [
        ('returns = ["body"]', 'get = "/"', "a step needs exactly one of get, "),
        ('returns = ["body"]', "page = true", "a step with `call` asks for nothing, and has no `page`"),
        ('returns = ["body"]', "json = {}", "a step with `call` asks for nothing, and has no `json`"),
        ('returns = ["body"]', "expect.status = 200", "asks for nothing, and has no `expect`"),
        ('get = "/account"', 'get = "/account"\nreturns = ["x"]', "`returns` goes with `call`"),
        ('get = "/account"', 'get = "/account"\narguments = { x = "" }', "`arguments` goes with `call`"),
        ('returns = ["body"]', 'returns = ["user"]', "`user` is taken"),
        (
            'returns = ["body"]',
            'returns = ["body"]\nset = "body"',
            "`body` is a flag here and a value elsewhere",
        ),
        ('returns = ["body"]', "", "nothing draws or extracts `{body}`"),
    ],
)
def test_a_step_that_calls_does_nothing_else(tmp_path: Path, was: str, now: str, words: str) -> None:
    path = write(tmp_path)
    path.write_text(path.read_text().replace(was, now))
    assert words in str(refused(path))


@pytest.mark.parametrize("left_out", [{}, {"exclude_none": True}, {"exclude_unset": True}])
def test_a_dumped_scenario_that_calls_is_read_again(tmp_path: Path, left_out: dict[str, bool]) -> None:
    file = load_scenario(write(tmp_path)).file
    assert file.operation[0].step[1].call == "sign.py:sign"
    dumped = json.loads(json.dumps(file.model_dump(by_alias=True, mode="json", **left_out)))
    assert ScenarioFile.model_validate(dumped) == file
    dumped["operation"][0]["step"][1]["page"] = True
    with pytest.raises(ValueError, match="a step with `call` asks for nothing, and has no `page`"):
        ScenarioFile.model_validate(dumped)


def test_an_operation_asks_for_something(tmp_path: Path) -> None:
    path = write(tmp_path)
    text = path.read_text()
    only = text[: text.index("[[operation.step]]")] + text[text.index("[[operation.step]]\ncall") :]
    path.write_text(only[: only.rindex("[[operation.step]]")])
    assert "operation `Pay` asks for nothing: it only calls functions" in str(refused(path))


def test_annotations_that_promise_a_dictionary_are_believed(tmp_path: Path) -> None:
    for promised in (
        "dict",
        "dict[str, str]",
        "'dict[str, object]'",
        "object",
        "'Nowhere'",
        "typing.Mapping[str, str]",
    ):
        code = f"import typing\ndef sign(amount, shop) -> {promised}:\n    return {{}}\n"
        assert load_scenario(write(tmp_path, code)).plan()["functions"]


def double(amount: str, by: str = "2") -> dict[str, int]:
    """A function of this file."""
    return {"body": int(amount) * int(by)}


def built(function: Any, **keys: Any) -> loadstone.Scenario:
    pay = loadstone.Scenario("pay", target={"url": "http://127.0.0.1:8000"}, pacing={"think": 1})
    operation = pay.operation("Pay", limit_s=1, draw={"amount": {"kind": "int", "low": 1, "high": 9}})
    operation.call(function, **{"arguments": {"amount": "{amount}"}, "returns": "body", **keys})
    operation.post("/pay", body={"text": "{body}"})
    return pay


def test_a_function_of_python_is_called_itself() -> None:
    plan = built(double).checked().plan()
    assert plan["functions"][0]["name"] == "test_hooks.py:double"
    assert functions(plan) == [double]
    assert 'call = "test_hooks.py:double"' in built(double).to_toml()
    assert built("test_hooks.py:double").checked().plan()["functions"] == plan["functions"]


def test_what_a_record_could_not_name_is_refused_at_its_line() -> None:
    def inner(amount: str) -> dict[str, str]:
        return {"body": amount}

    for function in (inner, lambda amount: {"body": amount}, "".join, dict):
        with pytest.raises(LoadstoneError, match="is no function of a file") as error:
            built(function)
        assert error.value.slug == "scenario-python" and "test_hooks.py:" in str(error.value)
    with pytest.raises(ScenarioError, match="unexpected keyword argument 'to'") as wrong:
        built(double, arguments={"amount": "1", "to": "2"}).checked()
    assert re.search(r"test_hooks\.py:\d+, \[operation\.Pay\.step\.1\.arguments\]", str(wrong.value)) or (
        "[operation.Pay.step.1.call]" in str(wrong.value)
    )


def test_keys_of_calls_are_keys_of_steps() -> None:
    assert set(CallKeys.__annotations__) <= set(Step.model_fields) - {CALL}
