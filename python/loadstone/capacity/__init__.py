"""The most users, or sessions a second, that a service carries at its goals, each with an interval."""

from loadstone.capacity.find import Options, Probes, find
from loadstone.capacity.forecast import Forecast, forecast, lengths
from loadstone.capacity.resume import earlier, resumable
from loadstone.capacity.search import Limits, Search, Verdict

__all__ = [
    "Forecast",
    "Limits",
    "Options",
    "Probes",
    "Search",
    "Verdict",
    "earlier",
    "find",
    "forecast",
    "lengths",
    "resumable",
]
