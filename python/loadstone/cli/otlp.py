"""Figures of a run under way for a collector of OpenTelemetry: `loadstone run --otlp http://127.0.0.1:4318`.

A thread sends the newest sums, one request at a time. A collector that is slow gets fewer of them, one that
is lost none: nothing queues up, and the run waits for nothing.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from loadstone.cli.counts import (
    BOUNDS_S,
    DROPPED,
    FIRST_BYTES,
    LATE,
    LIMIT,
    NOW,
    OPERATIONS,
    RESPONSES,
    Counts,
    Watcher,
)
from loadstone.errors import LoadstoneError
from loadstone.judge import CAUSES

_PLACE = "--otlp"
_PATH = "/v1/metrics"
_SEND_S = 3.0
"""A request takes no longer, its repetitions included."""
_FLUSH_S = 2 * _SEND_S + 1
"""After the run: what is being sent, and the last figures."""
_LOGGER = "opentelemetry.exporter"


class Exporter(Protocol):
    """OpenTelemetry's, as far as it is used."""

    def export(self, metrics_data: Any) -> Any:
        """Sends; its result is named `SUCCESS` when they were taken."""

    def shutdown(self) -> None:
        """Gives up what is being sent."""


class Words(logging.Handler):
    """Keeps the exporter's last words from the terminal, which shows the run."""

    text = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps them, on one line."""
        self.text = " ".join(record.getMessage().split())[:300]


class Otlp:
    """Sends what a run has done so far; passes all it is told on to `shown`."""

    def __init__(self, shown: Watcher, exporter: Exporter, words: Words) -> None:
        """Nothing is sent before the run's first second. `words`: what the exporter logs."""
        self._shown, self._exporter, self._words = shown, exporter, words
        self._changed = threading.Condition()
        self._newest: Any = None
        self._ending = False
        self.sent = self.failed = 0
        self._told = False
        self._thread = threading.Thread(target=self._send, daemon=True)
        self._thread.start()

    def started(self, plan: Mapping[str, Any], folder: Path) -> None:
        """All sums begin at zero."""
        self._counts, self._began_ns = Counts(plan), time.time_ns()
        self._shown.started(plan, folder)

    def window(self, window: Mapping[str, Any]) -> None:
        """Adds a second, and hands the sums to the thread."""
        self._counts.add(window)
        made = figures(self._counts, self._began_ns, time.time_ns())
        with self._changed:
            self._newest = made
            self._changed.notify()
        if self.failed and not self._told:
            self._told = True
            self._shown.note(f"the collector takes no figures, the run goes on: {self._words.text}")
        self._shown.window(window)

    def note(self, text: str) -> None:
        """Passed on."""
        self._shown.note(text)

    def ended(self) -> None:
        """Passed on."""
        self._shown.ended()

    def close(self) -> str:
        """Sends what was not sent, within bounds; what went wrong, or nothing."""
        with self._changed:
            self._ending = True
            self._changed.notify()
        self._thread.join(_FLUSH_S)
        self._exporter.shutdown()
        if self._thread.is_alive():
            return "the collector did not take the last figures in time"
        return (
            f"{self.failed} of {self.sent + self.failed} sendings failed: {self._words.text}"
            if self.failed
            else ""
        )

    def _send(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._newest is not None or self._ending)
                made, self._newest = self._newest, None
            if made is None:
                return
            try:
                taken = self._exporter.export(made).name == "SUCCESS"
            except Exception as error:  # whatever it is, the run goes on
                taken, self._words.text = False, f"{type(error).__name__}: {error}"
            self.sent, self.failed = self.sent + taken, self.failed + (not taken)


