#: The maximum number of bytes of an input with all its parts; also of all files extracted from an archive.
MOST_BYTES = 100_000_000
MOST_FIELDS = 50_000
#: The maximum number of files in an archive or file geodatabase.
MOST_FILES = 1_000
#: The maximum number of bytes of memory for the reading process.
MOST_MEMORY = 1_000_000_000
MOST_SECONDS = 30
#: The files that SQLite keeps next to a database: its write-ahead log, or its rollback journal.
WRITE_AHEAD = ("-wal", "-journal")
LISTED_LAYERS = 10


def format_megabytes(count: int) -> str:
    return f"{-(-count // 1_000_000)} MB"
