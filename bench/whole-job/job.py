"""job.py PACK TARGET: the job as a script with rasterio and scikit-learn, on one thread."""

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


def used_so_far():
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu_s = used.ru_utime + used.ru_stime
    # `ru_maxrss` starts with what the parent held.
    peak_mib = int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1024
    return {"wall_s": time.perf_counter() - started, "cpu_s": cpu_s, "peak_mib": peak_mib}


imports = used_so_far()

folder, target = Path(sys.argv[1]), sys.argv[2]
forest = pickle.loads((folder / "forest.pickle").read_bytes())
forest.set_params(n_jobs=1)
files = sorted(folder.glob("f*.tif"))
with rasterio.open(files[0]) as first:
    polygon = transform_geom("EPSG:4326", first.crs, json.loads((folder / "polygon.json").read_text()))
    window = geometry_window(first, [polygon])
    corner, profile = first.window_transform(window), first.profile
shape = (int(window.height), int(window.width))
inside = geometry_mask([polygon], shape, corner, invert=True)
covariates = []
for name in files:
    with rasterio.open(name) as raster:
        covariates.append(raster.read(1, window=window)[inside])
rows, cols = np.nonzero(inside)
covariates.append(corner.c + (cols + 0.5) * corner.a)
covariates.append(corner.f + (rows + 0.5) * corner.e)
cells = np.full(shape, -9999, np.float32)
cells[inside] = forest.predict(np.column_stack(covariates).astype(np.float32))
profile = {"driver": "GTiff", "dtype": "float32", "count": 1, "nodata": -9999, "crs": profile["crs"]}
plain = f"{target}.plain.tif"
size = {"width": shape[1], "height": shape[0]}
with rasterio.open(plain, "w", **profile, **size, transform=corner) as out:
    out.write(cells, 1)
copy(plain, target, driver="COG", compress="DEFLATE", predictor="YES", overview_resampling="AVERAGE")

print(json.dumps({
    **used_so_far(),
    "imports": imports,
    "points": int(inside.sum()),
    "versions": {"rasterio": rasterio.__version__, "scikit-learn": sklearn.__version__},
}))
