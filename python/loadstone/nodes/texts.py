"""The deployments as texts in the PRISM language, and their answers as two bounds.

What `models` computes in closed form is stated here as the chain itself, so that any solver can check it.
All times are in seconds. Source: PCRAFT, figures 1 and 2.
"""

from __future__ import annotations

from loadstone.ctmc.solve import solve
from loadstone.nodes.integrity import CORRUPT_REPAIR_S, CRASH_REPAIR_S, RETRY_S, NodeType

ACTIVE = """
ctmc
const int num; const int extra; const double crash; const double replace;
module nodes
  up : [0..num+extra] init num+extra;
  [] up>0 -> up*crash : (up'=up-1);
  [] up<num+extra -> (num+extra-up)*replace : (up'=up+1);
endmodule
label "down" = up<num;
"""

PASSIVE = """
ctmc
const int num; const int pool; const double crash; const double failover; const double mend;
module nodes
  up : [0..num] init num;
  spare : [0..pool] init pool;
  [] up>0 -> up*crash : (up'=up-1);
  [] up<num & spare>0 -> (num-up)*failover : (up'=up+1) & (spare'=spare-1);
  [] spare<pool & num+pool-up-spare>0 -> (num+pool-up-spare)*mend : (spare'=spare+1);
endmodule
label "down" = up<num;
"""

NODE = """
ctmc
const double faults; const double corrupts; const double crashes; const double retries;
const double mend; const double restart; const double retry;
module node
  s : [0..3];
  [] s=0 -> faults*corrupts : (s'=1) + faults*crashes : (s'=2) + faults*retries : (s'=3);
  [] s=1 -> 1/mend : (s'=0);
  [] s=2 -> 1/restart : (s'=0);
  [] s=3 -> 1/retry : (s'=0);
endmodule
label "correct" = s=0;
label "corrupt" = s=1;
label "down" = s>=2;
"""

Bounds = tuple[float, float]


def active_down_s(num: int, extra: int, crash: float, replace: float, year_s: float) -> Bounds:
    """Expected seconds with fewer than `num` of `num + extra` active nodes up; `replace` 0: nobody mends.

    >>> low, high = active_down_s(1, 0, 1 / 1000, 0.0, 1000.0)
    >>> low <= 1000 * 0.36787944117144233 <= high
    True
    """
    return _until(ACTIVE, ["down"], year_s, {"num": num, "extra": extra, "crash": crash, "replace": replace})[
        "down"
    ]


def passive_down_s(num: int, pool: int, crash: float, failover: float, mend: float, year_s: float) -> Bounds:
    """The same with `pool` cold spares that take over at `failover`; `mend` 0: nobody repairs."""
    constants = {"num": num, "pool": pool, "crash": crash, "failover": failover, "mend": mend}
    return _until(PASSIVE, ["down"], year_s, constants)["down"]


def node_time_s(
    node: NodeType, faults: float, period_s: float, retry_s: float = RETRY_S
) -> dict[str, Bounds]:
    """Expected seconds of a period with one node `correct`, `corrupt` and `down` under `faults` a second."""
    constants = {
        "faults": faults,
        "corrupts": node.corrupts,
        "crashes": node.crashes,
        "retries": node.retries,
        "mend": CORRUPT_REPAIR_S,
        "restart": CRASH_REPAIR_S,
        "retry": retry_s,
    }
    return _until(NODE, ["correct", "corrupt", "down"], period_s, constants)


def _until(
    text: str, labels: list[str], time_s: float, constants: dict[str, int | float]
) -> dict[str, Bounds]:
    values = {name: repr(value) for name, value in constants.items()}
    model = {"prism": {"text": text, "constants": values}}
    questions = [{"ask": "until", "of": label, "time": time_s} for label in labels]
    answers = solve(model, questions, "model", precision=1e-6)["answers"]
    return {label: (one["low"], one["high"]) for label, one in zip(labels, answers, strict=True)}
