"""A run under way, as people watch it: its seconds, what failed, and the record as it would be now.

Everything is read from the run's folder, as the run writes it.
"""

from loadstone.live.follow import Follower
from loadstone.live.seconds import RECENT_S, Live, Resources, Second, live_of
from loadstone.live.so_far import SoFar

__all__ = ["RECENT_S", "Follower", "Live", "Resources", "Second", "SoFar", "live_of"]
