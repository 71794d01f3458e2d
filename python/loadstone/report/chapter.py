"""What the page shows of a folder: the sections whose inputs exist, and what is absent."""

from __future__ import annotations

from collections.abc import Sequence

from loadstone.report import format
from loadstone.report.answer import badges, claim
from loadstone.report.capacity_answer import capacity_tiles
from loadstone.report.cost import cost_intro, cost_tiles
from loadstone.report.figures import capacity, distribution, elastic, hosts, response, sessions, steps, time
from loadstone.report.figures.figure import Figure
from loadstone.report.figures.growth import GROWTH_TITLE, growth
from loadstone.report.figures.scaling import scaling_curve
from loadstone.report.figures.tiers import by_tier
from loadstone.report.folder import Chapter, Run
from loadstone.report.plan_answer import nodes_intro, nodes_tiles
from loadstone.report.run_answer import offered, run_tiles
from loadstone.report.sections import Article, Section, Tile, anchored, numbered
from loadstone.report.table import Table
from loadstone.report.tables import all_tables
from loadstone.stages.run import Load, Scenario


def article(chapter: Chapter, key: str) -> Article:
    """Lays a folder out; `key` makes the anchors unique on a page of several."""
    tables = all_tables(chapter)
    found = [
        _capacity(chapter, tables),
        _nodes(chapter, tables),
        _plan("cost", "Cost", cost_intro(chapter.cost) if chapter.cost else None, tables),
        *_run(chapter, tables),
        _method(chapter),
    ]
    sections = [anchored(section, key) for section in found if section]
    headline, rest = claim(chapter)
    return Article(
        key=key,
        name=chapter.name,
        sentence=headline,
        rest=rest,
        badges=badges(chapter),
        tiles=_tiles(chapter),
        sections=sections,
        absent=_absent(chapter),
    )


def _pick(tables: dict[str, Table], *slugs: str) -> list[Table]:
    return [tables[slug] for slug in slugs if slug in tables]


def _capacity(chapter: Chapter, tables: dict[str, Table]) -> Section | None:
    if not chapter.capacity:
        picked = _pick(tables, "verdicts")
        return Section("verdict", "Verdict", tables=picked) if picked else None
    shares, rates = capacity.shares(chapter), capacity.throughput(chapter)
    confidence = chapter.capacity.confidence
    scaling = chapter.capacity.scaling
    intro = f"Each bound is stated with {format.share(confidence)} confidence." if confidence else ""
    if scaling and scaling.refused:
        intro = f"{intro} No scaling law: {scaling.refused}.".strip()
    return Section(
        "capacity",
        "Capacity",
        intro,
        wide=numbered("w", [shares] if shares else []),
        small=numbered(
            "s", ([rates] if rates else []) + scaling_curve(scaling) + capacity.responses(chapter)
        ),
        small_title="Throughput, and p90 and p99 of each operation, in every run that was judged",
        tables=_pick(tables, "verdicts", "loads", "runs", "scaling"),
        folded=_pick(tables, "scaling-curve"),
    )


def _nodes(chapter: Chapter, tables: dict[str, Table]) -> Section | None:
    """A plan in tiers grows with its users; of one tier there may be a scaling law."""
    plan = chapter.nodes
    charts = growth(plan)
    title = GROWTH_TITLE if charts else ""
    if plan and (law := scaling_curve(plan.scaling)):
        charts, title = law, "What machines carry, by their number. Dashed: extrapolated, not measured"
    return _plan("nodes", "Nodes", nodes_intro(plan) if plan else None, tables, charts, title)


def _plan(
    slug: str,
    title: str,
    intro: str | None,
    tables: dict[str, Table],
    small: Sequence[Figure] = (),
    small_title: str = "",
) -> Section | None:
    """The section of a stage; without an `intro` the stage was not done."""
    picked = [table for name, table in tables.items() if name == slug or name.startswith(f"{slug}-")]
    if intro is None or not picked:
        return None
    return Section(
        slug,
        title,
        intro,
        small=numbered("s", list(small)),
        small_title=small_title,
        tables=picked,
    )


def _run(chapter: Chapter, tables: dict[str, Table]) -> list[Section]:
    """The sections of the run shown in full."""
    run = chapter.detail
    if not run:
        return []
    load = offered(run.summary.load)
    which = f"The run with {load}, {run.folder.name}." if chapter.capacity else ""
    responses, curves = response.responses(run), distribution.distributions(run)
    parts = steps.time_per_step(run)
    return [
        Section(
            "time",
            "Over time",
            f"{which} {_undrawn(run, responses, 'a line over time')}".strip(),
            wide=numbered("w", [*elastic.elastic(run), *time.over_time(run)]),
            small=numbered("o", responses),
            small_title="Response time of each operation" if responses else "",
            tables=_pick(tables, "elasticity"),
        ),
        Section(
            "operations",
            "Operations",
            f"{which} {_undrawn(run, curves, 'a distribution')}".strip(),
            wide=numbered("w", [parts] if parts else []),
            small=numbered("s", curves),
            small_title="Share of the operations answered within a time, against their limit",
            tables=_pick(
                tables,
                *("scenarios", "operations", "response-times", "failures", "failure-examples", "counters"),
            ),
            folded=_pick(tables, "steps"),
        ),
        *_sessions(run, which, tables),
        Section(
            "processes",
            "CPU and memory by process",
            which,
            small=numbered("s", hosts.hosts(run)),
            tables=_pick(tables, "connector", "noise"),
        ),
        *_watched(run, tables),
        Section("validity", "Validity", which, tables=_pick(tables, "checks", "agents", "mix")),
    ]


