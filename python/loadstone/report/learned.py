"""The page of what a log says: how near a replay comes first, then what it rests on."""

from __future__ import annotations

from pathlib import Path

from loadstone.intake import Kind
from loadstone.report import format
from loadstone.report.badge import Badge
from loadstone.report.figures import learned as drawn
from loadstone.report.folder import HINT
from loadstone.report.html import page_of
from loadstone.report.sections import Article, Section, Tile, anchored, numbered
from loadstone.report.table import Column, Row, Table, words
from loadstone.stages.learn import Between, Class, Law, Learned

END = "end"
_KIND = Kind("report-json", "what was learned from a log", 64 << 20, HINT)


def read_learned(folder: Path) -> Learned:
    """What `learn.json` of the folder says. LoadstoneError `report-json`."""
    return Learned.read(folder / Learned.FILE, _KIND)


def learned_page(record: Learned) -> str:
    """What `learn.json` says as HTML."""
    sections = [
        _held(record),
        _sessions(record),
        _users(record),
        _pauses(record),
        _arrivals(record),
        _log(record),
    ]
    return page_of(
        [
            Article(
                key="l",
                name=record.name or "learned",
                sentence=headline(record),
                badges=_badges(record),
                tiles=_tiles(record),
                sections=[anchored(one, "l") for one in sections],
                absent=[],
            )
        ]
    )


def headline(record: Learned) -> str:
    """One sentence: what was learned, and how near a replay comes."""
    held, classes = record.held_out, len(record.classes.classes)
    users = "one class of users is enough" if classes == 1 else f"{classes} classes of users"
    return (
        f"{format.whole(record.arrivals.sessions)} sessions, {len(record.operations)} operations, {users}: a "
        f"replay's mix is {format.figure(held.mix_distance.value)} from that of clients held out (chance "
        f"alone: {format.figure(held.mix_distance_by_chance)})."
    )


def between(one: Between) -> str:
    """A figure with its interval."""
    return f"{format.figure(one.value)} ({format.figure(one.low)}–{format.figure(one.high)})"


def outside(record: Learned) -> list[str]:
    """Operations of which a replay makes more or fewer than the interval of those held out."""
    return [
        one.operation
        for one in record.held_out.rates
        if one.per_session.low is not None and one.per_session.high is not None
        and not one.per_session.low <= one.per_session_replayed <= one.per_session.high
    ]  # fmt: skip


def _badges(record: Learned) -> list[Badge]:
    far = outside(record)
    held = record.held_out
    if held.length_distance > held.length_distance_by_chance:
        far = [*far, "the sessions' length"]
    lead = Badge("warn", f"{len(far)} figures beyond their interval", tuple(far)) if far else Badge(
        "good", "a replay is as near as chance allows"
    )  # fmt: skip
    return [lead, *(Badge("warn", one) for one in record.warnings)]


def _tiles(record: Learned) -> list[Tile]:
    held = record.held_out
    return [
        Tile("Mix distance", format.figure(held.mix_distance.value), "", "total variation, 0 to 1"),
        Tile(
            "Operations a session", format.figure(held.session_length_replayed), "",
            f"held out: {between(held.session_length)}",
        ),
        Tile("Cut-off", format.seconds(record.cutoff.seconds), "", record.cutoff.how),
        Tile(
            "Users, busiest hour", format.figure(record.arrivals.users_busiest), "",
            format.moment(record.arrivals.busiest_hour),
        ),
    ]  # fmt: skip


def _held(record: Learned) -> Section:
    held = record.held_out
    rows: list[Row] = [
        {
            "operation": one.operation, "share": one.share, "replayed": one.share_replayed,
            "visits": between(one.per_session), "visits_replayed": one.per_session_replayed,
        }
        for one in held.rates
    ]  # fmt: skip
    columns = [
        words("operation", "operation"),
        Column("share", "share, held out", format.share),
        Column("replayed", "share, replay", format.share),
        words("visits", "per session, held out"),
        Column("visits_replayed", "per session, replay", format.figure),
    ]
    facts = [
        ("Held out", f"one client in four: {held.sessions:,} sessions, {held.operations:,} operations"),
        (
            "Mix distance",
            f"{between(held.mix_distance)}; chance alone {format.figure(held.mix_distance_by_chance)}",
        ),
        (
            "Session length",
            f"{between(held.session_length)}; replay {format.figure(held.session_length_replayed)}",
        ),
        (
            "Lengths' distance",
            f"{format.figure(held.length_distance)}; chance exceeds "
            f"{format.figure(held.length_distance_by_chance)} once in 20",
        ),
    ]
    intro = (
        "What a replay of the scenario does, beside clients that it was not learned from. Intervals "
        "are of 95 %, from groups of clients drawn again, and hold the error of learning, "
        "too. Lengths are compared by Kolmogorov-Smirnov."
    )
    table = Table("rates", "Every operation", columns, rows)
    return Section(
        "held-out", "How near a replay comes", intro, wide=numbered("w", [drawn.rates(record)]),
        tables=[table], facts=facts,
    )  # fmt: skip


