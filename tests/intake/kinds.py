"""Every kind of file that people can hand in: a good one, how it is changed, the command that reads it."""

from __future__ import annotations

from good_files import (
    CHAIN,
    COLUMN,
    DATA,
    DAY1,
    DAY2,
    EXPLICIT,
    JSON_LOG,
    LOG,
    NODES_TABLE,
    PRICES,
    PRISM,
    ROOT,
    Kind,
    called,
    chaos,
    command,
    concluded,
    crashed,
    elf,
    files,
    full,
    image,
    learned,
    measurement,
    plan,
    planned,
    probed,
    recovered,
    results,
    run,
    study,
    taken_up,
    text,
    topology,
)
from pool_model import POOL
from recordings import OPENAPI, har

REPORT = command("report", "@", "--markdown", "--out", "@page.html", "--csv", "@tables")
PAGE = command("report", "@")
SOLVE = ("--until", "1e6", "--long-run", "--states", "2")
ONE = DAY1 / "balancers" / "site" / "1-servers-1" / "runs" / "0001-150"


STUDIES = DATA / "studies"
NODES = (
    (STUDIES / "nodes.toml", "nodes.toml"),
    *(
        (path, str(path.relative_to(STUDIES)))
        for path in sorted((STUDIES / "nodes").rglob("*"))
        if path.is_file()
    ),
)
"""The study's file with the records that it names."""
TOLD = command("report", "@", "--markdown")


def _of_run(file: str, how: str) -> Kind:
    return Kind(f"run folder: {file}", how, file, run, REPORT)


