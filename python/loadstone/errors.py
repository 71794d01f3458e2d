"""Errors as the user sees them: a stable slug, what, where, and what to do.

Every slug stands once in `SLUGS` with its exit code:
1 goal missed, 2 bad input, 3 SUT unreachable, 4 our fault. A run has further verdicts, which are no errors:
5 the service failed, 6 too little was seen, 7 the run is invalid.
"""

from __future__ import annotations

from collections.abc import Sequence

SLA_NOT_MET = 1
BAD_INPUT = 2
SUT_UNREACHABLE = 3
OUR_FAULT = 4
RUN_FAILED = 5
RUN_OPEN = 6
RUN_INVALID = 7
VERDICTS = (0, SLA_NOT_MET, RUN_FAILED, RUN_OPEN, RUN_INVALID)
"""Exit codes of `loadstone run` that are verdicts on a run that was made."""

SLUGS: dict[str, int] = {
    "agent-start": SUT_UNREACHABLE,
    "agents": BAD_INPUT,
    "agents-lost": SUT_UNREACHABLE,
    "ansible-failed": OUR_FAULT,
    "ansible-missing": OUR_FAULT,
    "auth": BAD_INPUT,
    "bad-address": BAD_INPUT,
    "bad-css": BAD_INPUT,
    "bad-json-path": BAD_INPUT,
    "bad-links": BAD_INPUT,
    "bad-name": BAD_INPUT,
    "bad-option": BAD_INPUT,
    "bad-path": BAD_INPUT,
    "bad-regex": BAD_INPUT,
    "bad-subnet": BAD_INPUT,
    "bad-url": BAD_INPUT,
    "balancer-list": BAD_INPUT,
    "cannot-write": OUR_FAULT,
    "capture": SUT_UNREACHABLE,
    "chaos-input": BAD_INPUT,
    "chaos-missing": BAD_INPUT,
    "check": BAD_INPUT,
    "check-name": BAD_INPUT,
    "choose-list": BAD_INPUT,
    "compare-folder": BAD_INPUT,
    "compare-unlike": BAD_INPUT,
    "condition": BAD_INPUT,
    "config-refused": BAD_INPUT,
    "cost-input": BAD_INPUT,
    "csv-column": BAD_INPUT,
    "csv-missing": BAD_INPUT,
    "data-loss": BAD_INPUT,
    "data-options": BAD_INPUT,
    "disk-full": OUR_FAULT,
    "duplicate-address": BAD_INPUT,
    "duplicate-host": BAD_INPUT,
    "duplicate-operation": BAD_INPUT,
    "duplicate-service": BAD_INPUT,
    "duration": BAD_INPUT,
    "expect": BAD_INPUT,
    "extract": BAD_INPUT,
    "first-operation": BAD_INPUT,
    "folder-in-use": BAD_INPUT,
    "fault": BAD_INPUT,
    "scaling": BAD_INPUT,
    "feed": BAD_INPUT,
    "format-version": BAD_INPUT,
    "formula": BAD_INPUT,
    "goal": BAD_INPUT,
    "guest-ended": SUT_UNREACHABLE,
    "guest-refused": SUT_UNREACHABLE,
    "guest-silent": SUT_UNREACHABLE,
    "helper-killed": SUT_UNREACHABLE,
    "harden-build": OUR_FAULT,
    "harden-missing": OUR_FAULT,
    "harden-statistics": BAD_INPUT,
    "hook": BAD_INPUT,
    "host-refused": SUT_UNREACHABLE,
    "host-unreachable": SUT_UNREACHABLE,
    "host-write": SUT_UNREACHABLE,
    "image-app": BAD_INPUT,
    "image-build": OUR_FAULT,
    "image-crate": BAD_INPUT,
    "image-disk": BAD_INPUT,
    "hosts": BAD_INPUT,
    "http": BAD_INPUT,
    "image-file": BAD_INPUT,
    "image-options": BAD_INPUT,
    "image-source": BAD_INPUT,
    "image-state": BAD_INPUT,
    "import-file": BAD_INPUT,
    "inject-endless": BAD_INPUT,
    "inject-folder": BAD_INPUT,
    "inject-input": BAD_INPUT,
    "inject-long": BAD_INPUT,
    "inject-machine": BAD_INPUT,
    "inject-program": BAD_INPUT,
    "inject-ptrace": OUR_FAULT,
    "inject-server": SUT_UNREACHABLE,
    "inject-symbols": BAD_INPUT,
    "inject-threads": BAD_INPUT,
    "inject-unsteady": BAD_INPUT,
    "internal": OUR_FAULT,
    "lab-busy": BAD_INPUT,
    "lab-exists": BAD_INPUT,
    "lab-host": BAD_INPUT,
    "lab-link": BAD_INPUT,
    "lab-missing": BAD_INPUT,
    "lab-start": OUR_FAULT,
    "lab-stop": OUR_FAULT,
    "lab-unsupported": OUR_FAULT,
    "link-jitter": BAD_INPUT,
    "link-name": BAD_INPUT,
    "link-rate": BAD_INPUT,
    "link-real": BAD_INPUT,
    "load-data": OUR_FAULT,
    "load-operations": BAD_INPUT,
    "load-profile": BAD_INPUT,
    "measured": BAD_INPUT,
    "missing-key": BAD_INPUT,
    "log-empty": BAD_INPUT,
    "log-file": BAD_INPUT,
    "log-format": BAD_INPUT,
    "logs-cut": SUT_UNREACHABLE,
    "mix-clip": BAD_INPUT,
    "mix-missing": BAD_INPUT,
    "mix-row-missing": BAD_INPUT,
    "mix-row-sum": BAD_INPUT,
    "mix-unknown-operation": BAD_INPUT,
    "mix-unreachable": BAD_INPUT,
    "model-input": BAD_INPUT,
    "model-missing": BAD_INPUT,
    "model-text": BAD_INPUT,
    "model-too-hard": BAD_INPUT,
    "name-taken": BAD_INPUT,
    "needs-session": BAD_INPUT,
    "no-process": BAD_INPUT,
    "nodes-input": BAD_INPUT,
    "out-of-range": BAD_INPUT,
    "open-workload": BAD_INPUT,
    "otlp-missing": OUR_FAULT,
    "override-path": BAD_INPUT,
    "pacing": BAD_INPUT,
    "peer": SUT_UNREACHABLE,
    "plan-input": BAD_INPUT,
    "plan-missing": BAD_INPUT,
    "plan-refused": BAD_INPUT,
    "price-book": BAD_INPUT,
    "price-sku": BAD_INPUT,
    "price-stale": BAD_INPUT,
    "probe-failed": SUT_UNREACHABLE,
    "probe-folder": BAD_INPUT,
    "probe-host": BAD_INPUT,
    "probe-options": BAD_INPUT,
    "probe-port": BAD_INPUT,
    "probe-tool": BAD_INPUT,
    "program-missing": OUR_FAULT,
    "range-order": BAD_INPUT,
    "rate": BAD_INPUT,
    "ray-cluster": SUT_UNREACHABLE,
    "ray-failed": OUR_FAULT,
    "ray-missing": OUR_FAULT,
    "report-folder": BAD_INPUT,
    "report-json": BAD_INPUT,
    "reset-failed": SUT_UNREACHABLE,
    "results-folder": BAD_INPUT,
    "run-folder": BAD_INPUT,
    "run-going-on": BAD_INPUT,
    "run-control": BAD_INPUT,
    "scenario-missing": BAD_INPUT,
    "scenario-part": BAD_INPUT,
    "scenario-python": BAD_INPUT,
    "search-range": BAD_INPUT,
    "search-resume": BAD_INPUT,
    "secret": BAD_INPUT,
    "serve-options": BAD_INPUT,
    "service-build": BAD_INPUT,
    "service-failed": SUT_UNREACHABLE,
    "service-host": BAD_INPUT,
    "service-missing": BAD_INPUT,
    "service-name": BAD_INPUT,
    "service-owned": BAD_INPUT,
    "service-port": BAD_INPUT,
    "service-role": BAD_INPUT,
    "service-setting": BAD_INPUT,
    "service-unreachable": SUT_UNREACHABLE,
    "shared-slice": BAD_INPUT,
    "short-steady": BAD_INPUT,
    "stack-setup": OUR_FAULT,
    "step-body": BAD_INPUT,
    "step-method": BAD_INPUT,
    "study-file": BAD_INPUT,
    "study-interrupted": OUR_FAULT,
    "study-part": BAD_INPUT,
    "study-quota": OUR_FAULT,
    "study-resume": BAD_INPUT,
    "study-server": BAD_INPUT,
    "study-site": BAD_INPUT,
    "sut-died": SUT_UNREACHABLE,
    "sut-start": OUR_FAULT,
    "source-address": BAD_INPUT,
    "sut-unreachable": SUT_UNREACHABLE,
    "target": BAD_INPUT,
    "role-manifest": BAD_INPUT,
    "role-missing": BAD_INPUT,
    "role-tasks": BAD_INPUT,
    "role-template": BAD_INPUT,
    "task-failed": OUR_FAULT,
    "template-name": BAD_INPUT,
    "template-syntax": BAD_INPUT,
    "tier-capacity": BAD_INPUT,
    "tiers-missing": BAD_INPUT,
    "tls": BAD_INPUT,
    "toml-syntax": BAD_INPUT,
    "topology-missing": BAD_INPUT,
    "trouble": SUT_UNREACHABLE,
    "unknown-flag": BAD_INPUT,
    "unknown-key": BAD_INPUT,
    "unknown-kind": BAD_INPUT,
    "url-scheme": BAD_INPUT,
    "withheld": RUN_OPEN,
    "wrong-type": BAD_INPUT,
}


class LoadstoneError(Exception):
    """An error with a slug from `SLUGS`; `str()` is what stderr shows.

    >>> print(LoadstoneError("internal", "this cannot happen", place="here.toml:3, [mix]", hint="report it"))
    error[internal]: this cannot happen
      at here.toml:3, [mix]
      hint: report it
    """

    def __init__(self, slug: str, message: str, *, place: str | None = None, hint: str | None = None) -> None:
        """`place` is `file:line, [table]`; `hint` says what to do."""
        self.slug = slug
        self.exit_code = SLUGS[slug]
        self.message, self.place, self.hint = message, place, hint
        lines = [f"error[{slug}]: {message}"]
        if place:
            lines.append(f"  at {place}")
        if hint:
            lines.append(f"  hint: {hint}")
        super().__init__("\n".join(lines))

    @property
    def mistakes(self) -> Sequence[LoadstoneError]:
        """One by one: an error about a file may stand for several."""
        return (self,)