def _sessions(record: Learned) -> Section:
    cut = record.cutoff
    said = {
        "fitted": "Half of the pauses within sessions are under "
        f"{format.seconds(cut.median_within_s)}, of those between sessions under "
        f"{format.seconds(cut.median_between_s)}. At the cut-off a pause is as likely one as the other.",
        "custom": "The pauses show no limit between sessions: this is half an hour by custom.",
        "given": "The cut-off was given.",
    }
    rows: list[Row] = [
        {"cutoff_s": one.cutoff_s, "sessions": one.sessions, "length": one.operations_per_session}
        for one in cut.sensitivity
    ]
    columns = [
        Column("cutoff_s", "cut-off", format.seconds),
        Column("sessions", "sessions"),
        Column("length", "operations a session", format.figure),
    ]
    table = Table(
        "cutoff", "What another cut-off would make of the log", columns, rows,
        highlight=lambda row: "chosen" if row["cutoff_s"] == cut.seconds else "",
    )  # fmt: skip
    intro = said.get(cut.how, cut.how)
    return Section(
        "sessions", "Sessions", intro, wide=numbered("w", [drawn.sensitivity(record)]), tables=[table]
    )


def _users(record: Learned) -> Section:
    found = record.classes
    tried = ", ".join(f"{number}: {value:,.0f}" for number, value in found.tried.items())
    one = len(found.classes) == 1
    intro = (
        "Classes of users are a mixture of Markov chains, fitted by EM to "
        f"{found.sampled_sessions:,} sessions. BIC by number of classes: {tried}. "
        + ("One class is enough." if one else "The least is taken.")
    )
    tables = [_matrix(record, each, number) for number, each in enumerate(found.classes, 1)]
    operations = [
        words("name", "operation"), words("method", "method"), words("path", "path"),
        Column("count", "count"), Column("share", "share", format.share),
        Column("files", "files a visit", format.figure),
        Column("p95_s", "95 % within, s", format.figure),
    ]  # fmt: skip
    rows: list[Row] = [
        {
            "name": each.name, "method": each.method, "path": each.path, "count": each.count,
            "share": each.share, "files": each.files_per_visit, "p95_s": each.p95_s,
        }
        for each in record.operations
    ]  # fmt: skip
    return Section(
        "users", "Operations and users", intro,
        tables=[Table("operations", "Operations", operations, rows), *tables],
    )  # fmt: skip


def _matrix(record: Learned, one: Class, number: int) -> Table:
    names = [each.name for each in record.operations if each.name in one.mix]
    columns = [words("from", "after"), *(Column(name, name, format.share) for name in [*names, END])]
    rows: list[Row] = [{"from": "(begin)"} | dict(one.enter)]
    rows += [{"from": name} | dict(one.mix[name]) for name in names]
    title = (
        f"What follows what: class {number}, {format.share(one.share)} of the sessions, "
        f"{format.figure(one.operations_per_session)} operations each"
    )
    return Table(f"mix-{number}", title, columns, rows)


def _pauses(record: Learned) -> Section:
    if record.pauses is None:
        return Section("pauses", "Pauses", "No session has more than one operation.")
    kinds = {
        "think": "Think times: from the end of an operation, with its files, to the start of the next.",
        "cycle": "Cycle times, from start to start: the log does not say how long requests took.",
    }
    kind = kinds.get(record.pauses.kind, record.pauses.kind)
    intro = f"{kind} Laws are fitted by maximum likelihood, and AIC chooses."
    columns = [
        words("operation", "before"), Column("count", "pauses"), Column("mean_s", "mean, s", format.figure),
        words("kind", "law"), words("parameters", "parameters ± standard error"),
        Column("aic", "AIC above the best"),
    ]  # fmt: skip
    rows: list[Row] = []
    found = [("any operation", record.pauses)]
    found += [(each.name, each.pauses) for each in record.operations if each.pauses]
    for name, pauses in found:
        for law in pauses.laws if name == "any operation" else pauses.laws[:1]:
            rows.append(
                {
                    "operation": name, "count": pauses.count, "mean_s": pauses.mean_s, "kind": law.kind,
                    "parameters": _parameters(law), "aic": law.aic - pauses.laws[0].aic,
                }
            )  # fmt: skip
    return Section("pauses", "Pauses", intro, tables=[Table("pauses", "Laws of pauses", columns, rows)])


def _parameters(law: Law) -> str:
    return ", ".join(
        f"{name} {format.figure(value)} ± {format.figure(law.errors.get(name))}"
        for name, value in law.parameters.items()
    )


def _arrivals(record: Learned) -> Section:
    found = record.arrivals
    facts = [
        ("Clients", format.whole(found.clients)),
        ("Sessions", format.whole(found.sessions)),
        ("Busiest hour", f"{format.moment(found.busiest_hour)}: {found.busiest_sessions:,} sessions"),
        ("Mean length of a session", format.seconds(found.mean_duration_s)),
    ]
    return Section("arrivals", "Arrivals", wide=numbered("w", [drawn.arrivals(record)]), facts=facts)


def _log(record: Learned) -> Section:
    log, left = record.log, record.left_out
    facts = [
        ("Command", " ".join(record.command)),
        ("Files", ", ".join(log.files)),
        ("Format", log.format),
        ("Lines", f"{log.lines:,}, of which {log.bad:,} could not be read"),
        ("Requests", f"{log.requests:,}, of which {log.files_of_pages:,} files of pages"),
        ("From", format.moment(log.first_at)),
        ("To", format.moment(log.last_at)),
    ]
    reasons = dict.fromkeys([*left.clients, *left.requests])
    rows: list[Row] = [
        {"reason": one, "clients": left.clients.get(one), "requests": left.requests.get(one)}
        for one in reasons
    ]
    columns = [words("reason", "left out"), Column("clients", "clients"), Column("requests", "requests")]
    bad: list[Row] = [{"place": one.place, "text": one.text} for one in log.bad_first]
    tables = [
        Table("left-out", "What was left out", columns, rows),
        Table(
            "bad",
            "The first lines that could not be read",
            [words("place", "at"), words("text", "line")],
            bad,
        ),
    ]
    return Section("log", "The log", facts=facts, tables=[one for one in tables if one.rows])
