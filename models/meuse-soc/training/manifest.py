"""Writes the pack's `manifest.json` (schema: engine/model/pack/manifest.ts)."""

from __future__ import annotations

import json
import sys

import area
import covariates
import coverage
import forest
import layout
import target
from covariates import COVARIATES, Covariate
from intervals import COVERAGE, TAIL

sys.path.append(str(area.PACK.parent / "tools"))
from soil_packs import trained_values

PATH = area.PACK / "manifest.json"
ACCURACY = area.BUILD / "accuracy.json"
ERRORS = area.BUILD / "errors.json"
ID, VERSION = "meuse-soc", "1.0.0"
UNIT = "kg/m3"
SP_CITATION = (
    "Pebesma E., Bivand R. (2005) Classes and methods for spatial data in R, R News 5(2): the R"
    " package sp 1.6-0, data sets meuse, meuse.grid and meuse.riv; field data: Rikken M.G.J.,"
    " Van Rijn R.P.G. (1993) Soil pollution with heavy metals, Utrecht University;"
    " Burrough P.A., McDonnell R.A. (1998) Principles of Geographical Information Systems,"
    " Oxford University Press"
)


def covariate_entry(covariate: Covariate) -> dict:
    entry = {"name": covariate.name, "description": covariate.description}
    if covariate.axis is not None:
        return {"kind": "coordinate", **entry, "axis": covariate.axis}
    entry = {
        "kind": "raster",
        **entry,
        "unit": covariate.unit,
        "href": covariate.href,
        "band": 1,
    }
    if covariate.native_cell_size is not None:
        entry["native_cell_size"] = covariate.native_cell_size
    return entry


def quantile_band(name: str, level: float, probability: float) -> dict:
    percent = f"{round(100 * level)} %"
    return {
        "name": name,
        "description": f"{percent} quantile: with {'q95' if level < 0.5 else 'q05'} a"
        f" {round(100 * COVERAGE)} % prediction interval of one 15 × 15 m sample",
        "from": {"kind": "quantile", "level": level, "probability": probability},
    }


def error() -> dict:
    """What `errors.py` measured; without it no area has an interval."""
    if not ERRORS.exists():
        return {}
    rows = json.loads(ERRORS.read_text())["correlation"]
    found = next(row for row in rows if row["share"] == target.SHARED_VARIANCE)
    return {
        "error": {
            "lower": "q05",
            "upper": "q95",
            "correlation": {
                "model": "exponential",
                "nugget": found["nugget"],
                "range_m": found["range_m"],
            },
            "systematic_relative_sd": found["systematic"],
            "how": f"leave-pair-out, {found['pairs']} pairs of samples under 500 m; nugget and"
            " integral at their one-sided 80 % bounds; half of the bulk density's variance is"
            " taken as shared by all cells",
            "command": "python models/meuse-soc/training/errors.py",
        }
    }


def manifest(probability: float) -> dict:
    accuracy = json.loads(ACCURACY.read_text())["figures"] if ACCURACY.exists() else []
    thresholds = [float(t) for t in forest.THRESHOLDS]
    return {
        "schema": "soil-model-pack/1",
        "id": ID,
        "version": VERSION,
        "title": "Soil organic carbon density of the Meuse flood plain near Stein (NL)",
        "property": {
            "name": "soil organic carbon density",
            "unit": UNIT,
            "substance": "carbon",
            "depth_cm": [0, 20],
        },
        "sample_support": "composite sample of about 15 × 15 m",
        "grid": {
            "crs": {
                "epsg": area.EPSG,
                "name": "Amersfoort / RD New",
                "proj4": area.PROJ4,
            },
            "origin": [area.WEST, area.NORTH],
            "cell_size": area.CELL,
            "width": area.WIDTH,
            "height": area.HEIGHT,
            "tile_size": 128,
            "block_tiles": 1,
        },
        "coverage": coverage.polygon(),
        "temporal": {"kind": "static", "data_period": [1990, 1993]},
        "covariates": [covariate_entry(covariate) for covariate in COVARIATES],
        "graph": {"href": "build/model.onnx", "format": "onnx", "targets": 1 + len(thresholds)},
        "distribution": {
            "first_target": 1,
            "thresholds": thresholds,
            "lower": forest.LOWER,
            "upper": forest.UPPER,
        },
        "bands": [
            {
                "name": "mean",
                "description": "Expected value",
                "from": {"kind": "target", "index": 0},
            },
            quantile_band("q05", TAIL, probability),
            quantile_band("q95", 1 - TAIL, round(1 - probability, 6)),
        ],
        **error(),
        "nodata": -9999,
        # The project's evaluator did 14,000 to 31,000 on one busy core.
        "points_per_second": 190000,
        "accuracy": [
            {key: figure[key] for key in ("metric", "value", "how", "command")}
            for figure in accuracy
        ],
        "licenses": [
            {
                "part": "samples (data/meuse.csv)",
                "license": "GPL-2.0-or-later",
                "citation": SP_CITATION,
            },
            {
                "part": "covariates (build/covariates), from data/meuse.grid.csv and meuse.riv.csv",
                "license": "GPL-2.0-or-later",
                "citation": SP_CITATION,
            },
            {
                "part": "trained model (build/model.onnx), derived from the samples",
                "license": "GPL-2.0-or-later",
                "citation": f"Model pack {ID} {VERSION} (random forest trained on the above)",
            },
        ],
    }


def with_trained_values(declared: dict) -> dict:
    """The manifest with what the forest was trained on."""
    # The shortest decimals that are the same float32.
    features = [[float(str(value)) for value in column] for column in covariates.at_samples().T]
    _, _, organic_matter = area.samples()
    density = [float(value) for value in target.carbon_density(organic_matter)]
    columns = dict(zip(covariates.NAMES, features, strict=True))
    return trained_values.with_values(declared, columns, density, classes=["soil_class"])


def write(probability: float) -> None:
    made = with_trained_values(manifest(probability))
    PATH.write_text(json.dumps(made, indent=2, ensure_ascii=False) + "\n")
    layout.format_file(PATH)


def probability() -> float:
    """The calibrated probability of q05 in the built manifest."""
    bands = {band["name"]: band for band in json.loads(PATH.read_text())["bands"]}
    return bands["q05"]["from"]["probability"]
