"""The field's families by another tool: Storm's answers lie where its own precision allows."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadstone.ctmc.solve import solve

MODELS = Path(__file__).parents[2] / "bench" / "models"

CASES = [
    ("cluster", "n", 4, {"ask": "long-run", "of": "short"}, 'R{"short"}=? [ LRA ]'),
    ("cluster", "n", 4, {"ask": "until", "of": "short", "time": 100.0}, 'R{"short"}=? [ C<=100 ]'),
    ("embedded", "patience", 2, {"ask": "first-by", "of": "down", "time": 3600.0}, 'P=? [ F<=3600 "down" ]'),
    ("kanban", "n", 2, {"ask": "long-run", "of": "in_cell_1"}, 'R{"in_cell_1"}=? [ LRA ]'),
    ("tandem", "c", 15, {"ask": "until", "of": "customers", "time": 1.0}, 'R{"customers"}=? [ C<=1 ]'),
]


@pytest.mark.long
@pytest.mark.parametrize(("name", "constant", "value", "question", "formula"), CASES)
def test_storm_agrees(
    name: str, constant: str, value: int, question: dict[str, object], formula: str, tmp_path: Path
) -> None:
    """Storm stops at a relative change of 1e-6, which for slow sweeps is not an error of 1e-6: hence 1e-4."""
    stormpy = pytest.importorskip("stormpy")
    text = (MODELS / f"{name}.prism").read_text("utf-8")
    text = text.replace(f"const int {constant};", f"const int {constant} = {value};")
    [figure] = solve({"prism": {"text": text}}, [question], name, precision=1e-8)["answers"]
    file = tmp_path / "model.prism"
    file.write_text(text, "utf-8")
    program = stormpy.parse_prism_program(str(file), prism_compatibility=True)
    [asked] = stormpy.parse_properties(formula, program)
    built = stormpy.build_model(program, [asked])
    [start] = built.initial_states
    found = stormpy.model_checking(built, asked).get_value_vector()[start]
    assert figure["low"] * (1 - 1e-4) <= found <= figure["high"] * (1 + 1e-4)
