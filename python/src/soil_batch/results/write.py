"""Writes the tables of a run. Each file is replaced as a whole."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from urllib.parse import quote

from ..errors import SoilError
from ..known import KnownRun
from ..transport import Request, Transport
from .columns import ResultJob, long_table, wide_table
from .display_range import pooled_range
from .facts import Facts, fact_files
from .mosaics import mosaics_of, vrt_of
from .tables import csv_of, failed_geojson, geopackage_of

TABLE_FILE = "results.csv"
_WIDE_FILE = "results_wide.csv"
FAILED_FILE = "failed.geojson"
_PACKAGE_FILE = "results.gpkg"


def write_results(
    transport: Transport, known: KnownRun, rows: Sequence[ResultJob], facts: Facts | None
) -> tuple[list[str], list[str]]:
    """The names of the files of the run, and what is missing without the extra `geo`.

    :param facts: None if the service no longer has them: the files that the folder has then stay
    """
    folder, fields = known.stored.folder, known.stored.fields
    results = long_table(rows)
    table = csv_of(fields, results)
    files = {TABLE_FILE: table}
    if len(known.stored.state.models) > 1:
        files[_WIDE_FILE] = csv_of(fields, wide_table(rows))
    files |= {} if facts is None else fact_files(facts)
    failed = failed_geojson(fields, rows)
    if failed is not None:
        files[FAILED_FILE] = failed
    else:
        # After a retry nothing may have failed any more.
        (folder.path / FAILED_FILE).unlink(missing_ok=True)
    for name, content in files.items():
        folder.write_result(name, content)
    written, missing = list(files), []
    try:
        source = source_digest(known.stored.state.digest, hashlib.sha256(table).hexdigest())
        if not known.here.is_current(_PACKAGE_FILE, source):
            folder.write_result(_PACKAGE_FILE, geopackage_of(fields, results), source)
        written.append(_PACKAGE_FILE)
    except ImportError as error:
        missing.append(f"Without {_PACKAGE_FILE}: {error}")
    try:
        written += _write_mosaics(transport, known, rows)
    except ImportError as error:
        missing.append(f"Without the virtual rasters: {error}")
    return written, missing


def _write_mosaics(transport: Transport, known: KnownRun, rows: Sequence[ResultJob]) -> list[str]:
    folder, written = known.stored.folder, []
    for mosaic in mosaics_of(rows):
        raster, style = f"{mosaic.name}.vrt", f"{mosaic.name}.qml"
        source = source_digest(mosaic.rasters)
        if not known.here.is_current(raster, source):
            names = [name for name, _ in mosaic.rasters]
            folder.write_result(raster, vrt_of(folder.path, names).encode(), source)
        written.append(raster)
        summaries = [
            row.job.summary
            for row in rows
            if row.job is not None and row.job.model == mosaic.model and row.job.summary is not None
        ]
        content = style_of(transport, mosaic.model, pooled_range(summaries) if summaries else None)
        if content is None:
            continue
        folder.write_result(style, content.encode())
        written.append(style)
        for name, _ in mosaic.rasters:
            of_raster, source = str(Path(name).with_suffix(".qml")), source_digest(content)
            if not known.here.is_current(of_raster, source):
                folder.write_result(of_raster, content.encode(), source)
    return written


def source_digest(*values: object) -> str:
    """The digest of the values that a file is made from, and of the version of this package that makes it."""
    made_from = [_package_version(), *values]
    return hashlib.sha256(json.dumps(made_from).encode()).hexdigest()


@cache
def _package_version() -> str:
    return importlib.metadata.version("soil-batch")


def style_of(transport: Transport, model: str, ends: tuple[float, float] | None) -> str | None:
    """For QGIS; None if the deployment no longer has the model.

    :param ends: the values of the lowest and the highest colour; None for those of the model
    """
    path = f"/v1/models/{quote(model, safe='')}/style.qml"
    query = None if ends is None else {"minimum": repr(ends[0]), "maximum": repr(ends[1])}
    try:
        return transport.send(Request("GET", path, query)).content.decode("utf-8", "replace")
    except SoilError as error:
        if error.type == "model-not-found":
            return None
        raise
