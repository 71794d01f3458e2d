"""A recording as browsers make them, and a description of an interface."""

from __future__ import annotations

import json
from typing import Any

SECRETS = (
    "hunter2-Geheim",
    "s3ss10n-c00kie-value",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    "k3y-0f-a-partner-api-9876",
)
BASE = "https://shop.example"
CSRF = "9f86d081884c7d659a2feaa0c55ad015"
BODY = {"cart": "c-778899", "count": 2, "note": 'a "quoted" {note}', "gift": None, "pw": SECRETS[0]}


def _entry(
    at_s: float, method: str, url: str, *, answer: str = "", kind: str = "text/html", status: int = 200,
    headers: dict[str, str] | None = None, answer_headers: dict[str, str] | None = None,
    form: list[tuple[str, str]] | None = None, json_body: Any = None, resource: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    sent = {"Cookie": f"sid={SECRETS[1]}"} | (headers or {})
    request: dict[str, Any] = {
        "method": method,
        "url": url if "://" in url else BASE + url,
        "headers": [{"name": name, "value": value} for name, value in sent.items()],
    }
    if form is not None:
        params = [{"name": name, "value": value} for name, value in form]
        request["postData"] = {"mimeType": "application/x-www-form-urlencoded", "params": params}
    if json_body is not None:
        request["postData"] = {"mimeType": "application/json", "text": json.dumps(json_body)}
    found = {
        "startedDateTime": f"2026-11-25T10:{int(at_s) // 60:02}:{at_s % 60:06.3f}Z",
        "time": 120.0, "request": request,
        "response": {
            "status": status, "headers": [{"name": n, "value": v} for n, v in (answer_headers or {}).items()],
            "content": {"mimeType": kind, "size": len(answer), "text": answer},
        },
    }  # fmt: skip
    return found | ({"_resourceType": resource} if resource else {})


def har(*, chrome: bool) -> str:
    """Log-in with a hidden token, an answer in JSON whose number is asked for, third parties, files."""

    def of(resource: str) -> str | None:
        return resource if chrome else None

    form = f'<form><input type="hidden" name="authenticity_token" value="{CSRF}"><input name=user></form>'
    entries = [
        _entry(0, "GET", "/login", answer=form, resource=of("document")),
        _entry(0.2, "GET", "/static/site.css", kind="text/css", resource=of("stylesheet")),
        _entry(0.3, "GET", "https://ads.example/pixel.gif", kind="image/gif", resource=of("image")),
        _entry(
            8, "POST", "/login", status=302, resource=of("document"),
            answer_headers={"Location": "/home", "Set-Cookie": f"sid={SECRETS[1]}"},
            form=[("authenticity_token", CSRF), ("user", "ann"), ("password", SECRETS[0])],
        ),
        _entry(8.2, "GET", "/home", answer="<h1>Hello</h1>", resource=of("document")),
        _entry(
            8.5, "GET", "/api/cart", kind="application/json", resource=of("xhr"),
            answer='{"cart":{"cartId":"c-778899","lines":[]}}',
            headers={"Authorization": f"Bearer {SECRETS[2]}", "X-Partner-Key": SECRETS[3]},
        ),
        _entry(
            20, "POST", "/api/cart/c-778899/lines?trace={1}", status=201, kind="application/json",
            answer='{"ok":true}', resource=of("xhr"), json_body=BODY,
        ),
    ]  # fmt: skip
    if chrome:
        entries.append(_entry(21, "GET", "wss://shop.example/live", status=101, resource="websocket"))
    return json.dumps({"log": {"version": "1.2", "entries": entries}})


OPENAPI = """\
openapi: 3.0.3
info: { title: Pets, version: "1" }
servers: [{ url: "https://pets.example/v1" }]
security: [{ token: [] }]
components:
  securitySchemes: { token: { type: http, scheme: bearer } }
  schemas:
    Pet:
      type: object
      properties:
        id: { type: integer, readOnly: true }
        name: { type: string, minLength: 3, maxLength: 8 }
        kind: { type: string, enum: [cat, dog] }
        age: { type: integer, minimum: 2 }
        born: { type: string, format: date }
        password: { type: string }
        mother: { $ref: "#/components/schemas/Pet" }
paths:
  /pets:
    get:
      operationId: listPets
      parameters: [{ name: limit, in: query, required: true, schema: { type: integer, maximum: 50 } }]
      responses: { 200: { description: fine } }
    post:
      operationId: addPet
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Pet" } } } }
      responses: { 201: { description: made } }
  /pets/{petId}:
    parameters: [{ name: petId, in: path, required: true, schema: { type: integer, minimum: 5, maximum: 9 } }]
    get:
      operationId: showPet
      responses: { default: { description: fine } }
    delete:
      responses: { 204: { description: gone } }
"""
