"""Committed prices, load over a day, spares and balancers against arithmetic done by hand."""

import json
import math
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from loadstone.cost.age import stale
from loadstone.cost.bill import rented
from loadstone.cost.book import parse, shipped
from loadstone.cost.cases import parse_instance
from loadstone.cost.merge import as_csv, merged
from loadstone.cost.plan import Case, Machines, Month, Traffic, bill, running
from loadstone.cost.profile import mean_load, parse_profile
from loadstone.errors import LoadstoneError
from loadstone.intake import Kind
from loadstone.stages.cost import Cost

HEAD = "book,provider,region,kind,sku,vcpu,memory_gib,unit,from_gb,to_gb,price_usd,as_of,source,term_months\n"
OWN = parse(
    "# source L: a list, page 3\n"
    + HEAD
    + "b,p,r,instance,m,2,4,hour,,,0.10,2026-11-01,L,\n"
    + "b,p,r,instance,m,2,4,hour,,,0.07,2026-11-01,L,12\n"
    + "b,p,r,instance,m,2,4,hour,,,0.05,2026-11-01,L,36\n"
    + "b,p,r,database,db,2,8,hour,,,0.20,2026-11-01,L,\n"
    + "b,p,r,balancer,lb,,,hour,,,0.02,2026-11-01,L,\n"
    + "b,p,r,balancer-traffic,lb,,,GB,,,0.008,2026-11-01,L,\n",
    "own.csv",
)
M = OWN.machine("m")
HALF = Decimal("0.5")


def usd(machines: Machines, month: Month) -> list[Decimal]:
    case = Case(Decimal(100), (machines,), Traffic(None, None))
    return list(bill(case, OWN, month).total_without_egress.value.values())


def test_a_term_is_paid_over_the_horizons_that_it_fits_into() -> None:
    assert usd(Machines(M, 2, 2), Month()) == [Decimal(144), Decimal("100.8"), Decimal(72)]
    (line,) = bill(Case(Decimal(1), (Machines(M, 2, 2),), Traffic(None, None)), OWN, Month()).lines
    assert {months: row.term_months for months, row in line.committed.items()} == {12: 12, 36: 36}
    assert line.row.term_months is None


def test_a_term_is_paid_for_hours_that_a_machine_is_off() -> None:
    """At 360 of 720 hours on demand costs $36; 12 months committed $50.40, 36 months $36: no gain."""
    line = rented(M, 1, Decimal(360), OWN.committed(M), Decimal(720))
    assert list(line.usd_per_month.values()) == [Decimal(36)] * 3
    assert line.committed == {}


def test_nodes_follow_the_load_and_spares_do_not() -> None:
    profile = parse_profile("12h:1,12h:0.5")
    assert mean_load(profile) == Decimal("0.75")
    month = Month(duty=mean_load(profile), profile=profile)
    machines = Machines(M, 5, 5, needed=4)
    lines = bill(Case(Decimal(1), (machines,), Traffic(None, None)), OWN, month).lines
    assert [line.what for line in lines] == ["2 × m", "2 × m, 50 % of the time", "1 × m, spare"]
    assert [line.usd_per_month[1] for line in lines] == [Decimal(144), Decimal(72), Decimal(72)]
    # Over 36 months it pays to commit to what always runs.
    assert [line.usd_per_month[36] for line in lines] == [Decimal(72), Decimal(72), Decimal(36)]


@pytest.mark.parametrize("needed", [1, 2, 7, 40])
def test_node_hours_are_those_of_the_load(needed: int) -> None:
    profile = parse_profile("6h:1,6h:0.61,12h:0.2")
    hours = sum(count * share for count, share in running(needed, profile))
    exact = sum(max(1, math.ceil(needed * load)) * share for share, load in profile)
    assert hours == exact
    assert sum(count for count, _ in running(needed, profile)) == needed


def test_a_balancer_and_a_database_are_lines_of_their_own() -> None:
    wanted = [parse_instance(text, OWN) for text in ("m:3", "db", "lb")]
    assert [one.count for one in wanted] == [3, 1, 1]
    machines = tuple(Machines(one.row, one.count or 0, one.count or 0) for one in wanted)
    a_gb = Decimal(2**30) / 720 / 3600
    found = bill(Case(Decimal(10), machines, Traffic(a_gb, a_gb)), OWN, Month())
    assert [line.what for line in found.lines] == ["3 × m", "1 × db", "1 × lb", "through the balancer"]
    # Ten users with a GB each way a month: 20 GB at $0.008.
    assert found.lines[-1].usd_per_month[1].quantize(Decimal("0.000001")) == Decimal("0.16")
    assert found.lines[-1].transfer


