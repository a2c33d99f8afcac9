"""Reads the fields of a file in a separate process, because a file may be hostile."""
