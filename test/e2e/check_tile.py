"""Reads a tile of a batch in a bucket by the recipe of docs/destinations.md.

The tile contains the centre of a cell of the job's raster, which GDAL reads from another URL. Prints one JSON object: the
cell's value, and the lowest and highest values in the tile. Usage: check_tile.py FOLDER JOB_ID RASTER_URL
"""

import json
import re
import sys
from pathlib import Path

import morecantile
import numpy as np
import rasterio
from rasterio.warp import transform

folder, job_id, raster_url = sys.argv[1:]

with rasterio.open(f"/vsicurl/{raster_url}") as raster:
    cells = raster.read(1, masked=True)
    row, col = np.argwhere(~np.ma.getmaskarray(cells))[0]
    lon, lat = transform(raster.crs, "EPSG:4326", *([at] for at in raster.xy(row, col)))
# Tiles of this zoom are 6 m wide at 51° N, and cells 10 m.
x, y, z = morecantile.tms.get("WebMercatorQuad").tile(lon[0], lat[0], 22)

page = Path("docs/destinations.md").read_text()
(recipe,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
found = {"job_ids": [job_id], "x": x, "y": y, "z": z}
exec(recipe.replace("s3://your-bucket/your/prefix/BATCH_ID", folder), found)

tile = found["tile"].array
assert found["png"].startswith(b"\x89PNG")
report = {"cell": cells[row, col], "lowest": tile.min(), "highest": tile.max()}
print(json.dumps({name: float(value) for name, value in report.items()}))
