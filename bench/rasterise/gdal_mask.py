"""Rasterises the same polygon over the same cells with GDAL; prints CPU seconds as JSON.

Usage: gdal_mask.py POLYGON SIZE MASK ROUNDS
Subtracts the time to pass the polygon to GDAL, measured with a single cell. Counts the cells that differ
from MASK (by centres).
"""

import json
import sys
import time

import numpy as np
import rasterio
from affine import Affine
from rasterio.features import rasterize

path, size, mask, rounds = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
with open(path) as file:
    ring = [[col, -row] for col, row in json.load(file)]
shapes = [({"type": "Polygon", "coordinates": [ring]}, 1)]
north_up = Affine(1, 0, 0, 0, -1, 0)


def best(shape, all_touched):
    least = float("inf")
    for _ in range(rounds):
        out = np.zeros(shape, "u1")
        start = time.process_time()
        rasterize(shapes, out=out, transform=north_up, all_touched=all_touched)
        least = min(least, time.process_time() - start)
    return least, out


overhead, _ = best((1, 1), False)
centre, cells = best((size, size), False)
touched, _ = best((size, size), True)
ours = np.fromfile(mask, "u1").reshape(size, size)
print(
    json.dumps(
        {
            "centre": centre - overhead,
            "touched": touched - overhead,
            "inside": int(cells.sum()),
            "different": int((cells != ours).sum()),
            "gdal": rasterio.__gdal_version__,
        }
    )
)
