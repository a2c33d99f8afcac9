"""Builds the GeoDataFrame of a run, with the attributes and the results of its fields."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .extras import pandas
from .fields import Fields
from .results.columns import ResultTable

if TYPE_CHECKING:
    from geopandas import GeoDataFrame


def build_table(fields: Fields, table: ResultTable, folder: Path) -> GeoDataFrame:
    """Builds the rows of a table, in the order and CRS of the fields.

    Attributes with the name of a result column get the suffix `_input`.
    """
    frame = fields.frame()
    names = [str(name) for name in frame.columns]
    new = table.name_attributes(names)
    frame = frame.rename(columns=new).set_geometry(new[fields.geometry_name])
    frame = frame.iloc[list(table.fields)]
    for column in table.columns:
        values = list(column.values)
        if column.name == "path" or column.name.endswith("_path"):
            values = [None if one is None else str(folder / str(one)) for one in values]
        # pandas would convert integers to floats if a value is missing, so such a column has the type object.
        whole = column.dtype == "int64" and all(one is not None for one in values)
        kind = int if whole else float if column.dtype == "float64" else object
        frame[column.name] = pandas().Series(values, index=frame.index, dtype=kind)
    # The geometry comes last, so that the figures are visible when the table is printed.
    others = [name for name in frame.columns if name != frame.geometry.name]
    return frame[[*others, frame.geometry.name]]
