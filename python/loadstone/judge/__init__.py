"""From what a run measured to its verdict: pure functions, no files, no clocks."""

from loadstone.judge.histogram import Histogram
from loadstone.judge.measurement import CAUSES, Measurement, OperationSeries, Rules
from loadstone.judge.summary import summarise, summarise_agents

__all__ = ["CAUSES", "Histogram", "Measurement", "OperationSeries", "Rules", "summarise", "summarise_agents"]
