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
from intervals import COVERAGE

sys.path.append(str(area.PACK.parent / "tools"))
from soil_packs import Pack

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


def add_covariate(pack: Pack, covariate: Covariate) -> None:
    if covariate.axis is not None:
        pack.covariate(covariate.name, axis=covariate.axis, description=covariate.description)
        return
    pack.covariate(
        covariate.name,
        area.PACK / covariate.href,
        href=covariate.href,
        unit=covariate.unit,
        description=covariate.description,
        classes=covariate.name == "soil_class",
        native_cell_size=covariate.native_cell_size,
    )


def described(band: dict) -> dict:
    """The bounds with what their interval is of."""
    if band["from"]["kind"] != "quantile":
        return band
    level = band["from"]["level"]
    other = "q95" if level < 0.5 else "q05"
    text = (
        f"{round(100 * level)} % quantile: with {other} a {round(100 * COVERAGE)} % prediction"
        " interval of one 15 × 15 m sample"
    )
    return {**band, "description": text}


def error() -> dict | None:
    """What `errors.py` measured; without it no area has an interval."""
    if not ERRORS.exists():
        return None
    rows = json.loads(ERRORS.read_text())["correlation"]
    found = next(row for row in rows if row["share"] == target.SHARED_VARIANCE)
    return {
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


LICENSES = [
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
]


def pack(probability: float) -> Pack:
    """Of the graph and the covariates in `build`."""
    made = Pack(
        ID,
        VERSION,
        title="Soil organic carbon density of the Meuse flood plain near Stein (NL)",
        property={
            "name": "soil organic carbon density",
            "unit": UNIT,
            "substance": "carbon",
            "depth_cm": [0, 20],
        },
        sample_support="composite sample of about 15 × 15 m",
        not_for=[
            "places outside its 5 km²",
            "changes over years",
            "decisions about land or payments for carbon: it is a demonstration",
        ],
        grid={
            "crs": {"epsg": area.EPSG, "name": "Amersfoort / RD New", "proj4": area.PROJ4},
            "origin": [area.WEST, area.NORTH],
            "cell_size": area.CELL,
            "width": area.WIDTH,
            "height": area.HEIGHT,
            "tile_size": 128,
            "block_tiles": 1,
        },
        coverage=coverage.polygon(),
        data_period=(1990, 1993),
        graph_href="build/model.onnx",
        # The project's evaluator did 14,000 to 31,000 on one busy core.
        points_per_second=190000,
        licenses=LICENSES,
    )
    for covariate in COVARIATES:
        add_covariate(made, covariate)
    thresholds = [float(t) for t in forest.THRESHOLDS]
    support = {"lower": forest.LOWER, "upper": forest.UPPER}
    _, _, organic_matter = area.samples()
    made.model(
        x=covariates.at_samples(),
        y=target.carbon_density(organic_matter),
        onnx=area.BUILD / "model.onnx",
        coverage=COVERAGE,
        distribution={"first_target": 1, "thresholds": thresholds, **support},
        probability=probability,
    )
    made.applicability()
    made.bands = [described(band) for band in made.bands]
    made.error = error()
    figures = json.loads(ACCURACY.read_text())["figures"] if ACCURACY.exists() else []
    made.accuracy = [
        {key: figure[key] for key in ("metric", "value", "how", "command")} for figure in figures
    ]
    return made


def write(probability: float) -> None:
    made = pack(probability)
    made.write_points(area.PACK)
    text = json.dumps(made.manifest(), indent=2, ensure_ascii=False)
    PATH.write_text(text + "\n")
    layout.format_file(PATH)


def probability() -> float:
    """The calibrated probability of q05 in the built manifest."""
    bands = {band["name"]: band for band in json.loads(PATH.read_text())["bands"]}
    return bands["q05"]["from"]["probability"]
