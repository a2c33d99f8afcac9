"""The command-line program `soil-batch`."""
