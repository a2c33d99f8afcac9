"""Runs GDAL's COG driver like `gdal_translate -of COG`, and prints the resources it used as JSON.

Usage: gdal_copy.py SOURCE TARGET THREADS LEVEL
"""

import json
import re
import resource
import sys
import time
from pathlib import Path

import rasterio
import rasterio.shutil

source, target, threads, level = sys.argv[1:5]
start = time.perf_counter()
with rasterio.Env():
    rasterio.shutil.copy(
        source,
        target,
        driver="COG",
        COMPRESS="DEFLATE",
        LEVEL=level,
        PREDICTOR="YES",
        BLOCKSIZE="512",
        OVERVIEW_RESAMPLING="AVERAGE",
        NUM_THREADS=threads,
        BIGTIFF="IF_SAFER",
    )
wall = time.perf_counter() - start
used = resource.getrusage(resource.RUSAGE_SELF)
# `ru_maxrss` starts with the memory that the parent process held.
peak_mib = int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1024
print(
    json.dumps(
        {
            "wall_s": wall,
            "cpu_s": used.ru_utime + used.ru_stime,
            "peak_mib": peak_mib,
            "gdal": rasterio.__gdal_version__,
        }
    )
)
