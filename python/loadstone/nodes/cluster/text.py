"""A cluster as a chain in the PRISM language, so that it can be read, exported and checked elsewhere."""

from __future__ import annotations

from loadstone.nodes.cluster.terms import Cluster


def prism(cluster: Cluster) -> str:
    """The whole model; the label `down` marks fewer than `needed` nodes up.

    >>> "label \\"down\\" = up < 2;" in prism(Cluster(2, 3, None, crash=1e-6, failover=0.1))
    True
    """
    variables = [f"up : [0..{cluster.active}] init {cluster.active};"]
    if cluster.pool:
        variables.append(f"spare : [0..{cluster.pool}] init {cluster.pool};")
    mended = cluster.repair is not None and cluster.pool is not None
    if mended:
        nodes = cluster.active + (cluster.pool or 0)
        variables += [f"phase{n} : [0..{nodes}] init 0;" for n in range(2, cluster.phases + 1)]
    commands = [_crash(cluster), *_shocks(cluster), *_failover(cluster)]
    if mended:
        commands += _repair(cluster)
    body = "\n".join(f"  {line}" for line in [*variables, *commands])
    module = f"module cluster\n{body}\nendmodule\n"
    return f'ctmc\n{_formulas(cluster)}{module}label "down" = up < {cluster.needed};\n'


def _formulas(cluster: Cluster) -> str:
    """`broken`: crashed nodes that nobody has mended; those of phase 1 are the rest of them."""
    if cluster.pool is None:
        return ""
    spare = " - spare" if cluster.pool else ""
    later = "".join(f" - phase{n}" for n in range(2, cluster.phases + 1))
    return (
        f"formula broken = {cluster.active + cluster.pool} - up{spare};\n"
        + (f"formula phase1 = broken{later};\n" if cluster.repair is not None else "")
    )  # fmt: skip


def _crash(cluster: Cluster) -> str:
    worn = f" * pow({cluster.active} / up, {cluster.load_exponent!r})" if cluster.load_exponent else ""
    return f"[] up > 0 -> up * {cluster.crash!r}{worn} : (up' = up - 1);"


def _shocks(cluster: Cluster) -> list[str]:
    """A command for each number of nodes that one shock may take: binomial among those up."""
    if cluster.shock is None:
        return []
    rate, share = cluster.shock.rate, cluster.shock.share
    lines = []
    for taken in range(1, cluster.active + 1):
        ways = " * ".join(f"((up - {n}) / {n + 1})" for n in range(taken))
        hit = f"pow({share!r}, {taken}) * pow({1 - share!r}, up - {taken})"
        lines.append(f"[] up >= {taken} -> {rate!r} * {ways} * {hit} : (up' = up - {taken});")
    return lines


def _failover(cluster: Cluster) -> list[str]:
    missing = f"({cluster.active} - up) * {cluster.failover!r}"
    if cluster.pool is None:
        return [f"[] up < {cluster.active} -> {missing} : (up' = up + 1);"]
    if not cluster.pool:
        return []
    lines = [
        f"[] up < {cluster.active} & spare > 0 -> {missing} : (up' = up + 1) & (spare' = spare - 1);",
    ]
    if cluster.dormancy:
        rate = cluster.crash * cluster.dormancy
        lines.append(f"[] spare > 0 -> spare * {rate!r} : (spare' = spare - 1);")
    return lines


def _repair(cluster: Cluster) -> list[str]:
    """Phase by phase; crews share their work among all that is broken."""
    assert cluster.repair is not None
    rate = cluster.repair * cluster.phases
    shared = "" if cluster.crews is None else f" * min({cluster.crews}, broken) / broken"
    home, room = ("spare", f"spare < {cluster.pool}") if cluster.pool else ("up", f"up < {cluster.active}")
    lines = []
    for n in range(1, cluster.phases + 1):
        done = f"(phase{n}' = phase{n} - 1)" if n > 1 else ""
        if n < cluster.phases:
            then = f"(phase{n + 1}' = phase{n + 1} + 1)"
            guard = f"phase{n} > 0"
        else:
            then, guard = f"({home}' = {home} + 1)", f"phase{n} > 0 & {room}"
        lines.append(f"[] {guard} -> phase{n} * {rate!r}{shared} : {' & '.join(filter(None, [done, then]))};")
    return lines