def test_the_shipped_books_explain_their_sources_and_agree_on_terms() -> None:
    books = shipped()
    assert {row.source for row in books.rows} <= set(books.sources)
    assert {row.provider for row in books.rows} == {"aws", "azure", "google"}
    for row in books.rows:
        if row.term_months:
            on_demand = books.named(row.book).machine(row.sku).price_usd
            share = row.price_usd / on_demand
            assert share == pytest.approx(
                {12: Decimal("0.63"), 36: Decimal("0.45")}[row.term_months], rel=Decimal("0.001")
            )


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("b,p,r,instance,m,2,4,hour,,,0.1,2026,L,0", "not a whole number of months"),
        ("b,p,r,instance,m,2,4,hour,,,0.1,2026,L,1.5", "not a whole number of months"),
        ("b,p,r,egress,i,,,GB,,,0.1,2026,L,12", "not a whole number of months"),
        ("b,p,r,balancer,l,,,GB,,,0.1,2026,L,", "expected `hour` for balancer"),
    ],
)
def test_a_term_is_of_something_paid_by_the_hour(row: str, complaint: str) -> None:
    with pytest.raises(LoadstoneError, match=complaint):
        parse(HEAD + row + "\n", "own.csv")


def test_a_merged_book_reads_as_what_it_was_made_of() -> None:
    newer = parse(
        HEAD
        + "b,p,r,instance,m,2,4,hour,,,0.11,2026-12-01,L,\n"
        + "b,p,r,instance,n,2,4,hour,,,0.3,2026-12-01,L,\n",
        "new.csv",
    )
    done = merged(OWN, newer)
    assert ([row.sku for row in done.added], done.same) == (["n"], 0)
    assert [(old.price_usd, new.price_usd) for old, new in done.changed] == [
        (Decimal("0.10"), Decimal("0.11"))
    ]
    again = parse(as_csv(done.book), "merged.csv")
    assert again.rows == done.book.rows
    assert again.sources == {"L": "a list, page 3"}
    assert again.machine("m").price_usd == Decimal("0.11")
    assert [row.term_months for row in again.committed(again.machine("m"))] == [12, 36]
    with pytest.raises(LoadstoneError, match="is older than what the book has"):
        merged(done.book, OWN)


def test_every_shipped_book_survives_being_written() -> None:
    assert parse(as_csv(shipped()), "all.csv").rows == shipped().rows


@pytest.mark.parametrize(
    ("as_of", "dated"),
    [
        ("2026", (2026, 1, 1)),
        ("2014-early", (2014, 1, 1)),
        ("2026-07", (2026, 7, 1)),
        ("2026-07-06", (2026, 7, 6)),
    ],
)
def test_a_row_is_as_old_as_its_date_can_mean(as_of: str, dated: tuple[int, int, int]) -> None:
    (row,) = parse(HEAD + f"b,p,r,instance,m,2,4,hour,,,0.1,{as_of},L,\n", "own.csv").rows
    assert row.dated == date(*dated)
    assert stale([row], 365, date(*dated)) == []
    assert stale([row], 365, date(dated[0] + 2, 1, 1)) == [row]


def test_a_day_that_does_not_exist_is_refused() -> None:
    with pytest.raises(LoadstoneError, match="`as_of` is `2026-02-30`"):
        parse(HEAD + "b,p,r,instance,m,2,4,hour,,,0.1,2026-02-30,L,\n", "own.csv")


def test_totals_of_an_older_record_are_the_sums_of_its_lines(tmp_path: Path) -> None:
    each = {"1": 100, "12": 90, "36": 80}
    traffic = {"1": 5, "12": 5, "36": 5}
    line = {"what": "x", "quantity": 1, "unit": "hour", "price_usd": 1, "row": "b x r 2026 L"}
    old = {
        "format": 2, "kind": "cost",
        "lines": [
            line | {"sla": None, "usd_per_month": each},
            line | {"sla": "SLA-2", "usd_per_month": each},
            line | {"sla": "SLA-1", "transfer": True, "usd_per_month": traffic},
        ],
        "per_user": {
            "SLA-1": {"users": 10, "usd_per_month": each, "usd_per_month_with_egress": each},
            "SLA-2": {"users": 10, "usd_per_month": each},
        },
    }  # fmt: skip
    file = tmp_path / "cost.json"
    file.write_text(json.dumps(old))
    read = Cost.read(file, Kind("report-json", "a record", 1 << 20))
    assert read.total["SLA-1"].usd_per_month.named() == each
    assert read.total["SLA-2"].usd_per_month.over_12 == 180
    with_egress = read.total["SLA-1"].usd_per_month_with_egress
    assert with_egress is not None
    assert with_egress.over_36 == 85
    assert read.total["SLA-2"].usd_per_month_with_egress is None
