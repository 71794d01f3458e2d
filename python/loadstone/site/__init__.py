"""The built-in sites, each one value: name, data set, options, and the ways in which it runs.

Whatever runs a site (a scenario, `serve`, an image, a deployed service) takes it from `SITES`.
"""

from __future__ import annotations

from loadstone.site.olio import OLIO
from loadstone.site.rubis import RUBIS
from loadstone.site.stack import STACKS
from loadstone.site.surge import SURGE
from loadstone.site.value import Data, Fields, Image, Loading, Site

SITES: dict[str, Site] = {site.name: site for site in (OLIO, RUBIS, SURGE, *STACKS)}
"""Every site by its name: the one place where they are registered."""

__all__ = ["SITES", "Data", "Fields", "Image", "Loading", "Site"]
