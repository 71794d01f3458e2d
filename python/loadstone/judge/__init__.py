"""From what a run measured to its verdict: pure functions, no files, no clocks."""

from loadstone.judge.histogram import Histogram
from loadstone.judge.measurement import (
    CAUSES,
    FIRST_BYTE,
    PARTS,
    HookSeries,
    Measurement,
    OperationSeries,
    PartTimes,
    Rules,
)
from loadstone.judge.summary import summarise, summarise_agents

__all__ = [
    "CAUSES",
    "FIRST_BYTE",
    "PARTS",
    "Histogram",
    "HookSeries",
    "Measurement",
    "OperationSeries",
    "PartTimes",
    "Rules",
    "summarise",
    "summarise_agents",
]
