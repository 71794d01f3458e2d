"""Commands on hosts that end with us, however we end: killed, cut off, or by ourselves."""

from __future__ import annotations

from loadstone.probe.hosts import Hosts
from loadstone.ssh import Answer

WATCH = """(read -r _ <&3; until kill -s KILL -- -$group || ! kill -0 $group; do sleep 0.02; done) \
>/dev/null 2>&1 & watch=$!"""
"""Kills the group that the job `group`, a timeout(1), leads, when our input, which is at 3, ends.

The whole group, and by KILL: `timeout` alone, told to end as it starts its child, leaves the child behind. A
`timeout` that leads no group yet is waited for.
"""
_TIED = """exec 3<&0
timeout -s {end} -k 2 {longest:.1f} {words} </dev/null 3<&- & group=$!
{watch}
wait $group; code=$?
kill $watch 2>/dev/null
exit $code"""
_ANSWER_S = 20.0
"""What ssh may take beside the command."""


def run(hosts: Hosts, host: str, words: str, longest_s: float, end: str = "TERM") -> Answer:
    """Runs a program there, its `words` as a shell's; after `longest_s` the signal `end` ends it.

    LoadstoneError `host-unreachable`, `host-refused`.
    """
    line = _TIED.format(end=end, longest=longest_s, words=words, watch=WATCH)
    return hosts.run(host, line, hold=True, timeout_s=longest_s + _ANSWER_S)
