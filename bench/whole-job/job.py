"""Runs the job with rasterio and scikit-learn on one thread. Usage: job.py PACK TRAINED TARGET

TRAINED contains the forest and the polygon."""

import json
import os
import pickle
import re
import resource
import sys
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = os.environ["GDAL_NUM_THREADS"] = "1"
started = time.perf_counter()
import numpy as np
import rasterio
import sklearn
from rasterio.features import geometry_mask, geometry_window
from rasterio.shutil import copy
from rasterio.warp import transform_geom


def measure_use():
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu_s = used.ru_utime + used.ru_stime
    # `ru_maxrss` starts with the memory that the parent process held.
    peak_mib = int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1024
    return {"wall_s": time.perf_counter() - started, "cpu_s": cpu_s, "peak_mib": peak_mib}


imports = measure_use()

pack, trained, target = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
forest = pickle.loads((trained / "forest.pickle").read_bytes())
forest.set_params(n_jobs=1)
covariates = json.loads((pack / "manifest.json").read_text())["covariates"]
files = [pack / covariate["href"] for covariate in covariates if covariate["kind"] == "raster"]
with rasterio.open(files[0]) as first:
    polygon = json.loads((trained / "polygon.json").read_text())
    polygon = transform_geom("EPSG:4326", first.crs, polygon)
    window = geometry_window(first, [polygon])
    corner, crs = first.window_transform(window), first.crs
shape = (int(window.height), int(window.width))
inside = geometry_mask([polygon], shape, corner, invert=True)
rows, cols = np.nonzero(inside)


def read_values(covariate):
    if covariate["kind"] == "raster":
        with rasterio.open(pack / covariate["href"]) as raster:
            return raster.read(1, window=window)[inside]
    if covariate["axis"] == "x":
        return corner.c + (cols + 0.5) * corner.a
    return corner.f + (rows + 0.5) * corner.e


points = np.column_stack([read_values(covariate) for covariate in covariates]).astype(np.float32)
predicted = forest.predict(points).reshape(len(points), -1)
cells = np.full((predicted.shape[1], *shape), -9999, np.float32)
cells[:, inside] = predicted.T
profile = {"driver": "GTiff", "dtype": "float32", "count": len(cells), "nodata": -9999, "crs": crs}
plain = f"{target}.plain.tif"
size = {"width": shape[1], "height": shape[0]}
with rasterio.open(plain, "w", **profile, **size, transform=corner) as out:
    out.write(cells)
copy(
    plain, target, driver="COG", compress="DEFLATE", predictor="YES", overview_resampling="AVERAGE"
)

print(
    json.dumps(
        {
            **measure_use(),
            "imports": imports,
            "points": int(inside.sum()),
            "versions": {"rasterio": rasterio.__version__, "scikit-learn": sklearn.__version__},
        }
    )
)
