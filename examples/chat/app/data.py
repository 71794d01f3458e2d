"""Users, rooms and messages, before the first start: `python3 data.py`."""

import hashlib
import hmac
import http.client
import json
import os
import random
import subprocess
import sys
import time

import start

USERS = 24
ROOMS = 8
ROOMS_OF_A_USER = 3
MESSAGES = 15
"""In each room."""
WORDS = (
    "apple bread cloud dance eagle flame grape honey island jungle kettle lemon market night ocean".split()
)


def ask(method: str, path: str, body: object = None, token: str = "") -> dict[str, str]:
    """The server's answer, which must be a good one."""
    connection = http.client.HTTPConnection("127.0.0.1", int(os.environ["PORT"]), timeout=30)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    answer = connection.getresponse()
    content = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"{method} {path}: {answer.status} {content.decode()}")
    found: dict[str, str] = json.loads(content)
    return found


def register(name: str) -> str:
    """A user whose password is the name; its access token."""
    nonce = ask("GET", "/_synapse/admin/v1/register")["nonce"]
    signed = b"\x00".join(part.encode() for part in (nonce, name, name, "notadmin"))
    mac = hmac.new(start.secret("registration").encode(), signed, hashlib.sha1).hexdigest()
    body = {"nonce": nonce, "username": name, "password": name, "admin": False, "mac": mac}
    return ask("POST", "/_synapse/admin/v1/register", body)["access_token"]


def fill() -> None:
    """The same at every first start."""
    draw = random.Random(1)
    tokens = [register(f"user{number}") for number in range(1, USERS + 1)]
    rooms = [
        ask("POST", "/_matrix/client/v3/createRoom", {"preset": "public_chat", "name": f"Room {number}"}, tokens[0])["room_id"]
        for number in range(1, ROOMS + 1)
    ]  # fmt: skip
    for token in tokens[1:]:
        for room in draw.sample(rooms, ROOMS_OF_A_USER):
            ask("POST", f"/_matrix/client/v3/rooms/{room}/join", {}, token)
    for room in rooms:
        for number in range(MESSAGES):
            said = {"msgtype": "m.text", "body": " ".join(draw.choices(WORDS, k=12))}
            ask("PUT", f"/_matrix/client/v3/rooms/{room}/send/m.room.message/first-{number}", said, tokens[0])


def wait(server: subprocess.Popen[bytes]) -> None:
    """Until the server answers; what keeps it from that, it says itself."""
    while server.poll() is None:
        try:
            ask("GET", "/_matrix/client/versions")
            return
        except OSError:
            time.sleep(0.2)
    sys.exit(f"the server ended with {server.returncode}")


def main() -> None:
    """Runs the server for as long as it takes."""
    server = subprocess.Popen([sys.executable, start.__file__])
    try:
        wait(server)
        fill()
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
