"""Olio that reads from a copy of its database: behind, gone, without its primary, and back."""

from __future__ import annotations

import pytest
from copies import pair, reads_from_its_copy
from servers import missing
from shared_sites import load, serving

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]


@pytest.mark.parametrize("kind", ["postgres", "mariadb"])
@pytest.mark.parametrize("cache", ["none", "fragment"])
def test_the_site_keeps_its_promises(kind: str, cache: str) -> None:
    if reason := missing():
        pytest.skip(reason)
    with pair(kind) as two:
        done = load(two.primary.url, "--replace")
        assert done.returncode == 0, done.stderr
        site = {"replicas": [two.copy.url], "cache": cache}
        with serving(two.primary.url, site=site) as (url,):
            reads_from_its_copy(two, url)
