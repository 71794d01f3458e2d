"""A shop that takes orders: each is a row, and is acknowledged when the database has committed it."""

import http.server
import subprocess
import sys

PORT, HOST, DATABASE = sys.argv[1:]
ASK = (
    "mariadb",
    "-h",
    HOST,
    "-P",
    DATABASE,
    "-u",
    "loadstone",
    "--connect-timeout=2",
    "-N",
    "loadstone",
    "-e",
)
TABLE = "CREATE TABLE IF NOT EXISTS goods (id INT AUTO_INCREMENT PRIMARY KEY, text TEXT)"
ORDER = "INSERT INTO goods (text) VALUES (REPEAT('order', 800)); SELECT LAST_INSERT_ID()"


class Page(http.server.BaseHTTPRequestHandler):
    """`/health` asks the database, everything else is an order."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        """200 once it is done; 503 where the database refuses or is away."""
        work = "SELECT 1" if self.path == "/health" else ORDER
        done = subprocess.run([*ASK, work], capture_output=True, check=False)
        self.send_response(200 if done.returncode == 0 else 503)
        self.send_header("Content-Length", str(len(done.stdout)))
        self.end_headers()
        self.wfile.write(done.stdout)

    def log_message(self, *words):
        """Nothing: what the database refuses is on stderr."""


if __name__ == "__main__":
    if PORT == "prepare":
        sys.exit(subprocess.run([*ASK, TABLE], check=False).returncode)
    http.server.ThreadingHTTPServer(("0.0.0.0", int(PORT)), Page).serve_forever()
