"""The views: what a script asked for is answered by the changed section, a browser is sent to the page."""
