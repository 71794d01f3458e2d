"""How often `loadstone ab` is wrong: A/A comparisons, and A/B ones with one operation 5 % slower.

A scripted server answers three operations after log-normal times around 40 ms (σ = 0.12), and fails one
request in 300. `/a` and `/b` are the same, but for `/b/search` of the A/B comparisons, whose times are 42 ms.
Each comparison is one command, `loadstone ab`, with a server of its own: four pairs of runs of 1 + 5 s for
A/A, fourteen for A/B. Several run side by side: they mostly wait. A/A and A/B are mixed, so that both see the
same machine. `--anyway`: on a busy machine the generator is late, too, and many runs are not valid. They
count here all the same, so that what is tested is the comparison and not the checks before it.

    python bench/compare_campaign.py [--aa 100] [--ab 20] [--at-once 20] [--out FOLDER]

Writes `summary.json` with a line for each comparison. Interrupted, it keeps those that ended; asked again, it
goes on. A/B comparisons want a calmer machine than A/A ones: run them with fewer at once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import asked
import kept

BASE_S = 0.040
SLOWER = 1.05
SIGMA = 0.12
FAILING = 1 / 300
SLOWED = "Search"
PAIRS = {"aa": 4, "ab": 14}
SCENARIO = """
format = 1
name = "campaign"
[target]
url = "http://127.0.0.1:1"
[load]
users = 20
[pacing]
cycle = 0.2
[sla]
window_s = 5
[[operation]]
name = "Home"
limit_s = 0.06
step = [{ get = "/home" }]
[[operation]]
name = "Search"
limit_s = 0.06
step = [{ get = "/search" }]
[[operation]]
name = "Add"
limit_s = 0.06
step = [{ get = "/add" }]
[mix]
Home = { Search = 0.5, Add = 0.5 }
Search = { Home = 0.5, Add = 0.5 }
Add = { Home = 0.5, Search = 0.5 }
"""


async def serve(seed: int) -> None:
    """Serves until it is told to end; says its port on stdout."""
    times = random.Random(seed)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        clock = asyncio.get_running_loop().time
        with suppress(asyncio.IncompleteReadError, OSError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                due = clock() + BASE_S * times.lognormvariate(0, SIGMA) * slowness(head)
                await asyncio.sleep(due - clock())
                status = b"500 Internal" if times.random() < FAILING else b"200 OK"
                writer.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: 2\r\n\r\nok")
                await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0, backlog=1000) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()


def slowness(head: bytes) -> float:
    """The factor of a request's time."""
    return SLOWER if head.startswith(b"GET /ab/b/search ") else 1.0


async def compare(kind: str, number: int, folder: Path) -> dict[str, Any]:
    """One comparison; what it said.

    Sessions of their own: Linux shares a busy processor among sessions first, and all comparisons of one
    campaign would get the share of one.
    """
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, __file__, "--serve", str(2 * number + (kind == "ab"))),
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    assert server.stdout
    try:
        port = int(await server.stdout.readline())
        return await measured(kind, number, f"http://127.0.0.1:{port}/{kind}", folder)
    finally:
        server.terminate()
        await server.wait()


async def measured(kind: str, number: int, url: str, folder: Path) -> dict[str, Any]:
    """The comparison of `/a` and `/b` under the URL."""
    out = folder / f"{kind}-{number:03d}"
    command = [
        sys.executable, "-m", "loadstone", "ab", str(folder / "campaign.toml"), "--a", f"{url}/a", "--b",
        f"{url}/b", "--pairs", str(PAIRS[kind]), "--window", "5", "--ramp-up", "1",
        "--seed", str(1000 * number + 1), "--out", str(out), "--anyway", "--json",
    ]  # fmt: skip
    began = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        *command,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    said, complaints = await process.communicate()
    states = [json.loads(file.read_text("utf-8"))["validity"]["state"] for file in out.glob("*/*/run.json")]
    shutil.rmtree(out, ignore_errors=True)
    row: dict[str, Any] = {"kind": kind, "number": number, "exit": process.returncode}
    row["seconds"] = round(time.monotonic() - began, 1)
    if process.returncode not in (0, 1):
        return row | {"error": complaints.decode()[-300:]}
    found = json.loads(said)
    slowed = {r["figure"]: r["ratio"] for r in found["rows"] if r["operation"] == SLOWED and "ratio" in r}
    return row | {
        "pairs": found["pairs"],
        "runs": {state: states.count(state) for state in sorted(set(states))},
        "said": [f"{r['operation']} {r['figure']} {r['said']}" for r in found["rows"] if r["said"] != "~"],
        "least_p": min(filter(None, (r["p_corrected"] for r in found["rows"])), default=None),
        "tested": sum(r["p_corrected"] is not None for r in found["rows"]),
        "search_ratio": {
            figure: [ratio[end] and round(ratio[end], 4) for end in ("low", "value", "high")]
            for figure, ratio in slowed.items()
        },
    }


