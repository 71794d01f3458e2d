"""`loadstone prices` from the outside."""

import sys
from datetime import date
from pathlib import Path

import pytest

from loadstone import cli

HEAD = "book,provider,region,kind,sku,vcpu,memory_gib,unit,from_gb,to_gb,price_usd,as_of,source\n"
ROW = "ours,acme,hall,instance,a,1,2,hour,,,0.10,2026-01,q\n"


@pytest.fixture
def prices(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path):  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("loadstone.cost.age.today", lambda: date(2026, 11, 24))

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["loadstone", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return run


def test_the_books_and_the_rows_of_one_are_listed(prices) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = prices("prices", "list")
    assert code == 0
    assert {"aws-2008", "aws-2026", "azure-2026", "gcp-2026"} <= set(out.split())
    code, out, _ = prices("prices", "list", "gcp-2026")
    assert code == 0
    assert "36 months  2024-03-29  C24" in out
    assert "G26: https://" in out
    code, _, err = prices("prices", "list", "gcp-2062")
    assert (code, "did you mean `gcp-2026`?" in err) == (2, True)


def test_an_update_makes_a_book_and_says_what_changed(prices, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "new.csv").write_text(HEAD + ROW)
    assert prices("prices", "update", "new.csv", "--into", "own.csv")[:2] == (
        0, "added    ours a hall 2026-01 q: 0.10 a hour\nown.csv: 1 added, 0 changed, 0 as before.\n",
    )  # fmt: skip
    (tmp_path / "new.csv").write_text(HEAD + ROW.replace("0.10,2026-01", "0.12,2026-10"))
    code, out, _ = prices("prices", "update", "new.csv", "--into", "own.csv")
    assert (code, "changed  ours a hall 2026-10 q: 0.12 a hour, was 0.10 (2026-01)" in out) == (0, True)
    before = (tmp_path / "own.csv").read_text()
    (tmp_path / "new.csv").write_text(HEAD + ROW)
    code, _, err = prices("prices", "update", "new.csv", "--into", "own.csv")
    assert (code, "is older than what the book has" in err) == (2, True)
    assert (tmp_path / "own.csv").read_text() == before
    code, out, _ = prices("cost", "--prices", "own.csv", "--instance", "a:2", "--users-sla-1", "10")
    assert (code, "17.280" in out) == (0, True)


def test_old_prices_are_refused_by_a_check_and_warned_of_by_cost(prices, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "own.csv").write_text("# source q: a quote\n" + HEAD + ROW)
    assert prices("prices", "check", "own.csv") == (0, "1 prices, none older than 365 days.\n", "")
    code, out, err = prices("prices", "check", "own.csv", "--max-age-days", "100")
    assert (code, out) == (2, "")
    assert "error[price-stale]: 1 of 1 prices are older than 100 days" in err
    assert "loadstone prices update" in err
    priced = ("cost", "--prices", "own.csv", "--instance", "a:2", "--users-sla-1", "10")
    assert "older than" not in prices(*priced)[2]
    code, _, err = prices(*priced, "--max-age-days", "100")
    assert (code, "warning: prices of ours are older than 100 days (a 2026-01)" in err) == (0, True)


def test_a_check_names_the_wrong_line_and_the_unexplained_source(prices, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "own.csv").write_text(HEAD + ROW)
    assert "warning: not explained: q" in prices("prices", "check", "own.csv")[2]
    (tmp_path / "own.csv").write_text(HEAD + ROW.replace("hour", "day"))
    code, _, err = prices("prices", "check", "own.csv")
    assert (code, "own.csv:2" in err) == (2, True)
