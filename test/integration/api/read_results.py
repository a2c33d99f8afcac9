"""Reads the table of a batch with GDAL (pyogrio) and Python's csv module. Prints JSON.

Usage: read_results.py <geojson> <csv>
"""

import csv
import json
import sys

import pyogrio


def opened(path: str, **options: str) -> dict:
    """Returns the columns with the types that GDAL detects, and their values."""
    meta, _, geometry, columns = pyogrio.raw.read(path, **options)
    types = [
        f"{t}/{s}" if s != "OFSTNone" else t
        for t, s in zip(meta["ogr_types"], meta["ogr_subtypes"])
    ]
    return {
        "crs": meta["crs"],
        "types": dict(zip(meta["fields"], types)),
        "columns": {
            name: [None if v is None or v != v else str(v) for v in values]
            for name, values in zip(meta["fields"], columns)
        },
        "geometries": None if geometry is None else [g is not None for g in geometry],
    }


geojson, table = sys.argv[1:]
with open(table, newline="", encoding="utf-8") as file:
    rows = list(csv.reader(file, strict=True))
print(
    json.dumps(
        {
            "geojson": opened(geojson),
            "flattened": opened(geojson, FLATTEN_NESTED_ATTRIBUTES="YES"),
            "csv": opened(table, AUTODETECT_TYPE="YES"),
            "rows": rows,
        }
    )
)
