"""What servers say of themselves, as figures."""

import pytest

from loadstone.deploy.host import counting
from loadstone.deploy.host.rates import Rates

HAPROXY = """\
# pxname,svname,qcur,qmax,scur,smax,slim,stot,ereq,econ,eresp,wretr,wredis,status,hrsp_5xx,req_tot
users,FRONTEND,,,3,9,4096,49,1,,,,,OPEN,44,50
web,web1,0,0,1,1,,7,,0,0,0,0,UP,0,
web,web2,0,0,0,1,,11,,0,0,0,0,DOWN,0,
web,BACKEND,2,5,1,1,410,48,,30,4,6,5,UP,44,

"""
NGINX = (
    "HTTP/1.1 200 OK\r\nServer: nginx\r\n\r\nActive connections: 2 \nserver accepts handled requests\n"
    " 10 9 30 \nReading: 0 Writing: 1 Waiting: 1 \n"
)
CASES = {
    "mariadb": (
        "Threads_connected\t11\nThreads_running\t2\nQuestions\t700\nUptime\t5\nmax_connections\t151\nmark\n",
        {"connections": 11, "running": 1, "connections_most": 151},
        {"queries": 700},
    ),
    "postgresql": (
        "connections\t4\nconnections_most\t100\nlock_waits\t1\ncommits\t77\npage_misses\t3\n",
        {"connections": 4, "connections_most": 100, "lock_waits": 1},
        {"commits": 77, "page_misses": 3},
    ),
    "memcached": (
        "STAT pid 1\r\nSTAT version 1.6.18\r\nSTAT curr_connections 2\r\nSTAT get_hits 90\r\n"
        "STAT get_misses 10\r\nSTAT limit_maxbytes 64\r\nEND\r\n",
        {"connections": 2, "stored_bytes_most": 64},
        {"hits": 90, "misses": 10},
    ),
    "haproxy": (
        HAPROXY,
        {"connections": 3, "connections_most": 4096, "queued": 2, "backends": 2, "backends_up": 1},
        {"sessions": 49, "requests": 50, "answers_5xx": 44, "bad_requests": 1, "connect_errors": 30,
         "answer_errors": 4, "retries": 6, "redispatches": 5},
    ),
    "nginx": (
        NGINX,
        {"connections": 2, "reading": 0, "writing": 1},
        {"connects": 10, "dropped_connects": 1, "requests": 30},
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", CASES)
def test_levels_and_sums(kind: str) -> None:
    said, levels, sums = CASES[kind]
    assert counting.PARSERS[kind](said) == (levels, sums)
    assert set(CASES) == set(counting.PARSERS)


def test_sums_become_rates_and_a_restarted_server_has_none() -> None:
    rates = Rates()
    assert rates.since({"queries": 100.0}, 1.0) == {}
    assert rates.since({"queries": 150.0, "new": 3.0}, 3.0) == {"queries": 25.0}
    assert rates.since({"queries": 10.0, "new": 4.0}, 4.0) == {"new": 1.0}
    assert rates.since({"queries": 12.0, "new": 4.0}, 5.0) == {"queries": 2.0, "new": 0.0}