def exporter(address: str) -> Exporter:
    """To a collector's address. LoadstoneError `bad-address`, `otlp-missing`."""
    try:
        parts = urlsplit(address)
        good = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:
        good = False
    if not good or parts.query or parts.fragment:
        hint = "such as http://127.0.0.1:4318"
        raise LoadstoneError("bad-address", f"`{address}` is no URL of a collector", place=_PLACE, hint=hint)
    try:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    except ImportError as error:
        hint = "`pip install 'loadstone[otlp]'`, or leave out --otlp"
        raise LoadstoneError(
            "otlp-missing", "OpenTelemetry's exporter is not installed", hint=hint
        ) from error
    whole = address if parts.path.endswith(_PATH) else address.rstrip("/") + _PATH
    made: Exporter = OTLPMetricExporter(endpoint=whole, timeout=_SEND_S)
    return made


@contextmanager
def sending(shown: Watcher, address: str) -> Iterator[Otlp]:
    """What sends while the context lasts, and the last figures at its end. Errors as `exporter`."""
    words, logger = Words(), logging.getLogger(_LOGGER)
    watched = Otlp(shown, exporter(address), words)
    before, logger.propagate = logger.propagate, False
    logger.addHandler(words)
    try:
        yield watched
    finally:
        if wrong := watched.close():
            print(f"warning: {_PLACE}: {wrong}", file=sys.stderr)
        logger.removeHandler(words)
        logger.propagate = before


def figures(counts: Counts, began_ns: int, now_ns: int) -> Any:
    """The sums as OpenTelemetry's data: cumulative, since the run began."""
    from opentelemetry.sdk.metrics import export
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope

    from loadstone import __version__

    sdk: Any = export  # least and most of a histogram are not known here, and their types have no None
    total = sdk.AggregationTemporality.CUMULATIVE

    def points(values: Iterable[tuple[Mapping[str, str], float]]) -> list[Any]:
        return [sdk.NumberDataPoint(of, began_ns, now_ns, value) for of, value in values]

    def gauge(name: str, unit: str, help_: str, values: Iterable[tuple[Mapping[str, str], float]]) -> Any:
        return sdk.Metric(f"loadstone.{name}", help_, unit, sdk.Gauge(points(values)))

    def counter(name: str, unit: str, help_: str, values: Iterable[tuple[Mapping[str, str], float]]) -> Any:
        return sdk.Metric(f"loadstone.{name}", help_, unit, sdk.Sum(points(values), total, True))

    each = [{"operation": name} for name in counts.names]
    metrics = [gauge(name, "", help_, [({}, counts.now[name])]) for name, help_ in NOW.items()]
    metrics += [
        counter(name, "By" if "bytes" in name else "{request}", f"{name} of the run", [({}, value)])
        for name, value in counts.totals.items()
    ]
    ended = [({**of, "result": "ok"}, int(ok)) for of, ok in zip(each, counts.ok, strict=True)]
    for of, failed in zip(each, counts.failed, strict=True):
        ended += [({**of, "result": cause}, int(one)) for cause, one in zip(CAUSES, failed, strict=True)]
    metrics.append(counter("operations", "{operation}", OPERATIONS, ended))
    for name, help_, found in (("late", LATE, counts.late), ("dropped", DROPPED, counts.dropped)):
        values = [(of, int(one)) for of, one in zip(each, found, strict=True)]
        metrics.append(counter(f"operations.{name}", "{operation}", help_, values))
    metrics.append(gauge("operation.limit", "s", LIMIT, zip(each, counts.limits_s, strict=True)))
    for name, help_, times in (
        ("response", RESPONSES, counts.responses),
        ("first_byte", FIRST_BYTES, counts.first_bytes),
    ):
        taken = [
            sdk.HistogramDataPoint(
                of, began_ns, now_ns, int(times.count[at]), float(times.sum_s[at]), times.buckets(at),
                BOUNDS_S, None, None,
            )
            for at, of in enumerate(each)
        ]  # fmt: skip
        metrics.append(sdk.Metric(f"loadstone.{name}", help_, "s", sdk.Histogram(taken, total)))
    resource = Resource({"service.name": "loadstone", "loadstone.scenario": counts.scenario})
    scope = sdk.ScopeMetrics(InstrumentationScope("loadstone", __version__), metrics, "")
    return sdk.MetricsData([sdk.ResourceMetrics(resource, [scope], "")])
