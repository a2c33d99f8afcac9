"""Compares the cells of two COGs and prints the result as JSON.

Usage: compare_cogs.py OURS THEIRS
Ours may have a few more columns and rows of nodata. Each of its overviews is compared with
the one that GDAL makes from the level below.
"""

import json
import sys
import warnings

import numpy as np
import rasterio
from rasterio.enums import Resampling
from rasterio.windows import Window
from rio_cogeo.cogeo import cog_validate

warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)

ROWS = 512


def compare_full_resolution(ours, theirs):
    different = 0
    for top in range(0, theirs.height, ROWS):
        window = Window(0, top, theirs.width, min(ROWS, theirs.height - top))
        different += int((ours.read(window=window) != theirs.read(window=window)).sum())
    return different


def compare_overviews(path, count):
    differences = []
    for level in range(count):
        below = {} if level == 0 else {"overview_level": level - 1}
        with rasterio.open(path, **below) as source, rasterio.open(path, overview_level=level) as ours:
            profile = {"driver": "GTiff", "count": source.count, "dtype": source.dtypes[0]}
            different = 0
            for top in range(0, source.height, ROWS * 8):
                rows = min(ROWS * 8, source.height - top)
                with rasterio.MemoryFile() as memory:
                    with memory.open(
                        width=source.width, height=rows, nodata=source.nodata, **profile
                    ) as part:
                        part.write(source.read(window=Window(0, top, source.width, rows)))
                        part.build_overviews([2], Resampling.average)
                    with memory.open(overview_level=0) as theirs:
                        window = Window(0, top // 2, ours.width, rows // 2)
                        different += int((ours.read(window=window) != theirs.read()).sum())
            differences.append(different)
    return differences


def main():
    with rasterio.open(sys.argv[1]) as ours, rasterio.open(sys.argv[2]) as theirs:
        cells = compare_full_resolution(ours, theirs)
        size = [ours.width, ours.height]
        margin = np.concatenate(
            [
                ours.read(window=Window(theirs.width, 0, size[0] - theirs.width, size[1])).ravel(),
                ours.read(window=Window(0, theirs.height, size[0], size[1] - theirs.height)).ravel(),
            ]
        )
        margin_is_nodata = bool((margin == ours.nodata).all())
        count = len(ours.overviews(1))
    valid, errors, warnings = cog_validate(sys.argv[1], strict=True, quiet=True)
    print(
        json.dumps(
            {
                "size": size,
                "cells_different": cells,
                "margin_is_nodata": margin_is_nodata,
                "overview_cells_different": compare_overviews(sys.argv[1], count),
                "valid": valid,
                "complaints": errors + warnings,
            }
        )
    )


main()
