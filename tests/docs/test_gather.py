"""Links of the documentation: within the site, to the checkout, to nowhere."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def gather() -> ModuleType:
    sys.path.insert(0, str(DOCS / "site"))
    try:
        spec = importlib.util.spec_from_file_location("gather", DOCS / "site/gather.py")
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(DOCS / "site"))
    return module


@pytest.mark.parametrize(
    ("link", "on_site"),
    [
        ("[run](run.md#checks)", "[run](run.md#checks)"),
        ("[why](../background/engine.md)", "[why](../background/engine.md)"),
        ("[code](../../ARCHITECTURE.md)", "[code](../architecture.md)"),
        ("[a shop](../../examples/plan/shop.toml)", "a shop (`examples/plan/shop.toml`)"),
        ("[`examples/plan/shop.toml`](../../examples/plan/shop.toml)", "`examples/plan/shop.toml`"),
        ("[all](commands.md)", "[all](commands.md)"),
        ("[out](https://example.org/a.md)", "[out](https://example.org/a.md)"),
    ],
)
def test_a_link_leads_to_its_page_or_names_its_file(gather: ModuleType, link: str, on_site: str) -> None:
    assert gather.on_site(link, "reference/plan.md", DOCS / "reference") == on_site


def test_a_link_to_a_file_that_is_not_there_is_refused(gather: ModuleType) -> None:
    with pytest.raises(FileNotFoundError, match=r"reference/plan\.md links to \.\./\.\./examples/none\.toml"):
        gather.on_site("[a](../../examples/none.toml)", "reference/plan.md", DOCS / "reference")


def test_the_page_of_commands_has_every_option_with_its_default(gather: ModuleType) -> None:
    page = gather.commands.page()
    assert "## loadstone lab up\n" in page
    assert "| `--target TARGET` | `0.999` | Target availability" in page
