"""A run as a GeoDataFrame: the attributes of the fields, and what became of each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .extras import pandas
from .fields import Fields
from .results.columns import ResultTable

if TYPE_CHECKING:
    from geopandas import GeoDataFrame


def table_of(fields: Fields, table: ResultTable, folder: Path) -> GeoDataFrame:
    """The rows of a table, in the order of the fields, in their CRS.

    An attribute with the name of a result gets `_input` behind it.
    """
    frame = fields.frame()
    names = [str(name) for name in frame.columns]
    new = table.renamed(names)
    frame = frame.rename(columns=new).set_geometry(new[fields.geometry_name])
    frame = frame.iloc[list(table.fields)]
    for column in table.columns:
        values = list(column.values)
        if column.name == "path" or column.name.endswith("_path"):
            values = [None if one is None else str(folder / str(one)) for one in values]
        # A missing whole number would make the others fractions.
        whole = column.dtype == "int64" and all(one is not None for one in values)
        kind = int if whole else float if column.dtype == "float64" else object
        frame[column.name] = pandas().Series(values, index=frame.index, dtype=kind)
    # A table is read from the left, so that its numbers come before the geometry.
    others = [name for name in frame.columns if name != frame.geometry.name]
    return frame[[*others, frame.geometry.name]]
