"""A cluster, or several that share crews, as a chain in the PRISM language: to be read, exported, checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loadstone.availability.cluster import Cluster, Crewed


def prism(model: Cluster | Crewed) -> str:
    """The whole model; the label `down` marks fewer than `needed` nodes up, of any cluster.

    >>> "label \\"down\\" = up < 2;" in prism(Cluster(2, 3, None, crash=1e-6, failover=0.1))
    True
    """
    if isinstance(model, Crewed):
        return series([], model)
    shared = "" if model.crews is None else f" * min({model.crews}, broken) / broken"
    module = _module("cluster", "", model, shared)
    return f'ctmc\n{_formulas("", model)}{module}label "down" = up < {model.needed};\n'


def series(alone: Sequence[tuple[str, Cluster]], crewed: Crewed | None = None) -> str:
    """A service of named clusters, those `alone` with crews of their own; `down` as of `prism`.

    >>> "tier_web" in series([("web", Cluster(2, 3, None, crash=1e-6, failover=0.1))])
    True
    """
    together = list(zip(crewed.names, crewed.clusters, strict=True)) if crewed else []
    parts = [*alone, *together]
    lines = ["ctmc\n", *(_formulas(f"{name}_", one) for name, one in parts)]
    for name, one in alone:
        shared = "" if one.crews is None else f" * min({one.crews}, {name}_broken) / {name}_broken"
        lines.append(_module(f"tier_{name}", f"{name}_", one, shared))
    if crewed:
        lines += _crews(crewed)
        for (name, one), rank in zip(together, crewed.ranks, strict=True):
            shared = f" * min(crews_{rank}, waiting_{rank}) / waiting_{rank}"
            lines.append(_module(f"tier_{name}", f"{name}_", one, shared))
    short = " | ".join(f"{name}_up < {one.needed}" for name, one in parts)
    return "".join([*lines, f'label "down" = {short};\n'])


def _crews(model: Crewed) -> Iterator[str]:
    """Of each rank: nodes that wait for a crew, and the crews that the ranks before it leave."""
    before: list[str] = []
    for rank in sorted(set(model.ranks)):
        own = [f"{name}_broken" for name, its in zip(model.names, model.ranks, strict=True) if its == rank]
        yield f"formula waiting_{rank} = {' + '.join(own)};\n"
        taken = "".join(f" - {each}" for each in before)
        yield f"formula crews_{rank} = {f'max(0, {model.crews}{taken})' if taken else model.crews};\n"
        before += own


def _module(name: str, at: str, cluster: Cluster, shared: str) -> str:
    """`at` stands before every name of the cluster; `shared` is the part of the crews that is its own."""
    up = f"{at}up"
    variables = [f"{up} : [{cluster.fewest}..{cluster.active}] init {cluster.active};"]
    if cluster.pool:
        variables.append(f"{at}spare : [0..{cluster.pool}] init {cluster.pool};")
    mended = cluster.repair is not None and cluster.pool is not None
    if mended:
        nodes = cluster.active + (cluster.pool or 0)
        variables += [f"{at}phase{n} : [0..{nodes}] init 0;" for n in range(2, cluster.phases + 1)]
    commands = [_crash(cluster, up), *_shocks(cluster, up), *_failover(cluster, at)]
    if mended:
        commands += _repair(cluster, at, shared)
    body = "\n".join(f"  {line}" for line in [*variables, *commands])
    return f"module {name}\n{body}\nendmodule\n"


def _formulas(at: str, cluster: Cluster) -> str:
    """`broken`: crashed nodes that are not mended yet; the rest of them are in phase 1."""
    if cluster.pool is None:
        return ""
    spare = f" - {at}spare" if cluster.pool else ""
    later = "".join(f" - {at}phase{n}" for n in range(2, cluster.phases + 1))
    return (
        f"formula {at}broken = {cluster.active + cluster.pool} - {at}up{spare};\n"
        + (f"formula {at}phase1 = {at}broken{later};\n" if cluster.repair is not None else "")
    )  # fmt: skip


def _crash(cluster: Cluster, up: str) -> str:
    worn = f" * pow({cluster.active} / {up}, {cluster.load_exponent!r})" if cluster.load_exponent else ""
    return f"[] {up} > {cluster.fewest} -> {up} * {cluster.crash!r}{worn} : ({up}' = {up} - 1);"


def _shocks(cluster: Cluster, up: str) -> list[str]:
    """A command for each number of nodes that one shock may take: binomial among those up."""
    if cluster.shock is None:
        return []
    rate, share = cluster.shock.rate, cluster.shock.share
    lines = []
    for taken in range(1, cluster.active - cluster.fewest + 1):
        ways = " * ".join(f"(({up} - {n}) / {n + 1})" for n in range(taken))
        hit = f"pow({share!r}, {taken}) * pow({1 - share!r}, {up} - {taken})"
        lines.append(
            f"[] {up} >= {cluster.fewest + taken} -> {rate!r} * {ways} * {hit} : ({up}' = {up} - {taken});"
        )
    return lines


def _failover(cluster: Cluster, at: str) -> list[str]:
    up, spare = f"{at}up", f"{at}spare"
    missing = f"({cluster.active} - {up}) * {cluster.failover!r}"
    if cluster.pool is None:
        return [f"[] {up} < {cluster.active} -> {missing} : ({up}' = {up} + 1);"]
    if not cluster.pool:
        return []
    filled = f"({up}' = {up} + 1) & ({spare}' = {spare} - 1)"
    lines = [f"[] {up} < {cluster.active} & {spare} > 0 -> {missing} : {filled};"]
    if cluster.dormancy:
        rate = cluster.crash * cluster.dormancy
        lines.append(f"[] {spare} > 0 -> {spare} * {rate!r} : ({spare}' = {spare} - 1);")
    return lines


def _repair(cluster: Cluster, at: str, shared: str) -> list[str]:
    """Phase by phase; crews share their work among all that is broken."""
    assert cluster.repair is not None
    rate = cluster.repair * cluster.phases
    name, most = (f"{at}spare", cluster.pool) if cluster.pool else (f"{at}up", cluster.active)
    lines = []
    for n in range(1, cluster.phases + 1):
        phase, then = f"{at}phase{n}", f"{at}phase{n + 1}"
        done = f"({phase}' = {phase} - 1)" if n > 1 else ""
        if n < cluster.phases:
            guard, after = f"{phase} > 0", f"({then}' = {then} + 1)"
        else:
            guard, after = f"{phase} > 0 & {name} < {most}", f"({name}' = {name} + 1)"
        lines.append(f"[] {guard} -> {phase} * {rate!r}{shared} : {' & '.join(filter(None, [done, after]))};")
    return lines
