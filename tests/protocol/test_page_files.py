"""The files of a page from real servers: on one connection, and on several as browsers fetch them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import http2_servers
import nginx_site
import pytest
from certificates import Authority

from loadstone.errors import LoadstoneError
from loadstone.scenario import builtin_names, load_scenario

SCENARIO = """
format = 1
name = "files"
{sla}
[target]
url = "{url}"
{tls}
[load]
users = 1
ramp_up_s = 0
steady_s = 600
ramp_down_s = 0
timeout_s = 60
operations = 8
[pacing]
think = 0.01
[browser]
cached = ["/nothing/"]
{browser}
[session]
max_operations = 2
[[operation]]
name = "Page"
limit_s = 60
[[operation.step]]
get = "/page.html"
page = true
expect.contains = "the very end"
"""
FILES = http2_servers.IMAGES


def write(folder: Path, url: str, browser: str = "", sla: str = "", tls: str = "") -> Path:
    path = folder / "files.toml"
    path.write_text(SCENARIO.format(url=url, browser=browser, sla=sla, tls=tls))
    return path


def run(folder: Path, path: Path) -> tuple[dict[str, Any], dict[str, int]]:
    """What the run says of its operation, and sums of its connections."""
    command = ["run", str(path), "--out", str(folder / "run"), "--json"]
    done = subprocess.run([sys.executable, "-m", "loadstone", *command], capture_output=True, text=True)
    assert done.stdout, done.stderr
    told = json.loads(done.stdout)
    assert told["failures"] == []
    names = ("connects", "beside", "reconnects")
    sums = ", ".join(f"sum({name})" for name in names)
    [row] = duckdb.sql(f"SELECT {sums} FROM '{folder / 'run' / 'engine.parquet'}'").fetchall()
    return told["operations"]["Page"], {name: int(row[at]) for at, name in enumerate(names)}


@contextmanager
def nginx(folder: Path, *, tls: bool) -> Iterator[tuple[str, str]]:
    """A site by HTTP/1.1, with keys of the scenario for it."""
    root, port = folder / "root", nginx_site.free_port()
    root.mkdir()
    (root / "page.html").write_text(http2_servers.PAGE)
    for number in range(FILES):
        (root / f"{number}.png").write_bytes(http2_servers.IMAGE)
    authority = Authority(folder)
    certificate, key = authority.certificates["server"]
    secure = f"ssl_certificate {certificate}; ssl_certificate_key {key};" if tls else ""
    directives = f"""log_format told '$uri $connection';
        server {{ listen 127.0.0.1:{port} {"ssl" if tls else ""}; root {root}; {secure}
            access_log {folder}/requests.log told; }}"""
    with nginx_site.nginx(folder, directives, port):
        scheme = "https" if tls else "http"
        yield f"{scheme}://127.0.0.1:{port}", f'tls.ca = "{authority.ca}"' if tls else ""


@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize(("browser", "most"), [("", 6), ("connections = 3", 3), ("connections = 1", 1)])
def test_nginx_is_asked_on_so_many_connections(tmp_path: Path, browser: str, most: int, tls: bool) -> None:
    with nginx(tmp_path, tls=tls) as (url, more):
        page, made = run(tmp_path, write(tmp_path, url, browser, tls=more))
    assert (page["ok"], page["counters"]["images"]) == (8, 4 * FILES), "once a session"
    seen = [line.split() for line in (tmp_path / "requests.log").read_text().splitlines()]
    assert len(seen) == 8 + 4 * FILES
    # Four sessions, none of which takes more than it may.
    assert len({connection for _, connection in seen}) == made["connects"] <= 4 * most
    assert made["beside"] == made["connects"] - 4 and made["reconnects"] == 0
    assert made["beside"] >= (4 if most > 1 else 0)


def test_apache_is_asked_on_several_connections(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    with http2_servers.serving("apache", tmp_path, authority.certificates["server"]) as ports:
        page, made = run(tmp_path, write(tmp_path, f"http://127.0.0.1:{ports['http']}"))
    assert (page["ok"], page["counters"]["images"]) == (8, 4 * FILES)
    assert 4 < made["connects"] <= 4 * 6 and made["beside"] == made["connects"] - 4


@pytest.mark.parametrize("http", ["1.1", "2"])
def test_what_compressed_sheets_refer_to_is_fetched_once(tmp_path: Path, http: str) -> None:
    root, port = tmp_path / "root", nginx_site.free_port()
    (root / "css").mkdir(parents=True)
    sheets = {
        "a.css": "@import 'b.css'; @import url(../css/a.css);" + "p{background:url(../0.png)}" * 100,
        "b.css": "@font-face{src:url(f.eot);src:url(f.woff2)}" + "q{background:url(/1.png)}" * 100,
    }
    for name, text in sheets.items():
        (root / "css" / name).write_text(text)
    (root / "page.html").write_text(
        "<link rel=stylesheet href=/css/a.css><img src=/0.png srcset='/1.png 1x, /2.png 2x'>the very end"
    )
    for name in ("0.png", "1.png", "css/f.woff2"):
        (root / name).write_bytes(http2_servers.IMAGE)
    directives = f"""log_format told '$uri'; gzip on; gzip_types text/css;
        server {{ listen 127.0.0.1:{port} {"http2" if http == "2" else ""}; root {root};
            access_log {tmp_path}/requests.log told; }}"""
    with nginx_site.nginx(tmp_path, directives, port):
        path = write(tmp_path, f"http://127.0.0.1:{port}", tls=f'http = "{http}"', browser="styles = true")
        page, _ = run(tmp_path, path)
    assert page["ok"] == 8
    seen = sorted((tmp_path / "requests.log").read_text().split())
    once = ["/0.png", "/1.png", "/css/a.css", "/css/b.css", "/css/f.woff2"]
    assert seen == sorted(["/page.html"] * 8 + once * 4)


def test_what_is_published_keeps_one_connection(tmp_path: Path) -> None:
    def connections(**keys: str) -> int:
        path = write(tmp_path, "http://127.0.0.1:8080", **keys)
        browser = load_scenario(str(path)).plan()["browser"]
        assert browser["styles"] is False
        return int(browser["connections"])

    assert connections() == 6
    assert connections(sla='[sla]\nrules = "cloudstone"') == 1
    assert connections(browser="pause = 0.1") == 1
    assert connections(browser="connections = 64") == 64
    with pytest.raises(LoadstoneError, match="65"):
        connections(browser="connections = 65")
    for name in set(builtin_names()) - {"page"}:
        for url in ({}, {"target.url": "http://127.0.0.1:8080"}):
            plan = load_scenario(name, url).plan(target=("127.0.0.1", 80))
            assert plan["browser"]["connections"] == 1, name
            assert plan["browser"]["styles"] is False, name
