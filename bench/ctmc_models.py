"""The models of the benchmark: the field's families by size, pools of machines and tiers of services."""

from __future__ import annotations

import random
from pathlib import Path

FOLDER = Path(__file__).parent / "models"


def family(name: str, **sizes: int) -> str:
    """A text of `models/` with its open constants given."""
    text = (FOLDER / f"{name}.prism").read_text("utf-8")
    for constant, value in sizes.items():
        text = text.replace(f"const int {constant};", f"const int {constant} = {value};")
    return text


def polling(stations: int) -> str:
    """One server that visits stations of one place each in turn (Ibe and Trivedi 1990).

    Work comes to each at a rate of 1 over the number of stations; a step of the server takes 1/200, a
    service 1.
    """
    server, others = [], []
    for at in range(1, stations + 1):
        after = at % stations + 1
        here = f"at={at} & {{}}serving"
        idle, busy = here.format("!"), here.format("")
        server.append(f"  [pass{at}] {idle} -> 200 : (at'={after});")
        server.append(f"  [begin{at}] {idle} -> 200 : (serving'=true);")
        server.append(f"  [end{at}] {busy} -> 1 : (at'={after}) & (serving'=false);")
        others.append(
            f"module station{at}\n  work{at} : bool init false;\n"
            f"  [] !work{at} -> 1/{stations} : (work{at}'=true);\n"
            f"  [pass{at}] !work{at} -> 1 : true;\n  [begin{at}] work{at} -> 1 : true;\n"
            f"  [end{at}] work{at} -> 1 : (work{at}'=false);\nendmodule\n"
        )
    begin = f"ctmc\nmodule server\n  at : [1..{stations}] init 1;\n  serving : bool init false;\n"
    waits = 'rewards "first_waits" work1 & !(at=1 & serving) : 1; endrewards\n'
    return begin + "\n".join(server) + "\nendmodule\n" + "".join(others) + waits


def irregular(states: int, decades: float, kind: str) -> str:
    """A chain that has no structure to be found: one variable, rates drawn evenly over so many powers of ten.

    `random`: a ring with four more ways out of each state; `ring`: with one; `scrambled`: birth and death,
    states in no order. The fastest rate is one a unit of time.
    """
    draw = random.Random(f"{kind} {states} {decades}")

    def rate() -> str:
        return repr(10 ** (-decades * draw.random()))

    ways: dict[int, list[tuple[int, str]]] = {state: [] for state in range(states)}
    for state in range(states):
        if kind == "scrambled":
            here, after = state * 7919 % states, (state + 1) * 7919 % states
            if state + 1 < states:
                ways[here].append((after, rate()))
                ways[after].append((here, rate()))
            continue
        ways[state].append(((state + 1) % states, rate()))
        for _ in range(4 if kind == "random" else 1):
            ways[state].append((draw.randrange(states), rate()))
    lines = [
        f"  [] s={state} -> " + " + ".join(f"{rate}:(s'={to})" for to, rate in found) + ";"
        for state, found in ways.items()
        if found
    ]
    body = "\n".join(lines)
    marks = f'label "goal" = s={states // 2};\nrewards "down" mod(s,17)=3 : 1; endrewards\n'
    marks += 'rewards "time" true : 1; endrewards\n'
    return f"ctmc\nmodule chain\n  s : [0..{states - 1}] init 0;\n{body}\nendmodule\n{marks}"


def scattered(states: int) -> str:
    """Jumps to three states that arithmetic picks, at rates over two powers of ten, the fastest 1.

    As irregular as drawn ones, in a text that is read at once.
    """
    ways = [(1, 7919, 13), (10, 104_729, 7), (100, 611_953, 101)]
    body = " + ".join(
        f"1/({slower}*(1+mod(s,{3 + place}))) : (s'=mod(s*{factor}+{more},{states}))"
        for place, (slower, factor, more) in enumerate(ways)
    )
    marks = 'rewards "down" mod(s,17)=3 : 1; endrewards\n'
    return f"ctmc\nmodule chain\n  s : [0..{states - 1}] init 0;\n  [] true -> {body};\nendmodule\n{marks}"


