"""Limits for reading files."""

#: The largest size of a file, and of all files extracted from an archive together.
MOST_BYTES = 100_000_000
#: The maximum number of fields in a file: 50 batches.
MOST_FIELDS = 50_000
#: The maximum number of files in an archive or file geodatabase; a Shapefile has about ten.
MOST_FILES = 1_000
#: The memory limit of the reading process: while being read, a field with 30 vertices takes about 20 kB.
MOST_MEMORY = 1_000_000_000
MOST_SECONDS = 30
#: The files that SQLite keeps next to a database: its write-ahead log, or its rollback journal.
WRITE_AHEAD = ("-wal", "-journal")
#: The maximum number of layers that a message names.
LISTED_LAYERS = 10


def format_megabytes(count: int) -> str:
    return f"{-(-count // 1_000_000)} MB"
