"""`loadstone try`: what a person sees of one user's walk, right and wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import scripted_site
from typer.testing import CliRunner, Result

from loadstone.cli import app
from loadstone.errors import RUN_FAILED, LoadstoneError

SHOP = """
format = 1
name = "shop"
[target]
url = "http://127.0.0.1:{port}"
[load]
{load}
timeout_s = 2
[session]
max_operations = 2
[pacing]
think = 30
[[operation]]
name = "Home"
limit_s = 1
[[operation.step]]
get = "/"
page = true
set = ["seen"]
extract.items.links = "/item/{{int}}"
extract.token.hidden = "token"
extract.price.between = ["<b>", "</b>"]
[[operation]]
name = "Buy"
limit_s = 1
[[operation.step]]
post = "/buy"
form.token = "{{token}}"
expect.contains = "Thank you"
[mix]
Home = {{ Buy = 1 }}
Buy = {{ Home = 1 }}
"""
HOME = b'<a href="/item/7"><a href="/item/9"><input name=token value=t1><img src="/a.png">'


def _page(body: bytes, head: bytes = b"200 OK\r\nContent-Type: text/html") -> bytes:
    return b"HTTP/1.1 " + head + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def _shop(path: str, number: int) -> bytes | None:
    answers = {
        "/": _page(HOME),
        "/buy": _page(b"", b"303 See Other\r\nLocation: /thanks"),
        "/thanks": _page(b"Thank you\x1b[2J", b"200 OK\r\nContent-Type: text/plain"),
        "/a.png": _page(b"picture", b"200 OK\r\nContent-Type: image/png"),
    }
    return answers.get(path, _page(b"none", b"404 Not Found"))


def _sold_out(path: str, number: int) -> bytes | None:
    if path == "/thanks":
        return _page(b"<p>sold out</p>\n" * 60, b"200 OK\r\nContent-Type: text/html\r\nX-Why: stock")
    return _shop(path, number)


def _try(folder: Path, port: int, *words: str, load: str = "users = 500") -> Result:
    (folder / "shop.toml").write_text(SHOP.format(port=port, load=load))
    return CliRunner().invoke(app, ["try", str(folder / "shop.toml"), *words])


def test_a_walk_is_told_request_by_request(tmp_path: Path) -> None:
    with scripted_site.site(_shop) as port:
        done = _try(tmp_path, port, "--operations", "3")
    assert done.exit_code == 0, done.output
    lines = [re.sub(r"  [\d.]+ ms$", "", line) for line in done.stdout.splitlines()]
    assert [line for line in lines if not line.startswith("      +")] == [
        "Session 1", "  1. Home",
        f"    GET /  200  {len(HOME)} B",
        "      token = t1", "      items = 2 items: 7, 9", "      seen: set",
        "      price: nothing found in this answer",
        "  2. Buy", "    POST /buy  303 → /thanks  0 B", "    GET /thanks  200  13 B",
        "Session 2", "  1. Home",
        f"    GET /  200  {len(HOME)} B",
        "      token = t1", "      items = 2 items: 7, 9", "      seen: set",
        "      price: nothing found in this answer",
        "3 operations, all as expected",
    ]  # fmt: skip
    assert done.stdout.count("+ 1 file of the page, 7 B") == 2
    assert not list(tmp_path.glob("runs*")), "nothing is written"


def test_think_times_are_left_out_also_where_sessions_arrive(tmp_path: Path) -> None:
    with scripted_site.site(_shop) as port:
        done = _try(tmp_path, port, "--operations", "4", load="sessions_per_s = 3")
    assert done.exit_code == 0 and "Session 2" in done.stdout, done.output


def test_what_failed_is_shown_whole(tmp_path: Path) -> None:
    with scripted_site.site(_sold_out) as port:
        done = _try(tmp_path, port, "--operations", "2")
    assert done.exit_code == 5
    said = done.stdout
    assert "      > GET /thanks HTTP/1.1" in said and "      < X-Why: stock" in said
    assert "      < … 20 more lines; --whole shows them" in said
    assert "      FAILED (marker): the body does not hold `Thank you`" in said, said
    assert "2 operations, 1 failed: Buy (" in said


def test_everything_is_shown_whole_when_asked_for(tmp_path: Path) -> None:
    with scripted_site.site(_shop) as port:
        done = _try(tmp_path, port, "--operations", "2", "--whole")
    assert "      > token=t1" in done.stdout
    assert "      < [7 B that are no text]" in done.stdout
    assert "    GET /a.png  200  7 B" in done.stdout


def test_json_has_one_line_an_exchange(tmp_path: Path) -> None:
    with scripted_site.site(_shop) as port:
        done = _try(tmp_path, port, "--operations", "1", "--json")
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["outcome"], first["not_found"], first["lists"]) == (
        "files",
        ["price"],
        {"items": ["7", "9"]},
    )
    assert second["file"] and second["status"] == 200


def test_a_service_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with scripted_site.site(_shop) as port:
        pass
    done = _try(tmp_path, port)
    assert isinstance(done.exception, LoadstoneError) and done.exception.exit_code == 3


def test_a_server_that_never_answers_ends_the_step_and_not_the_walk(tmp_path: Path) -> None:
    with scripted_site.site(lambda path, number: None if path == "/buy" else _shop(path, number)) as port:
        done = _try(tmp_path, port, "--operations", "3", "--set", "load.timeout_s=2")
    assert done.exit_code == 5
    assert (
        re.search(r"    POST /buy  no answer after 2[0-9]{3}\.", done.stdout)
        and "3 operations, 1 failed" in done.stdout
    )


def test_an_answer_that_comes_slowly_is_told_with_its_first_byte(tmp_path: Path) -> None:
    home = _page(HOME)
    slow = scripted_site.Slow(home[:-5], 0.2, home[-5:])
    with scripted_site.site(lambda path, number: slow if path == "/" else _shop(path, number)) as port:
        told = _try(tmp_path, port, "--operations", "1").stdout
        lines = _try(tmp_path, port, "--operations", "1", "--json").stdout.splitlines()
    (line,) = (line for line in told.splitlines() if line.startswith("    GET /  "))
    found = re.fullmatch(rf"    GET /  200  {len(HOME)} B  ([\d.]+) ms, first byte after ([\d.]+) ms", line)
    assert found and float(found[1]) >= 200 > float(found[2]), line
    home_told, picture = (json.loads(line) for line in lines)
    assert home_told["took_s"] >= 0.2 > home_told["first_byte_s"] > 0
    assert 0 < picture["first_byte_s"] <= picture["took_s"]


@pytest.mark.parametrize("words", [("--operations", "0"), ("--seed", "-1"), ("--set", "load.users=x")])
def test_bad_input_is_refused(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = _try(tmp_path, 1, *words)
    assert getattr(done.exception, "exit_code", done.exit_code) == 2


CALLS = """
format = 1
name = "calls"
[target]
url = "http://127.0.0.1:{port}"
[secrets]
key = {{ env = "CALLS_KEY" }}
[pacing]
think = 30
[[operation]]
name = "Buy"
limit_s = 1
draw.item = {{ kind = "int", low = 7, high = 7 }}
[[operation.step]]
get = "/"
[[operation.step]]
call = "sign.py:sign"
arguments = {{ item = "{{item}}", key = "{{secret.key}}" }}
returns = ["mark"]
[[operation.step]]
get = "/buy?mark={{mark}}"
"""


def test_calls_of_functions_are_told_between_the_requests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALLS_KEY", "c0ffee-for-calls")
    (tmp_path / "sign.py").write_text(
        "def sign(answer, item, key):\n"
        "    if 'token' not in answer.text:\n        raise LookupError(f'no token for {key}')\n"
        "    return {'mark': f'{item}-{len(key)}'}\n"
    )
    scenario = tmp_path / "calls.toml"
    for page, code in ((HOME, 0), (b"nothing", RUN_FAILED)):
        with scripted_site.site(lambda path, number, page=page: _page(page)) as port:
            scenario.write_text(CALLS.format(port=port))
            done = CliRunner().invoke(app, ["try", str(scenario), "--operations", "1"])
        assert done.exit_code == code, done.output
        told = re.sub(r"\d+\.\d ms", "T", done.output)
        assert "    CALL sign.py:sign item=7, key=***  T" in told.replace("no answer after ", ""), told
        assert "c0ffee" not in told
        if code:
            assert "FAILED (hook): LookupError: no token for *** (sign.py, line 3)" in told, told
        else:
            assert "      mark = 7-16\n    GET /buy?mark=7-16  200" in told, told


def _both(folder: Path, port: int, *words: str) -> Result:
    shop = SHOP.format(port=port, load="users = 5")
    (folder / "shop.toml").write_text(shop)
    (folder / "visits.toml").write_text(shop.replace("max_operations = 2", "max_operations = 1"))
    (folder / "both.toml").write_text(
        'format = 1\nname = "both"\n[load]\nusers = 500\n'
        '[[scenario]]\nfile = "shop.toml"\nshare = 1\n[[scenario]]\nfile = "visits.toml"\nshare = 9\n'
    )
    return CliRunner().invoke(app, ["try", str(folder / "both.toml"), *words])


def _headings(said: str) -> list[str]:
    return [line.strip() for line in said.splitlines() if re.match(r"Scenario|Session|  \d", line)]


def test_several_scenarios_are_walked_one_after_the_other(tmp_path: Path) -> None:
    with scripted_site.site(_shop) as port:
        done = _both(tmp_path, port, "--operations", "2")
    assert done.exit_code == 0, done.output
    assert _headings(done.stdout) == [
        "Scenario shop", "Session 1", "1. shop.Home", "2. shop.Buy",
        "Scenario visits", "Session 1", "1. visits.Home", "Session 2", "1. visits.Home",
    ]  # fmt: skip
    assert done.stdout.endswith("4 operations, all as expected\n")


def test_of_several_scenarios_one_may_be_walked(tmp_path: Path) -> None:
    with scripted_site.site(_shop) as port:
        done = _both(tmp_path, port, "--operations", "1", "--only", "visits")
        told = _both(tmp_path, port, "--operations", "1", "--only", "visits", "--json")
        wrong = _both(tmp_path, port, "--only", "visit")
        alone = _try(tmp_path, port, "--only", "shop")
    assert _headings(done.stdout) == ["Scenario visits", "Session 1", "1. visits.Home"]
    assert {json.loads(line)["scenario"] for line in told.stdout.splitlines()} == {"visits"}
    for refused, words in ((wrong, "did you mean `visits`?"), (alone, "`shop` is one scenario")):
        assert isinstance(refused.exception, LoadstoneError) and words in str(refused.exception)
        assert refused.exception.slug == "scenario-part"


def test_one_of_one_walks_like_its_file(tmp_path: Path) -> None:
    """The same seed, the same requests and answers; only names of operations have the scenario's before."""
    (tmp_path / "one.toml").write_text(
        'format = 1\nname = "one"\n[[scenario]]\nfile = "shop.toml"\nshare = 1\n'
    )

    def walked(file: str) -> list[tuple[object, ...]]:
        words = ["try", str(tmp_path / file), "--operations", "9", "--seed", "5", "--json"]
        lines = CliRunner().invoke(app, words).stdout.splitlines()
        keys = ("session", "number", "step", "request", "status", "values", "lists", "flags")
        told = [json.loads(line) for line in lines]
        return [(one["operation"].removeprefix("shop."), *(one[key] for key in keys)) for one in told]

    with scripted_site.site(_shop) as port:
        (tmp_path / "shop.toml").write_text(SHOP.format(port=port, load="users = 5"))
        alone, composed = walked("shop.toml"), walked("one.toml")
    assert alone == composed and len(alone) > 9
