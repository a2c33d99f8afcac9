"""Reads the fields of a file in a separate process, because files may be hostile."""
