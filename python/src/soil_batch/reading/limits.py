"""What is read of a file."""

#: The size of a file, and of the files extracted from an archive.
MOST_BYTES = 100_000_000
#: 50 batches.
MOST_FIELDS = 50_000
#: The files of an archive or a file geodatabase: a Shapefile has about ten.
MOST_FILES = 1_000
#: The memory of the reading process: fields of 30 vertices take about 20 kB each while they are read.
MOST_MEMORY = 1_000_000_000
MOST_SECONDS = 30
#: What SQLite keeps next to a database: pages to come, or pages as they were.
WRITE_AHEAD = ("-wal", "-journal")
#: How many layers a message names.
LISTED_LAYERS = 10


def megabytes(count: int) -> str:
    return f"{-(-count // 1_000_000)} MB"
