"""`npm run pack-validate`: compares a pack with samples that its model did not see."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas

from . import commands, figures
from .commands import PackError
from .remarks import (
    Remarks,
    format_median_stock,
    implausible_bands,
    pack_warnings,
    sample_remarks,
    swapped_warning,
)
from .representative import FEWEST_CELLS, MAP_CELLS, cells_within, doubts_of_places
from .samples import names, numbers, positions, read_file
from .service import Prediction, predict
from .validation import Measurements, compare_samples, report_lines

HELP = """Compares samples that the model did not see with predictions made by the service's own code. The table has
columns lon and lat (WGS84) and the measured values in the property's unit. For a stock or density, prints the
median of the measured and of the predicted stocks per hectare. Warns of covariates outside the training values,
repeated rows, impossible measurements, and samples that lie close to the training samples or cover only part of
the map."""
CODES = """Exit code 1: the samples contradict the pack beyond chance, the model saw more than half of the samples'
grid cells, or a file could not be read; 2: the command line is invalid."""

#: If the model saw a larger share of the samples' cells, the samples are refused.
MOST_SEEN = 0.5


def main() -> None:
    options = _options()
    found, predicted, remarks = validate_pack(
        options.folder,
        read_file(options.file),
        target=options.target,
        group=options.group,
        training=None if options.training is None else read_file(options.training),
        year=options.year,
    )
    print("\n".join(remarks.lines()), file=sys.stderr)
    if options.json:
        print(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        print("\n".join(report_lines(found)))
    if options.figures is not None:
        folder = Path(options.figures)
        folder.mkdir(parents=True, exist_ok=True)
        drawn = figures.plot_observed_predicted(found, *predicted)
        (folder / "observed-predicted.svg").write_text(drawn, "utf-8")
        coverage = figures.plot_coverage(found)
        if coverage is not None:
            (folder / "coverage.svg").write_text(coverage, "utf-8")
    if found["refusals"]:
        raise PackError(format_refusals(found))


def format_refusals(found: Mapping[str, Any]) -> str:
    wrong = "\n".join(f"wrong: {refusal}" for refusal in found["refusals"])
    return f"the samples contradict the pack\n{wrong}"


def validate_pack(
    folder: str | PathLike[str],
    held_out: pandas.DataFrame,
    *,
    target: str,
    group: str | None = None,
    training: pandas.DataFrame | None = None,
    year: int | None = None,
) -> tuple[dict[str, Any], tuple[np.ndarray, np.ndarray], Remarks]:
    """Returns the figures, the measurements with predictions, and remarks on the pack and the samples."""
    observed, places = numbers(held_out, target), positions(held_out)
    groups = None if group is None else names(held_out, group)
    trained = [] if training is None else positions(training)
    predicted = predict(folder, positions=places, training=trained, year=year, cells=MAP_CELLS)
    pack, on_grid, has_value = predicted.pack, predicted.on_grid, predicted.has_value
    samples = Measurements(
        observed[has_value],
        predicted.bands,
        predicted.lon_lat,
        None if groups is None else groups[has_value],
    )
    found = compare_samples(
        pack,
        samples,
        outside=int((~on_grid).sum()),
        without_data=int((on_grid & ~has_value).sum()),
        wrong_bands=tuple(implausible_bands(predicted, "samples")),
        classes=_classes(predicted),
    )
    remarks = Remarks()
    cells = cells_within(pack["coverage"], predicted.answer["map_cells"])
    if len(cells) < FEWEST_CELLS:
        remarks.figures.append(
            "not checked: whether the samples represent the whole map, because the pack's covariates are remote"
            " or few cells have all of them"
        )
    else:
        groups_with_value = None if groups is None else groups[has_value]
        found["warnings"] += doubts_of_places(
            places[has_value], groups_with_value, trained if len(trained) else None, cells
        )
    means = samples.bands[:, pack["mean"]]
    remarks.figures += format_median_stock(pack, "the median sample", samples.observed)
    remarks.figures += format_median_stock(pack, "the samples' median cell", means)
    remarks.warnings += pack_warnings(pack)
    remarks.warnings += swapped_warning(predicted.answer["swapped"], len(places))
    remarks.add(sample_remarks(predicted, samples.observed, places[has_value]))
    remarks.warnings += found["warnings"]
    if training is None:
        remarks.figures.append(
            "not checked: whether the model saw these samples; to check this, pass the training samples (--training)"
        )
    else:
        seen_cells = {tuple(cell) for cell in predicted.answer["trained_cells"]}
        seen = np.array([tuple(one["cell"]) in seen_cells for one in predicted.cells])
        if seen.any():
            text = (
                f"the model saw the grid cells of {seen.sum()} of {len(seen)} samples ({100 * seen.mean():.1f} %),"
                " because training samples lie in them: such samples overestimate the model's accuracy."
                " Hold out whole blocks or fields"
            )
            (found["refusals"] if seen.mean() > MOST_SEEN else remarks.warnings).insert(0, text)
    return found, (samples.observed, means), remarks


def _classes(predicted: Prediction) -> dict[str, np.ndarray]:
    return {
        one["name"]: predicted.covariates[:, at]
        for at, one in enumerate(predicted.pack["covariates"])
        if "trained_classes" in one
    }


def _options() -> argparse.Namespace:
    parser = commands.create_parser("pack-validate", HELP, CODES)
    option = parser.add_argument
    option("folder", help="folder of the pack")
    option("file", metavar="held-out.csv")
    option("--target", required=True, metavar="COLUMN", help="column of the measured values")
    option(
        "--group",
        metavar="COLUMN",
        help="column of groups with similar samples (a field, a spatial block): resamples whole groups",
    )
    option(
        "--training",
        metavar="CSV",
        help="training samples, with lon and lat: finds held-out samples close to these, or in the same grid cells",
    )
    option("--year", type=int, help="year of the map; required if the pack has several periods")
    option(
        "--figures",
        metavar="FOLDER",
        help="folder for observed-predicted.svg and coverage.svg",
    )
    option("--json", action="store_true", help="print JSON")
    return parser.parse_args()
