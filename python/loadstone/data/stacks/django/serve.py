"""Serves the site by gunicorn until SIGTERM: processes with threads."""

from __future__ import annotations

import os
import sys
from typing import Any

from olio import environment


def main() -> None:
    """Checks the settings and the data set, and serves."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "olio.settings"
    try:
        settings = environment.read()
    except environment.Wrong as wrong:
        sys.exit(_refusal(wrong))
    from olio.wsgi import application

    _check_data()
    _serve(application, settings)


def _check_data() -> None:
    """Reads what the data set says; the connection does not outlive it, as processes must not share one."""
    from django.db import Error, connection
    from olio.facts import NoDataSet, facts
    from olio.uploads import prepare

    try:
        facts()
        prepare()
    except (Error, NoDataSet) as error:
        sys.exit(_refusal(f"OLIO_DATABASE: {str(error).strip()}"))
    finally:
        connection.close()


def _serve(application: Any, settings: environment.Environment) -> None:
    from gunicorn.app.base import BaseApplication

    class Server(BaseApplication):
        """Gunicorn without a configuration file."""

        def load_config(self) -> None:
            """Takes the settings of the stack."""
            for name, value in options(settings, len(os.sched_getaffinity(0))).items():
                self.cfg.set(name, value)

        def load(self) -> Any:
            """The site."""
            return application

    Server().run()


def options(settings: environment.Environment, cores: int) -> dict[str, Any]:
    """Gunicorn's settings on so many cores.

    One process cannot use two cores for Python, so there are as many as cores. A cache in memory is a
    process's own: a change has to find all of it, so then there is one.
    """
    is_own = settings.cache != "none" and settings.cache_store == "memory"
    processes = 1 if is_own else min(cores, settings.workers)
    address = f"[{settings.address}]" if ":" in settings.address else settings.address
    return {
        "bind": f"{address}:{settings.port}",
        "worker_class": "gthread",
        "workers": processes,
        "threads": -(-settings.workers // processes),
        # One for all: what the processes share is made before they are.
        "preload_app": True,
        "worker_connections": 2000,
        "keepalive": 75,
        "graceful_timeout": 5,
        "timeout": 60,
        "limit_request_line": 8190,
        "proc_name": "olio",
        "loglevel": "warning",
        "worker_tmp_dir": str(settings.state),
    }


def _refusal(sentence: object) -> int:
    print(f"error: {sentence}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    main()
