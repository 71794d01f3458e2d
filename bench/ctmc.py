"""The Markov solver beside its peers: the same models, the same machine, the same run.

Peers: Storm (stormpy) and a plain uniformization in numpy without any bound. Each answers in a process of
its own, killed after `--limit` seconds; Loadstone has a time budget, and half a minute more to keep it.
Time is CPU time from the model's text to the answer, imports apart.
Memory is the process's peak. PRISM's seconds are of an earlier day on the same kind of machine: it is in no
package registry; its start-up of 0.9 s is in them.

After the table: the targets, met or not. Where a peer was stopped, the CPU time it had spent by then is a
lower bound of what it needs.

    pip install stormpy
    python bench/ctmc.py [--limit 25] [--rounds 3] [--only TEXT ...] [--out FOLDER]
"""

from __future__ import annotations

import datetime
import json
import multiprocessing
import os
import platform
import resource
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import monotonic, process_time
from typing import Any

import asked
from ctmc_cases import CASES, Case
from ctmc_models import pool
from ctmc_targets import TARGETS_HEAD, spelled, targets

from loadstone.ctmc.solve import solve
from loadstone.errors import LoadstoneError


def ours(case: Case) -> list[float]:
    """Both bounds."""
    ask: dict[str, Any] = {"ask": "long-run"}
    ask["of"] = case.of
    if case.mean:
        ask["ask"] = "first-mean"
    elif case.time:
        ask |= {"ask": "first-by" if case.first else "until", "time": case.time}
    model = {"prism": {"text": case.text(), "constants": {}}}
    [figure] = solve(model, [ask], case.name, precision=1e-6, threads=1, within=case.budget_s)["answers"]
    return [figure["low"], figure["high"]]


def storm(case: Case) -> list[float]:
    """One number, at the tool's defaults."""
    import stormpy

    with tempfile.NamedTemporaryFile("w", suffix=".prism") as file:
        file.write(case.text())
        file.flush()
        program = stormpy.parse_prism_program(file.name, prism_compatibility=True)
    question = f'R{{"{case.of}"}}=? [ LRA ]'
    if case.mean:
        question = f'R{{"time"}}=? [ F "{case.of}" ]'
    elif case.first:
        question = f'P=? [ F<={case.time!r} "{case.of}" ]'
    elif case.time:
        question = f'R{{"{case.of}"}}=? [ C<={case.time!r} ]'
    properties = stormpy.parse_properties(question, program)
    model = stormpy.build_model(program, properties)
    result = stormpy.model_checking(model, properties[0])
    return [float(result.get_value_vector()[model.initial_states[0]])]


def explicit(case: Case) -> tuple[Any, Any, int]:
    """Generator, reward and start for the peers that take matrices."""
    import numpy as np
    from scipy.sparse import coo_array, csr_array, diags_array

    reply = solve({"prism": {"text": case.text(), "constants": {}}}, [], case.name, export=True)
    size = reply["states"]
    table = np.array([line.split() for line in reply["export"]["tra"].splitlines()[1:]], dtype=float)
    rows, columns = table[:, 0].astype(int), table[:, 1].astype(int)
    rates = csr_array(coo_array((table[:, 2], (rows, columns)), shape=(size, size)))
    reward = np.zeros(size)
    for line in reply["export"][f"{case.of}.srew"].splitlines()[1:]:
        state, value = line.split()
        reward[int(state)] = float(value)
    return csr_array(rates - diags_array(rates.sum(axis=1))), reward, 0


def plain(case: Case) -> list[float]:
    """Uniformization as in the textbooks: every jump, probabilities by logarithms, no bounds."""
    import numpy as np
    from scipy.sparse import csr_array, eye_array
    from scipy.stats import poisson

    if case.time is None or case.first or case.mean:
        raise NotImplementedError
    generator, reward, start = explicit(case)
    pace = float(-generator.diagonal().min()) * 1.02
    jump = csr_array(eye_array(len(reward)) + generator / pace)
    total, values = 0.0, np.asarray(reward)
    for jumps in range(int(poisson.isf(1e-12, pace * case.time)) + 1):
        total += poisson.sf(jumps, pace * case.time) / pace * values[start]
        values = jump @ values
    return [total]


SOLVERS: dict[str, Callable[[Case], list[float]]] = {"loadstone": ours, "storm": storm, "plain": plain}

# Whoever answers within this is asked again: seconds.
SHORT_S = 5.0


