"""One page for a browser: starts runs, shows them while they go on, lists and compares those of a folder.

It measures nothing and computes nothing: runs are processes of their own, which outlive it, and every figure
is read from their folders.
"""

from loadstone.ui.form import Fields, Problem
from loadstone.ui.serve import Settings, serve

__all__ = ["Fields", "Problem", "Settings", "serve"]
