"""Checks a result raster with libraries that the service does not use.

GDAL (rasterio) reads it, rio-cogeo validates it, and ONNX Runtime predicts the same cells from the
pack's covariates. Prints one JSON object. Usage: check_result.py RESULT.tif PACK_FOLDER
"""

import json
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import rasterio
from rasterio.windows import Window
from rio_cogeo.cogeo import cog_validate


def features(manifest, folder, window, transform):
    columns = []
    for covariate in manifest["covariates"]:
        if covariate["kind"] == "raster":
            with rasterio.open(folder / covariate["href"]) as source:
                # The raster may extend beyond the grid, filled with nodata.
                values = source.read(
                    covariate.get("band", 1), window=window, masked=True, boundless=True
                )
                columns.append(values.astype("float64").filled(np.nan))
        else:
            rows, cols = np.mgrid[0 : int(window.height), 0 : int(window.width)] + 0.5
            x, y = transform * (cols, rows)
            columns.append(x if covariate["axis"] == "x" else y)
    return np.stack(columns, axis=-1).astype("float32")


def invert(distribution, targets, probability):
    """Inverts the conditional distribution, piecewise linearly from (lower, 0) to (upper, 1)."""
    first = distribution["first_target"]
    cdf = targets[:, first : first + len(distribution["thresholds"])].astype("float64")
    cdf = np.clip(np.maximum.accumulate(cdf, axis=1), 0, 1)
    cdf = np.pad(cdf, ((0, 0), (1, 1)), constant_values=((0, 0), (0, 1)))
    at = np.array([distribution["lower"], *distribution["thresholds"], distribution["upper"]])
    right = np.maximum(np.argmax(cdf >= probability, axis=1), 1)
    rows = np.arange(len(cdf))
    low, high = cdf[rows, right - 1], cdf[rows, right]
    rise = np.where(high > low, high - low, 1)
    share = np.where(high > low, (probability - low) / rise, 0)
    return at[right - 1] + np.clip(share, 0, 1) * (at[right] - at[right - 1])


def main(result, folder):
    manifest = json.loads((folder / "manifest.json").read_text())
    valid, errors, warnings = cog_validate(result, strict=True, quiet=True)
    with rasterio.open(result) as raster:
        values = raster.read().astype("float64")
        grid = manifest["grid"]
        col = round((raster.transform.c - grid["origin"][0]) / grid["cell_size"])
        row = round((grid["origin"][1] - raster.transform.f) / grid["cell_size"])
        window = Window(col, row, raster.width, raster.height)
        x = features(manifest, folder, window, raster.transform)
        report = {
            "driver_metadata": raster.tags(ns="IMAGE_STRUCTURE"),
            "tags": raster.tags(),
            "crs": raster.crs.to_epsg(),
            "transform": list(raster.transform)[:6],
            "size": [raster.width, raster.height],
            "grid_offset": [col, row],
            "nodata": raster.nodata,
            "descriptions": list(raster.descriptions),
            "units": list(raster.units),
            "overviews": raster.overviews(1),
            "statistics": [raster.tags(band) for band in raster.indexes],
            "cog": {"valid": valid, "errors": errors, "warnings": warnings},
        }
    inside = np.all(values != manifest["nodata"], axis=0)
    known = np.all(np.isfinite(x), axis=-1)
    session = onnxruntime.InferenceSession(str(folder / manifest["graph"]["href"]))
    targets = session.run(None, {session.get_inputs()[0].name: x[inside]})[0]
    worst = 0.0
    for at, band in enumerate(manifest["bands"]):
        source = band["from"]
        if source["kind"] == "target":
            expected = targets[:, source["index"]].astype("float64")
        else:
            expected = invert(manifest["distribution"], targets, source["probability"])
        got = values[at][inside]
        worst = max(worst, float(np.max(np.abs(got - expected) / np.maximum(np.abs(expected), 1e-9))))
    report["predicted"] = int(inside.sum())
    report["predicted_without_covariates"] = int((inside & ~known).sum())
    report["partly_nodata"] = int((np.any(values != manifest["nodata"], axis=0) & ~inside).sum())
    report["worst_relative_difference"] = worst
    report["minimum"] = float(values[:, inside].min())
    print(json.dumps(report))


main(sys.argv[1], Path(sys.argv[2]))
