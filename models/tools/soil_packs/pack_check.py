"""`npm run pack-check`: checks a pack as a deployment does, and evaluates some of the cells that it predicts."""

from __future__ import annotations

import argparse
import sys
from os import PathLike
from typing import Any

import numpy as np
import pandas

from . import commands, same_covariates
from .remarks import (
    Remarks,
    crossed_quantiles,
    implausible_bands,
    mean_remark,
    median_stock,
    outside_remarks,
    pack_warnings,
)
from .samples import numbers, positions, read_file
from .service import Prediction, predict

HELP = """Checks all periods of a model pack as a deployment does, then predicts some cells of the map for the
year, spread over the grid or near a position. Writes them to standard output as CSV: position, covariates
as the model receives them, bands in their unit. Warns on standard error of covariates and predictions
outside the values of the training, of values that the property cannot have, of one value in all cells, and
of means outside their quantiles; prints the median cell's stock."""
CODES = """Exit code 1: the pack is not usable, or a lower quantile lies above a higher one in any of the
cells; 2: the command line is invalid."""


def check(
    folder: str | PathLike[str],
    *,
    stage: str = "dev",
    training: pandas.DataFrame | None = None,
    **options: Any,
) -> tuple[pandas.DataFrame, Remarks]:
    """The cells, with their position, covariates and bands, and what they show.

    :param training: the samples of the training, with lon, lat and the covariates that trained the model
    :param options: year, near (lon and lat) and the number of cells
    :raises PackError: if the pack cannot be deployed
    """
    found = predict(folder, stage=stage, **options)
    pack, answer, remarks = found.pack, found.answer, Remarks()
    remarks.figures += [f"not checked: {line}" for line in answer["unchecked"]]
    remarks.figures.append(f"{pack['ref']} can be deployed: {_size(pack)}")
    remarks.warnings += pack_warnings(pack)
    wanted, tried, count = answer["wanted"], answer["tried"], len(found.cells)
    if count == 0:
        why = "their extents do not overlap"
        if answer["absent"]:
            absent = ", ".join(answer["absent"])
            why = f"these have no value in any cell that was tried: {absent}"
        remarks.refusals.append(
            f"no cell has all covariates ({tried} tried): {why}. Check their extents and their nodata"
        )
        return _table(found), remarks
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
    remarks.refusals += crossed_quantiles(found)
    if training is not None:
        compared = _compare_training(folder, pack, training, options.get("year"))
        remarks.figures += compared.figures
        remarks.warnings += compared.warnings
        remarks.refusals += compared.refusals
    return _table(found), remarks


def _compare_training(
    folder: str | PathLike[str], pack: Any, training: pandas.DataFrame, year: int | None
) -> Remarks:
    known = [one for one in pack["covariates"] if one["name"] in training.columns]
    absent = [one["name"] for one in pack["covariates"] if one not in known]
    if absent:
        why = f"the table has no column {', '.join(absent)}"
        return Remarks(figures=[f"{same_covariates.NOT_CHECKED}: {why}"])
    names = [one["name"] for one in known]
    # Rows without a covariate did not train the model.
    used = training[training[names].replace("", np.nan).notna().all(axis=1)]
    return same_covariates.compare_training(
        *(folder, positions(used), np.column_stack([numbers(used, name) for name in names])),
        names=names,
        classes=[one["name"] for one in known if "trained_classes" in one],
        year=year,
    )


def _size(pack: Any) -> str:
    grid, layer = pack["grid"], pack["property"]
    return (
        f"{layer['name']} ({layer['unit']}), {'–'.join(map(str, layer['depth_cm']))} cm;"
        f" {grid['width']} × {grid['height']} cells of EPSG:{grid['crs']['epsg']}"
    )


def _table(found: Prediction) -> pandas.DataFrame:
    names = [one["name"] for one in [*found.pack["covariates"], *found.pack["bands"]]]
    xy = np.reshape([cell["xy"] for cell in found.cells], (-1, 2))
    values = np.column_stack([found.lon_lat.round(6), xy, found.covariates, found.bands])
    return pandas.DataFrame(values, columns=["lon", "lat", "cell_x", "cell_y", *names])


def main() -> None:
    options = vars(_options())
    training = options.pop("training")
    cells, remarks = check(**options, training=None if training is None else read_file(training))
    # Nine digits distinguish any two float32 values.
    cells.to_csv(sys.stdout, index=False, float_format="%.9g")
    print("\n".join(remarks.lines()), file=sys.stderr)
    remarks.require_none_refused()


def _lon_lat(text: str) -> list[float]:
    return [float(degrees) for degrees in text.split(",")]


def _options() -> argparse.Namespace:
    parser = commands.parser("pack-check", HELP, CODES)
    option = parser.add_argument
    option("folder", help="of a pack")
    option(
        "--training",
        metavar="CSV",
        help="the samples of the training, with lon, lat and the covariates that trained the model: compares"
        " these with the pack's",
    )
    option("--year", type=int, help="of the map; required if the pack has several")
    option("--near", type=_lon_lat, metavar="LON,LAT", help="such as --near=5.73,50.97")
    option("--cells", type=int, metavar="COUNT", help="(default: 100, 5 with covariates at a URL)")
    option("--stage", metavar="local|dev|prod", default="dev", help="(default: dev)")
    return parser.parse_args()