async def campaign(arguments: argparse.Namespace) -> None:
    """All comparisons, in a mixed order, as many at once as asked for; the long ones not last."""
    first, last = ([("aa", number) for number in range(*ends)] for ends in ((0, 60), (60, 1000)))
    first, last = first[: arguments.aa], last[: max(0, arguments.aa - 60)]
    first += [("ab", number) for number in range(arguments.ab)]
    random.Random(1).shuffle(first)
    before = arguments.out / "summary.json"
    rows: list[dict[str, Any]] = (
        json.loads(before.read_text("utf-8"))["comparisons"] if before.exists() else []
    )
    done = {(row["kind"], row["number"]) for row in rows}
    todo = [one for one in [*first, *last][::-1] if one not in done]
    with tempfile.TemporaryDirectory(prefix="campaign-") as place:
        folder = Path(place)
        (folder / "campaign.toml").write_text(SCENARIO, "utf-8")

        async def work(delay_s: float) -> None:
            await asyncio.sleep(delay_s)
            while todo:
                rows.append(await compare(*todo.pop(), folder))
                write(rows, arguments)
                print(rows[-1], flush=True)

        await asyncio.gather(*(work(0.5 * at) for at in range(arguments.at_once)))


def write(rows: list[Any], arguments: argparse.Namespace) -> None:
    """`summary.json` with what is known so far."""
    whole = [row for row in rows if "error" not in row]
    both = {kind: [row for row in whole if row["kind"] == kind] for kind in ("aa", "ab")}
    slower = f"{SLOWED} mean slower"
    summary = {
        **kept.head(" ".join(["python bench/compare_campaign.py", *sys.argv[1:]])),
        "pairs_of_a_comparison": PAIRS,
        "aa": {"comparisons": len(both["aa"]), "alarms": sum(bool(row["said"]) for row in both["aa"])},
        "ab": {
            "comparisons": len(both["ab"]),
            "slowed_operation_found": sum(
                any(one.startswith(SLOWED) and one.endswith("slower") for one in row["said"])
                for row in both["ab"]
            ),
            "by_its_mean": sum(slower in row["said"] for row in both["ab"]),
            "another_operation_named": sum(
                any(not one.startswith((SLOWED, "*")) for one in row["said"]) for row in both["ab"]
            ),
        },
        "errors": sum("error" in row for row in rows),
        "invalid_runs": sum(row["runs"].get("invalid", 0) for row in whole),
        "runs": sum(sum(row["runs"].values()) for row in whole),
        "comparisons": sorted(rows, key=lambda row: (row["kind"], row["number"])),
    }
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "summary.json").write_text(json.dumps(summary, indent=1) + "\n", "utf-8")


def main() -> None:
    """Runs the campaign and prints what came of it."""
    parser = asked.parser(__doc__)
    parser.add_argument("--aa", type=int, default=100)
    parser.add_argument("--ab", type=int, default=20)
    parser.add_argument("--at-once", type=int, default=20)
    parser.add_argument("--out", type=Path, default=Path("target/compare-campaign"))
    parser.add_argument("--serve", type=int, metavar="SEED", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve is not None:
        with suppress(KeyboardInterrupt):
            asyncio.run(serve(arguments.serve))
        return
    asyncio.run(campaign(arguments))
    summary = json.loads((arguments.out / "summary.json").read_text("utf-8"))
    print(json.dumps({name: summary[name] for name in ("aa", "ab", "errors", "invalid_runs", "runs")}))


if __name__ == "__main__":
    main()
