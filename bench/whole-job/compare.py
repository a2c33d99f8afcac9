"""Counts the cells that differ between two results of one job. Usage: compare.py OURS THEIRS"""

import json
import sys

import numpy as np
import rasterio

with rasterio.open(sys.argv[1]) as ours, rasterio.open(sys.argv[2]) as theirs:
    box = rasterio.windows.from_bounds(*theirs.bounds, ours.transform)
    a = ours.read(1, window=box, boundless=True, fill_value=-9999)
    b = theirs.read(1)
both = (a != -9999) & (b != -9999)
print(json.dumps({
    "only_one": int(((a != -9999) != (b != -9999)).sum()),
    "both": int(both.sum()),
    "different": int((np.abs(a[both] - b[both]) > 1e-5 * np.abs(b[both])).sum()),
}))
