"""`python -m loadstone`."""

from loadstone.cli import main

main()
