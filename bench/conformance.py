"""The web container judged by others: REDbot's lint of HTTP on every connector, testssl.sh on its TLS.

    scripts/setup-conformance; .venv/bin/python bench/conformance.py [--out DIR] [--skip-tls]

Writes what each tool says, and `summary.md`. Exits with 1 when a tool calls something wrong.
"""

from __future__ import annotations

import datetime
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asked

ROOT = Path(__file__).parent.parent
REDBOT = ROOT / "target/conformance/bin/redbot"
CONNECTORS = ("hybrid", "threaded", "event")
FILES = ("page.html", "data.bin")
WRONG = re.compile(
    r"missing required|incorrect|invalid|not (valid|allowed|correct)|isn't|malformed|no effect", re.I
)
"""In REDbot's notes, which have no machine-readable level in its text."""
ACCEPTED = {
    # A client without hardware for AES does well to prefer ChaCha20, and every suite offered is a strong one.
    "cipher_order",
    # Of the certificate, which is made for the test.
    "cert_chain_of_trust",
    "cert_revocation",
    "cert_expirationStatus",
    "cert_notAfter",
    "cert_trust",
    "overall_grade",
    # Of the name's zone.
    "DNS_CAArecord",
}


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[str]:
    """The URL of a server of the files in `folder`/www."""
    command = [sys.executable, "-m", "loadstone", "serve", "files", f"{folder}/www", "--port", "0", "--json"]
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())["url"]
        finally:
            process.terminate()


def make(folder: Path) -> None:
    """Files to serve, and a certificate."""
    (folder / "www").mkdir()
    (folder / "www/page.html").write_text("<!doctype html><title>page</title>" + "<p>hello</p>" * 500)
    (folder / "www/data.bin").write_bytes(bytes(range(256)) * 400)
    command = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 90 -subj /CN=localhost"
    )
    command += f" -addext subjectAltName=DNS:localhost -keyout {folder}/key.pem -out {folder}/cert.pem"
    subprocess.run(command.split(), check=True, capture_output=True)


def lint(folder: Path, out: Path) -> list[str]:
    """What REDbot finds wrong; its notes go to `out`."""
    wrong = []
    for connector in CONNECTORS:
        with serving(folder, "--connector", connector, "--compress", "6") as url:
            for file in FILES:
                command = [str(REDBOT), "-o", "text", f"{url}/{file}"]
                notes = subprocess.run(
                    command, capture_output=True, text=True, check=True, timeout=120
                ).stdout
                (out / f"redbot-{connector}-{file}.txt").write_text(notes)
                wrong += [
                    f"{connector} {file}: {line.strip()}" for line in notes.splitlines() if WRONG.search(line)
                ]
    return wrong


def probe_tls(folder: Path, out: Path) -> list[str]:
    """What testssl.sh finds wrong; its report goes to `out`."""
    with serving(folder, "--tls-cert", f"{folder}/cert.pem", "--tls-key", f"{folder}/key.pem") as url:
        found = folder / "testssl.json"
        target = url.replace("127.0.0.1", "localhost")
        command = "testssl --quiet --color 0 --ip one --warnings off -p -s -f -S -P -U --jsonfile"
        report = subprocess.run(
            [*command.split(), str(found), target], capture_output=True, text=True, timeout=600
        )
        (out / "testssl.txt").write_text(report.stdout)
    bad = ("LOW", "MEDIUM", "HIGH", "CRITICAL", "FATAL")
    findings = json.loads(found.read_text())
    assert len(findings) > 50, "testssl.sh has not come to its end"
    return [
        f"{one['id']}: {one['finding']}"
        for one in findings
        if one["severity"] in bad and one["id"] not in ACCEPTED
    ]


def main() -> int:
    """Runs both and writes the summary."""
    parser = asked.parser(__doc__)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    parser.add_argument("--out", type=asked.folder, default=str(ROOT / f"bench/runs/{today}-conformance"))
    parser.add_argument("--skip-tls", action="store_true", help="REDbot only: half a minute instead of two")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="conformance-") as name:
        folder = Path(name)
        make(folder)
        wrong = lint(folder, options.out)
        if not options.skip_tls:
            wrong += probe_tls(folder, options.out)
    told = "".join(f"- {line}\n" for line in wrong) or "Nothing.\n"
    text = f"# The web container judged by others, {today}\n\nREDbot 2.7.1 on {', '.join(CONNECTORS)}"
    text += f"{'' if options.skip_tls else '; testssl.sh on TLS'}. What they call wrong:\n\n{told}"
    text += f"\nNot counted, for the reasons in the script: {', '.join(sorted(ACCEPTED))}.\n"
    (options.out / "summary.md").write_text(text)
    print(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
