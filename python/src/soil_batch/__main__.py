"""Runs the command as `python -m soil_batch`."""

from .command.main import main

main()