def _undrawn(run: Run, drawn: Sequence[Figure], what: str) -> str:
    """Which operations a chart is missing of: they had too few answers."""
    titles = {figure.title for figure in drawn}
    left = [name for name in run.summary.operations if name not in titles]
    return f"Too few answers for {what}: {', '.join(left)}." if left and run.table("histograms") else ""


def _sessions(run: Run, which: str, tables: dict[str, Table]) -> list[Section]:
    """What became of sessions, where they arrived at a rate or some were lost."""
    found = run.summary.sessions
    if not found or not (found.per_s or any(found.whole_run.lost.values())):
        return []
    share = format.share(found.completed_share)
    intro = f"{share} of the sessions that began in the steady state were completed. {which}".strip()
    return [
        Section(
            "sessions",
            "Sessions",
            intro,
            wide=numbered("n", sessions.ended(run)),
            small=numbered("l", sessions.lives(run)),
            tables=_pick(tables, "sessions"),
        )
    ]


def _watched(run: Run, tables: dict[str, Table]) -> list[Section]:
    """Hosts of a topology and what happened on them; none where the run had no topology."""
    picked = _pick(tables, "hosts", "events")
    if not picked:
        return []
    limit, busiest = run.summary.limited_by, run.summary.busiest
    said = f"Limited by: {limit.said}." if limit else "No resource of a host was at its limit."
    if busiest and not limit:
        said += f" The busiest: {busiest.said}."
    charts = by_tier(run)
    title = "By tier, as the hosts and the servers themselves count" if charts else ""
    return [Section("hosts", "Hosts", said, small=numbered("h", charts), small_title=title, tables=picked)]


def _method(chapter: Chapter) -> Section:
    """How it was measured."""
    origin, run = chapter.origin, chapter.detail
    machine, summary = origin.machine, run.summary if run else None
    versions = ", ".join(f"{name} {version}" for name, version in origin.versions.items())
    facts = [
        ("Command", " ".join(origin.command)),
        ("Started", format.moment(origin.started_at)),
        ("Ended", format.moment(origin.ended_at)),
        ("Machine", ", ".join(filter(None, (machine.hostname, machine.cpu)))),
        ("Cores", format.whole(machine.cores)),
        ("Memory", format.size(machine.memory_bytes)),
        ("System", ", ".join(filter(None, (machine.os, machine.kernel)))),
        ("Versions", versions),
        ("Target", (summary.target or "") if summary else ""),
        ("Accounts", format.whole(origin.accounts)),
        ("Load", _phases(summary.load) if summary else ""),
        ("Seed", format.text(summary.seed) if summary else ""),
        ("Scenario", _scenario(summary.scenario) if summary and summary.scenario else ""),
        ("Folder", str(chapter.folder)),
    ]
    text = run.text("scenario.toml") if run else None
    return Section(
        "method",
        "How it was measured",
        facts=[(name, value) for name, value in facts if value and value != format.UNKNOWN],
        texts=[("Scenario", text)] if text else [],
    )


def _phases(load: Load) -> str:
    shape = [(load.ramp_up_s, "ramp-up"), (load.steady_s, "steady state"), (load.ramp_down_s, "ramp-down")]
    return ", ".join(f"{format.seconds(length)} {name}" for length, name in shape)


def _scenario(scenario: Scenario) -> str:
    name, digest = scenario.name or "", scenario.sha256 or ""
    return f"{name} (SHA-256 {digest[:16]}…)" if digest else name


def _tiles(chapter: Chapter) -> list[Tile]:
    if chapter.capacity:
        measured = capacity_tiles(chapter.capacity)
    else:
        measured = run_tiles(chapter.detail.summary) if chapter.detail else []
    planned = cost_tiles(chapter.cost) + nodes_tiles(chapter.nodes)
    return [Tile(*tile) for tile in planned + measured]


def _absent(chapter: Chapter) -> list[tuple[str, str]]:
    """Stages and tables that are not there."""
    folder = chapter.folder
    found = []
    if not chapter.capacity:
        found.append(("the most users at SLA-1 and SLA-2", "loadstone capacity SCENARIO"))
    if not chapter.nodes:
        found.append(("how many nodes keep it up", f"loadstone nodes --from {folder}"))
    if not chapter.cost:
        start = f"--tiers {tiers}" if (tiers := _tiers_file(chapter)) else f"--from {folder}"
        found.append(("dollars per user per month", f"loadstone cost {start}"))
    if not chapter.detail:
        found.append(("charts over time, response times, validity", "loadstone run SCENARIO"))
    elif gone := [
        name for name in ("windows", "histograms", "engine", "hosts") if not chapter.detail.table(name)
    ]:
        files = ", ".join(f"{name}.parquet" for name in gone)
        found.append((f"charts drawn from {files}, which the run folder lacks", "loadstone run SCENARIO"))
    return found


def _tiers_file(chapter: Chapter) -> str | None:
    return chapter.nodes.inputs.tiers if chapter.nodes else None
