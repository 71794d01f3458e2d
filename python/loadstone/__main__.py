"""`python -m loadstone`, and the command `loadstone`."""

import sys

from loadstone import leave


def main() -> None:
    """Runs the command line; Ctrl-C and SIGTERM end it from its first import on."""
    leave.watch()
    try:
        from loadstone import cli

        cli.main()
    except KeyboardInterrupt:
        sys.exit(leave.INTERRUPTED)


if __name__ == "__main__":
    main()
