"""The price book: what ships, what is refused and where, and that nothing slips through."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadstone.cost import book as books
from loadstone.cost.book import COLUMNS, parse, shipped
from loadstone.cost.row import KINDS, UNITS
from loadstone.errors import LoadstoneError

HEADER = ",".join(COLUMNS)
ROW = "b,p,r,instance,small,2,4,hour,,,0.10,2026-07,S1"
OWNED = HEADER + ",power_w,life_months\nours,p,hall,owned,big,,,machine,,,3600,2026,Q,250,36\n"


def test_the_shipped_book() -> None:
    book = shipped()
    assert {row.book for row in book.rows} == {"aws-2008", "aws-2014", "aws-2026", "azure-2026", "gcp-2026"}
    paper = book.named("aws-2008").machine("c1.xlarge")
    assert (paper.price_usd, paper.label()) == (Decimal("0.80"), "aws-2008 c1.xlarge us-east-1 2008-10 P08")
    for name in ("aws-2008", "aws-2026"):
        tiers = book.named(name).of_kind("egress")
        assert [tier.to_gb for tier in tiers[:-1]] == [tier.from_gb for tier in tiers[1:]]
        assert (tiers[0].from_gb, tiers[-1].to_gb) == (0, None)


def test_comments_blank_lines_and_line_ends() -> None:
    text = f"# a comment, with a comma\r\n\r\n{HEADER}\r\n# another\r\n{ROW}\r\n"
    assert parse(text, "x.csv").rows == parse(f"{HEADER}\n{ROW}", "x.csv").rows


def test_owned_machines_extend_the_header() -> None:
    (machine,) = parse(OWNED, "x.csv").rows
    assert (machine.power_w, machine.life_months, machine.price_usd) == (250, 36, 3600)


@pytest.mark.parametrize(
    ("text", "line", "complaint"),
    [
        ("", None, "the file is empty: it has no header and no price"),
        (
            HEADER.replace("sku", "skuu") + "\n",
            1,
            "unknown column `skuu`\n  at x.csv:1\n  hint: did you mean `sku`?",
        ),
        (HEADER.replace("sku,", "") + "\n", 1, "the header lacks sku"),
        (HEADER.replace("sku", "kind") + "\n", 1, "the header lacks sku"),
        (HEADER + ",sku\n", 1, "a column stands twice"),
        (f"# c\n{HEADER}\n{ROW},9", 3, "has 14 cells, expected 13"),
        (f"{HEADER}\n{ROW}\n\n{ROW}", 4, "prices instance `small` again, after x.csv:2"),
        (f"{HEADER}\n{ROW.replace('0.10', '-0.10')}", 2, "`price_usd` is `-0.10`, expected a plain decimal"),
        (f"{HEADER}\n{ROW.replace('0.10', '1e3')}", 2, "`price_usd` is `1e3`"),
        (f"{HEADER}\n{ROW.replace('0.10', '')}", 2, "`price_usd` is empty"),
        (f"{HEADER}\n{ROW.replace('0.10', '0,10')}", 2, "has 14 cells"),
        (
            f"{HEADER}\n{ROW.replace('instance', 'instant')}",
            2,
            "unknown kind `instant`\n  at x.csv:2\n  hint: did you",
        ),
        (f"{HEADER}\n{ROW.replace('hour', 'month')}", 2, "the unit is `month`, expected `hour` for instance"),
        (f"{HEADER}\n{ROW.replace('2026-07', 'July')}", 2, "`as_of` is `July`"),
        (f"{HEADER}\n{ROW.replace('hour,,', 'hour,0,5')}", 2, "instance has no tiers"),
        (f"{HEADER}\n{ROW.replace('small', 'a:b')}", 2, "`sku` is `a:b`, expected a name without spaces"),
        (f'{HEADER}\n"{ROW}', 2, "is not a line of CSV"),
        (f"{HEADER}\nb,p,r,egress,net,,,GB,10,5,0.1,2026,S", 2, "the tier ends before it begins"),
        (f"{HEADER}\nb,p,r,owned,big,,,machine,,,100,2026,S", 2, "an owned machine needs `power_w`"),
        (
            OWNED.replace(",36\n", ",1.5\n"),
            2,
            "an owned machine needs `power_w`, and `life_months` as a whole number",
        ),
        (f"{HEADER},power_w,life_months\n{ROW},5,", 2, "power_w and life_months are for owned machines"),
    ],
)
def test_what_is_refused_and_where(text: str, line: int | None, complaint: str) -> None:
    with pytest.raises(LoadstoneError) as caught:
        parse(text, "x.csv")
    assert complaint in str(caught.value)
    assert f"at x.csv{f':{line}' if line else ''}" in str(caught.value)
    assert caught.value.slug == "price-book"


def test_a_near_name_is_offered() -> None:
    book = shipped().named("aws-2026")
    with pytest.raises(LoadstoneError, match=r"did you mean `m7i\.xlarge`"):
        book.machine("m7i.xlage")
    with pytest.raises(LoadstoneError, match="did you mean `aws-2008`"):
        shipped().named("aws-208")
    with pytest.raises(LoadstoneError, match="did you mean `us-east-1`"):
        book.in_region("us-east1")
    with pytest.raises(LoadstoneError, match="several prices: aws-2008 in us-east-1, aws-2014"):
        shipped().machine("c1.xlarge")


CELL = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=12)


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    for tried in (text, f"{HEADER}\n{text}"):
        try:
            parse(tried, "x.csv")
        except LoadstoneError as error:
            assert error.slug == "price-book"


@given(st.lists(CELL, min_size=13, max_size=13), st.sampled_from(KINDS), st.booleans())
def test_any_cells_are_read_or_refused(cells: list[str], kind: str, plain: bool) -> None:
    cells[3], cells[7] = kind, UNITS[kind]
    if plain:
        cells[10], cells[11] = "0.5", "2026"
    try:
        rows = parse(f"{HEADER}\n{','.join(cells)}", "x.csv").rows
    except LoadstoneError as error:
        assert error.slug == "price-book"
    else:
        assert all(row.price_usd >= 0 and row.unit == UNITS[row.kind] for row in rows)


@given(st.decimals(min_value=0, max_value=999_999_999, places=9))
def test_a_price_is_read_exactly(price: Decimal) -> None:
    (row,) = parse(f"{HEADER}\n{ROW.replace('0.10', f'{price:f}')}", "x.csv").rows
    assert row.price_usd == price


def test_a_missing_file(tmp_path: object) -> None:
    with pytest.raises(LoadstoneError, match="cannot read"):
        books.read(books.Path(str(tmp_path)) / "none.csv")
