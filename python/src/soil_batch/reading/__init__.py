"""Fields of files: read in a process of its own, because a file may be hostile."""
