"""The most users a service carries at SLA-1 and SLA-2, with an interval."""

from loadstone.capacity.find import Options, Probes, find
from loadstone.capacity.forecast import Forecast, forecast, in_words, lengths
from loadstone.capacity.search import Limits, Search, Verdict

__all__ = [
    "Forecast",
    "Limits",
    "Options",
    "Probes",
    "Search",
    "Verdict",
    "find",
    "forecast",
    "in_words",
    "lengths",
]
