"""Writes field files in each format and CRS with GDAL, and prints their corners in WGS 84 as PROJ computes them."""

import json
import sys
from pathlib import Path

import numpy as np
import pyogrio
import shapely
from pyproj import Transformer

folder = Path(sys.argv[1])

# The corner near which the fields lie, by EPSG code.
PLACES = {
    28992: (181000, 332500),
    27700: (451000, 223000),
    31370: (150000, 170000),
    25832: (500000, 5700000),
    3857: (600000, 6600000),
}
FORMATS = {"gpkg": "GPKG", "shp": "ESRI Shapefile", "fgb": "FlatGeobuf", "geojson": "GeoJSON"}


def make_fields(x, y):
    """Returns three fields of about 190 m × 170 m."""
    corners = [(0, 0), (190, 3.25), (185.5, 170), (0, 175)]
    starts = [x, x + 200, x + 40_000]
    return [shapely.Polygon([(start + dx, y + dy) for dx, dy in corners]) for start in starts]


expected = {}
for code, place in PLACES.items():
    fields = make_fields(*place)
    for ending, driver in FORMATS.items():
        pyogrio.raw.write(
            folder / f"{code}.{ending}",
            np.array(shapely.to_wkb(fields), dtype=object),
            [np.array(["veld 1", "veld 2", "veld 3"], dtype=object), np.array([0.0, 1.5, 3.0])],
            ["id", "area"],
            driver=driver,
            geometry_type="Polygon",
            crs=f"EPSG:{code}",
        )
    transformer = Transformer.from_crs(code, 4326, always_xy=True, allow_ballpark=False)
    expected[code] = [
        [transformer.transform(*corner) for corner in field.exterior.coords] for field in fields
    ]
print(json.dumps(expected))
