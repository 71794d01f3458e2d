"""The deployments that have names, as clusters: active route anywhere (ARA) and passive failover (PF).

Rates are per second and node. Source: PCRAFT, section IV and figure 1.
"""

from __future__ import annotations

from typing import Literal, get_args

from loadstone.availability.cluster import Cluster
from loadstone.errors import LoadstoneError

ARA_CLOUD = "ARA cloud"
ARA_ON_PREM = "ARA on-prem"
PF_CLOUD = "PF cloud"
PF_ON_PREM = "PF on-prem"
PF_ON_PREM_REPAIR = "PF on-prem + repair"
DEPLOYMENTS = (ARA_CLOUD, ARA_ON_PREM, PF_CLOUD, PF_ON_PREM, PF_ON_PREM_REPAIR)

WithoutSpares = Literal["returns", "never-returns"]
"""What becomes of a mended node where there is no pool of spares: it returns to service, or, as the study has
it that the deployments are from, never: a node goes back to the pool, and a pool of none has no room."""
WITHOUT_SPARES: tuple[WithoutSpares, ...] = get_args(WithoutSpares)

_UNUSED = 1.0
"""A failover rate where nothing takes over."""


def ara_cloud(num: int, extra: int, crash: float, failover: float) -> Cluster:
    """`extra` active nodes more than needed; the provider replaces each crashed one."""
    return Cluster(num, num + extra, None, crash, failover)


def ara_on_prem(num: int, extra: int, crash: float) -> Cluster:
    """`extra` active nodes more than needed; nobody mends a crashed one."""
    return Cluster(num, num + extra, 0, crash, _UNUSED)


def pf_cloud(num: int, crash: float, failover: float) -> Cluster:
    """Spares from the provider's pool, which has no end."""
    return ara_cloud(num, 0, crash, failover)


def pf_on_prem(num: int, pool: int, crash: float, failover: float) -> Cluster:
    """A pool of cold spares; nobody mends a crashed node."""
    return Cluster(num, num, pool, crash, failover)


def pf_on_prem_repair(
    num: int, pool: int, crash: float, failover: float, repair: float,
    without_spares: WithoutSpares = "returns",
) -> Cluster:  # fmt: skip
    """A pool of cold spares, to which mended nodes return; without one they return to service, or never."""
    mended = pool > 0 or without_spares == "returns"
    return Cluster(num, num, pool, crash, failover, repair if mended else None)


def deployed(
    deployment: str, num: int, extra: int, crash: float, failover: float, repair: float | None,
    without_spares: WithoutSpares = "returns",
) -> Cluster:  # fmt: skip
    """The deployment of that name; `extra` counts active nodes for ARA, spares in the pool for PF.

    >>> deployed("PF on-prem", 10, 2, 1e-7, 0.1, None).pool
    2
    """
    if deployment == ARA_CLOUD:
        return ara_cloud(num, extra, crash, failover)
    if deployment == ARA_ON_PREM:
        return ara_on_prem(num, extra, crash)
    if deployment == PF_CLOUD:
        return pf_cloud(num, crash, failover)
    if deployment == PF_ON_PREM or repair is None:
        return pf_on_prem(num, extra, crash, failover)
    return pf_on_prem_repair(num, extra, crash, failover, repair, without_spares)


def parse_without_spares(text: str) -> WithoutSpares:
    """Raises `nodes-input`.

    >>> parse_without_spares("never-returns")
    'never-returns'
    """
    for known in WITHOUT_SPARES:
        if text.strip().lower() == known:
            return known
    rules = " or ".join(WITHOUT_SPARES)
    rules = " or ".join(WITHOUT_SPARES)
    raise LoadstoneError("nodes-input", f"there is no rule `{text}`", place="--without-spares", hint=rules)
