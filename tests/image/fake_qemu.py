"""A program in QEMU's place: answers HTTP at the ports that it is given, obeys its console and its monitor.

Its image decides what it does: one that says `panic` or `refuse` ends with that, one that says `mute` answers
nobody. Any answer is what the image says and the number of the process.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import sys
import threading
from pathlib import Path

PANIC, REFUSED, CLEAN = 35, 37, 33


class Door:
    """A port at which it answers."""

    def __init__(self, port: int, text: str) -> None:
        self.listening = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self._serve, args=(text,), daemon=True).start()

    def close(self) -> None:
        self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()

    def _serve(self, text: str) -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=_answer, args=(self.listening.accept()[0], text), daemon=True).start()


def _answer(connection: socket.socket, text: str) -> None:
    with connection, contextlib.suppress(OSError):
        connection.recv(4096)
        if "mute" in text:
            threading.Event().wait()
        body = f"{text} {os.getpid()}"
        connection.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())


def _monitor(path: str, doors: dict[int, Door], text: str) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        while True:
            connection, _ = listening.accept()
            with connection, contextlib.suppress(OSError):
                connection.sendall(b'{"QMP": {}}\n')
                for line in connection.makefile():
                    asked = json.loads(line)
                    said = _told(asked["arguments"].get("command-line", ""), doors, text)
                    connection.sendall(json.dumps({"return": said}).encode() + b"\n")


def _told(line: str, doors: dict[int, Door], text: str) -> str:
    found = re.match(r"hostfwd_(add|remove) net0 tcp:127\.0\.0\.1:(\d+)", line)
    if not found:
        return ""
    port = int(found[2])
    if found[1] == "remove":
        if port in doors:
            doors.pop(port).close()
            return "host forwarding rule for tcp removed"
        return "host forwarding rule not found"
    try:
        doors[port] = Door(port, text)
    except OSError:
        return "could not set up host forwarding rule"
    return ""


def main() -> int:
    words = dict(zip(sys.argv, sys.argv[1:], strict=False))
    text = re.search(rb"serving [a-z0-9-]*", Path(words["-kernel"]).read_bytes())[0].decode()
    print(f"{text} with {words['-append']}", flush=True)
    for said, code in (("panic", PANIC), ("refuse", REFUSED)):
        if said in text:
            print(f"{said}: so it is", flush=True)
            return code
    ports = re.findall(r"hostfwd=tcp:127\.0\.0\.1:(\d+)", words["-netdev"])
    doors = {int(port): Door(int(port), text) for port in ports}
    path = words["-qmp"].removeprefix("unix:").partition(",")[0]
    threading.Thread(target=_monitor, args=(path, doors, text), daemon=True).start()
    for line in sys.stdin:
        print(f"heard {line.strip()}", flush=True)
        if line.strip() == "shutdown" and "stubborn" not in text:
            return CLEAN
    threading.Event().wait()
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)
