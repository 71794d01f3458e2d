"""What the emulated browser does where a scenario does not say."""

from __future__ import annotations

from loadstone.scenario.model import ScenarioFile

OF_BROWSERS = 6  # connections to a host by HTTP/1.1, in today's browsers


def connections(file: ScenarioFile) -> int:
    """Most connections to a host at once, for the files of a page.

    The published workloads, built-in applications and Cloudstone's rules, have one, as their clients had. So
    have pages whose files come one after the other, each after a pause.
    """
    if file.browser.connections is not None:
        return file.browser.connections
    published = file.target.app is not None or file.sla.rules is not None
    return 1 if published or file.browser.pause is not None else OF_BROWSERS
