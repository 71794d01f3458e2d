"""The models of the benchmark: the field's families by size, pools of machines and tiers of services."""

from __future__ import annotations

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
