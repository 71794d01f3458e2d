"""SURGE's files as a folder, for servers that do not make them as they send them."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from loadstone._core import serve
from loadstone.errors import LoadstoneError

KINDS = {"d": "text/html; charset=utf-8", "o": "image/gif"}
"""Media type by the folder of a path: pages and objects."""


def write_site(folder: Path, made: Mapping[str, Any]) -> None:
    """Writes every file of the set that `made` describes (the site's data) under its path.

    They come from our own server, so that every server has the same bytes. LoadstoneError `load-data`.
    """
    options = {"app": "surge", "data": made, "address": "127.0.0.1:0", "workers": 1}
    server = serve("made as it starts", json.dumps(options))
    try:
        with closing(http.client.HTTPConnection(*server.address(), timeout=60)) as client:
            folder.mkdir()
            (folder / "index.html").write_bytes(_answered(client, "/") or b"")
            for kind in KINDS:
                (folder / kind).mkdir()
                for number, content in enumerate(_files(client, kind), start=1):
                    (folder / kind / str(number)).write_bytes(content)
    except (OSError, http.client.HTTPException) as error:
        raise LoadstoneError("load-data", f"cannot write SURGE's files to {folder}: {error}") from error
    finally:
        server.drain(1.0)


def _files(client: http.client.HTTPConnection, kind: str) -> Iterator[bytes]:
    """The files of a kind, which are numbered from 1, to the last."""
    number = 1
    while (content := _answered(client, f"/{kind}/{number}")) is not None:
        yield content
        number += 1


def _answered(client: http.client.HTTPConnection, path: str) -> bytes | None:
    """What is at a path; None where there is nothing."""
    client.request("GET", path)
    answer = client.getresponse()
    content = answer.read()
    if answer.status not in (200, 404):
        raise http.client.HTTPException(f"{path} is answered {answer.status}")
    return content if answer.status == 200 else None
