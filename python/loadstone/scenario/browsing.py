"""What the emulated browser does where a scenario does not say."""

from __future__ import annotations

from typing import Any

from loadstone.scenario.model import ScenarioFile

OF_BROWSERS = 6  # connections to a host by HTTP/1.1, in today's browsers


def as_browsers(file: ScenarioFile) -> dict[str, Any]:
    """`connections` to a host, and whether `styles` are looked at, where the scenario does not say.

    The published workloads, built-in applications and Cloudstone's rules, have one connection, as their
    clients had. Pages with a pause before each file have one connection, too. Style sheets are looked at only
    if the scenario says so: what rules name that no element of the page matches, browsers do not fetch.
    """
    browser = file.browser
    published = file.target.app is not None or file.sla.rules is not None
    one = published or browser.pause is not None
    connections = (1 if one else OF_BROWSERS) if browser.connections is None else browser.connections
    return {
        "connections": connections,
        "styles": bool(browser.styles),
    }
