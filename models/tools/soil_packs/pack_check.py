"""`npm run pack-check`: checks a pack as a deployment does, and examines predictions of some cells."""

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
    format_median_stock,
    implausible_bands,
    mean_remark,
    outside_remarks,
    pack_warnings,
)
from .samples import numbers, positions, read_file
from .service import Prediction, predict

HELP = """Checks all periods of a model pack as a deployment does, then predicts some cells of one map
(--year), spread over the grid or near a position. Writes them to standard output as CSV: position, covariates
as the model receives them, and bands in their unit. Warns on standard error about covariates and predictions
outside the training values, impossible values of the property, the same value in all cells, and means outside
their quantiles. If the property is a stock or density, prints the median cell's stock."""
CODES = """Exit code 1: the pack is not usable, a lower quantile exceeds a higher quantile in any cell, the training
samples contradict the pack's covariates, or a file could not be read; 2: the command line is invalid."""


def check(
    folder: str | PathLike[str],
    *,
    stage: str = "dev",
    training: pandas.DataFrame | None = None,
    **options: Any,
) -> tuple[pandas.DataFrame, Remarks]:
    """Checks whether a pack can be deployed, and predicts cells. Returns their position, covariates and bands, and remarks.

    :param training: the training samples, with lon, lat and the covariates that trained the model
    :param options: year, near (lon and lat) and cells (their number)
    :raises PackError: if the pack cannot be deployed
    """
    found = predict(folder, stage=stage, **options)
    pack, answer, remarks = found.pack, found.answer, Remarks()
    remarks.figures += [f"not checked: {line}" for line in answer["unchecked"]]
    remarks.figures.append(f"{pack['ref']} can be deployed: {_size(pack)}")
    remarks.warnings += pack_warnings(pack)
    wanted, tried, count = answer["wanted"], answer["tried"], len(found.cells)
    if count == 0:
        why = "each covariate has values on the grid, but each of the tried cells lacks at least one covariate"
        if answer["absent"]:
            absent = ", ".join(answer["absent"])
            why = f"these covariates have no value in any cell tried over the whole grid: {absent}"
        remarks.refusals.append(
            f"no cell has all covariates ({tried} tried): {why}. Check the covariates' extents and nodata"
        )
        return _table(found), remarks
    if count < wanted:
        remarks.figures.append(
            f"found {count} of {wanted} cells; tried cells without all covariates: {tried - count}"
        )
    if pack["mean"] is not None:
        means = found.bands[:, pack["mean"]]
        remarks.figures += format_median_stock(pack, "the median cell", means)
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
    # Rows in which a covariate is missing did not train the model.
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
    parser = commands.create_parser("pack-check", HELP, CODES)
    option = parser.add_argument
    option("folder", help="folder of the pack")
    option(
        "--training",
        metavar="CSV",
        help="training samples, with lon, lat and the covariates that trained the model: compares"
        " these covariates with the pack's",
    )
    option("--year", type=int, help="year of the map; required if the pack has several periods")
    option(
        "--near",
        type=_lon_lat,
        metavar="LON,LAT",
        help="predict cells near a position, such as --near=5.73,50.97",
    )
    option(
        "--cells",
        type=int,
        metavar="COUNT",
        help="number of cells (default: 100, or 5 if covariates are remote)",
    )
    option("--stage", metavar="local|dev|prod", default="dev", help="(default: dev)")
    return parser.parse_args()
