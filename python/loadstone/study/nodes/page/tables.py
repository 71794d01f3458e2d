"""Tables of the study of nodes: the paper's value beside ours."""

from __future__ import annotations

from loadstone.report import format
from loadstone.report.folder import Json
from loadstone.report.table import Column, Row, Table, words


def counts(table: Json) -> Table:
    """Extra nodes, a row for each column of the paper's table and each way to read its heading."""
    rows: dict[tuple[str, str], Row] = {}
    notes = []
    for cell in table["cells"]:
        row = rows.setdefault(
            (cell["column"], cell["crash"]),
            {"column": cell["column"], "crash": cell["crash"], "agrees": True, "fitting": cell["fitting"]},
        )
        row[f"{cell['node']}_paper"] = "–" if cell["paper"] is None else str(cell["paper"])
        row[f"{cell['node']}_ours"] = cell["ours"]
        row["agrees"] = row["agrees"] and cell["agrees"] is not False
        if cell["node"] == "native":
            row["downtime"] = _downtime(cell["proof"])
        if cell["note"] and (note := f"{cell['column']}: {cell['note']}.") not in notes:
            notes.append(note)
    nodes = list(dict.fromkeys(cell["node"] for cell in table["cells"]))
    columns = [words("column", "the paper’s column"), words("crash", "read as")]
    for name in nodes:
        columns.append(Column(f"{name}_paper", f"{name}, paper", format.text))
        columns.append(Column(f"{name}_ours", f"{name}, ours", format.text))
    columns.append(Column("downtime", "native: downtime with one fewer → with so many, h", format.text))
    return Table(
        "counts",
        table["title"],
        columns,
        list(rows.values()),
        note=" ".join(["Bounds of the downtime are so close that they print as one number.", *notes]),
        highlight=lambda row: "" if row["agrees"] else "bad",
    )


def _downtime(proof: Json | None) -> str:
    if proof is None:
        return "closed form only"
    allowed = f"allowed {proof['allowed_s'] / 3600:.4g}"
    if "endless_s" in proof:
        return f"endless pool {proof['endless_s'][0] / 3600:.4g}; {allowed}"
    fewer = "–" if proof["one_fewer_s"] is None else f"{proof['one_fewer_s'][0] / 3600:.4g}"
    return f"{fewer} → {proof['enough_s'][1] / 3600:.4g}; {allowed}"


def availability(points: list[Json], place: str) -> Table:
    """Points of figures 5 and 6."""
    rows = [
        {
            "place": one["place"],
            "nodes": one["nodes"],
            "crash": one["crash"],
            "failover": one["failover"] or "nobody mends",
            "paper": one["paper"] or "–",
            "low": one["ours"][0],
            "unavailable": one["unavailable"][1],
            "agrees": _verdict(one["agrees"]),
            "note": one["note"],
        }
        for one in points
        if one["place"].startswith(place)
    ]
    return Table(
        "availability",
        "The paper’s words and ours",
        [
            words("place", "figure"),
            Column("nodes", "nodes"),
            words("crash", "crashes"),
            words("failover", "failover"),
            words("paper", "paper"),
            Column("low", "availability", _nines),
            Column("unavailable", "unavailability", _small),
            words("agrees", "agrees"),
            words("note", "note"),
        ],
        rows,
        highlight=lambda row: "bad" if row["agrees"] == "✗ no" else "",
    )


def corrupt(points: list[Json]) -> Table:
    """Points of figure 7."""
    rows = [
        {
            "node": one["node"],
            "faults": one["faults"],
            "end": one["end"],
            "corrupts": f"{100 * one['corrupts']:.4g} %" + (" (fitted)" if one["fitted"] else ""),
            "paper": one["paper"],
            "ours": one["ours"][0],
            "checker": one["checker"],
            "down": one["down"][0],
            "agrees": _verdict(one["agrees"]),
            "note": one["note"],
        }
        for one in points
    ]
    return Table(
        "corrupt",
        "Percent of a month corrupt",
        [
            words("node", "node"),
            words("faults", "faults"),
            words("end", "where"),
            Column("corrupts", "corrupting faults", format.text),
            Column("paper", "paper, %", _small),
            Column("ours", "ours, %", _small),
            Column("checker", "PRISM 4.10 printed, %", _small),
            Column("down", "down, %", _small),
            words("agrees", "agrees"),
            words("note", "note"),
        ],
        rows,
        note="Ours: bounds that agree to a millionth, rounding included.",
        highlight=lambda row: "bad" if row["agrees"] == "✗ no" else "",
    )


def ratios(found: Json) -> Table:
    """Hardened against native throughput by measurement of the paper."""
    return Table(
        "ratios",
        "By measurement of the paper",
        [words("name", "application"), Column("ilr", "ILR", format.share), Column("tx", "TX", format.share)],
        found["measured"],
    )


def averages(found: Json) -> Table:
    """Ways to average them, and what each means in nodes."""
    rows = [{**one, "ilr_num": one["num"]["ilr"], "tx_num": one["num"]["tx"]} for one in found["averages"]]
    return Table(
        "averages",
        "Averaged",
        [
            words("way", "average"),
            Column("ilr", "ILR", format.share),
            Column("tx", "TX", format.share),
            Column("ilr_num", "ILR nodes"),
            Column("tx_num", "TX nodes"),
        ],
        rows,
    )


def _verdict(agrees: bool | None) -> str:
    return "–" if agrees is None else "✓ yes" if agrees else "✗ no"


def _nines(value: float) -> str:
    return f"{value:.8f}"


def _small(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"
