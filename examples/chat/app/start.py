"""Starts Synapse, a Matrix chat server, with what the topology says: `python3 start.py`."""

import base64
import hashlib
import json
import os
import sys
from pathlib import Path

SERVER_NAME = "chat.example"
MANY = {"per_second": 10_000, "burst_count": 10_000}
"""All users of a load generator come from few addresses: the limits of an address are out of the way."""


def secret(purpose: str) -> str:
    """One for each purpose, made from the only secret that the topology hands over."""
    return hashlib.sha256(f"{purpose}:{os.environ['DATABASE_PASSWORD']}".encode()).hexdigest()


def configuration(run: Path) -> dict[str, object]:
    """Synapse's own file, as a value."""
    env = os.environ
    key = base64.b64encode(bytes.fromhex(secret("signing"))).decode().rstrip("=")
    log = run / "log.json"
    log.write_text(json.dumps({"version": 1, "root": {"level": "WARNING", "handlers": ["console"]},
                               "handlers": {"console": {"class": "logging.StreamHandler"}}}))  # fmt: skip
    return {
        "server_name": SERVER_NAME,
        "pid_file": str(run / "synapse.pid"),
        "log_config": str(log),
        "media_store_path": env["DATA"],
        "listeners": [{"port": int(env["PORT"]), "bind_addresses": ["0.0.0.0"], "type": "http",
                       "resources": [{"names": ["client"]}]}],
        "database": {"name": "psycopg2", "allow_unsafe_locale": True, "args": {
            "host": env["DATABASE_HOST"], "port": int(env["DATABASE_PORT"]), "dbname": "loadstone",
            "user": "loadstone", "password": env["DATABASE_PASSWORD"], "cp_min": 5, "cp_max": 10}},
        "signing_key": f"ed25519 a_1 {key}",
        "registration_shared_secret": secret("registration"),
        "macaroon_secret_key": secret("macaroon"),
        "form_secret": secret("form"),
        "bcrypt_rounds": 8,
        "presence": {"enabled": False},
        "federation_domain_whitelist": [],
        "trusted_key_servers": [],
        "report_stats": False,
        "rc_message": MANY,
        "rc_registration": MANY,
        "rc_login": {"address": MANY, "account": MANY, "failed_attempts": MANY},
        "rc_joins": {"local": MANY, "remote": MANY},
        "rc_joins_per_room": MANY,
        "rc_invites": {"per_room": MANY, "per_user": MANY, "per_issuer": MANY},
    }  # fmt: skip


def main() -> None:
    """Becomes the server."""
    run = Path(os.environ["RUN"])
    file = run / "homeserver.json"
    os.umask(0o077)
    file.write_text(json.dumps(configuration(run)))
    os.execv(sys.executable, [sys.executable, "-m", "synapse.app.homeserver", "--config-path", str(file)])


if __name__ == "__main__":
    main()
