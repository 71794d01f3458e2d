"""The options of the container, which every command of `loadstone serve` has."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer


class Connector(StrEnum):
    """How sockets and workers meet."""

    HYBRID = "hybrid"
    THREADED = "threaded"
    EVENT = "event"


class LogFormat(StrEnum):
    """How the access log is written."""

    COMMON = "common"
    JSON = "json"


class Admission(StrEnum):
    """When newcomers may begin."""

    NONE = "none"
    BUSY = "busy"
    QUEUE = "queue"
    ADAPTIVE = "adaptive"
    SESSION = "session"


def in_container(command: Callable[..., None]) -> Callable[..., None]:
    """`command` with the container's options after its own. It gets them as `container`, for the seam."""
    own = inspect.signature(command, eval_str=True).parameters
    shared = inspect.signature(_options, eval_str=True).parameters
    parameters = [parameter for name, parameter in own.items() if name != "container"]
    parameters += shared.values()

    @functools.wraps(command)
    def run(**given: Any) -> None:
        container = _options(**{name: given.pop(name) for name in shared})
        command(container=container, **given)

    # What the command line is made of.
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _number(workers: str) -> int | str:
    """A number of workers, or `auto`."""
    if workers == "auto" or not workers.isdecimal():
        # The seam says what is wrong with another word.
        return workers
    return int(workers)


def _options(
    *,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on. 0 takes a free one.")
    ] = 8080,
    connector: Annotated[
        Connector, typer.Option(help="How the server shares connections out to its threads.")
    ] = Connector.HYBRID,
    workers: Annotated[
        str,
        typer.Option(
            metavar="N|auto",
            help="Worker threads. 0 takes as many as fit the machine; auto (hybrid only) adds "
            "workers while they mostly wait.",
        ),
    ] = "0",
    queue: Annotated[
        int,
        typer.Option(
            min=0, help="Requests that may wait under `--admission queue`. 0 means 16 for each worker."
        ),
    ] = 0,
    keep_alive: Annotated[
        float,
        typer.Option(
            min=0.01,
            metavar="S",
            help="Seconds to keep an idle connection. The threaded connector shortens them when "
            "threads run out.",
        ),
    ] = 60.0,
    fixed_keep_alive: Annotated[
        bool,
        typer.Option("--fixed-keep-alive", help="Keep the threaded connector from shortening --keep-alive."),
    ] = False,
    max_connections: Annotated[
        int, typer.Option(min=0, help="Most connections at once. 0 means no limit.")
    ] = 0,
    admission: Annotated[
        Admission | None,
        typer.Option(
            help="Which requests begin first under overload. Default: what suits the connector best."
        ),
    ] = None,
    refuse: Annotated[
        bool,
        typer.Option(
            "--refuse", help="Answer 503 with Retry-After to requests that would have to wait long."
        ),
    ] = False,
    compress: Annotated[
        int,
        typer.Option(
            min=0, max=9, help="Level of gzip for clients that accept it. 0 switches compression off."
        ),
    ] = 0,
    tls_cert: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Serve https with this chain of certificates (PEM). SIGHUP reads it again."
        ),
    ] = None,
    tls_key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Private key of the certificate (PEM).")
    ] = None,
    access_log: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|-",
            help="Write a line for each answer to this file. SIGHUP opens it anew; - is the standard output.",
        ),
    ] = None,
    access_log_format: Annotated[
        LogFormat,
        typer.Option(help="common: Common Log Format with the time taken; json: one object a line."),
    ] = LogFormat.COMMON,
    metrics: Annotated[
        str | None,
        typer.Option(metavar="ADDR:PORT", help="Serve Prometheus metrics at this address, path /metrics."),
    ] = None,
) -> dict[str, object]:
    """The options as `_core.serve` takes them."""
    return {
        "address": f"[{host}]:{port}" if ":" in host else f"{host}:{port}",
        "connector": connector.value,
        "workers": _number(workers),
        "queue": queue,
        "keep_alive_s": keep_alive,
        "fixed_keep_alive": fixed_keep_alive,
        "max_connections": max_connections,
        "admission": admission and admission.value,
        "refuse": refuse,
        "compress": compress,
        "tls_cert": tls_cert and str(tls_cert),
        "tls_key": tls_key and str(tls_key),
        "watch": {
            "log": access_log and str(access_log),
            "log_format": access_log_format.value,
            "metrics": metrics,
        },
    }
