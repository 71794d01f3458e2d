"""Classes of users: Markov chains from counted steps, and a mixture of them by EM."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_STARTS, _FIRST_STEPS, _STEPS = 6, 15, 150
_SETTLED = 1e-7
"""Relative gain of the log-likelihood below which a fit has settled."""
_FEWEST = 0.5
"""Expected steps below which EM leaves nothing: a class does not do what it does in half a step."""
_LEAST_SHARE = 0.02
_LONGEST = 5_000


@dataclass(frozen=True)
class Chain:
    """Walks of one class: shares of the first operation, and of what follows each; the last column ends."""

    enter: Floats
    follow: Floats
    share: float = 1.0
    """Of the sessions."""

    @property
    def visits(self) -> Floats:
        """Expected visits of each operation in a session."""
        inner = self.follow[:, :-1]
        return np.asarray(np.linalg.solve(np.eye(len(inner)) - inner.T, self.enter))

    def lengths(self, most: int = _LONGEST) -> Floats:
        """Share of the sessions of more than 0, 1, 2 … operations."""
        state, found = self.enter, []
        for _ in range(most):
            found.append(float(state.sum()))
            if found[-1] < 1e-9:
                break
            state = state @ self.follow[:, :-1]
        return np.array(found)


@dataclass(frozen=True)
class Steps:
    """The steps of sessions: for each kind of step of a session how often it was made.

    step: from * (operations + 1) + to, where `operations` stands for outside: entered from, left to.
    """

    session: Ints
    step: Ints
    times: Ints
    sessions: int
    operations: int

    def counted(self, weight: Floats | None = None) -> Floats:
        """All steps as a square matrix, each session with its weight."""
        size = self.operations + 1
        times = self.times if weight is None else self.times * weight[self.session]
        found = np.bincount(self.step, weights=times, minlength=size * size).astype(float)
        return np.asarray(found.reshape(size, size))


@dataclass(frozen=True)
class Mixture:
    """A number of classes with what it fits: a lower BIC is better."""

    chains: list[Chain]
    bic: float


def chain_of(counts: Floats, share: float = 1.0) -> Chain:
    """The chain of counted steps; an operation after which nothing was seen ends the session.

    >>> chain_of(np.array([[1.0, 1.0], [2.0, 0.0]])).follow
    array([[0.5, 0.5]])
    """
    rows = counts.sum(axis=1, keepdims=True)
    follow = np.divide(counts, rows, out=np.zeros_like(counts), where=rows > 0)
    follow[(rows <= 0)[:, 0], -1] = 1.0
    enter = follow[-1, :-1]
    total = enter.sum()
    return Chain(enter / total if total > 0 else enter, follow[:-1], share)


def mixture(steps: Steps, most: int, seed: int = 1) -> list[Mixture]:
    """Fits of 1, 2 … `most` classes; fewer where a class would be too small. The first has one class."""
    support = steps.counted() > 0
    free = int((support.sum(axis=1) - 1).clip(0).sum())
    random = np.random.default_rng(seed)
    found = []
    for classes in range(1, most + 1):
        weights, likelihood = _best(steps, classes, random)
        shares = weights.mean(axis=1)
        if shares.min() < _LEAST_SHARE:
            break
        chains = [
            chain_of(_clear(steps.counted(weight)), float(share))
            for weight, share in zip(weights, shares, strict=True)
        ]
        parameters = classes * free + classes - 1
        chains.sort(key=lambda one: -one.share)
        found.append(Mixture(chains, parameters * float(np.log(steps.sessions)) - 2 * likelihood))
    return found


def _clear(counts: Floats) -> Floats:
    """Without steps that the class all but never makes; a class keeps at least what it makes most."""
    return np.where((counts < _FEWEST) & (counts < counts.max(axis=1, keepdims=True)), 0.0, counts)


def _best(steps: Steps, classes: int, random: np.random.Generator) -> tuple[Floats, float]:
    """The posterior shares of the best of several starts, and its log-likelihood."""
    if classes == 1:
        weights = np.ones((1, steps.sessions))
        return weights, _run(steps, weights, 1)[1]
    tried = []
    for _ in range(_STARTS):
        start = random.dirichlet(np.full(classes, 0.5), steps.sessions).T
        tried.append(_run(steps, start, _FIRST_STEPS))
    weights, _ = max(tried, key=lambda one: one[1])
    return _run(steps, weights, _STEPS)


def _run(steps: Steps, weights: Floats, most: int) -> tuple[Floats, float]:
    """So many steps of EM, or until it has settled."""
    before = -np.inf
    for _ in range(most):
        logs = np.empty_like(weights)
        for number, weight in enumerate(weights):
            counts = steps.counted(weight) + 1e-6
            logs[number] = np.bincount(
                steps.session,
                weights=steps.times * np.log(counts / counts.sum(axis=1, keepdims=True)).ravel()[steps.step],
                minlength=steps.sessions,
            ) + np.log(max(weight.mean(), 1e-12))
        top = logs.max(axis=0)
        whole = top + np.log(np.exp(logs - top).sum(axis=0))
        likelihood = float(whole.sum())
        weights = np.exp(logs - whole)
        if likelihood - before < _SETTLED * abs(likelihood):
            break
        before = likelihood
    return weights, likelihood