KINDS = [
    Kind(
        "scenario",
        "toml",
        "olio.toml",
        files(DATA / "scenarios" / "olio.toml"),
        command("check", "@olio.toml"),
    ),
    Kind(
        "scenario: open",
        "toml",
        "rubis-bid.toml",
        files(DATA / "scenarios" / "rubis-bid.toml"),
        command("check", "@rubis-bid.toml"),
    ),
    Kind(
        "scenario: column of a table",
        "text",
        "words.csv",
        text("one.toml", COLUMN, ("words.csv", 'word,other\na,1\n"b c",2\nd,3\n')),
        command("check", "@one.toml"),
    ),
    Kind(
        "scenario: table of defaults",
        "toml",
        "n.toml",
        text("n.toml", NODES_TABLE),
        command("nodes", "@n.toml"),
    ),
    Kind(
        "topology",
        "toml",
        "seven-hosts.toml",
        files(ROOT / "examples/lab/seven-hosts.toml"),
        called(topology, "seven-hosts.toml"),
    ),
    Kind(
        "topology of services",
        "toml",
        "balancers-lab.toml",
        files(DATA / "studies/balancers-lab.toml"),
        called(topology, "balancers-lab.toml"),
    ),
    Kind(
        "tiers",
        "toml",
        "tiers.toml",
        files(ROOT / "examples/plan/tiers.toml"),
        command("nodes", "--tiers", "@tiers.toml", "--users", "300"),
    ),
    Kind(
        "tiers, the older form",
        "toml",
        "tiers-older.toml",
        files(ROOT / "tests/cli/tiers-older.toml"),
        command("nodes", "--tiers", "@tiers-older.toml", "--users", "300"),
    ),
    Kind(
        "plan",
        "toml",
        "shop.toml",
        files(ROOT / "examples/plan/shop.toml", ROOT / "examples/plan/prices.csv"),
        called(plan, "shop.toml"),
    ),
    Kind(
        "plan in tiers",
        "toml",
        "shop-tiers.toml",
        files(ROOT / "examples/plan/shop-tiers.toml", ROOT / "examples/plan/prices.csv"),
        called(plan, "shop-tiers.toml"),
    ),
    *(
        Kind(
            f"recording: {how}",
            "json",
            "it.har",
            text("it.har", har(chrome=how == "chrome")),
            command("import", "@it.har"),
        )
        for how in ("chrome", "firefox")
    ),
    Kind(
        "description of an interface",
        "text",
        "it.yaml",
        text("it.yaml", OPENAPI),
        command("import", "@it.yaml"),
    ),
    Kind(
        "access log",
        "text",
        "access.log",
        text("access.log", LOG),
        command("learn", "@access.log", "--out", "@out", "--bad-share", "0.5"),
    ),
    Kind(
        "access log: JSON lines",
        "lines",
        "access.json",
        text("access.json", JSON_LOG),
        command("learn", "@access.json", "--out", "@out", "--format", "json"),
    ),
    Kind("chaos", "toml", "chaos.toml", files(DATA / "chaos/chaos.toml"), called(chaos, "chaos.toml")),
    *(
        Kind(
            f"study: {name}",
            "toml",
            f"{name}.toml",
            files(STUDIES / f"{name}.toml"),
            called(study(name), f"{name}.toml"),
        )
        for name in ("appliance", "balancers", "connectors")
    ),
    *(
        Kind(f"study: nodes, {told}", how, file, files(*NODES), called(study("nodes"), "nodes.toml"))
        for told, how, file in (
            ("its file", "toml", "nodes.toml"),
            ("injections", "json", "nodes/injection/summary.json"),
            ("kernels", "json", "nodes/hardened-kernels/summary.json"),
            ("a live server", "json", "nodes/injection-servers/redis-ilr/inject.json"),
            ("a server's rows", "lines", "nodes/hardened-servers/redis/rows.ndjson"),
        )
    ),
    Kind(
        "price book",
        "text",
        "prices.csv",
        text("prices.csv", PRICES),
        command("cost", "--prices", "@prices.csv", "--instance", "m:2", "--users-sla-1", "500"),
    ),
    Kind(
        "prices for a book of one's own",
        "text",
        "prices.csv",
        text("prices.csv", PRICES),
        command("prices", "update", "@prices.csv", "--into", "@own.csv"),
    ),
    Kind(
        "model: PRISM",
        "text",
        "x.prism",
        text("x.prism", PRISM),
        command("solve", "@x.prism", "--most-states", "5000", *SOLVE),
    ),
    Kind(
        "model: chain",
        "json",
        "x.json",
        text("x.json", CHAIN),
        command("solve", "@x.json", *SOLVE, "--of", "down"),
    ),
    *(
        Kind(
            f"model: {file.split('.', 1)[1]}",
            "text",
            file,
            text(*EXPLICIT[0], *EXPLICIT[1:]),
            command("solve", "@x.tra", *SOLVE),
        )
        for file, _ in EXPLICIT
    ),
    Kind(
        "models of a sweep",
        "text",
        "x.prism",
        text("x.prism", POOL),
        command("sweep", "@x.prism", "--over", "spares=0..1", "--long-run"),
    ),
    _of_run("run.json", "json"),
    Kind("run folder: summary", "json", "run.json", run, TOLD),
    Kind("search: summary", "json", "capacity.json", full, TOLD),
    *(_of_run(f"{name}.parquet", "binary") for name in ("windows", "histograms", "engine", "hosts")),
    *(
        Kind(
            f"tables of a run: {name}",
            "binary",
            f"{name}.parquet",
            recovered,
            called(measurement, "run.json"),
        )
        for name in ("windows", "histograms", "engine", "sessions")
    ),
    Kind(
        "tables of a run: agents",
        "binary",
        "agents.parquet",
        files(*sorted(ONE.glob("*"))),
        called(measurement, "run.json"),
    ),
    *(
        Kind(f"search: {file}", "json", file, full, REPORT)
        for file in ("capacity.json", "nodes.json", "cost.json")
    ),
    Kind("crashed run: journal", "lines", "journal.ndjson", crashed, REPORT),
    *(
        Kind(f"crashed run: {file}", "json", file, crashed, REPORT)
        for file in ("plan.json", "rules.json", "machine.json")
    ),
    Kind(
        "nodes from capacity.json",
        "json",
        "capacity.json",
        full,
        command("nodes", "--from", "@", "--users", "5000", "--sla", "SLA-2"),
    ),
    Kind("nodes from run.json", "json", "run.json", run, command("nodes", "--from", "@", "--users", "5000")),
    Kind(
        "cost from capacity.json",
        "json",
        "capacity.json",
        full,
        command("cost", "--from", "@", "--book", "aws-2026", "--instance", "c7i.large"),
    ),
    Kind(
        "cost from nodes.json",
        "json",
        "nodes.json",
        full,
        command("cost", "--from", "@", "--book", "aws-2026", "--instance", "c7i.large"),
    ),
    Kind("learn.json", "json", "learn.json", learned, PAGE),
    Kind("plan.json", "json", "plan.json", planned, PAGE),
    Kind("probe.json", "json", "probe.json", concluded, PAGE),
    Kind("killed probe: plan", "json", "probe-plan.json", probed, PAGE),
    Kind("killed probe: lines", "lines", "measurements.ndjson", probed, PAGE),
    Kind("image", "binary", "x.elf", elf, called(image, "x.elf")),
    Kind("chaos.json", "json", "chaos.json", files(DAY2 / "chaos" / "chaos.json"), PAGE),
    *(
        Kind(f"study.json: {name}", "json", "study.json", files(day / name / "study.json"), PAGE)
        for day, name in ((DAY1, "balancers"), (DAY2, "connectors"), (DAY2, "appliance"))
    ),
    Kind(
        "results of a study",
        "lines",
        "results.ndjson",
        files(DAY2 / "connectors" / "results.ndjson"),
        called(results, "results.ndjson"),
    ),
    Kind(
        "study to take up",
        "json",
        "study.json",
        files(DAY2 / "connectors" / "study.json"),
        called(taken_up, "study.json"),
    ),
]