def child(name: str, case: Case, pipe: Any) -> None:
    """Runs once to warm up imports on a tiny model, then measures."""
    # What a solver says on its way is not part of the table.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    time = case.time and 1.0
    tiny = Case("tiny", 4, lambda: pool(1, 1, True), time=time)
    began = monotonic()
    try:
        SOLVERS[name](tiny)
        before, began = process_time(), monotonic()
        pipe.send({"before": before})
        answer = SOLVERS[name](case)
        spent = process_time() - before
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        pipe.send({"answer": answer, "cpu_s": spent, "peak_mib": memory})
    except LoadstoneError as error:
        pipe.send({"refused": error.message, "after_s": monotonic() - began})
    except (ImportError, NotImplementedError) as error:
        pipe.send({"missing": type(error).__name__})


def cpu_seconds(process: int) -> float:
    """CPU time of a running process so far."""
    fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(name: str, case: Case, limit_s: float) -> dict[str, Any]:
    """One solver on one model; `{"limit": CPU seconds so far}` when it was stopped."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=child, args=(name, case, sender))
    process.start()
    sender.close()
    before = 0.0
    try:
        while receiver.poll(limit_s):
            found = dict(receiver.recv())
            if "before" not in found:
                return found
            before = found["before"]
        return {"limit": round(cpu_seconds(process.pid or 0) - before, 2)}
    except EOFError:
        return {"missing": "died"}
    finally:
        process.kill()
        process.join()


def measured(case: Case, limit_s: float, rounds: int) -> dict[str, Any]:
    """Every solver on one case; the median of those that answer in time to be asked again."""
    found: dict[str, Any] = {}
    for name in SOLVERS:
        # The plain peer is no target: a third of the time will do for it.
        patience = {
            "loadstone": case.budget_s + 30,
            "storm": case.peer_s or limit_s,
            "plain": limit_s / 3,
        }[name]
        first = measure(name, case, patience)
        again = rounds - 1 if first.get("cpu_s", SHORT_S) < SHORT_S else 0
        runs = [
            each
            for each in [first, *(measure(name, case, patience) for _ in range(again))]
            if "cpu_s" in each
        ]
        seconds = [run["cpu_s"] for run in runs]
        found[name] = first | ({"cpu_s": statistics.median(seconds), "all_cpu_s": seconds} if runs else {})
    return found


def row(case: Case, found: dict[str, Any]) -> str:
    """A line of the table; a peer's number is told where it lies outside the bounds."""
    own = found["loadstone"]
    cells = [case.name, f"{case.states:,}"]
    low, high = own.get("answer", (0.0, 0.0))
    cells += [f"[{low:.12g}, {high:.12g}]" if "answer" in own else "-"]
    outside = []
    for name, each in found.items():
        if "cpu_s" not in each:
            limit = f"> {each['limit']:g}" if "limit" in each else "-"
            cells.append(f"refused: {each['refused']}" if "refused" in each else limit)
            continue
        cells.append(f"{each['cpu_s']:.3f} s, {each['peak_mib']:.0f} MiB")
        value = each["answer"][-1]
        if "answer" in own and name != "loadstone" and not low <= value <= high:
            outside.append(f"{name} {value:.10g}")
    cells.append(f"{case.prism_s:g} s" if case.prism_s else "-")
    cells.append("; ".join(outside) or "-")
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    """Every solver on every case, in turn."""
    parser = asked.parser(__doc__)
    parser.add_argument("--limit", type=float, default=25.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[""], help="parts of cases' names")
    parser.add_argument("--out", type=Path, help="run folder: result.json and table.md")
    options = parser.parse_args()
    record: dict[str, Any] = {
        "command": " ".join(sys.argv),
        "machine": f"{platform.machine()}, {os.cpu_count()} processors",
        "date": datetime.date.today().isoformat(),
        "cases": {},
    }
    head = "case | states | bounds | loadstone | Storm | plain | PRISM (earlier) | outside the bounds"
    table = [f"| {head} |", "|" + "---|" * 8]
    print("\n".join(table), flush=True)
    for case in CASES:
        if any(part in case.name for part in options.only):
            found = measured(case, options.limit, options.rounds)
            record["cases"][case.name] = found
            table.append(row(case, found))
            print(table[-1], flush=True)
    record["targets"] = [line for case in CASES for line in targets(case, record["cases"].get(case.name, {}))]
    table += ["", *TARGETS_HEAD, *(spelled(line) for line in record["targets"])]
    print("\n".join(table[-len(record["targets"]) - 3 :]), flush=True)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "result.json").write_text(json.dumps(record, indent=2) + "\n")
        (options.out / "table.md").write_text("\n".join(table) + "\n")


if __name__ == "__main__":
    main()
