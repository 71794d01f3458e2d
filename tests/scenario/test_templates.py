import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadstone.scenario.plan import json_template
from loadstone.scenario.templates import Reference, TemplateError, fill, literal, parse, references

NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True)


def rendered(template: str, values: dict[str, str]) -> str:
    """What the engine makes of a template."""
    return "".join(part if isinstance(part, str) else values[part.name] for part in parse(template))


def test_references_and_braces() -> None:
    assert references("/events/{event}?on={day.year}") == [Reference("event", None), Reference("day", "year")]
    assert "".join(str(part) for part in parse("{{}} } a}")) == "{} } a}"


@pytest.mark.parametrize("text", ["{", "a{b", "{a b}", "{}", "{1}", "{a.hour}", '{"a": 1}', "{a{b}}"])
def test_refused(text: str) -> None:
    with pytest.raises(TemplateError):
        parse(text)


@given(st.text())
def test_any_text_becomes_a_template_of_itself(text: str) -> None:
    assert rendered(literal(text), {}) == text


@given(st.text(alphabet="{}ab.1 \n", max_size=12))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        parts = parse(text)
    except TemplateError:
        assert "{" in text
    else:
        assert all(part if isinstance(part, str) else part.name for part in parts)


@given(
    st.lists(st.one_of(st.text(max_size=4).map(literal), NAMES.map("{{{}}}".format)), max_size=6),
    NAMES,
    st.text(),
)
def test_filling_then_rendering_is_rendering(parts: list[str], name: str, value: str) -> None:
    template = "".join(parts)
    values = {reference.name: "v" for reference in references(template)} | {name: value}
    assert rendered(fill(template, {name: value}), values) == rendered(template, values)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4).map(literal),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
)


@given(JSON)
def test_json_bodies_are_templates_of_their_json(value: object) -> None:
    def filled(node: object) -> object:
        if isinstance(node, dict):
            return {key: filled(item) for key, item in node.items()}
        if isinstance(node, list):
            return [filled(item) for item in node]
        return rendered(node, {}) if isinstance(node, str) else node

    assert json.loads(rendered(json_template(value), {})) == filled(value)


def test_json_bodies_hold_values() -> None:
    assert rendered(json_template({"id": "{id}", "n": 1}), {"id": "7"}) == '{"id": "7", "n": 1}'
