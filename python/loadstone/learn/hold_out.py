"""How near a replay of the scenario comes to the clients that were held out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loadstone.learn.chain import Chain, Floats, Ints
from loadstone.learn.sessions import HELD_OUT
from loadstone.stages.learn import Between, HeldOut, Rate

_DRAWS = 2_000
_CONFIDENCE = (0.025, 0.975)
_KS_95 = 1.36


def compared(
    chains: Sequence[Chain],
    names: Sequence[str],
    counts: Floats,
    sessions: Floats,
    lengths: Ints,
    seed: int = 2,
) -> HeldOut:
    """The replay beside what was held out.

    chains: one for each class. counts, sessions: operations and sessions held out, by group of clients.
    lengths: sessions held out, by their number of operations. Groups are drawn again with replacement for the
    intervals.
    """
    visits = sum((chain.share * chain.visits for chain in chains), np.zeros(len(names)))
    replayed = visits / visits.sum()
    random = np.random.default_rng(seed)
    drawn = random.multinomial(len(sessions), np.full(len(sessions), 1 / len(sessions)), _DRAWS)
    of_draws = drawn @ counts
    mixes = of_draws / np.maximum(of_draws.sum(axis=1, keepdims=True), 1)
    seen = counts.sum(axis=0)
    mix = seen / max(1.0, seen.sum())
    number = np.maximum(drawn @ sessions, 1)
    per_session = of_draws / number[:, None]
    total, ops = float(sessions.sum()), float(seen.sum())
    return HeldOut(
        sessions=int(total),
        operations=int(ops),
        mix_distance=_between(
            float(np.abs(replayed - mix).sum() / 2), np.abs(mixes - replayed).sum(axis=1) / 2
        ),
        # What two samples of one law differ by: no replay comes nearer.
        mix_distance_by_chance=float((np.abs(mixes - mix).sum(axis=1) / 2).mean()),
        session_length=_around(ops / max(1.0, total), per_session.sum(axis=1)),
        session_length_replayed=float(visits.sum()),
        length_distance=_ks(chains, lengths),
        length_distance_by_chance=_KS_95 / float(np.sqrt(max(1.0, total))),
        rates=[
            Rate(
                operation=name,
                share=float(mix[n]),
                share_replayed=float(replayed[n]),
                per_session=_around(float(seen[n] / max(1.0, total)), per_session[:, n]),
                per_session_replayed=float(visits[n]),
            )
            for n, name in enumerate(names)
        ],
    )


def _around(value: float, draws: Floats) -> Between:
    """Where a replay of the right law would be: what it was learned from has an error, too."""
    wider = value + (draws - value) * np.sqrt(1 + 1 / (HELD_OUT - 1))
    return _between(value, wider)


def _between(value: float, draws: Floats) -> Between:
    low, high = np.quantile(draws, _CONFIDENCE)
    return Between(value=value, low=float(low), high=float(high))


def _ks(chains: Sequence[Chain], lengths: Ints) -> float:
    """Largest difference of the distributions of the sessions' lengths."""
    total = max(1, int(lengths.sum()))
    longer = 1 - np.cumsum(lengths) / total
    replayed = np.zeros(len(longer))
    for chain in chains:
        found = chain.lengths(len(longer))
        replayed[: len(found)] += chain.share * found
    return float(np.abs(longer - replayed).max())
