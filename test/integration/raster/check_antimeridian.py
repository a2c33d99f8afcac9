"""Rasterises an unsplit polygon across the antimeridian with GDAL, PROJ and shapely.

In: {"crs", "origin", "cell", "width", "height", "ring": [[lon, lat], ...], "mask"}; longitudes of the ring continue past 180, as do those of a grid in degrees. The mask is base64, with a byte per cell.
Out: numbers of cells: {"gdal": by centre, "different": different in the mask, "astray": different although the centre is more than a tenth of a cell from the polygon's edge}
"""

import base64
import json
import sys

import numpy as np
import shapely
from affine import Affine
from pyproj import CRS, Transformer
from rasterio.features import rasterize


def main():
    request = json.load(sys.stdin)
    cell, (west, north) = request["cell"], request["origin"]
    shape = (request["height"], request["width"])
    polygon = shapely.segmentize(shapely.Polygon(request["ring"]), 0.0005)
    if not CRS(request["crs"]).is_geographic:
        transformer = Transformer.from_crs("EPSG:4326", request["crs"], always_xy=True)
        polygon = shapely.transform(
            polygon, lambda p: np.column_stack(transformer.transform(p[:, 0], p[:, 1]))
        )
    transform = Affine(cell, 0, west, 0, -cell, north)
    gdal = rasterize([(polygon, 1)], out_shape=shape, transform=transform)
    ours = np.frombuffer(base64.b64decode(request["mask"]), "u1").reshape(shape)
    rows, cols = np.nonzero(gdal != ours)
    centres = shapely.points(west + (cols + 0.5) * cell, north - (rows + 0.5) * cell)
    astray = shapely.distance(centres, polygon.boundary) > 0.1 * cell
    print(
        json.dumps({"gdal": int(gdal.sum()), "different": len(rows), "astray": int(astray.sum())})
    )


main()
