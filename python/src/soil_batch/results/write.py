"""Writes the tables of a run. Each file is replaced as a whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import quote

from ..errors import SoilError
from ..fields import Fields
from ..folder import Folder
from ..transport import Request, Transport
from .columns import ResultJob
from .facts import Facts, fact_files
from .mosaics import mosaics_of
from .tables import csv_of, failed_geojson, geopackage_of

TABLE_FILE = "results.csv"
FAILED_FILE = "failed.geojson"


def write_results(
    transport: Transport,
    folder: Folder,
    fields: Fields,
    rows: Sequence[ResultJob],
    facts: Facts | None,
) -> tuple[list[str], list[str]]:
    """The names of the files that were written, and what is missing without the extra `geo`.

    :param facts: None if the service no longer has them: the files that the folder has then stay
    """
    files = {TABLE_FILE: csv_of(fields, rows)}
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
    of_extra: dict[str, Callable[[], dict[str, bytes]]] = {
        "results.gpkg": lambda: {"results.gpkg": geopackage_of(fields, rows)},
        "the virtual rasters": lambda: mosaics_of(
            folder.path, rows, lambda model: style_of(transport, model)
        ),
    }
    for what, made in of_extra.items():
        try:
            ones = made()
        except ImportError as error:
            missing.append(f"Without {what}: {error}")
            continue
        for name, content in ones.items():
            folder.write_result(name, content)
        written += ones
    return written, missing


def style_of(transport: Transport, model: str) -> str | None:
    """For QGIS; None if the deployment no longer has the model."""
    path = f"/v1/models/{quote(model, safe='')}/style.qml"
    try:
        return transport.send(Request("GET", path)).content.decode("utf-8", "replace")
    except SoilError as error:
        if error.type == "model-not-found":
            return None
        raise
