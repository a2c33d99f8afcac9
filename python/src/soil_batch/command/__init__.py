"""The command `soil-batch`."""
