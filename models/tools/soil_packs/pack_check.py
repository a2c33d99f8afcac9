"""`npm run pack-check`: checks a pack as a deployment does, and judges some of the cells that it predicts."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import pandas

from . import commands
from .commands import PackError
from .remarks import (
    Remarks,
    crossed_quantiles,
    implausible_bands,
    mean_remark,
    median_stock,
    outside_remarks,
    pack_warnings,
)
from .service import Prediction, predict

HELP = """Checks a model pack as a deployment does, all its periods, then predicts some cells of the map for the
year, spread over the grid or near a position. Writes them to standard output as CSV: position, covariates
as the model receives them, bands in their unit. Warns on standard error of covariates and predictions
outside the values of the training, of values that the property cannot have, of one value in all cells, and
of means outside their quantiles; prints the median cell's stock."""
CODES = """Exit code 1: the pack is not usable, or a lower quantile lies above a higher one in any of the
cells; 2: the command line is invalid."""


@dataclass(frozen=True)
class Checked:
    #: A row for each cell: position, covariates, bands.
    cells: pandas.DataFrame
    remarks: Remarks
    #: Why the pack is not usable.
    refusals: list[str]


def check(folder: str | PathLike[str], *, stage: str = "dev", **options: Any) -> Checked:
    """:param options: year, near ("lon,lat") and the number of cells, as of the command

    :raises PackError: if the pack cannot be deployed
    """
    found = predict(folder, stage=stage, **options)
    pack, remarks = found.pack, Remarks()
    remarks.figures += [f"not checked: {line}" for line in found.answer["unchecked"]]
    remarks.figures.append(f"{pack['ref']} can be deployed: {_size(pack)}")
    remarks.warnings += pack_warnings(pack)
    wanted, tried = found.answer["wanted"], found.answer["tried"]
    if not found.places:
        absent = ", ".join(found.answer["absent"])
        why = f"these have no value in any cell that was tried: {absent}"
        if not absent:
            why = "their extents do not overlap"
        refusal = f"no cell has all covariates ({tried} tried): {why}. Check their extents and their nodata"
        return Checked(_table(found), remarks, [refusal])
    count = len(found.places)
    if count < wanted:
        remarks.figures.append(
            f"found {count} of {wanted} cells: none of the other {tried - count} tried cells has all"
            " covariates"
        )
    if pack["mean"] is not None:
        means = found.bands[:, pack["mean"]]
        remarks.figures += median_stock(pack, "the median cell", means)
    remarks.warnings += implausible_bands(found, "cells")
    remarks.add(outside_remarks(found, "cells"))
    remarks.add(mean_remark(found))
    return Checked(_table(found), remarks, [*crossed_quantiles(found)])


def _size(pack: Any) -> str:
    grid, layer = pack["grid"], pack["property"]
    return (
        f"{layer['name']} ({layer['unit']}), {'–'.join(map(str, layer['depth_cm']))} cm;"
        f" {grid['width']} × {grid['height']} cells of EPSG:{grid['crs']['epsg']}"
    )


def _table(found: Prediction) -> pandas.DataFrame:
    pack = found.pack
    names = [one["name"] for one in [*pack["covariates"], *pack["bands"]]]
    lon_lat, xy = (np.reshape(found.of_cells(name), (-1, 2)) for name in ("lon_lat", "xy"))
    values = np.column_stack([lon_lat.round(6), xy, found.covariates, found.bands])
    return pandas.DataFrame(values, columns=["lon", "lat", "cell_x", "cell_y", *names])


def main() -> None:
    options = _options()
    found = check(**vars(options))
    # Nine digits distinguish any two float32 values.
    found.cells.to_csv(sys.stdout, index=False, float_format="%.9g")
    print("\n".join(found.remarks.lines()), file=sys.stderr)
    if found.refusals:
        raise PackError("\n".join(found.refusals))


def _options() -> argparse.Namespace:
    parser = commands.parser("pack-check", HELP, CODES)
    option = parser.add_argument
    option("folder", help="of a pack")
    option("--year", help="of the map; required if the pack has several")
    option("--near", metavar="LON,LAT", help="such as --near=5.73,50.97")
    option("--cells", metavar="COUNT", help="(default: 100, 5 with covariates at a URL)")
    option("--stage", metavar="local|dev|prod", default="dev", help="(default: dev)")
    return parser.parse_args()