def turning(states: int) -> str:
    """A ring with one way out of each state, at a rate of 1: it turns long before it forgets its start."""
    marks = 'rewards "down" mod(s,17)=3 : 1; endrewards\n'
    step = f"[] true -> 1 : (s'=mod(s+1,{states}))"
    return f"ctmc\nmodule chain\n  s : [0..{states - 1}] init 0;\n  {step};\nendmodule\n{marks}"


def cascade(count: int) -> str:
    """Three kinases, ten enzyme reactions (Huang and Ferrell 1996); so many molecules of each kinase.

    An enzyme binds at one over the number of molecules, lets go at 150 and has done its work at 150.
    """
    # Enzyme, what it works on, the complex, what becomes of that.
    reactions = [
        ("e1", "kkk", "kkk_e1", "kkkp"),
        ("e2", "kkkp", "kkkp_e2", "kkk"),
        ("kkkp", "kk", "kk_kkkp", "kkp"),
        ("kkm", "kkp", "kkp_kkm", "kk"),
        ("kkkp", "kkp", "kkp_kkkp", "kkpp"),
        ("kkm", "kkpp", "kkpp_kkm", "kkp"),
        ("kkpp", "k", "k_kkpp", "kp"),
        ("km", "kp", "kp_km", "k"),
        ("kkpp", "kp", "kp_kkpp", "kpp"),
        ("km", "kpp", "kpp_km", "kp"),
    ]
    single = "e1 e2 kkm km kkk_e1 kkkp_e2 kkp_kkm kkpp_kkm kp_km kpp_km"
    most = dict.fromkeys(single.split(), 1)
    names = dict.fromkeys(name for reaction in reactions for name in reaction)
    full = {"e1", "e2", "kkm", "km", "kkk", "kk", "k"}
    lines = [
        f"  {name} : [0..{most.get(name, count)}] init {most.get(name, count) if name in full else 0};"
        for name in names
    ]
    for enzyme, before, bound, after in reactions:
        room = f"{bound}<{most.get(bound, count)}"
        free = f"({enzyme}'={enzyme}+1) & ({bound}'={bound}-1)"
        lines += [
            f"  [] {enzyme}>0 & {before}>0 & {room} -> {enzyme}*{before}/{count} : "
            f"({enzyme}'={enzyme}-1) & ({before}'={before}-1) & ({bound}'={bound}+1);",
            f"  [] {bound}>0 & {enzyme}<{most.get(enzyme, count)} & {before}<{count} -> 150*{bound} : "
            f"{free} & ({before}'={before}+1);",
            f"  [] {bound}>0 & {enzyme}<{most.get(enzyme, count)} & {after}<{count} -> 150*{bound} : "
            f"{free} & ({after}'={after}+1);",
        ]
    body = "\n".join(lines)
    marks = f'label "activated" = kpp={count};\nrewards "time" true : 1; endrewards\n'
    return f"ctmc\nmodule cascade\n{body}\nendmodule\n{marks}"


def pool(machines: int, spares: int, mended: bool) -> str:
    """Machines that crash once a year, spares that take over in 15 s, crashed machines mended in an hour."""
    return f"""ctmc
const int num = {machines}; const int pool = {spares}; const double year = 31536000;
module nodes
  up : [0..num] init num;
  spare : [0..pool] init pool;
  [] up>0 -> up/year : (up'=up-1);
  [] up<num & spare>0 -> (num-up)/15 : (up'=up+1) & (spare'=spare-1);
  [] {str(mended).lower()} & spare<pool & num+pool-up-spare>0 -> (num+pool-up-spare)/3600 : (spare'=spare+1);
endmodule
rewards "down" up<num : 1; endrewards
"""


def tiers(nodes: int) -> str:
    """Web, application and database of so many nodes each; the last two share two people who mend.

    All but one of each must be up.
    """
    return f"""ctmc
const int n = {nodes}; const int crew = 2; const double year = 31536000;
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
