"""The Markov solver beside its peers: the same models, the same machine, the same run.

Peers: Storm (stormpy, an optional package), scipy's expm_multiply, and a plain uniformization in numpy
without any bound. Each answers in a process of its own, killed after `--limit` seconds. Time is CPU time from
the model's text to the answer, imports apart; memory is the process's peak.

    pip install stormpy
    python bench/ctmc.py [--limit 60] [--rounds 3] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import platform
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone.nodes.solve import solve

YEAR = 365 * 86_400.0

POOL = """ctmc
const int num = {num}; const int pool = {pool}; const double year = 31536000;
module nodes
  up : [0..num] init num;
  spare : [0..pool] init pool;
  [] up>0 -> up/year : (up'=up-1);
  [] up<num & spare>0 -> (num-up)/15 : (up'=up+1) & (spare'=spare-1);
  [] {mends} & spare<pool & num+pool-up-spare>0 -> (num+pool-up-spare)/3600 : (spare'=spare+1);
endmodule
rewards "down" up<num : 1; endrewards
"""

TIERS = """ctmc
const int n = {n}; const int crew = 2; const double year = 31536000;
formula waiting = 2*n-app-base;
module tiers
  web : [0..n] init n; app : [0..n] init n; base : [0..n] init n;
  [] web>0 -> 6*web/year : (web'=web-1);
  [] app>0 -> 2*app/year : (app'=app-1);
  [] base>0 -> base/year : (base'=base-1);
  [] web<n -> (n-web)/15 : (web'=web+1);
  [] app<n -> min(crew,waiting)*(n-app)/waiting/3600 : (app'=app+1);
  [] base<n -> min(crew,waiting)*(n-base)/waiting/3600 : (base'=base+1);
endmodule
rewards "down" web<n-1 | app<n-1 | base<n-1 : 1; endrewards
"""


@dataclass(frozen=True)
class Case:
    """One model and one question: downtime until `time`, or the long-run share when None."""

    name: str
    text: str
    time: float | None


CASES = [
    Case("pool 10+18, 1 year", POOL.format(num=10, pool=18, mends="false"), YEAR),
    Case("pool 10+10 mended, 1 year", POOL.format(num=10, pool=10, mends="true"), YEAR),
    Case("pool 100+100 mended, 1 hour", POOL.format(num=100, pool=100, mends="true"), 3600.0),
    Case("pool 100+100 mended, 1 year", POOL.format(num=100, pool=100, mends="true"), YEAR),
    Case("pool 100+100 mended, long run", POOL.format(num=100, pool=100, mends="true"), None),
    Case("pool 300+300 mended, long run", POOL.format(num=300, pool=300, mends="true"), None),
    Case("three tiers of 20, 1 year", TIERS.format(n=20), YEAR),
    Case("three tiers of 20, long run", TIERS.format(n=20), None),
    Case("three tiers of 100, 1 year", TIERS.format(n=100), YEAR),
]


def ours(case: Case) -> list[float]:
    """Both bounds."""
    ask: dict[str, Any] = {"ask": "long-run", "of": "down"}
    if case.time:
        ask |= {"ask": "until", "time": case.time}
    model = {"prism": {"text": case.text, "constants": {}}}
    [figure] = solve(model, [ask], case.name, precision=1e-6, threads=1)["answers"]
    return [figure["low"], figure["high"]]


def storm(case: Case) -> list[float]:
    """One number, at the tool's defaults."""
    import stormpy

    with tempfile.NamedTemporaryFile("w", suffix=".prism") as file:
        file.write(case.text)
        file.flush()
        program = stormpy.parse_prism_program(file.name, prism_compatibility=True)
    question = f'R{{"down"}}=? [ C<={case.time!r} ]' if case.time else 'R{"down"}=? [ LRA ]'
    properties = stormpy.parse_properties(question, program)
    model = stormpy.build_model(program, properties)
    result = stormpy.model_checking(model, properties[0])
    return [float(result.get_value_vector()[model.initial_states[0]])]


def explicit(case: Case) -> tuple[Any, Any, int]:
    """Generator, reward and start for the peers that take matrices."""
    import numpy as np
    from scipy.sparse import coo_array, csr_array, diags_array

    reply = solve({"prism": {"text": case.text, "constants": {}}}, [], case.name, export=True)
    size = reply["states"]
    table = np.array([line.split() for line in reply["export"]["tra"].splitlines()[1:]], dtype=float)
    rows, columns = table[:, 0].astype(int), table[:, 1].astype(int)
    rates = csr_array(coo_array((table[:, 2], (rows, columns)), shape=(size, size)))
    reward = np.zeros(size)
    for line in reply["export"]["down.srew"].splitlines()[1:]:
        state, value = line.split()
        reward[int(state)] = float(value)
    return csr_array(rates - diags_array(rates.sum(axis=1))), reward, 0


def scipy_expm(case: Case) -> list[float]:
    """expm_multiply on the generator with one more row, which integrates the reward."""
    import numpy as np
    from scipy.sparse import block_array, csr_array
    from scipy.sparse.linalg import expm_multiply

    generator, reward, start = explicit(case)
    if case.time is None:
        raise NotImplementedError
    size = len(reward)
    corner = csr_array((1, 1))
    whole = csr_array(block_array([[generator, csr_array(reward[:, None])], [csr_array((1, size)), corner]]))
    last = np.zeros(size + 1)
    last[size] = 1.0
    return [float(expm_multiply(whole * case.time, last)[start])]


def plain(case: Case) -> list[float]:
    """Uniformization as in the textbooks: every jump, probabilities by logarithms, no bounds."""
    import numpy as np
    from scipy.sparse import csr_array, eye_array
    from scipy.stats import poisson

    generator, reward, start = explicit(case)
    if case.time is None:
        raise NotImplementedError
    pace = float(-generator.diagonal().min()) * 1.02
    jump = csr_array(eye_array(len(reward)) + generator / pace)
    total, values = 0.0, np.asarray(reward)
    for jumps in range(int(poisson.isf(1e-12, pace * case.time)) + 1):
        total += poisson.sf(jumps, pace * case.time) / pace * values[start]
        values = jump @ values
    return [total]


SOLVERS: dict[str, Callable[[Case], list[float]]] = {
    "loadstone": ours, "storm": storm, "scipy expm_multiply": scipy_expm, "plain uniformization": plain,
}  # fmt: skip


def child(name: str, case: Case, pipe: Any) -> None:
    """Runs once to warm up imports on a tiny model, then measures."""
    tiny = Case("tiny", POOL.format(num=1, pool=1, mends="true"), case.time and 1.0)
    try:
        SOLVERS[name](tiny)
        before = time.process_time()
        answer = SOLVERS[name](case)
        spent = time.process_time() - before
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        pipe.send({"answer": answer, "cpu_s": spent, "peak_mib": memory})
    except (ImportError, NotImplementedError) as error:
        pipe.send({"missing": type(error).__name__})


def measure(name: str, case: Case, limit_s: float) -> dict[str, Any]:
    """One solver on one model; `{"limit": s}` when it was stopped."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=child, args=(name, case, sender))
    process.start()
    sender.close()
    try:
        if receiver.poll(limit_s):
            return dict(receiver.recv())
        return {"limit": limit_s}
    except EOFError:
        return {"missing": "died"}
    finally:
        process.kill()
        process.join()


def main() -> None:
    """Every solver on every case, in turn; medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    record: dict[str, Any] = {"command": " ".join(sys.argv), "machine": platform.processor(), "cases": {}}
    for case in CASES:
        found: dict[str, Any] = {}
        for name in SOLVERS:
            first = measure(name, case, options.limit)
            more = (
                [measure(name, case, options.limit) for _ in range(options.rounds - 1)]
                if "cpu_s" in first
                else []
            )
            runs = [each for each in [first, *more] if "cpu_s" in each]
            found[name] = first | ({"cpu_s": statistics.median(run["cpu_s"] for run in runs)} if runs else {})
        record["cases"][case.name] = found
        low, high = found["loadstone"]["answer"]
        print(f"{case.name}: [{low:.12g}, {high:.12g}]")
        for name, each in found.items():
            if "cpu_s" not in each:
                print(f"  {name:22} {f'> {options.limit:g} s' if 'limit' in each else '-'}")
                continue
            value = each["answer"][-1]
            beside = "" if name == "loadstone" or low <= value <= high else f"  outside: {value:.12g}"
            print(f"  {name:22} {each['cpu_s']:9.4f} s  {each['peak_mib']:6.0f} MiB{beside}")
    if options.json:
        options.json.write_text(json.dumps(record, indent=2))


if __name__ == "__main__":
    main()
