"""Writes the tables of a run, replacing each file as a whole."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from urllib.parse import quote

from ..errors import SoilError
from ..snapshot import RunSnapshot
from ..transport import Request, Transport
from .columns import ResultJob, build_long_table, build_wide_table
from .display_range import pool_ranges
from .facts import Facts, format_facts
from .mosaics import format_vrt, list_mosaics
from .tables import format_csv, format_failed_geojson, format_geopackage

TABLE_FILE = "results.csv"
_WIDE_FILE = "results_wide.csv"
FAILED_FILE = "failed.geojson"
_PACKAGE_FILE = "results.gpkg"


def write_results(
    transport: Transport, snapshot: RunSnapshot, rows: Sequence[ResultJob], facts: Facts | None
) -> tuple[list[str], list[str]]:
    """Writes the files. Returns their names, and messages about files that need the extra `geo` and were not written.

    :param facts: None if the service no longer has them; the folder then keeps its files
    """
    folder, fields = snapshot.stored.folder, snapshot.stored.fields
    results = build_long_table(rows)
    table = format_csv(fields, results)
    files = {TABLE_FILE: table}
    if len(snapshot.stored.state.models) > 1:
        files[_WIDE_FILE] = format_csv(fields, build_wide_table(rows))
    files |= {} if facts is None else format_facts(facts)
    failed = format_failed_geojson(fields, rows)
    if failed is not None:
        files[FAILED_FILE] = failed
    else:
        # A retry may have left no failed field.
        (folder.path / FAILED_FILE).unlink(missing_ok=True)
    for name, content in files.items():
        folder.write_result(name, content)
    written, missing = list(files), []
    try:
        source = compute_source_digest(
            snapshot.stored.state.digest, hashlib.sha256(table).hexdigest()
        )
        if not snapshot.here.is_current(_PACKAGE_FILE, source):
            folder.write_result(_PACKAGE_FILE, format_geopackage(fields, results), source)
        written.append(_PACKAGE_FILE)
    except ImportError as error:
        missing.append(f"{_PACKAGE_FILE} was not written: {error}")
    try:
        written += _write_mosaics(transport, snapshot, rows)
    except ImportError as error:
        missing.append(f"The virtual rasters were not written: {error}")
    return written, missing


def _write_mosaics(
    transport: Transport, snapshot: RunSnapshot, rows: Sequence[ResultJob]
) -> list[str]:
    folder, written = snapshot.stored.folder, []
    for mosaic in list_mosaics(rows):
        raster, style = f"{mosaic.name}.vrt", f"{mosaic.name}.qml"
        source = compute_source_digest(mosaic.rasters)
        if not snapshot.here.is_current(raster, source):
            names = [name for name, _ in mosaic.rasters]
            folder.write_result(raster, format_vrt(folder.path, names).encode(), source)
        written.append(raster)
        summaries = [
            row.job.summary
            for row in rows
            if row.job is not None and row.job.model == mosaic.model and row.job.summary is not None
        ]
        content = request_style(
            transport, mosaic.model, pool_ranges(summaries) if summaries else None
        )
        if content is None:
            continue
        folder.write_result(style, content.encode())
        written.append(style)
        for name, _ in mosaic.rasters:
            of_raster, source = str(Path(name).with_suffix(".qml")), compute_source_digest(content)
            if not snapshot.here.is_current(of_raster, source):
                folder.write_result(of_raster, content.encode(), source)
    return written


def compute_source_digest(*values: object) -> str:
    """Computes the digest of the values from which a file is made, and of this package's version."""
    made_from = [_package_version(), *values]
    return hashlib.sha256(json.dumps(made_from).encode()).hexdigest()


@cache
def _package_version() -> str:
    return importlib.metadata.version("soil-batch")


def request_style(transport: Transport, model: str, ends: tuple[float, float] | None) -> str | None:
    """Requests the QGIS style of a model; None if the deployment no longer has the model.

    :param ends: the values of the lowest and the highest colour; None for the model's own range
    """
    path = f"/v1/models/{quote(model, safe='')}/style.qml"
    query = None if ends is None else {"minimum": repr(ends[0]), "maximum": repr(ends[1])}
    try:
        return transport.send(Request("GET", path, query)).content.decode("utf-8", "replace")
    except SoilError as error:
        if error.type == "model-not-found":
            return None
        raise
