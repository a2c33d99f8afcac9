"""`npm run pack-validate`: compares a pack with samples that its model did not see."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial import KDTree

from . import commands, figures
from .commands import PackError
from .samples import read_table
from .validation import Predicted, mean_band, report_lines, validated

HELP = """Predicts at samples that the model did not see, with the reader and the model of the service, and
compares. The table has columns lon and lat (WGS84) and the measured values in the property's unit.
Prints the stock per hectare of the median sample and of its cell. Warns of covariates outside the training's values, of repeated rows and of impossible measurements."""
CODES = """Exit code 1: the samples contradict the pack beyond chance, the model saw more than half of their grid
cells, or a file could not be read; 2: the command line is invalid."""

#: Above it the samples prove nothing.
MOST_SEEN = 0.5


def main() -> None:
    options = _options()
    found, predicted, remarks = validation_of(
        options.folder,
        options.file,
        target=options.target,
        group=options.group,
        training=options.training,
        year=options.year,
    )
    for remark in remarks:
        print(remark, file=sys.stderr)
    if options.json:
        print(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        print("\n".join(report_lines(found)))
    if options.figures is not None:
        folder = Path(options.figures)
        folder.mkdir(parents=True, exist_ok=True)
        drawn = figures.observed_over_predicted(found, *predicted)
        (folder / "observed-predicted.svg").write_text(drawn, "utf-8")
        coverage = figures.coverage_by_part(found)
        if coverage is not None:
            (folder / "coverage.svg").write_text(coverage, "utf-8")
    if found["refusals"]:
        for refusal in found["refusals"]:
            print(f"wrong: {refusal}", file=sys.stderr)
        raise PackError("the samples do not bear out the pack")


def validation_of(
    folder: Any,
    file: Any,
    *,
    target: str,
    group: str | None = None,
    training: Any = None,
    year: Any = None,
) -> tuple[dict[str, Any], tuple[np.ndarray, np.ndarray], list[str]]:
    """The figures, the measurements and predictions, and remarks on the pack and the samples."""
    folder, file = Path(folder).resolve(), Path(file).resolve()
    options: list[object] = ["--predictions", target]
    options += [] if training is None else ["--training", Path(training).resolve()]
    options += [] if year is None else ["--year", year]
    text, said = commands.run("pack-sample", folder, file, *options)
    table = read_table(text)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    bands = [table.optional(f"predicted_{band['name']}") for band in manifest["bands"]]
    places = np.column_stack([table.optional("cell_lon"), table.optional("cell_lat")])
    values = np.column_stack(bands)
    on_grid = ~np.isnan(places[:, 0])
    has_value = ~np.isnan(values).any(axis=1)
    groups = None if group is None else table.names(group)
    samples = Predicted(table.numbers(target), values, places, groups).at(has_value)
    lines = said.splitlines()
    found = validated(
        manifest,
        samples,
        outside=int((~on_grid).sum()),
        without_data=int((on_grid & ~has_value).sum()),
        wrong_bands=tuple(
            line.removeprefix("wrong: ") for line in lines if line.startswith("wrong: ")
        ),
    )
    remarks = [line for line in lines if line.startswith(("stock of ", "warning: "))]
    remarks += [f"warning: {text}" for text in found["warnings"]]
    if training is not None:
        trained = read_table(Path(training).read_text("utf-8-sig"))
        where = [
            np.column_stack([one.numbers(x) for x in ("lon", "lat")]) for one in (table, trained)
        ]
        remarks += [f"warning: {text}" for text in beside_training(where[0][has_value], where[1])]
    if training is None:
        remarks.append("not checked: whether the model saw these samples (--training)")
    else:
        seen = table.numbers("in_training")[has_value] > 0
        if seen.any():
            text = (
                f"{seen.sum()} of {len(seen)} samples ({100 * seen.mean():.1f} %) lie in a grid cell"
                " with a sample of the training: the model saw that cell, so they make it look"
                " better than it is. Hold out whole blocks or fields"
            )
            if seen.mean() > MOST_SEEN:
                found["refusals"].insert(0, text)
            else:
                remarks.append(f"warning: {text}")
    return found, (samples.observed, samples.bands[:, mean_band(manifest)]), remarks


def beside_training(held_out: np.ndarray, training: np.ndarray) -> Iterator[str]:
    """Samples that are the training's, moved, lie nearer to it than its own samples lie to each other."""
    scale = [np.cos(np.radians(training[:, 1].mean())), 1]
    trained = np.unique(training, axis=0) * scale
    if len(trained) < 2:
        return
    tree = KDTree(trained)
    own = np.median(tree.query(trained, k=2)[0][:, 1])
    apart = np.median(tree.query(held_out * scale)[0])
    if apart < own / 2:
        yield (
            f"half of the samples lie within {100 * apart / own:.0f} % of the distance at which the samples"
            " of the training have their own nearest neighbour. Are they the training's, with moved"
            " coordinates? Hold out whole blocks or fields"
        )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "npm run --silent pack-validate --",
        description=HELP,
        epilog=CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    option = parser.add_argument
    option("folder", help="of a pack")
    option("file", metavar="held-out.csv")
    option("--target", required=True, metavar="COLUMN", help="the measured values")
    option(
        "--group",
        metavar="COLUMN",
        help="samples of a group are alike (a field, a spatial block): intervals by whole groups",
    )
    option(
        "--training",
        metavar="CSV",
        help="the samples of the training, with lon and lat: warns of samples in their grid cells",
    )
    option("--year", type=commands.year, help="of the map; required if the pack has several")
    option(
        "--figures",
        metavar="FOLDER",
        help="writes observed-predicted.svg and coverage.svg there",
    )
    option("--json", action="store_true", help="print JSON")
    return parser.parse_args()


if __name__ == "__main__":
    commands.end("pack-validate", main)
