"""Logs as servers write them, as people keep them, and as nobody should write them."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from handed import loadstone
from simulated_logs import START, WORKLOADS, hits, line

from loadstone.errors import LoadstoneError
from loadstone.intake.logs import LONGEST, line_blocks
from loadstone.learn import Lesson, Named, Options, learn
from loadstone.learn.formats import of_format, of_json
from loadstone.learn.read import read
from loadstone.stages.learn import Learned

AT = "25/Nov/2026:23:47:19 +0100"
LINE = f'1.2.3.4 - ann [{AT}] "GET /a?b=1 HTTP/1.1" 200 5 "-" "M \\"x\\" 5"'
SECONDS = 1795646839.0


def lesson(path: Path, **options: object) -> Lesson:
    parts = path.parent / f"{path.name}-parts"
    parts.mkdir()
    return learn([str(path)], Options(**options), parts, {})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> str:
    return "".join(line(*hit) for hit in hits(WORKLOADS["browse"], 150, 3))


@pytest.mark.parametrize(
    ("format", "text", "user"),
    [
        ("combined", LINE, None),
        ("vhost-combined", f"www:443 {LINE}", None),
        (
            '%h %l %u %t \\"%r\\" %>s %b \\"%{Referer}i\\" \\"%{User-Agent}i\\" %D %{sid}C',
            f'1.2.3.4 - ann [{AT}] "GET /a?b=1 HTTP/1.1" 200 5 "-" "M \\"x\\" 5" 1500000 ann', "sid",
        ),
        (
            '$msec|$remote_addr|$request_method|$uri|$args|$status|"$http_user_agent"|${request_time}|$remote_user',
            '1795646839.000|1.2.3.4|GET|/a|b=1|200|"M \\"x\\" 5"|1.500|ann', "$remote_user",
        ),
        (
            "%{sec}t %a %m %U%q %s \"%{User-agent}i\" %{ms}T %u",
            '1795646839 1.2.3.4 GET /a?b=1 200 "M \\"x\\" 5" 1500 ann', "%u",
        ),
    ],
)  # fmt: skip
def test_formats(format: str, text: str, user: str | None) -> None:
    hit = of_format(format, user).parse(text.encode())
    assert hit is not None
    assert (hit.address, hit.agent, hit.at_s) == ("1.2.3.4", 'M \\"x\\" 5', SECONDS)
    assert (hit.method, hit.target, hit.status) == ("GET", "/a?b=1", 200)
    assert hit.user == ("ann" if user else "")
    assert hit.took_s == (1.5 if user else None)


@pytest.mark.parametrize(
    "content",
    [
        {"remote_addr": "1.2.3.4", "time_iso8601": "2026-11-25T23:47:19+01:00",
         "request": "GET /a?b=1 HTTP/1.1", "status": "200", "request_time": "1.5", "http_user_agent": "M"},
        {"request": {"remote_ip": "1.2.3.4", "method": "GET", "uri": "/a?b=1",
                     "headers": {"User-Agent": ["M"]}}, "ts": SECONDS, "status": 200, "duration": 1.5},
        {"client": {"x": 1}, "ip": "1.2.3.4", "timestamp": SECONDS * 1000, "method": "GET",
         "path": "/a", "query": "b=1", "status_code": 200, "duration_ms": 1500, "user_agent": "M"},
    ],
)  # fmt: skip
def test_json_lines(content: dict[str, object]) -> None:
    hit = of_json({}).parse(json.dumps(content).encode())
    assert hit == ("1.2.3.4", "M", "", SECONDS, "GET", "/a?b=1", 200, 1.5)


@pytest.mark.parametrize(
    "format", ["$remote_addr $status", "%h %r %>s", "%h %t %r", "%{%Y}t %h %r %>s", "x" * 5000, "nonsense"]
)
def test_a_format_that_says_too_little_is_refused(format: str) -> None:
    with pytest.raises(LoadstoneError) as caught:
        of_format(format)
    assert caught.value.slug == "log-format"


@pytest.mark.parametrize("packed", [False, True])
def test_the_command_writes_a_scenario_a_record_and_a_page(packed: bool, good: str, tmp_path: Path) -> None:
    log = tmp_path / ("access.log.gz" if packed else "access.log")
    log.write_bytes(gzip.compress(good.encode()) if packed else good.encode())
    ended = loadstone("learn", str(log), "--out", str(tmp_path / "out"), "--name", "shop")
    assert ended.code == 0, ended.err
    assert (tmp_path / "out" / "scenario.toml").read_text() == ended.out
    assert loadstone("check", str(tmp_path / "out" / "scenario.toml")).code == 0
    record = json.loads((tmp_path / "out" / "learn.json").read_text())
    assert record["log"]["format"] == "combined" and record["name"] == "shop"
    assert Learned.model_validate({k: v for k, v in record.items() if k not in ("format", "kind")})
    page = (tmp_path / "out" / "learn.html").read_text()
    assert "How near a replay comes" in page and "items-id" in page


def test_several_logs_are_one(good: str, tmp_path: Path) -> None:
    lines = good.splitlines(keepends=True)
    for name, part in (("a", lines[: len(lines) // 2]), ("b", lines[len(lines) // 2 :]), ("all", lines)):
        (tmp_path / name).write_text("".join(part))
    for name in ("two", "one"):
        (tmp_path / name).mkdir()
    two = learn([str(tmp_path / "b"), str(tmp_path / "a")], Options(), tmp_path / "two", {})
    one = learn([str(tmp_path / "all")], Options(), tmp_path / "one", {})
    assert two.record.classes == one.record.classes and two.record.pauses == one.record.pauses


def test_files_that_belong_to_no_page_make_no_visit_longer(good: str, tmp_path: Path) -> None:
    users = sorted({text.split()[0] for text in good.splitlines()})
    # Each has asked for a file long before its first page, and asks for one of a page that is open for ever.
    strays = [at + f' - - [{day}/2026:10:00:00 +0000] "GET /a.css HTTP/1.1" 200 5 "-" "M"\n'
              for at in users for day in ("01/Jan", "28/Dec")]  # fmt: skip
    for name, text in (("good", good), ("more", good + "".join(strays))):
        (tmp_path / name).write_text(text)
    few, many = (lesson(tmp_path / name).record for name in ("good", "more"))
    assert many.log.files_of_pages == few.log.files_of_pages + len(strays)
    assert many.arrivals.mean_duration_s == few.arrivals.mean_duration_s
    assert [one.files_per_visit for one in many.operations] == [one.files_per_visit for one in few.operations]


def test_think_times_where_the_log_has_how_long_requests_took(tmp_path: Path) -> None:
    lines = []
    for user in range(60):
        at = START + 50_000 * user
        for number in range(12):
            # The server writes the line at the end of the request, 2 s after its start.
            lines.append(f"{at + 2:.3f} 10.0.0.{user} GET /p{number % 2} 200 2.000\n")
            at += 2 + 5
    (tmp_path / "log").write_text("".join(lines))
    format = "$msec $remote_addr $request_method $request_uri $status $request_time"
    pauses = lesson(tmp_path / "log", format=format).record.pauses
    assert pauses is not None and pauses.kind == "think"
    assert pauses.mean_s == pytest.approx(5, rel=0.03)


def test_who_is_no_person_is_left_out_and_counted(good: str, tmp_path: Path) -> None:
    more = [line(START + 9 * n, 70_000, "GET", "/items/3", "Googlebot/2.1") for n in range(50)]
    more += [line(START + 7.2 * n, 70_001, "GET", "/cart") for n in range(400)]
    more += [line(START + 0.4 * n, 70_002, "GET", "/help") for n in range(400)]
    more += [line(START + n, 70_003, "GET", "/cart", f"browser {n}") for n in range(12)]
    more += [line(START, 70_004, "GET", "/robots.txt"), line(START + 5, 70_004, "GET", "/help")]
    more += [line(START + 60 * n, 70_005, "GET", "/.env", status=404) for n in range(9)]
    (tmp_path / "clean").write_text(good)
    (tmp_path / "log").write_text(good + "".join(more))
    found, clean = lesson(tmp_path / "log").record, lesson(tmp_path / "clean").record
    assert found.left_out.clients == {
        "programs by their user agent": 1, "programs that read robots.txt": 1, "addresses shared by many": 12,
        "faster than people": 1, "as regular as a clock": 1,
    }  # fmt: skip
    assert found.left_out.requests["answered with 4xx"] == 9
    assert (found.classes, found.pauses, found.arrivals) == (clean.classes, clean.pauses, clean.arrivals)


def test_a_redirect_and_what_follows_are_one_operation(good: str, tmp_path: Path) -> None:
    extra = []
    for user in range(40):
        at = START + 1000 * user
        extra += [
            line(at, 80_000 + user, "POST", "/login", status=302), line(at, 80_000 + user, "GET", "/welcome"),
            line(at + 9, 80_000 + user, "GET", "/cart"),
        ]  # fmt: skip
    (tmp_path / "log").write_text(good + "".join(extra))
    found = lesson(tmp_path / "log").record
    counts = {one.name: one.count for one in found.operations}
    assert "welcome" not in counts and counts["post-login"] > 20
    assert found.classes.classes[0].mix["post-login"] == {"cart": 1.0}


def test_slugs_are_folded_and_what_is_asked_for_often_is_not(good: str, tmp_path: Path) -> None:
    extra = [
        line(START + 700 * n, 90_000 + n, "GET", f"/wiki/{chr(97 + n % 26)}{chr(97 + n // 26)}-page")
        for n in range(120)
    ]
    extra += [line(START + 700 * n + 5, 90_000 + n, "GET", "/wiki/Main") for n in range(120)]
    (tmp_path / "log").write_text(good + "".join(extra))
    found = {one.path for one in lesson(tmp_path / "log").record.operations}
    assert {"/wiki/{slug}", "/wiki/Main"} <= found


def test_operations_by_name(good: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(good)
    named = [Named("Look", re.compile(r"^/(items/|search)"))]
    found = lesson(tmp_path / "log", operations=named).record
    assert {one.name for one in found.operations} == {"Look", "home", "cart", "post-checkout"}


def test_a_cookie_tells_people_apart(tmp_path: Path) -> None:
    lines = []
    for user in range(80):
        for n in range(4):
            at = START + 500 * (user // 4) + 10 * n + user % 4
            lines.append(f"{at} 10.0.0.1 GET /p{n % 2} 200 u{user}\n")
    (tmp_path / "log").write_text("".join(lines))
    format = "$msec $remote_addr $request_method $request_uri $status $cookie_sid"
    found = lesson(tmp_path / "log", format=format, user="cookie_sid").record
    assert found.arrivals.clients == 80 and found.left_out.clients == {}


def test_bad_lines_are_counted_and_shown(good: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text("what is this\n" + good + "\x1b[2J and this\n")
    ended = loadstone("learn", str(tmp_path / "log"), "--out", str(tmp_path / "out"))
    assert ended.code == 0
    assert f"the first at {tmp_path}/log:1: 'what is this'" in ended.err
    assert "\x1b" not in ended.err
    record = json.loads((tmp_path / "out" / "learn.json").read_text())
    assert record["log"]["bad"] == 2


def test_a_log_of_another_format_is_refused_with_what_was_tried(good: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text("nothing\nof\nthe\nkind\n" * 50)
    ended = loadstone("learn", str(tmp_path / "log"), "--out", str(tmp_path / "out"))
    assert ended.code == 2 and "error[log-format]" in ended.err and "vhost-combined" in ended.err
    (tmp_path / "half").write_text(good + "nothing of the kind\n" * len(good.splitlines()))
    ended = loadstone("learn", str(tmp_path / "half"), "--out", str(tmp_path / "out"))
    assert ended.code == 2 and "are not of the format `combined`" in ended.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "slug"),
    [
        (["--classes", "0"], "bad-option"), (["--operation", "Look"], "bad-option"),
        (["--operation", "end=x"], "bad-option"), (["--operation", "A=("], "bad-regex"),
        (["--field", "x=y"], "log-format"), (["--user", "sid"], "log-format"),
        (["--cutoff", "0.1"], "bad-option"), (["--format", "%h"], "log-format"),
    ],
)  # fmt: skip
def test_options_that_say_nothing_are_refused(words: list[str], slug: str, good: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(good)
    ended = loadstone("learn", str(tmp_path / "log"), "--out", str(tmp_path / "out"), *words)
    assert ended.code == 2 and f"error[{slug}]" in ended.err


def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "cut.gz").write_bytes(b"\x1f\x8b\x08\x00garbage" * 9)
    (tmp_path / "bots").write_text("".join(line(START + n, n, "GET", "/", "bot/1") for n in range(99)))
    for name, slug in (
        ("empty", "log-format"), ("missing", "log-file"), (".", "log-file"), ("cut.gz", "log-file"),
        ("bots", "log-empty"),
    ):  # fmt: skip
        ended = loadstone("learn", str(tmp_path / name), "--out", str(tmp_path / "out"))
        assert ended.code == 2 and f"error[{slug}]" in ended.err, ended.err


def test_a_gzip_bomb_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(b"0" * (200 << 20)))
    with pytest.raises(LoadstoneError, match="unpacks to more than"):
        for _ in line_blocks(str(tmp_path / "bomb.gz")):
            pass


def test_the_end_of_a_gzip_file_that_is_still_written_is_the_end(good: str, tmp_path: Path) -> None:
    packed = gzip.compress(good.encode())
    (tmp_path / "log.gz").write_bytes(packed[: len(packed) * 2 // 3])
    assert lesson(tmp_path / "log.gz").record.log.lines > 500


def test_a_line_of_ten_million_bytes_is_cut(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"a\n" + b"x" * 10_000_000 + b"\nb\n" + b"y" * 10_000_000)
    lines = [one for block in line_blocks(str(tmp_path / "log")) for one in block]
    assert [lines[0], lines[2]] == [b"a", b"b"]
    assert len(lines) == 4 and LONGEST < len(lines[1]) <= 2 << 20


def test_hostile_lines_are_bad_lines(good: str, tmp_path: Path) -> None:
    hostile = [
        b"\xff\xfe\x00" * 9, b"[" * 60_000, b'{"a":' * 9_000, b'{"status": ' + b"9" * 60_000 + b"}",
        b"x" * 1_000_000, b'1.1.1.1 - - [99/Foo/2026:99:99:99 +9999] "GET / HTTP/1.1" 200 1 "-" "-"',
        b'1.1.1.1 - - [25/Nov/2026:23:47:19 +0100] "GET" 200 1 "-" "' + b"\\" * 40_000 + b'"',
    ]  # fmt: skip
    (tmp_path / "log").write_bytes(good.encode() + b"\n".join(hostile))
    assert lesson(tmp_path / "log").record.log.bad == len(hostile)


def test_paths_that_are_all_different_take_bounded_memory(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w") as file:
        for n in range(30_000):
            word = "".join(chr(97 + n // 26**k % 26) for k in range(4))
            file.write(line(START + n, n % 900, "GET", f"/{word}/{word[::-1]}/x{word}"))
    (tmp_path / "parts").mkdir()
    log = read(
        [str(tmp_path / "log")], tmp_path / "parts", format=None, keys={}, user=None, named=[], files=None,
        most_bad=0, told=lambda _count: None,
    )  # fmt: skip
    assert log.paths.leaves < 10_000


def test_what_a_log_holds_cannot_leave_its_place_in_the_scenario(good: str, tmp_path: Path) -> None:
    extra = [
        line(START + 700 * n, 90_000 + n, "GET", f'/a{{b}}/\\"]\\n[mix]/{n}?x\\"=1&ok=2&é=3', f"agent {n}")
        for n in range(200)
    ]
    (tmp_path / "log").write_text(good + "".join(extra))
    ended = loadstone("learn", str(tmp_path / "log"), "--out", str(tmp_path / "out"))
    assert ended.code == 0, ended.err
    assert loadstone("check", str(tmp_path / "out" / "scenario.toml")).code == 0
