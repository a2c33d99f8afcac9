"""The report of a run: one self-contained page for screen and A4."""
