"""Scenarios from recordings and descriptions: good, without secrets, and nothing is dropped in silence."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from handed import Ended, loadstone
from recordings import CSRF, OPENAPI, SECRETS, har
from simulated_logs import START

ONLY_A_FILE = """{"log": {"entries": [{"startedDateTime": "2026-11-25T10:00:00Z",
"request": {"method": "GET", "url": "http://a.example/x.png"}}]}}"""


def imported(folder: Path, name: str, text: str, *words: str) -> tuple[Ended, dict[str, Any]]:
    """What the command said, and the scenario, which `check` must accept."""
    (folder / name).write_text(text, "utf-8")
    ended = loadstone("import", str(folder / name), *words)
    assert ended.code == 0, ended.err
    (folder / "made.toml").write_text(ended.out, "utf-8")
    checked = loadstone("check", str(folder / "made.toml"))
    assert checked.code == 0, checked.err
    return ended, tomllib.loads(ended.out)


def operations(scenario: dict[str, Any]) -> dict[str, Any]:
    return {one["name"]: one for one in scenario["operation"]}


@pytest.fixture(params=[True, False], ids=["chrome", "firefox"])
def recorded(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Ended, dict[str, Any]]:
    return imported(tmp_path, "shop.har", har(chrome=request.param))


def test_no_secret_is_written(recorded: tuple[Ended, dict[str, Any]]) -> None:
    ended, _ = recorded
    for secret in (*SECRETS, CSRF):
        assert secret not in ended.out + ended.err


def test_values_sent_back_are_extracted(recorded: tuple[Ended, dict[str, Any]]) -> None:
    found = operations(recorded[1])
    login, sent = found["login"]["step"][0], found["post-login"]["step"][0]
    assert login["extract"] == {"authenticity_token": {"hidden": "authenticity_token"}}
    assert sent["form"] == {
        "authenticity_token": "{authenticity_token}", "user": "ann", "password": "REPLACE-ME",
    }  # fmt: skip
    call = found["post-login"]["step"][1]
    assert call["get"] == "/api/cart" and "cartId" in call["extract"]["cartId"]["regex"]
    last = found["post-api-cart-item-lines"]["step"][0]
    assert last["post"] == "/api/cart/{cartId}/lines?trace=%7B1%7D"
    assert last["json"] == {
        "cart": "{cartId}", "count": 2, "note": 'a "quoted" {{note}}', "pw": "REPLACE-ME",
    }  # fmt: skip
    assert last["expect"] == {"status": 201}


def test_pages_have_their_files_and_pauses_are_kept(recorded: tuple[Ended, dict[str, Any]]) -> None:
    found = operations(recorded[1])
    assert list(found) == ["login", "post-login", "post-api-cart-item-lines"]
    assert found["login"]["step"][0]["page"] is True
    assert found["post-login"]["pacing"] == {"think": pytest.approx(7.88)}
    assert found["post-api-cart-item-lines"]["pacing"] == {"think": pytest.approx(11.38)}
    assert recorded[1]["mix"]["login"] == {"post-login": 1}


def test_what_is_left_out_is_said_twice(recorded: tuple[Ended, dict[str, Any]]) -> None:
    ended, scenario = recorded
    assert scenario["target"]["url"] == "https://shop.example"
    for words in ("1 requests to ads.example", "`gift` of a JSON body was null"):
        assert words in ended.err
        assert words in " ".join(ended.out.replace("\n#", "").split())
    assert ("WebSocket" in ended.err) == ("WebSocket" in ended.out)


def test_a_description_becomes_operations(tmp_path: Path) -> None:
    ended, scenario = imported(tmp_path, "openapi.yaml", OPENAPI)
    found = operations(scenario)
    assert list(found) == ["enter", "listPets", "addPet", "showPet", "delete-v1-pets"]
    assert scenario["target"]["url"] == "https://pets.example"
    assert found["listPets"]["step"][0]["get"] == "/v1/pets?limit={limit}"
    assert found["listPets"]["draw"]["limit"] == {"kind": "int", "low": 1, "high": 50}
    assert found["showPet"]["draw"]["petId"] == {"kind": "int", "low": 5, "high": 9}
    sent = found["addPet"]["step"][0]
    assert sent["expect"] == {"status": 201}
    assert sent["headers"] == {"Authorization": "Bearer REPLACE-ME"}
    pet = sent["json"]
    assert pet["age"] == 2 and "id" not in pet and pet["password"] == "REPLACE-ME"
    assert found["addPet"]["draw"]["kind"] == {"kind": "pick", "from": ["cat", "dog"]}
    for words in (
        "equal shares",
        "numbers in JSON bodies",
        "security `token`",
        "larger than what is generated",
    ):
        assert words in ended.err


def test_json_and_yaml_are_one(tmp_path: Path) -> None:
    import yaml

    content = yaml.safe_load(OPENAPI)
    first, _ = imported(tmp_path, "api.yaml", OPENAPI)
    second, _ = imported(tmp_path, "api.json", json.dumps(content, default=str))
    assert first.out == second.out


def test_the_mix_of_a_description_comes_from_a_log(tmp_path: Path) -> None:
    lines = []
    for user in range(120):
        at = START + 400 * user
        for method, path in (
            ("GET", "/v1/pets?limit=3"),
            ("GET", "/v1/pets/7"),
            ("POST", "/v1/pets"),
            ("GET", "/x"),
        ):
            lines.append(f"{at} 10.0.0.{user} {method} {path} 200\n")
            at += 6
    (tmp_path / "log").write_text("".join(lines))
    json_lines = "".join(
        json.dumps({"ts": int(at), "ip": ip, "method": method, "uri": path, "status": 200}) + "\n"
        for at, ip, method, path, _ in (line.split() for line in lines)
    )
    (tmp_path / "log").write_text(json_lines)
    ended, scenario = imported(tmp_path, "api.yaml", OPENAPI, "--log", str(tmp_path / "log"))
    assert list(operations(scenario)) == ["enter", "listPets", "addPet", "showPet"]
    assert scenario["mix"]["listPets"] == {"showPet": 1}
    assert scenario["mix"]["addPet"] == {"end": 1}
    assert "the log does not have: delete-v1-pets" in ended.err


@pytest.mark.parametrize(
    "text",
    [
        "", "nothing", "{}", "[]", '{"log": {}}', '{"log": {"entries": []}}', '{"log": {"entries": [1, {}]}}',
        '{"openapi": "3.0.0"}', '{"openapi": "3.0.0", "paths": 5}', '{"swagger": "2.0", "paths": {}}',
        ONLY_A_FILE,
        "a: &x [1]\nb: *x", "a: " + "[" * 100, "{" * 100, "!!python/object:os.system x", "a: b: c", "\x00",
        '{"log": {"entries": [{"startedDateTime": "2026", "request": {"method": "GET", "url": "http://[x"}}]}}',
    ],
)  # fmt: skip
def test_what_is_neither_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "it").write_text(text)
    ended = loadstone("import", str(tmp_path / "it"))
    assert ended.code == 2 and "error[import-file]" in ended.err, (ended.out, ended.err)


def test_hostile_names_stay_in_their_place(tmp_path: Path) -> None:
    text = har(chrome=True)
    for old, new in (
        ("/login", '/lo\\"g{in}\\n[mix]'), ("authenticity_token", 'a\\"b{c}\\u202e'), ("cartId", "c\\\\[]+"),
        ("ann", "{x}\\u001b[2J\\ud800"), ("X-Partner-Key", "X-\\r\\nEvil"),
    ):  # fmt: skip
        text = text.replace(old, new)
    imported(tmp_path, "it.har", text, "--name", 'x"\n[mix]')
    api = OPENAPI.replace("listPets", '"a}{\\n\\"b"').replace("petId", "pet id").replace("[cat", '["{x}"')
    imported(tmp_path, "api.yaml", api)


def test_a_log_does_not_go_with_a_recording(tmp_path: Path) -> None:
    (tmp_path / "it.har").write_text(har(chrome=True))
    ended = loadstone("import", str(tmp_path / "it.har"), "--log", "x")
    assert ended.code == 2 and "error[bad-option]" in ended.err
