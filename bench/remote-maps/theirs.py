"""theirs.py LAYERS WINDOWS: reads the windows of all layers with rasterio through /vsicurl/."""

import json
import re
import resource
import sys
import time
from pathlib import Path

import numpy as np
import rasterio
from rasterio.windows import Window

started = time.perf_counter()
layers, windows = (json.loads(Path(path).read_text()) for path in sys.argv[1:])
# As rio-tiler and titiler recommend.
options = {
    "GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR", "GDAL_HTTP_MERGE_CONSECUTIVE_RANGES": "YES", "VSI_CACHE": True,
    "GDAL_INGESTED_BYTES_AT_OPEN": 65536,
}
total = 0.0
with rasterio.Env(**options):
    opened = [rasterio.open(f"/vsicurl/{layer}") for layer in layers]
    for col, row, width, height in windows:
        read = np.stack([layer.read(1, window=Window(col, row, width, height)) for layer in opened])
        present = ~np.any(read == 65535, axis=0)
        total += float((read * np.float64(0.1)).astype("f4")[:, present].sum(dtype="f8"))
use = resource.getrusage(resource.RUSAGE_SELF)
# `ru_maxrss` starts with what the parent held.
peak_mib = int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1024
print(json.dumps({
    "wall_s": time.perf_counter() - started, "cpu_s": use.ru_utime + use.ru_stime, "peak_mib": peak_mib,
    "sum": round(total), "versions": {"rasterio": rasterio.__version__, "GDAL": rasterio.__gdal_version__},
}))
