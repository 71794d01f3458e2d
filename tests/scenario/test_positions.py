import tomllib
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from loadstone.scenario.positions import Path, Positions

EVERYTHING = '''\
# a comment
top = "text # no comment"
"quoted key" . 'and another' = 1

[table]
multi = """
[not.a.header]
key = 1\\"""" # comment
literal = \'\'\'
]]\'\'\'\'\'
dates = [1979-05-27 07:32:00, # ]
  1979-05-27]
inline = { a.b = 1, c = { d = "}" }, e = [{ f = 1 }] }

[[list]]
name = "one"
[list.sub]
x = 1
[[list.sub.deep]]
y = 1

[[list]]
name = "two"
[[list.steps]]
a = 1
[[list.steps]]
a = 2
[a.b.c]
d = 1
[a]
z = 1
'''


def paths(node: Any, at: Path = ()) -> Iterator[Path]:
    """Every path of a table."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, item in items:
        yield (*at, key)
        yield from paths(item, (*at, key))


def test_lines_of_everything_toml_has() -> None:
    lines = Positions(EVERYTHING).lines
    assert set(lines) == set(paths(tomllib.loads(EVERYTHING)))
    expected: dict[Path, int] = {
        ("top",): 2,
        ("quoted key", "and another"): 3,
        ("table",): 5,
        ("table", "multi"): 6,
        ("table", "literal"): 9,
        ("table", "dates", 0): 11,
        ("table", "dates", 1): 12,
        ("table", "inline", "c", "d"): 13,
        ("table", "inline", "e", 0, "f"): 13,
        ("list", 0): 15,
        ("list", 0, "sub", "x"): 18,
        ("list", 0, "sub", "deep", 0, "y"): 20,
        ("list", 1, "name"): 23,
        ("list", 1, "steps", 1, "a"): 27,
        ("a",): 30,
        ("a", "b", "c", "d"): 29,
    }
    assert {path: lines[path] for path in expected} == expected


def test_a_missing_path_is_where_its_nearest_ancestor_is() -> None:
    positions = Positions("\n\n[a]\n\nb = [\n1]")
    assert positions.line(("a", "c", 3)) == 3
    assert positions.line(("a", "b", 7)) == 5
    assert positions.line(("x",)) == 1


SCALARS = st.one_of(
    st.integers(-9, 9).map(str),
    st.booleans().map(lambda value: str(value).lower()),
    st.sampled_from(
        ["1.5e3", "inf", "1979-05-27", "07:32:00", "''", '"a # ] } ="', '"\\\\"', "'''\n\n'''", '"""\n\\""""']
    ),
)
KEYS = st.sampled_from(["a", "b-c", "3", '"x.y"', "'['", '""', '"\\u0041"'])
GAPS = st.sampled_from(["", " ", "\n", " # ]\n", "\n\n\t"])


@st.composite
def arrays(draw: st.DrawFn, items: st.SearchStrategy[str]) -> str:
    parts = draw(st.lists(items, max_size=3))
    gaps = [draw(GAPS) for _ in range(2 * len(parts) + 1)]
    body = ",".join(f"{gaps[2 * n]}{part}{gaps[2 * n + 1]}" for n, part in enumerate(parts))
    return f"[{body}{',' if parts and draw(st.booleans()) else ''}{gaps[-1]}]"


@st.composite
def inline_tables(draw: st.DrawFn, items: st.SearchStrategy[str]) -> str:
    keys = draw(st.lists(KEYS, max_size=3, unique=True))
    return "{" + ", ".join(f"{key} = {draw(items)}" for key in keys) + " }"


VALUES = st.recursive(SCALARS, lambda inner: arrays(inner) | inline_tables(inner), max_leaves=8)
PAIRS = st.tuples(st.lists(KEYS, min_size=1, max_size=2), VALUES).map(
    lambda pair: f"{' . '.join(pair[0])} = {pair[1]}"
)
HEADERS = st.tuples(st.sampled_from(["[ {} ]", "[[{}]]"]), st.lists(KEYS, min_size=1, max_size=3)).map(
    lambda header: header[0].format(".".join(header[1]))
)


@given(
    st.lists(PAIRS | HEADERS | st.sampled_from(["", "# [x]"]), max_size=12), st.sampled_from(["\n", "\r\n"])
)
def test_positions_are_of_exactly_the_keys_that_tomllib_reads(lines: list[str], newline: str) -> None:
    text = "\n".join(lines).replace("\n", newline)
    try:
        read = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return  # generated texts may define a key twice
    positions = Positions(text).lines
    assert set(positions) == set(paths(read))
    assert all(1 <= line <= text.count("\n") + 1 for line in positions.values())


@given(
    st.lists(st.tuples(st.sampled_from(["[t{}]", "[[t{}]]", "k{} = 1", "k{} = [\n1,\n2]"]), GAPS), max_size=9)
)
def test_lines_are_those_of_the_text(parts: list[tuple[str, str]]) -> None:
    text, expected = "", {}
    for number, (part, gap) in enumerate(parts):
        expected[number] = text.count("\n") + 1
        text += part.format(number) + "\n" + gap.strip(" \t#]")
    for path, line in Positions(text).lines.items():
        keys = [key for key in path if isinstance(key, str)]
        if path == (keys[-1],) or len(path) == len(keys):
            assert line == expected[int(keys[-1][1:])]
