"""Writes fields.gpkg: eight fields near Stein (NL), within the coverage of the model meuse-soc."""

import math
import os
from pathlib import Path

import numpy as np
import pyogrio
import shapely

# The GeoPackage stores this as the time of its last change. It is fixed, so that the file is always the same.
os.environ["OGR_CURRENT_DATE"] = "2026-11-22T00:00:00.000Z"

# For each field: one corner in EPSG:28992, width and length in metres, and the crop.
FIELDS = [
    (180895.72, 332641.86, 270, 460, "grass"),
    (180229.34, 331876.07, 210, 420, "maize"),
    (180394.34, 331590.28, 270, 460, "wheat"),
    (179562.95, 331110.28, 240, 380, "grass"),
    (179727.95, 330824.49, 210, 420, "sugar beet"),
    (179892.95, 330538.70, 270, 460, "potatoes"),
    (179477.26, 330298.70, 210, 340, "grass"),
    (178645.88, 329818.70, 270, 420, "maize"),
]
# The longer sides of the fields run 30° north of east.
ALONG = np.array([math.cos(math.radians(30)), math.sin(math.radians(30))])
ACROSS = np.array([-ALONG[1], ALONG[0]])


def rectangle(x, y, width, length):
    corner = np.array([x, y])
    across, along = width * ACROSS, length * ALONG
    return shapely.Polygon(
        np.round([corner, corner + across, corner + across + along, corner + along], 2)
    )


shapes = [rectangle(*field[:4]) for field in FIELDS]
columns = {
    "id": np.array([f"Stein {index + 1}" for index in range(len(FIELDS))], dtype=object),
    "crop": np.array([field[4] for field in FIELDS], dtype=object),
    "area_ha": np.round(shapely.area(shapes) / 10_000, 2),
}
path = Path(__file__).with_name("fields.gpkg")
path.unlink(missing_ok=True)
pyogrio.raw.write(
    path,
    np.array(shapely.to_wkb(shapes), dtype=object),
    list(columns.values()),
    list(columns),
    layer="fields",
    driver="GPKG",
    geometry_type="Polygon",
    crs="EPSG:28992",
    # The spatial index would be larger than the fields.
    layer_options={"SPATIAL_INDEX": "NO"},
)
